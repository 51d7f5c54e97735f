"""General EM and mean-field variational inference for a user's own model."""

__all__: list[str] = []
