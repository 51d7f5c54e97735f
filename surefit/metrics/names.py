"""Metrics by name: the names of scikit-learn's scorers that `compare` offers, what they mean, and what they compute."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import sklearn.metrics

from surefit._core.errors import InvalidParameter
from surefit.metrics.roc_auc import roc_auc_score

Needs = Literal["predictions", "probabilities", "scores"]
Task = Literal["classification", "regression"]


@dataclass(frozen=True)
class Metric:
    """`metric(y, answer)`, larger is better: `answer` is what `needs` says.

    Predictions are labels or numbers; probabilities have a column for each class in order; scores grow with the belief
    in the greater of two classes.
    """

    name: str
    words: str
    task: Task
    needs: Needs
    function: Callable[..., Any]
    sign: float = 1.0
    best: float = 1.0
    """The largest value that it can have."""

    def __call__(self, y_true: Any, answer: Any, **options: Any) -> float:
        if self.needs == "scores" and np.ndim(answer) == 2 and np.shape(answer)[1] == 2:
            answer = np.asarray(answer)[:, 1]
        return self.sign * float(self.function(y_true, answer, **options))


def _with(function: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda y, answer, **options: function(y, answer, **(fixed | options))


_m = sklearn.metrics
_ALL = (
    Metric("accuracy", "accuracy", "classification", "predictions", _m.accuracy_score),
    Metric("balanced_accuracy", "balanced accuracy", "classification", "predictions", _m.balanced_accuracy_score),
    Metric("f1", "F1", "classification", "predictions", _m.f1_score),
    Metric("f1_macro", "F1 (macro)", "classification", "predictions", _with(_m.f1_score, average="macro")),
    Metric("f1_weighted", "F1 (weighted)", "classification", "predictions", _with(_m.f1_score, average="weighted")),
    Metric("precision", "precision", "classification", "predictions", _m.precision_score),
    Metric("recall", "recall", "classification", "predictions", _m.recall_score),
    Metric("matthews_corrcoef", "Matthews correlation", "classification", "predictions", _m.matthews_corrcoef),
    Metric("neg_log_loss", "−log-loss", "classification", "probabilities", _m.log_loss, -1.0, 0.0),
    Metric("neg_brier_score", "−Brier score", "classification", "probabilities", _m.brier_score_loss, -1.0, 0.0),
    Metric("roc_auc", "ROC AUC", "classification", "scores", roc_auc_score),
    Metric("roc_auc_ovr", "ROC AUC", "classification", "probabilities", _with(roc_auc_score, multi_class="ovr")),
    Metric("roc_auc_ovo", "ROC AUC", "classification", "probabilities", _with(roc_auc_score, multi_class="ovo")),
    Metric("average_precision", "average precision", "classification", "scores", _m.average_precision_score),
    Metric("r2", "R²", "regression", "predictions", _m.r2_score),
    Metric("explained_variance", "explained variance", "regression", "predictions", _m.explained_variance_score),
    Metric("neg_mean_squared_error", "−MSE", "regression", "predictions", _m.mean_squared_error, -1.0, 0.0),
    Metric("neg_root_mean_squared_error", "−RMSE", "regression", "predictions", _m.root_mean_squared_error, -1.0, 0.0),
    Metric("neg_mean_absolute_error", "−MAE", "regression", "predictions", _m.mean_absolute_error, -1.0, 0.0),
    Metric("neg_median_absolute_error", "−median AE", "regression", "predictions", _m.median_absolute_error, -1.0, 0.0),
    Metric("neg_max_error", "−largest error", "regression", "predictions", _m.max_error, -1.0, 0.0),
)
NAMES: dict[str, Metric] = {metric.name: metric for metric in _ALL}


def get_metric(name: str) -> Metric:
    """The metric of a name.

    >>> get_metric("neg_root_mean_squared_error")([0.0, 0.0], [3.0, 4.0]) == -(12.5**0.5)
    True
    >>> get_metric("roc_acu")
    Traceback (most recent call last):
    surefit._core.errors.InvalidParameter: no metric is called 'roc_acu'; did you mean 'roc_auc'?
    """
    if isinstance(name, str) and name in NAMES:
        return NAMES[name]
    near = difflib.get_close_matches(str(name), NAMES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(NAMES)}"
    raise InvalidParameter(f"no metric is called {name!r}; {hint}")
