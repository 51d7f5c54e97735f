"""Plain reference of the search of neighbors: every distance, in long double or exactly, by (distance, index)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def long_distances(A: np.ndarray, B: np.ndarray, p: float = 2.0, w: np.ndarray | None = None) -> np.ndarray:
    """Minkowski distances in long double, from differences."""
    gaps = np.abs(A[:, None, :].astype(np.longdouble) - B[None, :, :].astype(np.longdouble))
    if p == math.inf:
        return gaps.max(axis=2)
    weights = np.ones(A.shape[1], dtype=np.longdouble) if w is None else w.astype(np.longdouble)
    return (weights * gaps ** np.longdouble(p)).sum(axis=2) ** (1 / np.longdouble(p))


def exact_squares(A: np.ndarray, B: np.ndarray) -> list[list[Fraction]]:
    """Squared Euclidean distances without any rounding."""
    rows = [[[Fraction(float(x)) for x in row] for row in side] for side in (A, B)]
    return [[sum(((x - y) ** 2 for x, y in zip(a, b, strict=True)), Fraction(0)) for b in rows[1]] for a in rows[0]]


def nearest(D: np.ndarray, k: int, exclude_self: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Of a matrix of distances: the k smallest of each row by (distance, index)."""
    columns = np.arange(D.shape[1])
    indices = np.empty((len(D), k), dtype=np.int64)
    for i, row in enumerate(D):
        order = np.lexsort((columns, row))
        indices[i] = [j for j in order if not (exclude_self and j == i)][:k]
    return np.take_along_axis(D, indices, axis=1), indices


def within(D: np.ndarray, radius: float, exclude_self: bool = False) -> list[np.ndarray]:
    return [np.array([j for j in np.flatnonzero(row <= radius) if not (exclude_self and j == i)], dtype=np.int64)
            for i, row in enumerate(D)]  # fmt: skip
