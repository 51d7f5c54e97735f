"""Which rows are among the nearest of each row, surely or maybe.

Row j is *surely* in the list of the k nearest others of i where fewer than k others can be as near: d + slack is below
the (k + 1)-th smallest d − slack; and *maybe* where d − slack is not above the k-th smallest d + slack. Ties within
rounding are left open.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.distances.all_rows import in_slices

Measure = Callable[[NDArray], tuple[F64, F64]]  # the distances of these rows to all rows, and their slack


def sq_distances(A: F64, B: F64, power: int = 2) -> F64:
    """Σⱼ|aⱼ − bⱼ|^power of all rows of A and B, by differences: right to a relative γ_{d+2}."""
    total = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        total += np.abs(a[:, None] - b) ** power
    return total


def euclidean(X: F64, unit: float) -> Measure:
    """Slack: models in a precision of this unit may form squares as ‖a‖² − 2a·b + ‖b‖², off by δ = γ_{d+8}(‖a‖ + ‖b‖)²,
    the distance by at most min(δ/D, √δ)."""
    d, size = X.shape[1], np.sqrt((X * X).sum(axis=1))

    def measure(rows: NDArray) -> tuple[F64, F64]:
        D = np.sqrt(sq_distances(X[rows], X))
        delta = gamma(d + 8) * (size[rows, None] + size) ** 2
        slack = np.minimum(delta / np.where(D > 0, D, 1e-300), np.sqrt(delta))
        return D, slack + (gamma(d + 8) + 16 * (UNIT + unit)) * D

    return measure


def near_rows(measure: Measure, rows: NDArray, n: int, k: int | None, radius: float, of: NDArray) -> NDArray:
    """Which rows `of` are surely (0) and maybe (1) in the list of each: k nearest others, or all within the radius."""
    found = np.zeros((2, len(rows), len(of)), bool)
    for part in in_slices(len(rows), 4 * n):
        (D, slack), others = measure(rows[part]), rows[part, None] != np.arange(n)
        low, high = np.where(others, D - slack, np.inf), np.where(others, D + slack, np.inf)
        if k is None:
            sure, maybe = high <= radius, low <= radius
        else:
            sure = high < np.partition(low, k, axis=1)[:, k, None]
            maybe = low <= (np.partition(high, k - 1, axis=1)[:, k - 1, None] if k > 0 else -np.inf)
        found[:, part] = (sure & others)[:, of], (maybe & others)[:, of]
    return found


def both_ways(
    measure: Measure, rows: NDArray, n: int, k: int | None, radius: float, W: F64
) -> tuple[NDArray, NDArray]:  # fmt: skip
    """The lists of these rows; and which rows list these: looked up where W > 0 or they may be listed, else open."""
    near, back = near_rows(measure, rows, n, k, radius, np.arange(n)), np.zeros((2, len(rows), n), bool)
    if len(rows) == n:
        return near, near.transpose(0, 2, 1).copy()
    others, back[1] = np.flatnonzero(((W > 0) | near[1]).any(axis=0)), True
    back[:, :, others] = near_rows(measure, others, n, k, radius, rows).transpose(0, 2, 1)
    return near, back


def wrong_lists(near: NDArray, rows: NDArray, D: F64, slack: F64) -> int:
    """For how many of these rows `near` cannot be the k nearest others: another is surely nearer than the farthest.

    A row in its own list stands for one equal row that is not in it.
    """
    listed, own, k = np.zeros(D.shape, bool), rows[:, None] == np.arange(D.shape[1]), near.shape[1]
    listed[np.arange(len(rows))[:, None], near] = True
    farthest = np.where(listed & ~own, D - slack, -np.inf).max(axis=1)
    others, replaced = ~(listed | own), listed & own
    nearer = (others & (D + slack < farthest[:, None])).sum(axis=1)
    stands = replaced.any(axis=1) & (others & (D == 0)).any(axis=1)
    return int(np.count_nonzero((listed.sum(axis=1) != k) | (replaced.any(axis=1) & ~stands) | (nearer > stands)))
