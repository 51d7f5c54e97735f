"""Which checker belongs to which class, by name, so that models of other libraries are checked too."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from .blocks import Blocks
from .certificate import Certificate

Checker = Callable[[Any, Blocks], Certificate]


def _lazy(module: str, function: str) -> Checker:
    """The checker, imported when first called."""

    def checker(model: Any, blocks: Blocks) -> Certificate:
        return getattr(import_module(f".{module}", __package__), function)(model, blocks)

    checker.__name__ = checker.__qualname__ = function
    checker.__doc__ = f"See `{__package__}.{module}.{function}`."
    return checker


CHECKERS: dict[str, Checker] = {
    "LinearRegression": _lazy("linear_regression", "check_linear_regression"),
    "Ridge": _lazy("ridge", "check_ridge"),
    "RidgeCV": _lazy("ridge_cv", "check_ridge_cv"),
    "QuantileRegressor": _lazy("quantile_regressor", "check_quantile_regressor"),
    "LADRegressor": _lazy("quantile_regressor", "check_lad_regressor"),
    "LMSRegressor": _lazy("lms_regressor", "check_lms_regressor"),
    "LinearProgramClassifier": _lazy("linear_program_classifier", "check_linear_program_classifier"),
    "BatchPerceptron": _lazy("batch_perceptron", "check_batch_perceptron"),
    "Perceptron": _lazy("perceptron", "check_perceptron"),
    "LogisticRegression": _lazy("logistic_regression", "check_logistic_regression"),
    "GaussianNB": _lazy("gaussian_nb", "check_gaussian_nb"),
    "MultinomialNB": _lazy("discrete_nb", "check_multinomial_nb"),
    "BernoulliNB": _lazy("discrete_nb", "check_bernoulli_nb"),
    "ComplementNB": _lazy("discrete_nb", "check_complement_nb"),
    "CategoricalNB": _lazy("categorical_nb", "check_categorical_nb"),
    "MixedNB": _lazy("mixed_nb", "check_mixed_nb"),
    "LinearDiscriminantAnalysis": _lazy("linear_discriminant_analysis", "check_linear_discriminant_analysis"),
    "QuadraticDiscriminantAnalysis": _lazy("quadratic_discriminant_analysis", "check_quadratic_discriminant_analysis"),
    "PCA": _lazy("pca", "check_pca"),
    "KMeans": _lazy("kmeans", "check_kmeans"),
}


def checker_for(model: Any) -> Checker:
    """The checker of the model's class, or of the nearest base class that has one."""
    for base in type(model).__mro__:
        if base.__name__ in CHECKERS:
            return CHECKERS[base.__name__]
    known = ", ".join(sorted(CHECKERS))
    raise TypeError(f"No checker for {type(model).__name__}. Checkers exist for {known}.")


def check(model: Any, blocks: Blocks) -> Certificate:
    """Check a fitted model against its data.

    model   a fitted estimator; only its public parameters and fitted attributes are read
    blocks  the data it was fitted on, see `blocks.py`
    """
    return checker_for(model)(model, blocks)
