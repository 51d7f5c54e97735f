"""Coefficients of a linear model as dots with intervals, the largest on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, distinct, tidy

MOST = 20


class CoefficientDisplay:
    """Holds `coef`, `names` and, where known, `low` and `high`; `plot` keeps `ax_`, `figure_`, `points_`, `bars_`."""

    def __init__(
        self,
        *,
        coef: ArrayLike,
        names: Sequence[str] | None = None,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        interval_words: str = "",
    ) -> None:
        self.coef = np.asarray(coef, dtype=float)
        if self.coef.ndim != 1 or (low is None) != (high is None):
            raise InvalidData(f"coef must be one-dimensional, low and high go together; got shape {self.coef.shape}")
        self.names = [f"column {j}" for j in range(self.coef.size)] if names is None else [str(name) for name in names]
        self.low = None if low is None else np.asarray(low, dtype=float)
        self.high = None if high is None else np.asarray(high, dtype=float)
        for what, other in (("names", self.names), ("low", self.low), ("high", self.high)):
            if other is not None and len(other) != self.coef.size:
                raise InvalidData(f"{what} must have one entry per coefficient ({self.coef.size}); got {len(other)}")
        self.interval_words = interval_words

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: Sequence[str] | None = None, level: float = 0.95, ax: Any = None, **kwargs: Any
    ) -> CoefficientDisplay:
        """The fitted coefficients, with confidence intervals where `estimator.summary()` gives them."""
        coef = np.ravel(estimator.coef_)
        if names is None:
            names = getattr(estimator, "feature_names_in_", None)
        low = high = None
        words = ""
        if hasattr(estimator, "summary") and np.ndim(estimator.coef_) == 1:
            low, high = intervals_of(estimator, level)
            words = f"{100 * level:g} % confidence interval"
        return cls(coef=coef, names=names, low=low, high=high, interval_words=words).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, most: int = MOST, bar_kwargs: dict[str, Any] | None = None
    ) -> CoefficientDisplay:
        """Draw the `most` largest coefficients."""
        shown = np.argsort(-np.abs(self.coef), kind="stable")[:most][::-1]
        self.ax_, self.figure_ = axes_of(ax, (6.4, 1.2 + 0.3 * shown.size))
        at = np.arange(shown.size)
        self.ax_.axvline(0.0, linewidth=1.0, color="0.55", zorder=1)
        self.bars_ = None
        if self.low is not None and self.high is not None:
            options = {"linewidth": 3.0, "alpha": 0.4, "color": "C0"} | (bar_kwargs or {})
            self.bars_ = self.ax_.hlines(at, self.low[shown], self.high[shown], **options)
        (self.points_,) = self.ax_.plot(self.coef[shown], at, "o", color="C0", markersize=6)
        self.ax_.set_yticks(at, distinct([self.names[j] for j in shown]))
        self.ax_.set_ylim(-0.6, shown.size - 0.4)
        words = f" (bar: {self.interval_words})" if self.interval_words and self.bars_ is not None else ""
        self.ax_.set_xlabel(f"coefficient{words}")
        tidy(self.ax_, "x")
        if name:
            self.ax_.set_title(name)
        return self


def intervals_of(estimator: Any, level: float) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of the coefficients, without the intercept, from `estimator.summary(level)`."""
    table = estimator.summary(level=level)
    skip = 1 if estimator.fit_intercept else 0
    return np.asarray(table.low)[skip:], np.asarray(table.high)[skip:]
