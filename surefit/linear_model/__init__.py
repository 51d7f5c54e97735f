"""Linear models: least squares and its relatives, with scikit-learn's names and certificates."""

from surefit.linear_model.batch_perceptron import BatchPerceptron
from surefit.linear_model.linear_program_classifier import LinearProgramClassifier
from surefit.linear_model.linear_regression import LinearRegression
from surefit.linear_model.lms_regressor import LMSRegressor
from surefit.linear_model.logistic_regression import LogisticRegression
from surefit.linear_model.perceptron import Perceptron
from surefit.linear_model.quantile_regressor import LADRegressor, QuantileRegressor
from surefit.linear_model.recursive_least_squares import RecursiveLeastSquares
from surefit.linear_model.ridge import Ridge
from surefit.linear_model.ridge_cv import RidgeCV

__all__ = [
    "BatchPerceptron",
    "LADRegressor",
    "LMSRegressor",
    "LinearProgramClassifier",
    "LinearRegression",
    "LogisticRegression",
    "Perceptron",
    "QuantileRegressor",
    "RecursiveLeastSquares",
    "Ridge",
    "RidgeCV",
]
