"""What a support vector classifier decides on a plane: its boundary, the margins and the support vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, distinct, scatter_options, tidy

GRID = 200
MARGIN = 0.08


class MarginDisplay:
    """Holds `points` (two columns) with the `codes` of two classes, and on a grid of the plane the decision function.

    `xx0` and `xx1` are the coordinates of the grid, `response` the score at each of its points, `support` the places of
    the support vectors among the points.
    """

    def __init__(
        self,
        *,
        points: ArrayLike,
        codes: ArrayLike,
        xx0: ArrayLike,
        xx1: ArrayLike,
        response: ArrayLike,
        support: ArrayLike,
        labels: list[str],
    ) -> None:
        self.points, self.codes, self.support = np.asarray(points, dtype=float), np.asarray(codes), np.asarray(support)
        self.xx0, self.xx1, self.response = (np.asarray(one) for one in (xx0, xx1, response))
        self.labels = labels
        if self.points.ndim != 2 or self.points.shape[1] != 2 or self.codes.shape != (self.points.shape[0],):
            raise InvalidData(f"points must have two columns and one code each; got shape {self.points.shape}")
        if not self.xx0.shape == self.xx1.shape == self.response.shape or self.response.ndim != 2:
            raise InvalidData("xx0, xx1 and response must be grids of one shape")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, ax: Any = None, **kwargs: Any
    ) -> MarginDisplay:
        """A classifier of two classes fitted to X, which has two columns; its `support_` names the rows circled."""
        points, classes = np.asarray(X, dtype=float), np.asarray(estimator.classes_)
        if points.ndim != 2 or points.shape[1] != 2 or classes.size != 2:
            raise InvalidData(
                f"the picture of a margin needs two columns and two classes; got X of shape {points.shape} and "
                f"{classes.size} classes"
            )
        low, high = points.min(axis=0), points.max(axis=0)
        border = MARGIN * np.maximum(high - low, np.finfo(float).eps)
        xx0, xx1 = np.meshgrid(*(np.linspace(low[j] - border[j], high[j] + border[j], GRID) for j in (0, 1)))
        scores = np.asarray(estimator.decision_function(np.column_stack([xx0.ravel(), xx1.ravel()])))
        found = cls(
            points=points,
            codes=np.searchsorted(classes, np.asarray(y)),
            xx0=xx0,
            xx1=xx1,
            response=scores.reshape(xx0.shape),
            support=estimator.support_,
            labels=[str(label) for label in classes],
        )
        return found.plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, scatter_kwargs: dict[str, Any] | None = None
    ) -> MarginDisplay:
        """The boundary where the score is 0, dotted the margins at ±1, circled the support vectors."""
        self.ax_, self.figure_ = axes_of(ax)
        self.surface_ = self.ax_.contourf(
            self.xx0, self.xx1, self.response, levels=[-np.inf, 0.0, np.inf], colors=["C0", "C1"], alpha=0.14
        )
        self.lines_ = self.ax_.contour(
            self.xx0, self.xx1, self.response, levels=[-1.0, 0.0, 1.0], colors="0.25", linewidths=[0.9, 1.5, 0.9],
            linestyles=["dotted", "solid", "dotted"],
        )  # fmt: skip
        options = scatter_options(self.codes.size) | (scatter_kwargs or {})
        names = distinct(self.labels, 18)
        self.scatter_ = [
            self.ax_.scatter(*self.points[self.codes == k].T, color=f"C{k}", label=names[k], **options) for k in (0, 1)
        ]
        self.support_ = self.ax_.scatter(
            *self.points[self.support].T, s=48, facecolors="none", edgecolors="0.15", linewidths=0.8,
            label=f"{len(self.support)} support vectors",
        )  # fmt: skip
        self.ax_.legend(frameon=False, fontsize=8, loc="best")
        tidy(self.ax_, "")
        if name:
            self.ax_.set_title(name, fontsize=9)
        return self
