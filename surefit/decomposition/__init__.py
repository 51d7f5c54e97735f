"""Decompositions: principal components of rows, and of their features in the space of a kernel."""

from surefit.decomposition.incremental_pca import IncrementalPCA
from surefit.decomposition.kernel_pca import KernelPCA
from surefit.decomposition.pca import PCA

__all__ = ["PCA", "IncrementalPCA", "KernelPCA"]
