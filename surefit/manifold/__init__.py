"""Embeddings that keep distances, or neighborhoods."""

from surefit.manifold.classical_mds import ClassicalMDS
from surefit.manifold.isomap import Isomap
from surefit.manifold.locally_linear_embedding import LocallyLinearEmbedding, locally_linear_embedding
from surefit.manifold.mds import MDS
from surefit.manifold.smacof import smacof
from surefit.manifold.spectral_embedding import SpectralEmbedding, spectral_embedding

__all__ = [
    "MDS",
    "ClassicalMDS",
    "Isomap",
    "LocallyLinearEmbedding",
    "SpectralEmbedding",
    "locally_linear_embedding",
    "smacof",
    "spectral_embedding",
]
