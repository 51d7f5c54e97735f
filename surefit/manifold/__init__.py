"""Embeddings that keep distances, or neighborhoods."""

from surefit.manifold.classical_mds import ClassicalMDS
from surefit.manifold.mds import MDS
from surefit.manifold.smacof import smacof

__all__ = ["MDS", "ClassicalMDS", "smacof"]
