"""Scores that one row has: those of scikit-learn's scorers that are a mean over rows, row by row.

R², correlations, areas and F-scores compare rows with each other and are undefined for one: with leave-one-out they
are scores of all left-out predictions together (`cross_val_predict(…, cv="loo")`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _columns(y: np.ndarray) -> np.ndarray:
    return y.reshape(len(y), -1)


def _mean_of(loss: Loss) -> Loss:
    """The loss of one row: the mean over its targets."""
    return lambda y, p: loss(_columns(y), _columns(p)).mean(axis=1)


def _squared(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    return (y - p) ** 2


def _absolute(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.abs(y - p)


def _relative(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.abs(y - p) / np.maximum(np.abs(y), np.finfo(np.float64).eps)


NUMBERS: dict[str, Loss] = {
    "neg_mean_squared_error": _mean_of(_squared),
    "neg_root_mean_squared_error": _mean_of(_absolute),
    "neg_mean_absolute_error": _mean_of(_absolute),
    "neg_median_absolute_error": _mean_of(_absolute),
    "neg_mean_absolute_percentage_error": _mean_of(_relative),
    "neg_max_error": lambda y, p: _absolute(_columns(y), _columns(p)).max(axis=1),
}
"""Losses of predicted numbers; the score is minus the loss."""


def _accuracy(codes: np.ndarray, labels: np.ndarray, shares: np.ndarray | None) -> np.ndarray:
    return (codes == labels).astype(np.float64)


def _log_likelihood(codes: np.ndarray, labels: np.ndarray, shares: np.ndarray | None) -> np.ndarray:
    assert shares is not None
    eps = np.finfo(shares.dtype).eps
    return np.log(np.clip(shares[np.arange(len(codes)), codes], eps, 1 - eps))


CLASSES: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray, Any], np.ndarray]]] = {
    "accuracy": ("predict", _accuracy),
    "neg_log_loss": ("predict_proba", _log_likelihood),
}
"""Scores of predicted classes or probabilities: (the method they need, codes of the truth and answers ↦ scores)."""


def usual_scoring(classifier: bool) -> str:
    """What one row is judged by where nothing is asked for."""
    return "accuracy" if classifier else "neg_mean_squared_error"


def refuse_undefined(scoring: str, classifier: bool) -> None:
    """Scores that compare rows with each other have no value for one row."""
    undefined = ("r2", "explained_variance", "roc_auc", "average_precision", "matthews", "d2_")
    if scoring.startswith(undefined):
        instead = "cross_val_predict(model, X, y, cv='loo') and the metric of all its answers together"
        raise InvalidParameter(
            f"scoring={scoring!r} compares rows with each other and is not defined for the one row that leave-one-out "
            f"tests on. Use scoring={usual_scoring(classifier)!r}, or {instead}"
        )
