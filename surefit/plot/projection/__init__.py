"""Pictures of rows in few dimensions, and of what was left out."""
