"""Nearest neighbors: search, classification, regression, outliers."""

from surefit.neighbors.gamma_index import GammaIndex
from surefit.neighbors.graphs import kneighbors_graph, radius_neighbors_graph
from surefit.neighbors.k_neighbors_classifier import KNeighborsClassifier
from surefit.neighbors.k_neighbors_regressor import KNeighborsRegressor
from surefit.neighbors.nearest_neighbors import NearestNeighbors
from surefit.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
from surefit.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor

__all__ = [
    "GammaIndex",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "kneighbors_graph",
    "radius_neighbors_graph",
]
