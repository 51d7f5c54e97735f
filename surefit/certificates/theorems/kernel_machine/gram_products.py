"""Products with a Gram matrix that is not held, with a bound of their errors."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.kernel_machine.entries import InBlocks

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
ENTRIES = 1 << 20  # of one block of the Gram matrix
LONG_SUMS = 1e9  # products of K and A up to which they are summed in long double
LONG_WORK = 1e8  # products up to which the Gram matrix is formed in long double


def long_rows(X: F64) -> F64:
    """The rows in long double where all products of them are little work."""
    return X.astype(LONG) if float(len(X)) ** 2 * X.shape[1] <= LONG_WORK else X


def apply(kernel: InBlocks, X: F64, Z: F64, A: F64) -> tuple[F64, F64, F64]:
    """K A for K = k(X, Z), a bound of its error, and |K||A|, without all of K; in long double unless A is wide."""
    step, places = max(1, ENTRIES // max(1, len(Z))), np.arange(len(Z))
    out, error, size = np.zeros((len(X), A.shape[1]), LONG), *(np.zeros((len(X), A.shape[1])) for _ in range(2))
    kind = LONG if float(len(X)) * A.size <= LONG_SUMS else np.float64
    absolute, A = np.abs(A).astype(np.float64), A.astype(kind)
    for lo in range(0, len(X), step):
        part = slice(lo, lo + step)
        K, off = kernel.block(X[part], Z, places)
        out[part], size[part] = K.astype(kind) @ A, np.abs(K).astype(np.float64) @ absolute
        error[part] = off.astype(np.float64) @ absolute + gamma(len(Z) + 4, float(np.finfo(kind).eps) / 2) * size[part]
    return out, 1.01 * error, 1.01 * size
