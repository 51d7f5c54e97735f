"""Columns that are combinations of others without rounding: repeated ones, dummy variables, whole numbers."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.least_squares.least_squares_data import Data, slices


def exact_combinations(data: Data, J: F64, D: F64, Z: F64) -> F64:
    """Which columns D are combinations of the columns J on all rows with weight, without rounding.

    That is so for one column taken once, for whole numbers times columns of whole numbers whose sums stay below 2⁵³,
    and where there are as many independent columns as distinct rows. Z proposes C_D ≈ C_J Z.
    """
    first = int(data.intercept)
    scale, shift = np.append(np.ones(first), data.scale), np.append(np.zeros(first), data.shift)
    K = Z * scale[D] / scale[J][:, None]
    K[J < first] += shift[D] - shift[J] @ K
    K = np.rint(K)
    once, found, rows = np.abs(K).sum(axis=0) == 1, np.full(D.size, True), set[bytes]()
    for X, _, omega in slices(data.blocks) if D.size else ():
        A = np.hstack([np.ones((len(X), first)), X])[omega > 0]
        if len(rows) <= J.size:
            rows.update(row.tobytes() for row in A + 0.0)
        fractions = (A != np.rint(A)).any(axis=0)
        whole = ~fractions[D] & (fractions[J] @ np.abs(K) == 0) & (np.abs(A[:, J]) @ np.abs(K) < 2.0**53).all(axis=0)
        found &= (A[:, D] == A[:, J] @ K).all(axis=0) & (once | whole)
    return found | (len(rows) <= J.size)
