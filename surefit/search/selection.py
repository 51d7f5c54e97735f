"""The smallest numbers of each row of a block of distances; among equal ones those of the lowest index."""

from __future__ import annotations

import numpy as np


def smallest(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest of each row and their places, sorted by (distance, index)."""
    m, n = D.shape
    if m == 0 or k == 0:
        return np.empty((m, k)), np.empty((m, k), dtype=np.int64)
    kth = np.partition(D, k - 1, axis=1)[:, k - 1] if k < n else np.full(m, np.inf)
    indptr, columns, values = within(D, kth[:, None])
    columns, values = sorted_rows(indptr, columns, values)
    places = indptr[:-1, None] + np.arange(k)
    return values[places], columns[places]


def within(D: np.ndarray, radius: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """CSR (indptr, indices ascending, distances) of the numbers ≤ radius."""
    chosen = D <= radius
    indptr = np.zeros(len(D) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(chosen, axis=1), out=indptr[1:])
    return indptr, np.nonzero(chosen)[1].astype(np.int64, copy=False), D[chosen]


def sorted_rows(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row of a CSR block by (distance, index); indices come ascending."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((values, rows))
    return indices[order], values[order]
