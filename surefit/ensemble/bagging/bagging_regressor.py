"""Bagging of regressors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d

from surefit._core.data.intake import take_targets
from surefit.ensemble.bagging.bagging import NO_VOTE, Bagging
from surefit.ensemble.bagging.bags import Draws
from surefit.ensemble.members import columns_of
from surefit.ensemble.routing import routed
from surefit.tree.decision_tree_regressor import DecisionTreeRegressor


class BaggingRegressor(RegressorMixin, Bagging):
    """The mean of regressors, each fitted to a sample of the rows.

    Rows are drawn in canonical order (by their contents), so that a weight of two is a row given twice, and neither the
    order of the rows nor the number of jobs changes anything. With `oob_score` each row is judged by the members that
    did not see its example.

    {parameters}

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of.
    estimators_ : list of regressors
    estimators_samples_ : list of ndarray
        The rows drawn for each member.
    estimators_features_ : list of ndarray
        The columns drawn for each member.
    oob_score_ : float
        With `oob_score`: R² of `oob_prediction_`, weighted.
    oob_prediction_ : ndarray of shape (n_samples,)
        With `oob_score`: the mean of the members that did not see the row; 0 where every member saw it.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.ensemble import BaggingRegressor
    >>> model = BaggingRegressor(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0])
    >>> model.predict([[3.0]]).shape
    (1,)
    """

    oob_prediction_: np.ndarray

    def _base(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _take_target(self, y: Any, n_rows: int) -> np.ndarray:
        y = take_targets(self, y, n_rows)
        return column_or_1d(y, warn=True) if y.ndim == 1 or y.shape[1] == 1 else y

    def _judge_out_of_bag(self, X: Any, y: np.ndarray, w: np.ndarray | None, draws: Draws) -> None:
        total, asked = np.zeros(y.shape), np.zeros(len(y))
        for member, columns, out in self._out_of_bag(draws):
            if len(out):
                total[out] += member.predict(columns_of(X[out], columns))
                asked[out] += 1
        if (asked == 0).any():
            warnings.warn(NO_VOTE, stacklevel=5)
        self.oob_prediction_ = (total.T / np.maximum(asked, 1)).T
        self.oob_score_ = float(r2_score(y, self.oob_prediction_, sample_weight=w))

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' predictions."""
        given = routed(self, "predict", "predict", params)
        total: Any = sum(self._of_members(X, lambda member, rows: member.predict(rows, **given)))
        return total / len(self.estimators_)
