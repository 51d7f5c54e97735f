"""Floor 4: clusters."""

from surefit.cluster.dbscan import DBSCAN, dbscan
from surefit.cluster.kmeans import KMeans
from surefit.cluster.kmeans_plusplus import kmeans_plusplus

__all__ = ["DBSCAN", "KMeans", "dbscan", "kmeans_plusplus"]
