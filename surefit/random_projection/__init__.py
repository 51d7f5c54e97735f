"""Random projections, with scikit-learn's names and certificates."""

from surefit.random_projection.dimension import johnson_lindenstrauss_min_dim

__all__ = ["johnson_lindenstrauss_min_dim"]
