"""Clusters of any kind in a picture: rows on the first two principal components, core, border and noise told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import RASTER_ROWS, axes_of, scatter_options, tidy

DIRECTION_ROWS = 20_000
"""So many rows, spread evenly, are enough for the two directions of a picture."""


class ClustersDisplay:
    """Holds `points` (two columns), `labels` (−1 is noise), and `core`, flags of the core rows, or None."""

    def __init__(self, *, points: ArrayLike, labels: ArrayLike, core: ArrayLike | None = None) -> None:
        self.points, self.labels = np.asarray(points, dtype=float), np.asarray(labels)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or self.labels.shape != (self.points.shape[0],):
            raise InvalidData(f"points must have two columns and one label each; got shape {self.points.shape}")
        self.core = np.ones(self.labels.shape, dtype=bool) if core is None else np.asarray(core, dtype=bool)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, rows: np.ndarray | None = None, ax: Any = None, **kwargs: Any
    ) -> ClustersDisplay:
        """The rows that a clustering was fitted to (or those with the given numbers), by its `labels_`.

        Two columns are drawn as they are, more on their first two principal components.
        """
        Z = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=float)
        core = None
        if hasattr(estimator, "core_sample_indices_"):
            core = np.zeros(len(estimator.labels_), dtype=bool)
            core[estimator.core_sample_indices_] = True
        labels = np.asarray(estimator.labels_)
        if rows is not None:
            labels, core = labels[rows], None if core is None else core[rows]
        return cls(points=on_a_plane(Z), labels=labels, core=core).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, scatter_kwargs: dict[str, Any] | None = None
    ) -> ClustersDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        options = scatter_options(self.labels.size) | (scatter_kwargs or {})
        for k in np.unique(self.labels[self.labels >= 0]):
            mine = self.labels == k
            self.ax_.scatter(*self.points[mine & self.core].T, color=f"C{k % 10}", **options)
            border = {**options, "s": 0.8 * options["s"], "linewidths": 0.9, "facecolors": "none"}
            self.ax_.scatter(*self.points[mine & ~self.core].T, edgecolors=f"C{k % 10}", **border)
        noise = self.points[self.labels < 0]
        self.noise_ = self.ax_.scatter(
            *noise.T, marker="x", s=18, linewidths=0.9, color="0.45", rasterized=len(noise) > RASTER_ROWS
        )
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self


def on_a_plane(Z: np.ndarray) -> np.ndarray:
    """Two columns as they are; else the coordinates on the first two principal components."""
    mean, plane = plane_of(Z)
    return (Z - mean) @ plane


def plane_of(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(origin, two directions as columns): of two columns these themselves, else mean and principal components."""
    if Z.shape[1] == 2:
        return np.zeros(2), np.eye(2)
    mean = Z.mean(axis=0)
    some = Z[np.linspace(0, len(Z) - 1, min(len(Z), DIRECTION_ROWS)).astype(int)] - mean
    directions = np.linalg.svd(some, full_matrices=False)[2][:2].T
    return mean, directions if directions.shape[1] == 2 else np.hstack([directions, np.zeros_like(directions)])
