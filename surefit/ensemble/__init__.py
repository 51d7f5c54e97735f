"""Bagging, forests and boosting, with scikit-learn's names and certificates."""

from __future__ import annotations

from surefit.ensemble.ada_boost import AdaBoostClassifier
from surefit.ensemble.ada_boost_regressor import AdaBoostRegressor
from surefit.ensemble.bagging_classifier import BaggingClassifier
from surefit.ensemble.bagging_regressor import BaggingRegressor
from surefit.ensemble.cross_validated_ensemble import CrossValidatedEnsemble
from surefit.ensemble.gradient_boosting_classifier import GradientBoostingClassifier
from surefit.ensemble.gradient_boosting_regressor import GradientBoostingRegressor
from surefit.ensemble.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from surefit.ensemble.hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from surefit.ensemble.random_forest_classifier import RandomForestClassifier
from surefit.ensemble.random_forest_regressor import RandomForestRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "CrossValidatedEnsemble",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
