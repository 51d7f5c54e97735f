"""Silhouettes: for every row how much nearer its own cluster is than the next one, cluster by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import silhouette_samples

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy

MOST_ROWS = 2000
"""The work grows with the square of the rows: of more, so many are taken, spread evenly."""
GAP = 0.02


class SilhouetteDisplay:
    """Holds the `silhouettes` of rows, from −1 to 1, and the `labels` of their clusters."""

    def __init__(self, *, silhouettes: ArrayLike, labels: ArrayLike) -> None:
        self.silhouettes, self.labels = np.asarray(silhouettes, dtype=float), np.asarray(labels)
        if self.silhouettes.ndim != 1 or self.silhouettes.shape != self.labels.shape or not self.labels.size:
            raise InvalidData(
                f"every row needs a silhouette and a label; got {self.silhouettes.shape}, {self.labels.shape}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, *, ax: Any = None, **kwargs: Any) -> SilhouetteDisplay:
        """The rows that a clustering was fitted to; noise (label −1) is left out."""
        labels = estimator.labels_ if hasattr(estimator, "labels_") else estimator.predict(X)
        return cls.from_predictions(X, labels, ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls, X: ArrayLike, labels: ArrayLike, *, metric: Any = "euclidean", ax: Any = None, **kwargs: Any
    ) -> SilhouetteDisplay:
        X, labels = np.asarray(X, dtype=float), np.asarray(labels)
        if labels.shape != (len(X),):
            raise InvalidData(f"every row needs a label; got {len(X)} rows and labels of shape {labels.shape}")
        rows = np.flatnonzero(labels >= 0)
        rows = rows[np.unique(np.linspace(0, rows.size - 1, min(rows.size, MOST_ROWS)).astype(int))]
        found = np.unique(labels[rows]).size
        if not 2 <= found < rows.size:
            raise InvalidData(f"silhouettes need 2 clusters at least and fewer than rows; got {found} of {rows.size}")
        silhouettes = silhouette_samples(X[rows], labels[rows], metric=metric)
        return cls(silhouettes=silhouettes, labels=labels[rows]).plot(ax, **kwargs)

    @property
    def mean(self) -> float:
        return float(self.silhouettes.mean())

    def plot(self, ax: Any = None, *, name: str | None = None) -> SilhouetteDisplay:
        """Draw a blade for each cluster, its widest row on top, and a line at the mean of all rows."""
        self.ax_, self.figure_ = axes_of(ax)
        gap = max(1, round(GAP * self.labels.size))
        start, ticks, names = 0, [], []
        self.blades_ = []
        for k in np.unique(self.labels)[::-1]:
            mine = np.sort(self.silhouettes[self.labels == k])
            at = np.arange(start, start + mine.size)
            blade = self.ax_.fill_betweenx(at, 0.0, mine, step="mid", color=f"C{k % 10}", alpha=0.75, linewidth=0)
            self.blades_.append(blade)
            ticks.append(at.mean())
            names.append(f"{k} ({mine.size})")
            start += mine.size + gap
        self.mean_line_ = self.ax_.axvline(self.mean, color="0.5", linestyle="--", linewidth=1.2)
        self.ax_.set_yticks(ticks, names)
        self.ax_.set(xlabel=f"silhouette (dashed: mean {self.mean:.2f})", ylabel="cluster (rows)")
        self.ax_.set_ylim(-gap, start)
        tidy(self.ax_, "x")
        if name:
            self.ax_.set_title(name)
        return self
