"""Disparities for non-metric scaling: numbers in the order of the dissimilarities, as near as possible to distances.

Over d̂ with  δ_a < δ_b ⇒ d̂_a ≤ d̂_b,  δ_a = δ_b ⇒ d̂_a = d̂_b  and  Σ w d̂² = Σ w,  the sum Σ w (d̂ − d)² is least at the
monotone regression of d, scaled to that size: the conditions without the size are a cone, and on the rays of a cone the
nearest point and the largest product with d belong to the same ray. A dissimilarity of zero keeps a disparity of zero.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression


class MonotoneRegression:
    """Condensed dissimilarities, sorted once; then d̂ for any distances."""

    def __init__(self, delta: np.ndarray, w: np.ndarray | None) -> None:
        counts = delta > 0 if w is None else (delta > 0) & (w > 0)
        order = np.flatnonzero(counts)
        self._order = order[np.argsort(delta[order], kind="stable")]
        self._w = np.ones(len(order)) if w is None else w[self._order]
        ranked = delta[self._order]
        self._first = np.flatnonzero(np.r_[True, ranked[1:] > ranked[:-1]]) if len(order) else order
        """Where a run of equal dissimilarities begins."""
        self._lengths = np.diff(np.r_[self._first, len(order)])
        self._group_w = np.add.reduceat(self._w, self._first) if len(order) else self._w
        self._n_pairs = len(delta)
        self._size = float(len(delta) if w is None else w.sum())
        self.start = self._scaled(ranked)
        """The dissimilarities themselves at the size of disparities: what there is before there are distances."""

    def of(self, distances: np.ndarray) -> np.ndarray:
        """d̂, condensed."""
        if not len(self._order):
            return self.start
        means = np.add.reduceat(self._w * distances[self._order], self._first) / self._group_w
        fitted = isotonic_regression(means, weights=self._group_w).x
        if not fitted.any():
            return self.start
        return self._scaled(np.repeat(fitted, self._lengths))

    def _scaled(self, ranked: np.ndarray) -> np.ndarray:
        """Numbers in the order of the dissimilarities, with Σ w d̂² = Σ w, where their pairs are."""
        out = np.zeros(self._n_pairs)
        if len(ranked):
            ranked = ranked / ranked[-1]
            out[self._order] = ranked * np.sqrt(self._size / float(self._w @ (ranked * ranked)))
        return out
