"""The loss stage by stage: what boosting gains with every member, and where held-out rows say to stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.metrics import log_loss, mean_squared_error, zero_one_loss

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy


class StagedLossDisplay:
    """Holds `curves`: for each name the loss after stages 1, 2, …; `measure` is what the loss is called."""

    def __init__(self, *, curves: Mapping[str, ArrayLike], measure: str = "loss") -> None:
        self.curves = {name: np.asarray(losses, dtype=float) for name, losses in curves.items()}
        self.measure = measure
        for name, losses in self.curves.items():
            if losses.ndim != 1 or losses.size == 0:
                raise InvalidData(f"the losses of {name!r} must be one number for each stage; got shape {losses.shape}")

    @classmethod
    def from_estimator(
        cls, estimator: Any, rows: Mapping[str, tuple[Any, Any]] | None = None, *, ax: Any = None, **kwargs: Any
    ) -> StagedLossDisplay:
        """From a fitted boosting model: of `rows`, {name: (X, y)}, or without them what the fit kept.

        Of rows: the log-loss where the stages have probabilities, the share of wrong labels where they have none, the
        mean squared error of a regressor.
        """
        if rows is None:
            return cls(curves=_kept(estimator), measure="loss").plot(ax, **kwargs)
        curves = {name: staged_losses(estimator, X, y) for name, (X, y) in rows.items()}
        return cls(curves=curves, measure=_measure(estimator)).plot(ax, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        mark_least: bool = True,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> StagedLossDisplay:
        """Draw a line for each curve, and a ring where one that turns up again is least."""
        self.ax_, self.figure_ = axes_of(ax)
        self.lines_: list[Any] = []
        self.marks_: list[Any] = []
        for label, losses in self.curves.items():
            stages = np.arange(1, len(losses) + 1)
            (line,) = self.ax_.plot(stages, losses, label=label, **(line_kwargs or {}))
            self.lines_.append(line)
            least = int(np.argmin(losses))
            if mark_least and least < len(losses) - 1:
                options = {"markersize": 9, "mfc": "none", "mec": line.get_color(), "mew": 1.8}
                (mark,) = self.ax_.plot(stages[least], losses[least], "o", **options)
                self.marks_.append(mark)
        values = np.concatenate(list(self.curves.values()))
        if values.min() > 0 and values.max() > 20 * values.min():
            self.ax_.set_yscale("log")
        self.ax_.set(xlabel="stages", ylabel=self.measure)
        self.ax_.legend(fontsize=8, frameon=False)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self


def staged_losses(estimator: Any, X: Any, y: Any) -> np.ndarray:
    """The loss of rows after each stage, in the measure that suits the estimator."""
    if not is_classifier(estimator):
        return np.array([mean_squared_error(y, answers) for answers in estimator.staged_predict(X)])
    if not hasattr(estimator, "staged_predict_proba"):
        return np.array([zero_one_loss(y, labels) for labels in estimator.staged_predict(X)])
    shares = estimator.staged_predict_proba(X)
    return np.array([log_loss(y, share, labels=estimator.classes_) for share in shares])


def _measure(estimator: Any) -> str:
    if not is_classifier(estimator):
        return "mean squared error"
    return "log-loss" if hasattr(estimator, "staged_predict_proba") else "share of wrong labels"


def _kept(estimator: Any) -> dict[str, np.ndarray]:
    """The losses a fit kept; histogram boosting keeps scores, minus the loss, and with them the start."""
    sign, first = (-1.0, 1) if hasattr(estimator, "do_early_stopping_") else (1.0, 0)
    found = {"training": "train_score_", "held out": "validation_score_", "out of bag": "oob_scores_"}
    curves = {name: getattr(estimator, attribute, ()) for name, attribute in found.items()}
    kept = {name: sign * np.asarray(losses)[first:] for name, losses in curves.items() if len(losses) > first}
    if not kept:
        raise InvalidData(
            f"this {type(estimator).__name__} kept no losses: pass rows={{'held out': (X, y)}} to measure them"
        )
    return kept
