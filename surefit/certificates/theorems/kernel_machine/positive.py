"""Whether a Gram matrix is positive semi-definite: by a theorem about the kernel, or by a Cholesky factor.

Rump (2006): where Cholesky's algorithm comes to its end on a symmetric n × n matrix A, A + 2γ_{n+2} tr(A) I is positive
semi-definite. With A = K + sI this gives τ = s + 2γ_{n+2} tr(A), plus n times the largest error of an entry and 2n
times the largest asymmetry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import Blocks
from surefit.certificates.claim import Grade
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.kernel_machine.expansion import pieces
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

SMALL = 1500  # rows up to which the Gram matrix is factored


class Definite(NamedTuple):
    shift: float  # K + shift·I is positive semi-definite; infinite where that is not known
    grade: Grade  # what a gap then proves
    words: str


def definite(kernel: Kernel, blocks: Blocks) -> Definite:
    n = blocks.n_rows
    if kernel.positive and kernel.name != "callable":
        return Definite(0.0, Grade.OPTIMAL, "the kernel is positive semi-definite by construction")
    if n > SMALL and kernel.positive is not False:
        words = f"assumed: the kernel is positive semi-definite (not proved beyond {SMALL} rows)"
        return Definite(0.0, Grade.BOUNDED, words)
    if n <= SMALL:
        X = np.concatenate(list(pieces(blocks)))
        K, error = kernel.block(X, X, np.arange(n))
        skew, trace = float(np.abs(K - K.T).max()), float(np.abs(np.diag(K)).sum())
        s = 2 * g(n + 2) * trace
        tau = s + 2 * g(n + 2) * (trace + n * s) + n * float(error.max()) + 2 * n * skew
        try:
            np.linalg.cholesky((K + K.T) / 2 + s * np.eye(n))
            return Definite(tau, Grade.OPTIMAL, "the Gram matrix is positive semi-definite, by a Cholesky factor")
        except np.linalg.LinAlgError:
            pass
    words = "the kernel is not positive semi-definite on these rows. No bound of the distance from the least value"
    return Definite(np.inf, Grade.STATIONARY, words)
