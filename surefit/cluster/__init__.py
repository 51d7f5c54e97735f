"""Floor 4: clusters."""

from surefit.cluster.kmeans import KMeans
from surefit.cluster.kmeans_plusplus import kmeans_plusplus

__all__ = ["KMeans", "kmeans_plusplus"]
