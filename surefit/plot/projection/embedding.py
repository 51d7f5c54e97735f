"""Rows on a plane, colored by what is known about them: classes, or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.plot.axes import axes_of, class_legend, distinct, scatter_options, tidy

MOST_CLASSES = 10
"""More classes are not told apart by color: they are drawn as numbers are."""


class EmbeddingDisplay:
    """Holds `points` (two columns) and `values`: for each row a class or a number, or None; `labels` name the axes."""

    def __init__(
        self, *, points: ArrayLike, values: ArrayLike | None = None, labels: tuple[str, str] = ("first", "second")
    ) -> None:
        self.points = np.asarray(points, dtype=float)
        self.values = None if values is None else np.asarray(values)
        self.labels = labels
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise InvalidData(f"points must have two columns; got shape {self.points.shape}")
        if self.values is not None and self.values.shape != (len(self.points),):
            raise InvalidData(f"values must be one for each of {len(self.points)} rows; got {self.values.shape}")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: ArrayLike | None = None, *, ax: Any = None, **kwargs: Any
    ) -> EmbeddingDisplay:
        """The first two columns of what a fitted PCA, MDS, Isomap… makes of X; without X, of its own `embedding_`."""
        if X is None and not hasattr(estimator, "embedding_"):
            raise InvalidData(
                f"{type(estimator).__name__} keeps no embedding_: pass the rows, from_estimator(model, X)"
            )
        points = np.asarray(estimator.embedding_ if X is None else estimator.transform(X), dtype=float)
        if points.shape[1] == 1:
            points = np.column_stack([points, np.zeros(len(points))])
        return cls(points=points[:, :2], values=y).plot(ax, **kwargs)

    @property
    def classes(self) -> np.ndarray | None:
        """The distinct values, where they are few; None where they are to be drawn on a scale."""
        if self.values is None:
            return None
        found = np.unique(self.values)
        number = np.issubdtype(self.values.dtype, np.number)
        return found if found.size <= MOST_CLASSES or not number else None

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        value_name: str = "",
        scatter_kwargs: dict[str, Any] | None = None,
    ) -> EmbeddingDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        options = scatter_options(len(self.points)) | (scatter_kwargs or {})
        self.colorbar_ = None
        if self.values is None:
            self.scatter_ = [self.ax_.scatter(*self.points.T, color="C0", **options)]
        elif self.classes is None:
            self.scatter_ = [self.ax_.scatter(*self.points.T, c=self.values, cmap=_scale(), **options)]
            self.colorbar_ = self.figure_.colorbar(self.scatter_[0], ax=self.ax_, shrink=0.85, label=value_name)
            self.colorbar_.outline.set_visible(False)
            self.colorbar_.solids.set_alpha(1)
        else:
            self._draw_classes(self.classes, options, value_name)
        self.ax_.set(xlabel=self.labels[0], ylabel=self.labels[1])
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self

    def _draw_classes(self, classes: np.ndarray, options: dict[str, Any], title: str) -> None:
        names = distinct([str(one) for one in classes], 18)
        self.scatter_ = [
            self.ax_.scatter(*self.points[self.values == one].T, color=f"C{k % 10}", label=names[k], **options)
            for k, one in enumerate(classes)
        ]
        if classes.size <= MOST_CLASSES:
            class_legend(self.ax_, self.points, title=title or None)


def _scale() -> Any:
    """Viridis without its ends, which would vanish on a dark and on a light page."""
    matplotlib = require("matplotlib", extra="plot", purpose="Drawing")
    colors = require("matplotlib.colors", extra="plot", purpose="Drawing")
    return colors.ListedColormap(matplotlib.colormaps["viridis"](np.linspace(0.15, 0.92, 256)))
