"""The scree of a PCA: how much variance each component carries, and where the slope ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.decomposition.dimension import knee as knee_of
from surefit.plot.axes import axes_of, tidy

MOST = 30


class ScreeDisplay:
    """Holds `shares` (of the variance, per component) and `knee` (how many components lie before the bend)."""

    def __init__(self, *, shares: ArrayLike, knee: int | None = None) -> None:
        self.shares = np.asarray(shares, dtype=float)
        if self.shares.ndim != 1 or self.shares.size == 0:
            raise InvalidData(f"shares must be one-dimensional and not empty; got shape {self.shares.shape}")
        self.knee = knee_of(self.shares) if knee is None else int(knee)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> ScreeDisplay:
        """From a fitted PCA (of surefit or scikit-learn)."""
        return cls(shares=estimator.explained_variance_ratio_).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> ScreeDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        shown = self.shares[:MOST]
        number = np.arange(1, shown.size + 1)
        self.bars_ = self.ax_.bar(number, 100 * shown, color="C0", alpha=0.3, width=0.7)
        (self.line_,) = self.ax_.plot(number, 100 * shown, **({"marker": "o", "color": "C0"} | (line_kwargs or {})))
        if self.knee <= shown.size:
            height = 100 * float(shown[self.knee - 1])
            (self.knee_mark_,) = self.ax_.plot(self.knee, height, "o", markersize=13, mfc="none", mec="C1", mew=2)
            carried = 100 * float(self.shares[: self.knee].sum())
            noun = "component" if self.knee == 1 else "components"
            words = f"knee: {self.knee} {noun}, {carried:.0f} % of the variance"
            self.ax_.annotate(words, (0.98, 0.95), xycoords="axes fraction", ha="right", va="top")
        self.ax_.set(xlabel="component", ylabel="share of the variance (%)", ylim=(0, 112 * float(shown.max())))
        if shown.size <= 15:
            self.ax_.set_xticks(number)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self
