"""How to choose the radius of DBSCAN: the k-distances of rows with their knee, and the reachability of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy
from surefit.search import resolve_metric
from surefit.solvers.clustering.k_distance import k_distances, knee
from surefit.solvers.clustering.reachability import reachability

MOST_ROWS = 3000


class KDistanceDisplay:
    """Holds `distances`, the sorted k-distances of rows, and `eps`, the radius to mark: by default that of the knee."""

    def __init__(self, *, distances: ArrayLike, min_samples: int, eps: float | None = None) -> None:
        self.distances = np.sort(np.asarray(distances, dtype=float))
        if self.distances.ndim != 1 or self.distances.size == 0:
            raise InvalidData(f"distances must be one-dimensional and not empty; got shape {self.distances.shape}")
        self.min_samples, self.eps = min_samples, knee(self.distances) if eps is None else float(eps)

    @classmethod
    def from_data(
        cls, X: ArrayLike, *, min_samples: int = 5, metric: Any = "euclidean", eps: float | None = None, ax: Any = None,
        **kwargs: Any,
    ) -> KDistanceDisplay:  # fmt: skip
        """The k-distances of the rows of X (of at most 2,000 of them), k = min_samples, each row counting itself."""
        found = k_distances(np.asarray(X, dtype=float), min_samples, metric=metric)
        return cls(distances=found, min_samples=min_samples, eps=eps).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> KDistanceDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        share = 100 * (np.arange(self.distances.size) + 1) / self.distances.size
        (self.line_,) = self.ax_.plot(share, self.distances, **({"color": "C0"} | (line_kwargs or {})))
        core = 100 * float(np.mean(self.distances <= self.eps))
        self.mark_ = self.ax_.axhline(self.eps, color="C1", linewidth=1.2, linestyle="--")
        self.ax_.annotate(
            f"ε = {self.eps:.3g}: {core:.0f} % of the rows are core",
            (0, self.eps),
            xytext=(6, 5),
            textcoords="offset points",
        )
        self.ax_.set(xlabel="rows (%)", ylabel=f"radius that holds {self.min_samples} rows", ylim=(0, None))
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self


class ReachabilityDisplay:
    """Holds `radii` in the order in which rows are reached, `labels` in that order or None, and `eps` to mark."""

    def __init__(self, *, radii: ArrayLike, labels: ArrayLike | None = None, eps: float | None = None) -> None:
        self.radii = np.asarray(radii, dtype=float)
        self.labels = None if labels is None else np.asarray(labels)
        if self.radii.ndim != 1 or (self.labels is not None and self.labels.shape != self.radii.shape):
            raise InvalidData("radii must be one-dimensional, with a label for each where there are labels")
        self.eps = eps

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, *, ax: Any = None, **kwargs: Any) -> ReachabilityDisplay:
        """The rows of a fitted DBSCAN, colored by its clusters, with its eps. The work grows with their square."""
        X = np.asarray(X, dtype=float)
        if len(X) > MOST_ROWS:
            raise InvalidData(f"a reachability plot of {len(X)} rows: draw at most {MOST_ROWS}, fitted on their own")
        params = dict(estimator.metric_params or {})
        metric = resolve_metric(estimator.metric, p=estimator.p or 2, metric_params=params)
        order, radii = reachability(X, estimator.min_samples, metric)
        return cls(radii=radii[order], labels=estimator.labels_[order], eps=float(estimator.eps)).plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, name: str | None = None) -> ReachabilityDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        finite = self.radii[np.isfinite(self.radii)]
        height = np.minimum(self.radii, 1.05 * finite.max() if finite.size else 1.0)
        at = np.arange(height.size)
        labels = np.zeros(height.size, dtype=int) if self.labels is None else self.labels
        for k in np.unique(labels):
            mine = labels == k
            color = "0.6" if k < 0 else f"C{k % 10}"
            self.ax_.vlines(at[mine], 0, height[mine], color=color, linewidth=max(0.4, 400 / height.size))
        if self.eps is not None:
            self.ax_.axhline(self.eps, color="C1", linewidth=1.2, linestyle="--")
        self.ax_.set(xlabel="rows, in the order in which they are reached", ylabel="radius", ylim=(0, None))
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self
