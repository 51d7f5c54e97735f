"""Embeddings that keep distances, or neighborhoods."""

__all__: list[str] = []
