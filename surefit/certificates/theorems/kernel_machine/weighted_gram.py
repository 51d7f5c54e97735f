"""The Gram matrix with weights, as a whole."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.kernel_machine.entries import InBlocks
from surefit.certificates.theorems.kernel_machine.gram_products import ENTRIES, long_rows


def weighted_gram(kernel: InBlocks, X: F64, omega: F64) -> tuple[F64, float]:
    """S = √W K √W and a bound of its error in Frobenius's norm; K in long double where that is little work."""
    X, n, step = long_rows(X), len(X), max(1, ENTRIES // max(1, len(X)))
    S, squares, root = np.zeros((n, n)), 0.0, np.sqrt(omega)
    for lo in range(0, n, step):
        part = slice(lo, lo + step)
        K, off = kernel.block(X[part], X, np.arange(n))
        S[part] = root.astype(K.dtype)[part, None] * K * root
        squares += float(((root[part, None] * off * root) ** 2).sum())
    return (S + S.T) / 2, 1.01 * float(np.sqrt(squares)) + 3 * UNIT * float(np.linalg.norm(S))
