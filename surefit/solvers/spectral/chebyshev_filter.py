"""A polynomial that grows towards the small end of the spectrum.

The Chebyshev polynomial p of degree m is within ±1 on [a, b] and grows like ½(t + √(t² − 1))^m outside, with
t = (a + b − 2λ)/(b − a). So p(A) x keeps what x has below a, larger the smaller the eigenvalue, and leaves everything
in [a, b] behind: m products with A, no factorization, no inner product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.threads import threads_for
from surefit.summaries.row_products import scores

GROWTH, LEAST_DEGREE, MOST_DEGREE = 5.0, 8, 80
"""m = GROWTH √(b/a): p(0) is then about ½ e^{2·GROWTH}, enough to gain by, not so much that all columns become one."""


def chebyshev_filter(A: Any, X: np.ndarray, a: float, b: float) -> np.ndarray:
    """p(A) X for the polynomial that is small on [a, b]; A is dense or CSR."""
    degree = int(np.clip(GROWTH * np.sqrt(b / a), LEAST_DEGREE, MOST_DEGREE)) if a > 0 else MOST_DEGREE
    center, half = (a + b) / 2, (b - a) / 2
    if sp.issparse(A):
        S = sp.csr_array(A - sp.diags_array(np.full(A.shape[0], center), format="csr"))
        S.data /= half
    else:
        S = (A - center * np.eye(len(A))) / half
    before, now = X, times(S, X)
    for _ in range(degree - 1):
        following = times(S, now)
        following *= 2.0
        following -= before
        before, now = now, following
    return now


def times(A: Any, X: np.ndarray) -> np.ndarray:
    """A X, the rows of a CSR matrix shared among threads."""
    if not sp.issparse(A):
        return A @ X
    return scores(A, X.T, np.zeros(X.shape[1]), threads_for(A.nnz * X.shape[1]))
