"""Bagging, forests and boosting, with scikit-learn's names and certificates."""

from __future__ import annotations

from surefit.ensemble.bagging.bagging_classifier import BaggingClassifier
from surefit.ensemble.bagging.bagging_regressor import BaggingRegressor
from surefit.ensemble.bagging.cross_validated_ensemble import CrossValidatedEnsemble
from surefit.ensemble.boosting.ada_boost import AdaBoostClassifier
from surefit.ensemble.boosting.ada_boost_regressor import AdaBoostRegressor
from surefit.ensemble.boosting.gradient_boosting_classifier import GradientBoostingClassifier
from surefit.ensemble.boosting.gradient_boosting_regressor import GradientBoostingRegressor
from surefit.ensemble.forests.random_forest_classifier import RandomForestClassifier
from surefit.ensemble.forests.random_forest_regressor import RandomForestRegressor
from surefit.ensemble.histogram_boosting.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from surefit.ensemble.histogram_boosting.hist_gradient_boosting_regressor import HistGradientBoostingRegressor

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
