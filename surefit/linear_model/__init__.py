"""Linear models: least squares and its relatives, with scikit-learn's names and certificates."""

from surefit.linear_model.linear_regression import LinearRegression
from surefit.linear_model.logistic_regression import LogisticRegression
from surefit.linear_model.ridge import Ridge
from surefit.linear_model.ridge_cv import RidgeCV

__all__ = ["LinearRegression", "LogisticRegression", "Ridge", "RidgeCV"]
