"""Floor 4: decompositions."""

from surefit.decomposition.pca import PCA

__all__ = ["PCA"]
