"""What a classifier says on the plane of the first two principal components, with the rows projected on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.plot.axes import axes_of, class_legend, distinct, scatter_options, tidy

GRID = 160
MARGIN = 0.06


class ClassRegionsDisplay:
    """Holds `points` (two columns) with the `codes` of their classes, and on a grid of the plane the code predicted.

    `xx0` and `xx1` are the coordinates of the grid, `response` the code at each of its points.
    """

    def __init__(
        self,
        *,
        points: ArrayLike,
        codes: ArrayLike,
        xx0: ArrayLike,
        xx1: ArrayLike,
        response: ArrayLike,
        labels: list[str],
        shares: tuple[float, float] | None = None,
    ) -> None:
        self.points, self.codes = np.asarray(points, dtype=float), np.asarray(codes)
        self.xx0, self.xx1, self.response = (np.asarray(one) for one in (xx0, xx1, response))
        self.labels, self.shares = labels, shares
        if self.points.ndim != 2 or self.points.shape[1] != 2 or self.codes.shape != (self.points.shape[0],):
            raise InvalidData(f"points must have two columns and one code each; got shape {self.points.shape}")
        if not self.xx0.shape == self.xx1.shape == self.response.shape or self.response.ndim != 2:
            raise InvalidData("xx0, xx1 and response must be grids of one shape")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, ax: Any = None, **kwargs: Any
    ) -> ClassRegionsDisplay:
        """The plane goes through the mean of X along its first two principal components; X has two columns or more.

        Off the plane the classifier may say something else: a row can lie on the colour of another class and yet be
        told rightly.
        """
        found = plane_regions(estimator.predict, X, y, np.asarray(estimator.classes_))
        return cls(**found).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, scatter_kwargs: dict[str, Any] | None = None
    ) -> ClassRegionsDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        palette = require("matplotlib.colors", extra="plot", purpose="Drawing").ListedColormap
        count = len(self.labels)
        colours = [f"C{k % 10}" for k in range(count)]
        self.surface_ = self.ax_.pcolormesh(
            self.xx0, self.xx1, self.response, cmap=palette(colours), vmin=-0.5, vmax=count - 0.5, alpha=0.16,
            shading="nearest", rasterized=True, linewidth=0,
        )  # fmt: skip
        options = scatter_options(self.codes.size) | (scatter_kwargs or {})
        names = distinct(self.labels, 18)
        self.scatter_ = [
            self.ax_.scatter(*self.points[self.codes == k].T, color=colours[k], label=names[k], **options)
            for k in range(count)
        ]
        self.legend_ = class_legend(self.ax_, self.points, ncols=1 if count <= 5 else 2) if count <= 10 else None
        words = ["", ""] if self.shares is None else [f" ({100 * s:.0f} % of the variance)" for s in self.shares]
        self.ax_.set(xlabel=f"first component{words[0]}", ylabel=f"second component{words[1]}")
        tidy(self.ax_, "")
        if name:
            self.ax_.set_title(name)
        return self


def plane_regions(predict: Callable[[Any], ArrayLike], X: Any, y: ArrayLike, classes: np.ndarray) -> dict[str, Any]:
    """What `ClassRegionsDisplay` holds, for any function from rows to labels."""
    frame, columns = (type(X), X.columns) if hasattr(X, "iloc") else (None, None)
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] < 2 or X.shape[0] < 2:
        raise InvalidData(f"a plane needs two columns and two rows at least; got shape {X.shape}")
    mean = X.mean(axis=0)
    _, singular, directions = np.linalg.svd(X - mean, full_matrices=False)
    plane = directions[:2]
    points = (X - mean) @ plane.T
    low, high = points.min(axis=0), points.max(axis=0)
    room = MARGIN * np.maximum(high - low, np.finfo(float).eps)
    xx0, xx1 = np.meshgrid(*(np.linspace(low[j] - room[j], high[j] + room[j], GRID) for j in (0, 1)))
    grid = mean + np.column_stack([xx0.ravel(), xx1.ravel()]) @ plane
    said = np.asarray(predict(grid if frame is None else frame(grid, columns=columns)))
    share = singular**2 / max(float((singular**2).sum()), np.finfo(float).tiny)
    return {
        "points": points,
        "codes": np.searchsorted(classes, np.asarray(y)),
        "xx0": xx0,
        "xx1": xx1,
        "response": np.searchsorted(classes, said).reshape(xx0.shape),
        "labels": [str(label) for label in classes],
        "shares": (float(share[0]), float(share[1])),
    }
