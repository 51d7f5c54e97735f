"""Nearest neighbors: search, classification, regression, outliers."""

__all__: list[str] = []
