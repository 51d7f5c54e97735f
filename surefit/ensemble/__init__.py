"""Bagging, forests and boosting, with scikit-learn's names and certificates."""

from __future__ import annotations

from surefit.ensemble.ada_boost import AdaBoostClassifier as AdaBoostClassifier
from surefit.ensemble.ada_boost_regressor import AdaBoostRegressor as AdaBoostRegressor
from surefit.ensemble.bagging_classifier import BaggingClassifier as BaggingClassifier
from surefit.ensemble.bagging_regressor import BaggingRegressor as BaggingRegressor

__all__: list[str] = []
