"""k-means in pictures: the clusters on the first two principal components, and the inertia against k."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, scatter_options, tidy


class KMeansDisplay:
    """Holds `points` and `centres` (two columns each), `labels`, and `shares` of the variance along the two axes."""

    def __init__(
        self, *, points: ArrayLike, labels: ArrayLike, centres: ArrayLike, shares: tuple[float, float] | None = None
    ) -> None:
        self.points, self.centres = np.asarray(points, dtype=float), np.asarray(centres, dtype=float)
        self.labels, self.shares = np.asarray(labels), shares
        if self.points.ndim != 2 or self.points.shape[1] != 2 or self.labels.shape != (self.points.shape[0],):
            raise InvalidData(f"points must have two columns and one label each; got shape {self.points.shape}")

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, *, ax: Any = None, **kwargs: Any) -> KMeansDisplay:
        """Rows and centres of a fitted KMeans, projected on the first two principal components of X."""
        labels = estimator.predict(X)
        X = np.asarray(X, dtype=float)
        mean = X.mean(axis=0)
        _, singular, directions = np.linalg.svd(_at_most(X) - mean, full_matrices=False)
        plane = directions[:2].T
        if plane.shape[1] == 1:  # one column: the second axis is empty
            plane = np.hstack([plane, np.zeros_like(plane)])
        share = singular**2 / max(float((singular**2).sum()), np.finfo(float).tiny)
        return cls(
            points=(X - mean) @ plane,
            labels=labels,
            centres=(np.asarray(estimator.cluster_centers_, dtype=float) - mean) @ plane,
            shares=(float(share[0]), float(share[1]) if share.size > 1 else 0.0),
        ).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, scatter_kwargs: dict[str, Any] | None = None
    ) -> KMeansDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        options = scatter_options(self.labels.size) | (scatter_kwargs or {})
        self.scatter_ = [
            self.ax_.scatter(*self.points[self.labels == k].T, color=f"C{k % 10}", **options)
            for k in range(self.centres.shape[0])
        ]
        for k, (x, y) in enumerate(self.centres):
            self.ax_.plot(x, y, "o", markersize=15, color="white", mec=f"C{k % 10}", mew=2.2, zorder=4)
            self.ax_.text(x, y, str(k), ha="center", va="center_baseline", fontsize=9, color="#222222", zorder=5)
        words = ["", ""] if self.shares is None else [f" ({100 * s:.0f} % of the variance)" for s in self.shares]
        self.ax_.set(xlabel=f"first component{words[0]}", ylabel=f"second component{words[1]}")
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self


class InertiaDisplay:
    """Inertia against k, with the band in which the best possible inertia is proved to lie."""

    def __init__(self, *, k: ArrayLike, inertia: ArrayLike, lower: ArrayLike | None = None) -> None:
        self.k, self.inertia = np.asarray(k, dtype=int), np.asarray(inertia, dtype=float)
        self.lower = None if lower is None else np.asarray(lower, dtype=float)
        if self.k.shape != self.inertia.shape or (self.lower is not None and self.lower.shape != self.k.shape):
            raise InvalidData("k, inertia and lower must be of one length")

    @classmethod
    def from_certificates(cls, certificates: Any, *, ax: Any = None, **kwargs: Any) -> InertiaDisplay:
        """From (k, certificate of a KMeans with k clusters) pairs: both numbers are the checker's, not the solver's."""
        rows = sorted((int(k), *proved_interval(certificate)) for k, certificate in certificates)
        k, lower, inertia = (np.array(column) for column in zip(*rows, strict=True))
        return cls(k=k, inertia=inertia, lower=lower).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> InertiaDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        (self.line_,) = self.ax_.plot(
            self.k, self.inertia, **({"marker": "o", "color": "C0", "label": "found"} | (line_kwargs or {}))
        )
        self.band_ = None
        if self.lower is not None:
            self.band_ = self.ax_.fill_between(
                self.k, self.lower, self.inertia, color="C0", alpha=0.18, linewidth=0, label="the optimum lies here"
            )
            self.ax_.plot(self.k, self.lower, linestyle="--", linewidth=1.2, color="C0", label="proved lower bound")
            self.ax_.legend(frameon=False)
        self.ax_.set(xlabel="number of clusters k", ylabel="inertia", ylim=(0, None))
        self.ax_.set_xticks(self.k)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self


def proved_interval(certificate: Any) -> tuple[float, float]:
    """(proved lower bound, inertia recomputed) from the certificate of a KMeans."""
    if "interval" not in certificate:
        raise InvalidData(f"the certificate of this {certificate.model} holds no proved interval")
    ends = certificate["interval"].detail
    return float(ends["lower"]), float(ends["upper"])


def _at_most(X: np.ndarray, rows: int = 20000) -> np.ndarray:
    """Rows spread evenly over X, enough for two directions of a picture."""
    return X if X.shape[0] <= rows else X[np.linspace(0, X.shape[0] - 1, rows).astype(int)]
