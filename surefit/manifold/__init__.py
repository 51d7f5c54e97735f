"""Embeddings that keep distances, or neighborhoods."""

from surefit.manifold.classical_mds import ClassicalMDS
from surefit.manifold.isomap import Isomap
from surefit.manifold.locally_linear_embedding import LocallyLinearEmbedding
from surefit.manifold.mds import MDS
from surefit.manifold.smacof import smacof
from surefit.manifold.spectral_embedding import SpectralEmbedding

__all__ = ["MDS", "ClassicalMDS", "Isomap", "LocallyLinearEmbedding", "SpectralEmbedding", "smacof"]
