"""What a projection did to distances: for pairs of rows, the squared distance afterwards over the one before."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy

PAIRS = 20_000


class DistortionDisplay:
    """Holds the `ratios` of squared distances, one for each pair of rows, and `eps`: what was asked for, or None."""

    def __init__(self, *, ratios: ArrayLike, eps: float | None = None) -> None:
        self.ratios, self.eps = np.asarray(ratios, dtype=float), eps
        if self.ratios.ndim != 1 or self.ratios.size == 0:
            raise InvalidData(f"ratios must be a number for each pair of rows; got shape {self.ratios.shape}")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, pairs: int = PAIRS, random_state: int = 0, ax: Any = None, **kwargs: Any
    ) -> DistortionDisplay:
        """Of a fitted projection and rows: all pairs where they are few, else `pairs` of them drawn at random."""
        Z = estimator.transform(X)
        eps = getattr(estimator, "eps", None)
        return cls(ratios=distance_ratios(X, Z, pairs, random_state), eps=eps).plot(ax, **kwargs)

    @property
    def inside(self) -> float:
        """The share of pairs whose squared distance is kept within 1 ± eps."""
        if self.eps is None:
            raise InvalidData("eps is not known: DistortionDisplay(ratios=…, eps=…)")
        return float(np.mean(np.abs(self.ratios - 1) <= self.eps))

    def plot(
        self, ax: Any = None, *, name: str | None = None, bins: int = 40, bar_kwargs: dict[str, Any] | None = None
    ) -> DistortionDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        options = {"color": "C0", "alpha": 0.6} | (bar_kwargs or {})
        self.counts_, self.edges_, self.bars_ = self.ax_.hist(self.ratios, bins=bins, **options)
        self.ax_.axvline(1.0, color="0.45", linewidth=1.0)
        self.limits_ = []
        if self.eps is not None:
            for limit in (1 - self.eps, 1 + self.eps):
                self.limits_.append(self.ax_.axvline(limit, color="C1", linewidth=1.4, linestyle="--"))
        words = "" if self.eps is None else f" ({100 * self.inside:.4g} % within 1 ± {self.eps:g})"
        self.ax_.set(xlabel=f"squared distance after / before{words}", ylabel="pairs of rows")
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self


def distance_ratios(X: Any, Z: Any, pairs: int, random_state: int) -> np.ndarray:
    """‖zᵢ − zⱼ‖² / ‖xᵢ − xⱼ‖² for pairs i < j of rows that differ."""
    n = X.shape[0]
    if n < 2:
        raise InvalidData(f"distances need two rows at least; got {n}")
    i, j = np.triu_indices(n, 1) if n * (n - 1) // 2 <= pairs else _drawn(n, pairs, random_state)
    before, after = _sq_dist(X, i, j), _sq_dist(Z, i, j)
    if not (before > 0).any():
        raise InvalidData("all rows are equal: there are no distances to keep")
    return after[before > 0] / before[before > 0]


def _drawn(n: int, pairs: int, random_state: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(random_state)
    i = rng.integers(0, n, pairs)
    return i, (i + rng.integers(1, n, pairs)) % n


def _sq_dist(rows: Any, i: np.ndarray, j: np.ndarray, block: int = 2000) -> np.ndarray:
    found = np.empty(i.size)
    for at in range(0, i.size, block):
        some = slice(at, at + block)
        difference = rows[i[some]] - rows[j[some]]
        squares = difference.multiply(difference) if sp.issparse(difference) else np.square(difference, dtype=float)
        found[some] = np.asarray(squares.sum(axis=1)).ravel()
    return found
