"""DBSCAN: clusters are what dense rows reach."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidData
from surefit._core.params import Range, Rule
from surefit.engine.open import open_data
from surefit.search import Metric, resolve_metric
from surefit.solvers.clustering.dbscan import find_clusters


class DBSCAN(ClusterMixin, Estimator):
    """Clusters of any shape, and noise: rows with many neighbors, joined by chains of neighbors.

    A row is *core* where at least `min_samples` rows (or that much weight) lie within `eps` of it, itself among them.
    A cluster is a set of core rows joined by chains of steps of at most `eps`, with the rows that one of them reaches.
    What no core row reaches is noise, −1. Clusters are numbered by their first core row; a row that several clusters
    reach belongs to the first of them: the answer is scikit-learn's. It is exact, takes memory linear in the number of
    rows, and does not depend on the number of threads.

    {parameters}

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row; −1 for noise.
    core_sample_indices_ : ndarray of shape (n_core_samples,)
        The core rows.
    components_ : ndarray or CSR of shape (n_core_samples, n_features)
        A copy of them.
    n_clusters_ : int
        How many clusters there are.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import DBSCAN
    >>> X = np.array([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]])
    >>> DBSCAN(eps=3, min_samples=2).fit(X).labels_
    array([ 0,  0,  0,  1,  1, -1])
    """

    labels_: np.ndarray
    core_sample_indices_: np.ndarray
    components_: Any
    n_clusters_: int

    def __init__(
        self,
        eps: Annotated[float, Range(0, open="low"), "The largest distance of two neighbors."] = 0.5,
        *,
        min_samples: Annotated[
            int, Range(1), "Rows (or their weight) within eps that make a row core; the row itself counts."
        ] = 5,
        metric: Annotated[
            Any,
            Rule(
                lambda value: isinstance(value, str) or callable(value),
                "the name of a metric or a function of two rows",
            ),
            'The distance: a name ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "haversine", … as in '
            'SciPy), "precomputed" for X a matrix or sparse graph of distances, or a function of two rows.',
        ] = "euclidean",
        metric_params: Annotated[dict | None, "Further parameters of the metric."] = None,
        algorithm: Annotated[
            Literal["auto", "ball_tree", "kd_tree", "brute"],
            "For compatibility; the answer is exact and does not depend on it.",
        ] = "auto",
        leaf_size: Annotated[int, Range(1), "For compatibility."] = 30,
        p: Annotated[float | None, Range(0), "The power of the Minkowski metric; None is 2."] = None,
        n_jobs: Annotated[int | None, "Most threads to use; None is what the machine and the settings allow."] = None,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of X: array, dataframe or CSR (distances for metric="precomputed"). `y` is not used.

        `sample_weight` is what a row counts for itself and its neighbors; a negative one keeps them from being core.
        """
        p = self._checked()
        metric = _metric(p)
        data = open_data(self, X, None, sample_weight, stream=False, instead="KMeans", any_sign=True)
        rows, weights = data.X, data.w
        if metric.is_precomputed:
            _refuse_no_distances(rows)
        found = find_clusters(rows, p.eps, p.min_samples, metric, weights, algorithm=p.algorithm, n_jobs=p.n_jobs)
        self.labels_ = found.labels
        self.core_sample_indices_ = np.flatnonzero(found.core)
        self.components_ = rows[self.core_sample_indices_] if found.core.any() else np.empty((0, rows.shape[1]))
        self.n_clusters_ = found.n_clusters
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """`fit(X)`, then the cluster of each row."""
        return self.fit(X, y, sample_weight).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags


def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The core rows of X and the cluster of each row (−1: noise); see `DBSCAN`.

    >>> from surefit.cluster import dbscan
    >>> core, labels = dbscan([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]], eps=3, min_samples=2)
    >>> core
    array([0, 1, 2, 3, 4])
    >>> labels
    array([ 0,  0,  0,  1,  1, -1])
    """
    model = DBSCAN(
        eps=eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    )
    model.fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_


def _refuse_no_distances(D: Any) -> None:
    if D.shape[0] != D.shape[1]:
        raise InvalidData(f"Precomputed matrix must be square. Input is a {D.shape[0]}x{D.shape[1]} matrix.")
    stored = D.data if sp.issparse(D) else D
    if stored.size and stored.min() < 0:
        raise InvalidData("Negative values in data passed to X: precomputed distances are numbers ≥ 0")


def _metric(p: SimpleNamespace) -> Metric:
    params = dict(p.metric_params or {})
    if "p" in params and p.p is not None:
        warnings.warn(
            "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
            SyntaxWarning,
            stacklevel=5,
        )
    return resolve_metric(p.metric, p=2 if p.p is None else p.p, metric_params=params)
