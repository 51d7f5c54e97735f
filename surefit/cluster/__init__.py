"""Floor 4: clusters."""

from surefit.cluster.agglomerative_clustering import AgglomerativeClustering
from surefit.cluster.bisecting_kmeans import BisectingKMeans
from surefit.cluster.dbscan import DBSCAN, dbscan
from surefit.cluster.k_means import k_means
from surefit.cluster.kmeans import KMeans
from surefit.cluster.kmeans_plusplus import kmeans_plusplus
from surefit.cluster.min_cut import MinCut
from surefit.cluster.mini_batch_kmeans import MiniBatchKMeans
from surefit.cluster.spectral_clustering import SpectralClustering, spectral_clustering
from surefit.cluster.stepwise_agglomeration import StepwiseAgglomeration
from surefit.cluster.trees import linkage_tree, ward_tree

__all__ = [
    "DBSCAN",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "KMeans",
    "MinCut",
    "MiniBatchKMeans",
    "SpectralClustering",
    "StepwiseAgglomeration",
    "dbscan",
    "k_means",
    "kmeans_plusplus",
    "linkage_tree",
    "spectral_clustering",
    "ward_tree",
]
