"""Whether a Gram matrix is positive semi-definite: by a theorem about the kernel, or by a Cholesky factor.

Rump (2006): where Cholesky's algorithm comes to its end on a symmetric n × n matrix A, A + 2γ_{n+2} tr(A) I is positive
semi-definite. Here A = K + sI; n times the largest error of an entry and 2n times the largest asymmetry are added.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

SMALL = 1500  # rows up to which the Gram matrix is factored


def shift_of(kernel: Kernel, X: F64) -> float:
    """τ: K + τI is positive semi-definite; infinite where that is not known."""
    n, share = len(X), 2 * g(len(X) + 2)
    if kernel.positive:
        return 0.0
    if n > SMALL:
        return np.inf
    K, error = kernel.block(X, X, np.arange(n))
    trace = float(np.abs(np.diag(K)).sum())
    s = share * trace
    try:
        np.linalg.cholesky((K + K.T) / 2 + s * np.eye(n))
    except np.linalg.LinAlgError:
        return np.inf
    return s + share * (trace + n * s) + n * float(error.max() + 2 * np.abs(K - K.T).max())
