"""Regression by the mean of all rows within a radius."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from surefit._core.base import fitting
from surefit._core.data.intake import take_targets
from surefit.neighbors.radius_neighbors import Near, RadiusNeighborsModel


class RadiusNeighborsRegressor(MultiOutputMixin, RegressorMixin, RadiusNeighborsModel):
    """The (weighted) mean of the targets of all rows within the radius; NaN, with a warning, where there are none.

    {parameters}

    Attributes
    ----------
    X_fit_ : ndarray or CSR of shape (n_samples, n_features)
        The rows that are searched.
    y_fit_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their targets.
    n_samples_fit_, effective_metric_, effective_metric_params_ : as in NearestNeighbors
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.neighbors import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(radius=1.0).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.predict([[1.5]])
    array([0.5])
    """

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows X and their targets y (one or several columns)."""
        p = self._checked()
        rows = self._keep_rows(p, X)
        self.y_fit_ = take_targets(self, y, rows.shape[0])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The predicted target of every row of X; X may be None: of every row fitted, from the others."""
        return self._each_row(X, self._means)

    def _means(self, Q: Any) -> np.ndarray:
        targets = self.y_fit_.reshape(len(self.y_fit_), -1).astype(np.float64)
        means = np.concatenate([_mean_of(near, targets) for near in self._around(Q)])
        if np.isnan(means).any():
            warnings.warn(
                "One or more samples have no neighbors within specified radius; predicting NaN.", stacklevel=4
            )
        means = means.astype(np.float32 if self.y_fit_.dtype == np.float32 and self._single(Q) else np.float64)
        return means[:, 0] if self.y_fit_.ndim == 1 else means


def _mean_of(near: Near, targets: np.ndarray) -> np.ndarray:
    """Σ v y / Σ v over the rows near each query, (queries, outputs); NaN where there are none."""
    m = len(near.alone)
    v = np.ones(len(near.row)) if near.weight is None else near.weight
    total = np.bincount(near.owner, v, minlength=m)
    sums = [np.bincount(near.owner, v * column[near.row], minlength=m) for column in targets.T]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(near.alone[:, None], np.nan, np.column_stack(sums) / total[:, None])
