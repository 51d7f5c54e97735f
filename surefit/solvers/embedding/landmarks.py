"""Landmarks: distances to a few rows place all of them (de Silva and Tenenbaum, 2004).

Classical scaling of the m landmarks gives pairs (λ, v) of B = −½ J D² J. A row with squared distances s to them is
placed at

    y = −½ L⁺ (s − μ)          L⁺ = rows vᵀ/√λ,   μ = mean squared distance of each landmark to the landmarks

which for a landmark is its own place, and for a Euclidean distance the projection onto the landmarks' leading axes.
With all rows as landmarks this is also how a new row is placed (Bengio and others, 2004).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def farthest_first(distances: Callable[[int], np.ndarray], n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """m rows, each as far as possible from those before it, and their distances to all rows (m, n).

    `distances(i)` are those of row i to all. The first row is the one farthest from row 0; among equals the first.
    """
    chosen = np.empty(m, dtype=np.int64)
    table = np.empty((m, n))
    start = distances(0)
    chosen[0] = int(np.where(np.isfinite(start), start, -1.0).argmax())
    table[0] = distances(int(chosen[0]))
    nearest = table[0].copy()
    for number in range(1, m):
        nearest[chosen[number - 1]] = -1.0
        chosen[number] = int(nearest.argmax())
        table[number] = distances(int(chosen[number]))
        np.minimum(nearest, table[number], out=nearest)
    return chosen, table


class Triangulation:
    """Places rows from their distances to rows that have a place."""

    def __init__(self, values: np.ndarray, vectors: np.ndarray, mean_sq: np.ndarray, unit: float = 1.0) -> None:
        """`values`, `vectors`, `mean_sq` are those of distances divided by `unit`."""
        self.eigenvalues_ = np.maximum(values, 0.0) * unit * unit
        self.eigenvectors_ = vectors
        roots = np.sqrt(np.maximum(values, 0.0))
        self.inverse = np.divide(vectors, roots, out=np.zeros_like(vectors), where=roots > 0)
        """(L⁺)ᵀ, zero where an eigenvalue is not positive."""
        self.mean_sq, self.unit = mean_sq, unit

    def place(self, distances: np.ndarray) -> np.ndarray:
        """Coordinates of rows from their distances (rows, m) to the landmarks."""
        scaled = distances if self.unit == 1.0 else distances / self.unit
        return -0.5 * self.unit * ((np.square(scaled, dtype=np.float64) - self.mean_sq) @ self.inverse)

    def transform(self, K: np.ndarray) -> np.ndarray:
        """The same from K = −½ (squared distances), as scikit-learn's `KernelPCA` of that kernel."""
        return self.place(np.sqrt(np.maximum(-2.0 * np.asarray(K), 0.0)))
