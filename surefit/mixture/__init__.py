"""Mixtures of distributions, with scikit-learn's names and certificates."""

__all__: list[str] = []
