"""What a method loses against the Bayes classifier, along one of its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy


class ExcessRiskDisplay:
    """Holds `values` of a parameter and the `excess` risks, one row for each sample and one column for each value."""

    def __init__(self, *, values: ArrayLike, excess: ArrayLike, parameter: str = "parameter") -> None:
        self.values, self.excess = np.asarray(values), np.atleast_2d(np.asarray(excess, dtype=float))
        self.parameter = parameter
        if self.values.ndim != 1 or self.excess.shape[1:] != self.values.shape:
            raise InvalidData(
                f"excess must have one column for each of {self.values.size} values; got {self.excess.shape}"
            )

    @classmethod
    def from_study(cls, study: Any, *, ax: Any = None, **kwargs: Any) -> ExcessRiskDisplay:
        """From an `ExcessRiskStudy` of surefit.theory."""
        return cls(values=study.values, excess=study.excess, parameter=study.parameter).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> ExcessRiskDisplay:
        """The mean, a band of two Monte Carlo errors, each sample in grey, and the best value."""
        self.ax_, self.figure_ = axes_of(ax)
        numbers = self.values.dtype.kind in "iuf"
        at = self.values if numbers else np.arange(len(self.values))
        mean, n = self.excess.mean(axis=0), len(self.excess)
        self.samples_ = self.ax_.plot(at, self.excess.T, color="0.6", linewidth=0.5, alpha=0.4)
        self.band_ = None
        if n > 1:
            error = 2 * self.excess.std(axis=0, ddof=1) / n**0.5
            self.band_ = self.ax_.fill_between(at, mean - error, mean + error, color="C0", alpha=0.3, linewidth=0)
        (self.line_,) = self.ax_.plot(at, mean, **({"marker": "o", "markersize": 4} | (line_kwargs or {})))
        best = int(mean.argmin())
        (self.best_mark_,) = self.ax_.plot(at[best], mean[best], "o", markersize=11, mfc="none", mec="C1", mew=2)
        self.ax_.annotate(
            f"best: {self.values[best]}",
            (at[best], mean[best]),
            xytext=(0, 12),
            textcoords="offset points",
            fontsize=8,
            ha="center",
        )
        self.ax_.set(xlabel=self.parameter, ylabel="risk above the Bayes classifier's", ylim=(0, None))
        if not numbers:
            self.ax_.set_xticks(at, [str(value) for value in self.values])
        elif (at > 0).all() and at.max() > 10 * at.min():
            self.ax_.set_xscale("log")
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self
