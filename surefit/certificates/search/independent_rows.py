"""Rows and columns of a matrix on which it is far from singular, by elimination with complete pivoting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.linear_program.piecewise_linear import MOST_COLUMNS

CUTS = (1e-15, 1e-13, 1e-11, 1e-8)  # pivots below these shares of the first may be rounding


def independent_rows(A: F64, give: F64) -> tuple[NDArray[np.intp], NDArray[np.intp], list[int]]:
    """Rows I and columns J of A in the order of their pivots, and numbers of pivots to try.

    Rows of a large `give` come first. Columns are expected in a common unit.
    """
    none = np.zeros(0, dtype=np.intp)
    p = A.shape[1]
    if p > MOST_COLUMNS or not give.any() or not np.isfinite(A).all():
        return none, none, [0]
    share = give / give.max()
    near = _candidates(A, share, max(600, 3 * p))
    M = A[near] * np.sqrt(share[near])[:, None]  # between the largest rows and the largest allowance
    rows: list[int] = []
    columns: list[int] = []
    pivots: list[float] = []
    for _ in range(min(p, near.size)):
        i, j = divmod(int(np.abs(M).argmax()), p)
        pivot = float(M[i, j])
        if not abs(pivot) > CUTS[0] * (abs(pivots[0]) if pivots else 0.0):
            break
        rows.append(int(near[i]))
        columns.append(j)
        pivots.append(pivot)
        M = M - np.outer(M[:, j] / pivot, M[i])
        M[i], M[:, j] = 0.0, 0.0
    size = np.abs(np.array(pivots))
    tries = {int(np.count_nonzero(size > cut * size.max(initial=0.0))) for cut in CUTS}
    return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp), sorted(tries, reverse=True)


def _candidates(A: F64, share: F64, most: int) -> NDArray[np.intp]:
    """The largest row of every column, and rows spread evenly over those with an allowance."""
    n = A.shape[0]
    if n <= most:
        return np.flatnonzero(share > 0)
    largest = np.argmax(np.abs(A) * np.sqrt(share)[:, None], axis=0)
    generous = np.flatnonzero(share > 0.1) if np.count_nonzero(share > 0.1) >= A.shape[1] else np.flatnonzero(share)
    even = generous[np.unique(np.linspace(0, generous.size - 1, most).astype(np.intp))]
    return np.union1d(largest, even)


def approximate_inverse(C: Any) -> Any:
    """The inverse of a square matrix of long doubles to double precision; zeros where it has none."""
    k = len(C)
    size = np.abs(C).max(axis=1, initial=0.0)
    size = np.where(size > 0, size, 1.0)
    scaled = (C / size[:, None]).astype(np.float64)
    columns = np.abs(scaled).max(axis=0, initial=0.0)
    columns = np.where(columns > 0, columns, 1.0)
    try:
        inverse = np.linalg.inv(scaled / columns)
    except np.linalg.LinAlgError:
        inverse = np.zeros((k, k))
    return inverse / columns.astype(C.dtype)[:, None] / size
