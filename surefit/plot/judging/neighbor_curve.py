"""The score of left-out rows along the number of neighbors, and where it is best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy


class NeighborCurveDisplay:
    """Holds the numbers of neighbors tried, their `scores`, and the number `chosen`."""

    def __init__(self, *, candidates: ArrayLike, scores: ArrayLike, chosen: int) -> None:
        self.candidates, self.scores = np.asarray(candidates, dtype=int), np.asarray(scores, dtype=float)
        self.chosen = int(chosen)
        if self.candidates.ndim != 1 or self.scores.shape != self.candidates.shape:
            raise InvalidData(
                f"scores must have one number for each of {self.candidates.size} candidates; got {self.scores.shape}"
            )
        if self.chosen not in self.candidates:
            raise InvalidData(f"the number chosen, {self.chosen}, is none of the candidates")

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> NeighborCurveDisplay:
        """From a fitted KNeighborsClassifier or KNeighborsRegressor that chose its number of neighbors."""
        found = cls(candidates=estimator.candidates_, scores=estimator.cv_scores_, chosen=estimator.n_neighbors_)
        return found.plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> NeighborCurveDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        order = np.argsort(self.candidates)
        errors, words = (-self.scores, "error") if (self.scores <= 0).all() else (self.scores, "score")
        options = {"marker": "o", "markersize": 4} | (line_kwargs or {})
        (self.line_,) = self.ax_.plot(self.candidates[order], errors[order], **options)
        best = float(errors[list(self.candidates).index(self.chosen)])
        (self.chosen_mark_,) = self.ax_.plot(self.chosen, best, "o", markersize=11, mfc="none", mec="C1", mew=2)
        self.ax_.annotate(
            f"chosen: k = {self.chosen}",
            (self.chosen, best),
            xytext=(0, 12),
            textcoords="offset points",
            fontsize=8,
            ha="center",
        )
        self.ax_.set(xscale="log", xlabel="number of neighbors k", ylabel=f"{words} of left-out rows")
        self.ax_.margins(y=0.15)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self
