"""The smallest eigenvalues of a graph's Laplacian, and the gap after as many as there are groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy


class EigengapDisplay:
    """Holds `eigenvalues` (smallest first) and `n_clusters`, after which the gap is shown."""

    def __init__(self, *, eigenvalues: ArrayLike, n_clusters: int) -> None:
        self.eigenvalues = np.asarray(eigenvalues, dtype=float)
        self.n_clusters = int(n_clusters)
        if self.eigenvalues.ndim != 1 or not 1 <= self.n_clusters <= self.eigenvalues.size:
            raise InvalidData(
                f"eigenvalues must be a list with at least n_clusters={n_clusters} entries; got shape "
                f"{self.eigenvalues.shape}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> EigengapDisplay:
        """From a fitted SpectralClustering."""
        return cls(eigenvalues=estimator.eigenvalues_, n_clusters=estimator.n_clusters_).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, line_kwargs: dict[str, Any] | None = None
    ) -> EigengapDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        number = np.arange(1, self.eigenvalues.size + 1)
        style = {"marker": "o", "linestyle": "none", "color": "C0"} | (line_kwargs or {})
        (self.line_,) = self.ax_.plot(number, self.eigenvalues, **style)
        k = self.n_clusters
        if k < self.eigenvalues.size:
            low, high = self.eigenvalues[k - 1 : k + 1]
            (self.gap_,) = self.ax_.plot([k + 0.5] * 2, [low, high], color="C1", lw=3)
            self.ax_.annotate(
                f"gap after {k}: {low:.2g} to {high:.2g}",
                (k + 0.5, (low + high) / 2),
                xytext=(8, -4),
                textcoords="offset points",
            )
        self.ax_.set(xlabel="number", ylabel="eigenvalue of the Laplacian")
        if number.size <= 15:
            self.ax_.set_xticks(number)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self
