"""The distinct examples (x, y) of positive weight in the order of a hash of their contents, and draws among them.

    hash of a row      mixed(Σ over entries x ≠ 0 of mixed(bits of x in double + (column + 1) G))
    of an example      mixed(hash of x + G · hash of y), y in double (for classes the code)

With c the sums of the weights in that order, draw u of `default_rng(seed)` lands on the first with c > u·c_last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64

G = 0x9E3779B97F4A7C15


def mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def row_hashes(X: F64) -> NDArray[np.uint64]:
    total = np.zeros(len(X), dtype=np.uint64)
    for j in range(X.shape[1]):
        bits = np.ascontiguousarray(X[:, j], dtype=np.float64).view(np.uint64)
        total += np.where(X[:, j] != 0, mixed(bits + np.uint64(((j + 1) * G) % 2**64)), np.uint64(0))
    return mixed(total)


@dataclass(frozen=True)
class Distinct:
    """The distinct examples of positive weight in canonical order: hash, weight; `owner` of each row, −1 for none."""

    owner: NDArray[np.intp]
    first: NDArray[np.intp]  # the lowest row of each
    hashes: NDArray[np.uint64]
    weights: F64

    def bootstrap(self, seed: int, n_draws: int) -> NDArray[np.intp]:
        """How often each example is drawn."""
        below = np.cumsum(self.weights)
        places = np.searchsorted(below, np.random.default_rng(seed).random(n_draws) * below[-1], side="right")
        return np.bincount(np.minimum(places, len(below) - 1), minlength=len(below))


def distinct(X: F64, Y: F64, w: F64) -> Distinct:
    X, Y = X + 0.0, Y + 0.0  # −0 is 0
    with np.errstate(over="ignore"):
        hashes = mixed(row_hashes(X) + np.uint64(G) * row_hashes(Y))
    rows = np.flatnonzero(w > 0)
    _, first, owner = np.unique(hashes[rows], return_index=True, return_inverse=True)
    # added from the smallest, so that the sums have no order
    order = np.lexsort((w[rows], owner))
    starts = np.searchsorted(owner[order], np.arange(len(first)))
    everyone = np.full(len(w), -1, dtype=np.intp)
    everyone[rows] = owner
    return Distinct(everyone, rows[first], hashes[rows[first]], np.add.reduceat(w[rows][order], starts))
