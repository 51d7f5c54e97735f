"""Random projections, with scikit-learn's names and certificates."""

from surefit.random_projection.dimension import johnson_lindenstrauss_min_dim
from surefit.random_projection.gaussian_random_projection import GaussianRandomProjection

__all__ = ["GaussianRandomProjection", "johnson_lindenstrauss_min_dim"]
