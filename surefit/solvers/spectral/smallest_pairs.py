"""The smallest eigenpairs of a symmetric positive semidefinite matrix:  A v = λ B v,  B diagonal, vᵀB v = 1.

With u = B^{½} v this is the ordinary problem of B^{-½} A B^{-½}. Small ones go to LAPACK; sparse ones whose
factorization is cheap to inverse iteration in blocks, all others to polynomials of A. Starts are fixed, so the answer
depends on A alone, and in each vector the entry of largest size is positive (the first of them on ties).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from surefit.solvers.spectral.block_davidson import GUARD, Ritz, Round, block_davidson
from surefit.solvers.spectral.chebyshev_filter import chebyshev_filter, times
from surefit.solvers.spectral.shifted_factor import MOST_ENTRIES, estimated_entries, shifted_factor

SMALL = 400
"""Up to this size LAPACK finds all pairs at once."""
SHARE = 5
"""LAPACK too where more than one pair in so many is wanted."""
MOST_ROUNDS = 400


class SmallestPairs(NamedTuple):
    values: np.ndarray
    """Smallest first, ≥ 0."""
    vectors: np.ndarray
    """As columns, vᵀB v = 1."""
    residual_norms: np.ndarray
    """‖B^{-½}(A v − λ B v)‖: some eigenvalue lies within it of λ."""
    n_iter: int
    converged: bool


def smallest_pairs(
    A: Any,
    k: int,
    *,
    B_diagonal: np.ndarray | None = None,
    tol: float = 1e-7,
    null_space: np.ndarray | None = None,
    max_iter: int = MOST_ROUNDS,
) -> SmallestPairs:
    """The k smallest pairs of A, dense or sparse.

    `null_space`: columns z with A z = 0 that are known beforehand, such as the indicators of the components of a graph
    for its Laplacian; the first pairs are then those, orthonormal in B. Stops at residuals of tol·λ, or of a few
    roundings of ‖A‖.
    """
    A = sp.csr_array(A) if sp.issparse(A) else np.asarray(A)
    root = None if B_diagonal is None else np.sqrt(np.asarray(B_diagonal, dtype=np.float64))
    C = _scaled(A.astype(np.float64), root)
    null = np.zeros((C.shape[0], 0)) if null_space is None else np.asarray(null_space, dtype=np.float64)
    null = np.linalg.qr(null if root is None else null * root[:, None])[0]
    m = min(null.shape[1], k)
    found = _beyond(C, k - m, null, tol, max_iter)
    U = np.hstack([null[:, :m], found.vectors])
    values = np.concatenate([np.zeros(m), np.maximum(found.values, 0.0)])
    residuals = np.linalg.norm(C @ U - U * values, axis=0)
    vectors = U if root is None else U / root[:, None]
    return SmallestPairs(values, with_signs(vectors), residuals, found.n_iter, found.converged)


def with_signs(vectors: np.ndarray) -> np.ndarray:
    """In each column the entry of largest size is made positive, the first of them on ties."""
    if not vectors.size:
        return vectors
    largest = np.argmax(np.abs(vectors), axis=0)
    return vectors * np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _scaled(A: Any, root: np.ndarray | None) -> Any:
    if root is None:
        return A
    if not sp.issparse(A):
        return A / root[:, None] / root
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return sp.csr_array((A.data / root[rows] / root[A.indices], A.indices, A.indptr), shape=A.shape)


def _beyond(C: Any, k: int, null: np.ndarray, tol: float, max_iter: int) -> Ritz:
    """The k smallest pairs orthogonal to `null`."""
    n = C.shape[0]
    if k == 0:
        return Ritz(np.zeros(0), np.zeros((n, 0)), np.zeros(0), 0, True)
    if n <= SMALL or (k + null.shape[1]) * SHARE > n:
        return _by_lapack(C, k, null)
    norm = float(abs(C).sum(axis=1).max())
    width = min(k + GUARD, n - null.shape[1])
    start = np.random.default_rng(0).standard_normal((n, width))
    expand, exact = _expansion(C, norm)
    return block_davidson(
        lambda X: times(C, X), expand, start, k, norm=norm, tol=tol, max_iter=max_iter, null=null, exact=exact
    )


def _expansion(C: Any, norm: float) -> tuple[Callable[[Round], np.ndarray], bool]:
    """Directions that improve Ritz vectors, and whether they come from an inverse."""
    if sp.issparse(C) and estimated_entries(C) <= MOST_ENTRIES:
        solve = shifted_factor(C)
        if solve is not None:
            return lambda now: solve(now.R), True
    return lambda now: chebyshev_filter(C, now.X, min(now.next_value, norm / 2), norm), False


def _by_lapack(C: Any, k: int, null: np.ndarray) -> Ritz:
    """All of them at once; the known null space is moved to the far end of the spectrum."""
    dense = C.toarray() if sp.issparse(C) else C.copy()
    norm = float(np.abs(dense).sum(axis=1).max(initial=0.0))
    dense += (2 * norm + 1.0) * (null @ null.T)
    values, vectors = scipy.linalg.eigh(dense, subset_by_index=[0, k - 1], check_finite=False)
    residuals = np.linalg.norm(C @ vectors - vectors * values, axis=0)
    return Ritz(values, vectors, residuals, 0, True)
