"""Floor 4: clusters."""

from surefit.cluster.agglomerative_clustering import AgglomerativeClustering
from surefit.cluster.dbscan import DBSCAN, dbscan
from surefit.cluster.kmeans import KMeans
from surefit.cluster.kmeans_plusplus import kmeans_plusplus

__all__ = ["DBSCAN", "AgglomerativeClustering", "KMeans", "dbscan", "kmeans_plusplus"]
