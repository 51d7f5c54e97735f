"""The ROC curve: how many of the positives are found at the price of how many false alarms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy


class RocCurveDisplay:
    """Holds `fpr`, `tpr` (from (0, 0) to (1, 1)), the area `roc_auc` and the name of the model."""

    def __init__(
        self, *, fpr: ArrayLike, tpr: ArrayLike, roc_auc: float | None = None, name: str | None = None
    ) -> None:
        self.fpr, self.tpr = np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float)
        if self.fpr.shape != self.tpr.shape or self.fpr.ndim != 1:
            raise InvalidData(f"fpr and tpr must be of one length; got {self.fpr.shape} and {self.tpr.shape}")
        self.roc_auc = float(np.trapezoid(self.tpr, self.fpr)) if roc_auc is None else float(roc_auc)
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> RocCurveDisplay:
        """`y_score` grows with the belief in `pos_label` (default: the larger of the two classes)."""
        fpr, tpr = roc_points(y_true, y_score, pos_label)
        return cls(fpr=fpr, tpr=tpr, name=name).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None, **kwargs: Any) -> RocCurveDisplay:
        if hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X))
        else:
            scores = np.asarray(estimator.predict_proba(X))[:, 1]
        options = {"pos_label": estimator.classes_[1], "name": type(estimator).__name__} | kwargs
        return cls.from_predictions(y, scores, ax=ax, **options)

    def plot(
        self, ax: Any = None, *, chance: bool = True, line_kwargs: dict[str, Any] | None = None
    ) -> RocCurveDisplay:
        self.ax_, self.figure_ = axes_of(ax, (5.2, 4.8))
        self.chance_ = None
        if chance:
            (self.chance_,) = self.ax_.plot([0, 1], [0, 1], linestyle="--", linewidth=1.0, color="0.55")
        words = f"{self.name}, area {self.roc_auc:.3f}" if self.name else f"area {self.roc_auc:.3f}"
        (self.line_,) = self.ax_.plot(self.fpr, self.tpr, **({"label": words} | (line_kwargs or {})))
        self.ax_.set(xlabel="false alarms (share of the others)", ylabel="found (share of the class)")
        self.ax_.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        self.ax_.legend(frameon=False, loc="lower right")
        tidy(self.ax_)
        return self


def roc_points(y_true: ArrayLike, y_score: ArrayLike, pos_label: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """(fpr, tpr): with every row whose score is at least t called positive, for t from above all scores down.

    Rows of one score move together, so ties are straight lines and the area counts half a pair for them.
    """
    y_true, y_score = np.asarray(y_true), np.asarray(y_score, dtype=float)
    classes = np.unique(y_true)
    if classes.size != 2 or y_score.shape != y_true.shape:
        raise InvalidData(f"a ROC curve needs two classes and one score for each row; got {classes.size} classes")
    positive = y_true == (classes[1] if pos_label is None else pos_label)
    if positive.all() or not positive.any():
        raise InvalidData(f"pos_label must be one of {classes.tolist()}; got {pos_label!r}")
    order = np.argsort(-y_score, kind="stable")
    last = np.flatnonzero(np.r_[np.diff(y_score[order]) != 0, True])  # the last row of each group of ties
    hits = np.cumsum(positive[order])[last]
    alarms = last + 1 - hits
    return np.r_[0.0, alarms / alarms[-1]], np.r_[0.0, hits / hits[-1]]
