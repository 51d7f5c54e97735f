"""Nearest neighbors: search, classification, regression, outliers."""

from surefit.neighbors.gamma_index import GammaIndex  # noqa: F401
from surefit.neighbors.k_neighbors_classifier import KNeighborsClassifier
from surefit.neighbors.k_neighbors_regressor import KNeighborsRegressor
from surefit.neighbors.nearest_neighbors import NearestNeighbors

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors"]
