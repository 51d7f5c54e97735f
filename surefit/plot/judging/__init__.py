"""Pictures of how well a model answers."""
