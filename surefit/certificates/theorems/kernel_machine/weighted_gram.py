"""The Gram matrix with weights, as a whole."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.kernel_machine.gram_products import ENTRIES, LONG, LONG_WORK
from surefit.certificates.theorems.kernel_machine.kernels import Kernel, unit_of


def weighted_gram(kernel: Kernel, X: F64, omega: F64) -> tuple[F64, float]:
    """S = √W K √W and a bound of its error in Frobenius's norm; K in long double where that is little work."""
    n, step = len(X), max(1, ENTRIES // max(1, len(X)))
    X = X.astype(LONG if float(n) * X.size <= LONG_WORK else np.float64)
    S, squares, root = np.zeros((n, n), X.dtype), 0.0, np.sqrt(omega.astype(X.dtype))
    for lo in range(0, n, step):
        part = slice(lo, lo + step)
        K, off = kernel.block(X[part], X, np.arange(n))
        S[part] = root[part, None] * K * root
        squares += float(((root[part, None] * off * root) ** 2).sum())
    return (S + S.T) / 2, 1.01 * float(np.sqrt(squares)) + 8 * unit_of(S) * float(np.linalg.norm(S))
