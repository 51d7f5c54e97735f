"""Floor 4: decompositions."""

from surefit.decomposition.kernel_pca import KernelPCA as KernelPCA
from surefit.decomposition.pca import PCA

__all__ = ["PCA"]
