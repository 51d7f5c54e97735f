"""A clustering that chooses its own setting: the number of clusters, the kind of covariance, the density.

By the silhouette (k-means, linkages, DBSCAN), by the Bayesian information criterion (mixtures), or by the eigengap
(spectral clustering: the k after which the Laplacian's eigenvalues grow most, log (λₖ₊₁ + δ)/(λₖ + δ) with δ = 0.001,
so that it does not matter which of two numbers near zero is the larger). The radius of density-based clusterings is
the knee of the distances to the min_samples-th neighbor. One row of the table is one method, with what it chose.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin, clone

from surefit._core.errors import InvalidParameter
from surefit.model_selection.clusterings.indices import rows_spread, silhouette_of
from surefit.model_selection.clusterings.radius import rounded_knee
from surefit.solvers.clustering.dendrogram import cut

SEARCH_ROWS = 10_000
COLLAPSED = 10.0
"""Variances below so many times the one that is added to all are those of a component on a point, a line or a plane."""
NEAR_ZERO = 1e-3
"""Eigenvalues of a normalized Laplacian below this are those of all but separate parts."""


class ClusterSearch(ClusterMixin, BaseEstimator):
    """`estimator` with the best of a few settings.

    settings    dicts of parameters; of equally good ones the first is taken, and one that cannot be fitted is passed by
    criterion   "silhouette", "bic" or "eigengap"
    max_rows    rows that the search looks at, spread evenly over the data; the last fit is of all rows

    After `fit`: `best_estimator_`, `best_params_`, `criteria_` (one for each setting, higher is better, NaN where it
    cannot be fitted), `n_search_rows_` and `labels_`.

    >>> from sklearn.datasets import load_iris
    >>> from surefit.cluster import KMeans
    >>> settings = tuple({"n_clusters": k} for k in (2, 3, 4))
    >>> ClusterSearch(KMeans(random_state=0), settings).fit(load_iris().data).best_params_
    {'n_clusters': 2}
    """

    def __init__(
        self,
        estimator: Any,
        settings: Sequence[dict[str, Any]] = (),
        criterion: str = "silhouette",
        max_rows: int = SEARCH_ROWS,
    ) -> None:
        self.estimator = estimator
        self.settings = settings
        self.criterion = criterion
        self.max_rows = max_rows

    def fit(self, X: Any, y: Any = None) -> Self:
        Z = X.tocsr() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        rows = rows_spread(Z.shape[0], self.max_rows)
        some = Z if rows.size == Z.shape[0] else Z[rows]
        self.criteria_, self.n_search_rows_ = self._criteria(some), int(rows.size)
        best = int(np.argmax(np.where(np.isnan(self.criteria_), -np.inf, self.criteria_)))
        self.best_params_ = self.complete(dict(self.settings[best]), Z)
        self.best_estimator_ = self.refit(self.best_params_, Z)
        self.labels_ = labels_of(self.best_estimator_, Z)
        return self

    def refit(self, setting: dict[str, Any], Z: Any) -> Any:
        """A fresh copy with one setting, fitted."""
        return clone(self.estimator).set_params(**setting).fit(Z)

    def complete(self, setting: dict[str, Any], Z: Any) -> dict[str, Any]:
        """The setting, with the radius at the knee for these rows where the estimator has one."""
        if hasattr(self.estimator, "eps") and "eps" not in self.settings[0]:
            m = int(setting.get("min_samples", self.estimator.min_samples))
            return {**setting, "eps": rounded_knee(Z, m)}
        return setting

    def _criteria(self, Z: Any) -> np.ndarray:
        if self.criterion == "eigengap":
            return self._eigengaps(Z)
        if self.criterion not in ("silhouette", "bic"):
            raise InvalidParameter(f"criterion must be 'silhouette', 'bic' or 'eigengap'; got {self.criterion!r}")
        found, faults = [], list[Exception]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of settings that are not taken; the last fit warns by itself
            tree = _Tree(self.estimator, Z) if hasattr(self.estimator, "linkage") else None
            for setting in self.settings:
                try:
                    found.append(self._criterion(setting, Z, tree))
                except ValueError as fault:  # more clusters than rows, a singular covariance
                    found.append(np.nan)
                    faults.append(fault)
        if faults and len(faults) == len(self.settings):
            raise faults[0]
        return np.array(found)

    def _criterion(self, setting: dict[str, Any], Z: Any, tree: _Tree | None) -> float:
        if tree is not None:
            return silhouette_of(Z, tree.cut(setting["n_clusters"]))
        model = self.refit(self.complete(setting, Z), Z)
        if self.criterion == "bic":
            return np.nan if _collapsed(model) else -float(model.bic(Z))
        return silhouette_of(Z, labels_of(model, Z))

    def _eigengaps(self, Z: Any) -> np.ndarray:
        """log (λₖ₊₁ + δ)/(λₖ + δ), from one fit with the largest k that there are rows for."""
        counts = [setting["n_clusters"] for setting in self.settings]
        most = min(max(counts), Z.shape[0] - 1)
        grown = np.diff(np.log(np.maximum(self.refit({"n_clusters": most}, Z).eigenvalues_, 0.0) + NEAR_ZERO))
        return np.array([grown[k - 1] if k <= len(grown) else np.nan for k in counts])


class _Tree:
    """A tree of merges, cut at any number of clusters without growing it again."""

    def __init__(self, estimator: Any, Z: Any) -> None:
        self._children = clone(estimator).set_params(n_clusters=2, compute_full_tree=True).fit(Z).children_
        self._n = Z.shape[0]

    def cut(self, k: int) -> np.ndarray:
        """The labels of the k clusters that are left after n − k merges."""
        if not 1 <= k <= self._n:
            raise InvalidParameter(f"{k} clusters of {self._n} rows")
        return cut(self._children, self._n, k)


def _collapsed(model: Any) -> bool:
    """Has a component of a mixture no spread of its own? Its likelihood then means nothing."""
    spread = np.asarray(model.covariances_)
    if model.covariance_type in ("full", "tied"):
        spread = np.linalg.eigvalsh(spread)
    return bool(spread.min() < COLLAPSED * model.reg_covar)


def labels_of(model: Any, Z: Any) -> np.ndarray:
    """The labels of the rows that a model was fitted to; a mixture says which component is the likeliest."""
    found = getattr(model, "labels_", None)
    return np.asarray(model.predict(Z) if found is None else found)
