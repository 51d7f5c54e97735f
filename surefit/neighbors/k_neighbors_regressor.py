"""Regression by the mean of the nearest neighbors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from surefit._core.base import fitting
from surefit._core.data.intake import take_targets
from surefit.neighbors.k_neighbors import KNeighborsModel
from surefit.neighbors.votes import neighbor_weights, weighted_means


class KNeighborsRegressor(MultiOutputMixin, RegressorMixin, KNeighborsModel):
    """The (weighted) mean of the targets of the nearest rows.

    With several `n_neighbors` (or "cv") the number is chosen by the squared error of left-out rows, from one search; of
    equally good numbers the first is taken. Where two rows are equally far, the lower index is nearer.

    {parameters}

    Attributes
    ----------
    X_fit_ : ndarray or CSR of shape (n_samples, n_features)
        The rows that are searched.
    y_fit_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their targets.
    n_neighbors_ : int
        The number chosen, where there was a choice; likewise the next three.
    candidates_ : ndarray of shape (n_candidates,)
    cv_scores_ : ndarray of shape (n_candidates,)
        Minus the mean squared error of left-out rows, the mean over folds.
    best_score_ : float
        The largest of these.
    n_samples_fit_, effective_metric_, effective_metric_params_ : as in NearestNeighbors
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.predict([[1.5]])
    array([0.5])
    """

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows X and their targets y (one or several columns); choose the number of neighbors if asked to."""
        p = self._checked()
        rows = self._keep_rows(p, X)
        self.y_fit_ = take_targets(self, y, rows.shape[0])
        self._choose(p, classes=False, score=self._closeness)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The predicted target of every row of X; X may be None: of every row fitted, from the others."""
        return self._each_row(X, self._means)

    def _means(self, Q: Any) -> np.ndarray:
        blocks = [self._mean_of(distances, indices) for _, distances, indices in self._neighbors(Q)]
        means = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        means = means.astype(np.float32 if self.y_fit_.dtype == np.float32 and self._single(Q) else np.float64)
        return means[:, 0] if self.y_fit_.ndim == 1 else means

    def _mean_of(self, distances: np.ndarray, indices: np.ndarray) -> np.ndarray:
        weights = neighbor_weights(distances, self.weights)
        return weighted_means(self.y_fit_.reshape(len(self.y_fit_), -1)[indices], weights)

    def _closeness(self, rows: np.ndarray, distances: np.ndarray, indices: np.ndarray) -> np.ndarray:
        truth = self.y_fit_[rows].reshape(len(rows), -1)
        return -np.mean((self._mean_of(distances, indices) - truth) ** 2, axis=1)
