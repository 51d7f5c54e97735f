"""Scores fold by fold: one row per model, one line per fold, so that what is paired is seen to be paired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.model_selection.clusterings.verdict import STABILITY
from surefit.model_selection.comparison import shared_scale
from surefit.plot.axes import axes_of, distinct, tidy

FEW, MOST_LINES = 3, 6
"""Few models are all kept on the scale; lines between many hide each other, and the scores of folds stay dots."""


class FoldScoresDisplay:
    """Holds `scores` (name → scores on the same folds) and `intervals` (name → (low, high)); the first is on top."""

    def __init__(
        self,
        *,
        scores: Mapping[str, ArrayLike],
        intervals: Mapping[str, tuple[float, float]] | None = None,
        metric: str = "score",
    ) -> None:
        self.scores = {name: np.asarray(one, dtype=float) for name, one in scores.items()}
        if not self.scores or len({one.shape for one in self.scores.values()}) != 1:
            raise InvalidData("every model needs scores on the same folds, as many as the others")
        self.intervals, self.metric = dict(intervals or {}), metric

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None, **kwargs: Any) -> FoldScoresDisplay:
        """From what `surefit.model_selection.compare` returns; models without scores on unseen rows are left out."""
        scored = [one for one in comparison.outcomes if one.scored]
        return cls(
            scores={one.name: one.scores for one in scored},
            intervals={one.name: (one.interval.low, one.interval.high) for one in scored},
            metric=comparison.metric if comparison.metric == STABILITY else f"{comparison.metric} on unseen rows",
        ).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> FoldScoresDisplay:
        names = list(self.scores)[::-1]
        self.ax_, self.figure_ = axes_of(ax, (6.4, 1.4 + 0.42 * len(names)))
        at = np.arange(len(names))
        table = np.stack([self.scores[one] for one in names])
        width = 0.6 if len(names) <= MOST_LINES else 0.0
        options = {"color": "0.55", "linewidth": width, "alpha": 0.45, "marker": "o", "markersize": 2.6} | (
            line_kwargs or {}
        )
        low, high = shared_scale(table.min(axis=1).tolist(), table.max(axis=1).tolist())
        far = (table.mean(axis=1) < low) & (len(names) > FEW)
        self.lines_ = self.ax_.plot(np.where(far[:, None], np.nan, table), at, **options)
        for row, one in enumerate(names):
            if one in self.intervals and not far[row]:
                self.ax_.hlines(row, *self.intervals[one], linewidth=4.5, alpha=0.35, color="C0", zorder=3)
        (self.means_,) = self.ax_.plot(
            np.where(far, np.nan, table.mean(axis=1)), at, "o", color="C0", markersize=7, zorder=4
        )
        if far.any():
            self._leave_at_the_edge(table.mean(axis=1), far, low, high)
        self.ax_.set_yticks(at, distinct(names))
        self.ax_.set_ylim(-0.6, len(names) - 0.4)
        self.ax_.set_xlabel(self.metric)
        tidy(self.ax_, "x")
        if name:
            self.ax_.set_title(name)
        return self

    def _leave_at_the_edge(self, means: np.ndarray, far: np.ndarray, low: float, high: float) -> None:
        """A model far behind is named at the edge, so that the others can be told apart."""
        room = 0.08 * (high - low)
        self.ax_.set_xlim(low - 2 * room, high + room)
        for row in np.flatnonzero(far):
            mean = f"{means[row]:.3f}".replace("-", "−")
            self.ax_.text(low - 2 * room, row, f"  ◂ {mean}", va="center", color="C0", zorder=5)
