"""Predictions that are already there, for scorers that expect an estimator."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, RegressorMixin


class Given(RegressorMixin, BaseEstimator):
    """What it is asked to predict is the answer."""

    def fit(self, X: Any, y: Any) -> Given:
        return self

    def predict(self, X: Any) -> Any:
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True
