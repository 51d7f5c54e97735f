"""Nearest neighbors: search, classification, regression, outliers."""

from surefit.neighbors.gamma_index import GammaIndex  # noqa: F401
from surefit.neighbors.k_neighbors_classifier import KNeighborsClassifier  # noqa: F401
from surefit.neighbors.k_neighbors_regressor import KNeighborsRegressor  # noqa: F401
from surefit.neighbors.nearest_neighbors import NearestNeighbors  # noqa: F401

__all__: list[str] = []
