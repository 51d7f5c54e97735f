"""What a fit kept of its way: the log-likelihood or lower bound of EM, the loss of a network, inertia, stress."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy

KEPT = ("history_", "lower_bounds_", "loss_curve_")
"""Attributes with a number for each step."""
MEASURES = {
    "loss_curve_": "training loss",
    "weight_concentration_": "evidence lower bound",
    "lower_bounds_": "log-likelihood per row",
    "elbo_": "evidence lower bound",
    "log_likelihood_": "log-likelihood",
    "inertia_": "inertia",
    "stress_": "stress",
}
"""What the numbers are, told by the first of these attributes that a model has."""


class HistoryDisplay:
    """Holds `values`, a number after each step, their `measure`, and `held_out`: scores of rows held back, or None."""

    def __init__(self, *, values: ArrayLike, measure: str = "objective", held_out: ArrayLike | None = None) -> None:
        self.values, self.measure = np.asarray(values, dtype=float), measure
        self.held_out = None if held_out is None else np.asarray(held_out, dtype=float)
        for one in (self.values, self.held_out):
            if one is not None and (one.ndim != 1 or one.size == 0):
                raise InvalidData(f"a history is a number for each step; got shape {one.shape}")

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> HistoryDisplay:
        """From a fitted mixture, EM, CAVI, network, k-means, MDS, or any other model that kept its history."""
        values = next((kept for name in KEPT if np.size(kept := getattr(estimator, name, ()))), None)
        if values is None or np.ndim(values) != 1:
            raise InvalidData(
                f"this {type(estimator).__name__} kept no history: fit it first, by a solver that iterates"
            )
        measure = next((words for name, words in MEASURES.items() if hasattr(estimator, name)), "objective")
        held_out = getattr(estimator, "validation_scores_", None) or None
        return cls(values=values, measure=measure, held_out=held_out).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> HistoryDisplay:
        """Draw the history; scores of rows held back have an axis of their own on the right, `right_`."""
        self.ax_, self.figure_ = axes_of(ax)
        options = {"color": "C0", "marker": "o" if self.values.size <= 40 else "", "markersize": 3.5}
        steps = np.arange(1, self.values.size + 1)
        (self.line_,) = self.ax_.plot(steps, self.values, **(options | (line_kwargs or {})))
        if self.values.min() > 0 and self.values.max() > 20 * self.values.min():
            self.ax_.set_yscale("log")
        self.ax_.set(xlabel="step", ylabel=self.measure)
        tidy(self.ax_)
        self.right_ = self.held_line_ = None
        if self.held_out is not None:
            self.right_ = self.ax_.twinx()
            steps = np.arange(1, self.held_out.size + 1)
            (self.held_line_,) = self.right_.plot(steps, self.held_out, color="C1", linestyle="--")
            self.right_.set_ylabel("score of rows held back (dashed)")
            self.right_.spines["top"].set_visible(False)
        if name:
            self.ax_.set_title(name)
        return self
