"""The error of left-out rows along the penalty, and where it is least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy


class PenaltyCurveDisplay:
    """Holds `alphas` and `scores`, (n_alphas,) or a row for each of `gammas`; the largest score is the chosen one."""

    def __init__(self, *, alphas: ArrayLike, scores: ArrayLike, gammas: ArrayLike | None = None) -> None:
        self.alphas = np.asarray(alphas, dtype=float)
        self.scores = np.atleast_2d(np.asarray(scores, dtype=float))
        self.gammas = None if gammas is None else np.asarray(gammas, dtype=float)
        if self.scores.ndim != 2 or self.scores.shape[1] != len(self.alphas):
            raise InvalidData(
                f"scores must have one column for each of {len(self.alphas)} alphas; got {self.scores.shape}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> PenaltyCurveDisplay:
        """From a fitted KernelRidgeCV, or a RidgeCV (of surefit or scikit-learn) with `store_cv_results=True`.

        With a penalty for each target, the mean over targets.
        """
        if not hasattr(estimator, "path_scores_"):
            return cls.from_left_out(estimator, ax=ax, **kwargs)
        scores = np.asarray(estimator.path_scores_)
        if estimator.alpha_per_target:
            scores = scores.mean(axis=-1)
        return cls(alphas=estimator.alphas, scores=scores, gammas=estimator.gammas).plot(ax, **kwargs)

    @classmethod
    def from_left_out(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> PenaltyCurveDisplay:
        """From the squared errors of left-out rows, a column for each penalty, that a RidgeCV keeps when asked to."""
        if not hasattr(estimator, "cv_results_"):
            raise InvalidData(
                f"this {type(estimator).__name__} kept no errors of left-out rows: fit it with store_cv_results=True"
            )
        errors = np.asarray(estimator.cv_results_, dtype=float)
        mean = errors.mean(axis=tuple(range(errors.ndim - 1)))
        return cls(alphas=np.atleast_1d(estimator.alphas), scores=-mean).plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None) -> Any:
        self.ax_, self.figure_ = axes_of(ax)
        order = np.argsort(self.alphas)
        errors, words = (-self.scores, "error") if (self.scores <= 0).all() else (self.scores, "score")
        self.lines_ = []
        for i, row in enumerate(errors):
            label = None if self.gammas is None else f"γ = {self.gammas[i]:g}"
            (line,) = self.ax_.plot(self.alphas[order], row[order], **({"label": label} | (line_kwargs or {})))
            self.lines_.append(line)
        g, a = np.unravel_index(int(np.argmax(self.scores)), self.scores.shape)
        (self.chosen_mark_,) = self.ax_.plot(
            self.alphas[a], errors[g, a], "o", markersize=11, mfc="none", mec="C1", mew=2
        )
        self.ax_.annotate(
            f"chosen: α = {self.alphas[a]:.3g}",
            (self.alphas[a], errors[g, a]),
            xytext=(0, 14),
            textcoords="offset points",
            fontsize=8,
            ha="center",
        )
        self.ax_.set(xscale="log", xlabel="penalty α", ylabel=f"{words} of left-out rows")
        if words == "error" and errors.min() > 0 and errors.max() > 20 * errors.min():
            self.ax_.set_yscale("log")
        if self.gammas is not None:
            self.ax_.legend(fontsize=8, frameon=False)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self
