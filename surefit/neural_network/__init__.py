"""Networks of layers, with scikit-learn's names and certificates."""

__all__: list[str] = []
