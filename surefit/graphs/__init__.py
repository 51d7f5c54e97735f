"""Similarity graphs of rows: how they are built, their Laplacians, components and cuts."""

__all__: list[str] = []
