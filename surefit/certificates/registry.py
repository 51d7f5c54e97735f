"""Which checker belongs to which class, by name, so that models of other libraries are checked too."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from surefit.certificates.blocks import Blocks
from surefit.certificates.certificate import Certificate
from surefit.certificates.checker import TOL, Checked

Checker = Callable[[Any, Blocks, float], Checked]

# class: family.file:function
CHECKERS: dict[str, str] = {
    "LinearRegression": "linear_model.linear_regression:check_linear_regression",
    "Ridge": "linear_model.ridge:check_ridge",
    "RidgeCV": "linear_model.ridge_cv:check_ridge_cv",
    "QuantileRegressor": "linear_model.quantile_regressor:check_quantile_regressor",
    "LADRegressor": "linear_model.quantile_regressor:check_lad_regressor",
    "LMSRegressor": "linear_model.lms_regressor:check_lms_regressor",
    "LinearProgramClassifier": "linear_model.linear_program_classifier:check_linear_program_classifier",
    "BatchPerceptron": "linear_model.batch_perceptron:check_batch_perceptron",
    "Perceptron": "linear_model.perceptron:check_perceptron",
    "LogisticRegression": "linear_model.logistic_regression:check_logistic_regression",
    "GaussianNB": "naive_bayes.gaussian_nb:check_gaussian_nb",
    "MultinomialNB": "naive_bayes.multinomial_nb:check_multinomial_nb",
    "BernoulliNB": "naive_bayes.bernoulli_nb:check_bernoulli_nb",
    "ComplementNB": "naive_bayes.multinomial_nb:check_complement_nb",
    "CategoricalNB": "naive_bayes.categorical_nb:check_categorical_nb",
    "MixedNB": "naive_bayes.mixed_nb:check_mixed_nb",
    "LinearDiscriminantAnalysis": (
        "discriminant_analysis.linear_discriminant_analysis:check_linear_discriminant_analysis"
    ),
    "QuadraticDiscriminantAnalysis": (
        "discriminant_analysis.quadratic_discriminant_analysis:check_quadratic_discriminant_analysis"
    ),
    "PCA": "decomposition.pca:check_pca",
    "KMeans": "cluster.kmeans:check_kmeans",
}


def checker_for(model: Any) -> Checker:
    """The checker of the model's class, or of the nearest base class that has one."""
    for base in type(model).__mro__:
        if base.__name__ in CHECKERS:
            module, function = CHECKERS[base.__name__].split(":")
            return getattr(import_module(f"surefit.certificates.{module}"), function)
    known = ", ".join(sorted(CHECKERS))
    raise TypeError(f"No checker for {type(model).__name__}. Checkers exist for {known}.")


def check(model: Any, blocks: Blocks, tol: float = TOL) -> Certificate:
    """Check a fitted model against its data.

    model   a fitted estimator; only its public parameters, fitted attributes and predictions are read
    blocks  the data it was fitted on, see `blocks.py`
    tol     the relative distance from the optimum that still counts as converged
    """
    claims, cost, seconds, not_checked = checker_for(model)(model, blocks, tol)
    return Certificate(claims, type(model).__name__, blocks.n_rows, blocks.n_features, seconds, cost, not_checked)
