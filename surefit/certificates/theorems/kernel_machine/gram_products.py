"""Products with a Gram matrix that is not held, with a bound of their errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
ENTRIES = 1 << 20  # of one block of the Gram matrix
LONG_SUMS = 1e9  # products of K and A up to which they are summed in long double
LONG_WORK = 1e8  # products up to which the Gram matrix is formed in long double


def apply(kernel: Kernel, X: F64, Z: F64, A: F64, places: NDArray | None = None) -> tuple[F64, F64, F64]:
    """K A for K = k(X, Z), a bound of its error (and of the model's, see `Kernel.raw`), and |K||A|, without all of K.

    `places` are the row numbers of Z in the data, by default all in order.
    """
    kind = LONG if float(len(X)) * Z.size <= LONG_WORK else np.float64
    of_sums = LONG if float(len(X)) * A.size <= LONG_SUMS else np.float64
    step, places = max(1, ENTRIES // max(1, len(Z))), np.arange(len(Z)) if places is None else places
    out, error, size = np.zeros((len(X), A.shape[1]), LONG), *(np.zeros((len(X), A.shape[1])) for _ in range(2))
    absolute, many = np.abs(A).astype(np.float64), gamma(len(Z) + 8, max(float(np.finfo(of_sums).eps) / 2, kernel.raw))
    Z, A = Z.astype(kind), A.astype(of_sums)
    for lo in range(0, len(X), step):
        part = slice(lo, lo + step)
        K, off = kernel.block(X[part].astype(kind), Z, places)
        out[part], size[part] = K.astype(of_sums) @ A, np.abs(K).astype(np.float64) @ absolute
        error[part] = off.astype(np.float64) @ absolute + many * size[part]
    return out, 1.01 * error, 1.01 * size
