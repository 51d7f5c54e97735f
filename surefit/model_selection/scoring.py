"""Scores on unseen rows: a scorer of scikit-learn, and for classifiers the log-loss beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer

from surefit._core.errors import InvalidParameter
from surefit.model_selection.candidates.candidate import Task
from surefit.model_selection.clusterings.explained_share import explained_share

METRIC_WORDS = {
    "r2": "R²",
    "neg_root_mean_squared_error": "−RMSE",
    "neg_mean_squared_error": "−MSE",
    "neg_mean_absolute_error": "−MAE",
    "neg_median_absolute_error": "−median AE",
    "explained_variance": "explained variance",
    "balanced_accuracy": "balanced accuracy",
    "neg_log_loss": "−log-loss",
    "neg_brier_score": "−Brier score",
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC",
    "roc_auc_ovo": "ROC AUC",
    "average_precision": "average precision",
    "f1": "F1",
    "f1_macro": "F1 (macro)",
}
USUAL = {"regression": "r2", "classification": "accuracy"}
LOG_LOSS = "log-loss"
Score = Callable[[Any, Any, Any, Any], float]


def scoring_of(scoring: str | Callable | None, task: Task) -> tuple[Score, str]:
    """(model, X_train, X_test, y_test) → score, and its name in the table."""
    if scoring is None and task == "clustering":
        return lambda model, X_train, X_test, y_test: explained_share(model, X_train, X_test), "explained"
    if callable(scoring):
        return lambda model, X_train, X_test, y_test: float(scoring(model, X_test, y_test)), "score"
    name = scoring or USUAL[task]
    try:
        scorer = get_scorer(name)
    except ValueError as error:
        raise InvalidParameter(f"scoring must be the name of a scorer of scikit-learn; got {name!r}") from error
    return lambda model, X_train, X_test, y_test: float(scorer(model, X_test, y_test)), METRIC_WORDS.get(name, name)


def probabilities_of(model: Any, X: Any, classes: np.ndarray) -> np.ndarray | None:
    """P(class | row), one column for each of `classes`; a class the model has not met gets 0. None without any."""
    if not hasattr(model, "predict_proba"):
        return None
    found = np.asarray(model.predict_proba(X))
    P = np.zeros((found.shape[0], classes.size), dtype=found.dtype)
    P[:, np.searchsorted(classes, model.classes_)] = found
    return P


def log_loss(P: np.ndarray, codes: np.ndarray) -> float:
    """−mean of log P(true class). A probability of 0 counts as the rounding unit, as in scikit-learn.

    >>> round(log_loss(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 1])), 4)
    0.4904
    """
    p = P[np.arange(codes.size), codes]
    return float(-np.log(np.maximum(p, np.finfo(P.dtype).eps).astype(np.float64)).mean())
