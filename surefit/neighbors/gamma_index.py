"""Outliers by the mean distance to the nearest neighbors."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from surefit._core.base import fitting
from surefit._core.params import Range
from surefit.neighbors.parameters import Algorithm, Jobs, LeafSize, MetricName, MetricParams, P
from surefit.neighbors.queries import KNearest


class GammaIndex(OutlierMixin, KNearest):
    """γ(x), the mean distance of a row to its nearest others: large for rows that lie alone.

    A row is an outlier where γ exceeds a threshold, which is set so that the floor(contamination · n) training rows of
    largest γ are outliers; a row whose γ equals the threshold is none. A new row that lies on a training row (at
    distance zero) is taken for it, so that training rows have the same γ when they are asked about again.

    {parameters}

    Attributes
    ----------
    gamma_ : ndarray of shape (n_samples,)
        γ of every training row.
    threshold_ : float
        A row is an outlier where γ is larger.
    offset_ : float
        Minus the threshold: `decision_function` is `score_samples` − `offset_`.
    X_fit_ : ndarray or CSR of shape (n_samples, n_features)
        The rows that are searched.
    n_samples_fit_, effective_metric_, effective_metric_params_ : as in NearestNeighbors
    n_features_in_, feature_names_in_ : as in scikit-learn

    References
    ----------
    Harmeling, Dornhege, Tax, Meinecke and Müller, "From outliers to prototypes: Ordering data", Neurocomputing 69
    (2006), 1608–1618.

    Examples
    --------
    >>> from surefit.neighbors import GammaIndex
    >>> X = [[0.0], [1.0], [2.0], [3.0], [9.0]]
    >>> model = GammaIndex(n_neighbors=1, contamination=0.2).fit(X)
    >>> model.gamma_
    array([1., 1., 1., 1., 6.])
    >>> model.predict(X)
    array([ 1,  1,  1,  1, -1])
    """

    gamma_: np.ndarray
    threshold_: float
    offset_: float

    def __init__(
        self,
        n_neighbors: Annotated[int, Range(1), "Number of nearest rows whose mean distance is taken."] = 5,
        *,
        contamination: Annotated[
            float, Range(0, 0.5), "The share of training rows that are called outliers (rounded down)."
        ] = 0.1,
        algorithm: Algorithm = "auto",
        leaf_size: LeafSize = 30,
        metric: MetricName = "minkowski",
        p: P = 2,
        metric_params: MetricParams = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.contamination = contamination
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find γ of every row of X, and the threshold; y is ignored."""
        p = self._checked()
        n = self._keep_rows(p, X, min_rows=2).shape[0]
        self.gamma_ = self._gamma(None)
        n_outliers = int(np.floor(p.contamination * n))
        self.threshold_ = float(np.partition(self.gamma_, n - 1 - n_outliers)[n - 1 - n_outliers])
        self.offset_ = -self.threshold_
        return self

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and −1 for the rows of X that are outliers, 1 for the others."""
        return _signs(self.fit(X).gamma_ <= self.threshold_)

    def score_samples(self, X: Any) -> np.ndarray:
        """−γ of every row of X; the lower, the more of an outlier. X may be None: of the rows fitted."""
        return -self._each_row(X, self._gamma)

    def decision_function(self, X: Any) -> np.ndarray:
        """The threshold minus γ: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """−1 for the rows of X that are outliers, 1 for the others."""
        return _signs(self.decision_function(X) >= 0)

    def rank(self, X: Any) -> np.ndarray:
        """The share of training rows whose γ is smaller than that of each row of X, from 0 to 1."""
        gamma = -self.score_samples(X)
        return np.searchsorted(np.sort(self.gamma_), gamma, side="left") / self.n_samples_fit_

    def _gamma(self, Q: Any) -> np.ndarray:
        """γ of every row of Q (of every row fitted for None)."""
        k, gamma = self._number(None, None), np.empty(self._n_queries(Q))
        if Q is None:
            for rows, distances, _ in self._index.query_blocks(None, k, exclude_self=True):
                gamma[rows] = distances.mean(axis=1)
        else:
            for rows, distances, _ in self._index.query_blocks(Q, k + 1):
                on_a_row = distances[:, :1] == 0
                gamma[rows] = np.where(on_a_row, distances[:, 1:], distances[:, :-1]).mean(axis=1)
        return gamma


def _signs(inlier: np.ndarray) -> np.ndarray:
    return np.where(inlier, 1, -1)
