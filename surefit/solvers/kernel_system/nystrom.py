"""(A + αI) c = y by conjugate gradients, for a matrix A that is never stored.

The preconditioner is Nyström's: with m landmark rows, A ≈ F Fᵀ, F = A[:, m] L⁻ᵀ and L Lᵀ = A[m, m]. By Woodbury

    (F Fᵀ + αI)⁻¹ r = (r − F U diag(1/(λ + α)) Uᵀ Fᵀ r) / α ,     Fᵀ F = U diag(λ) Uᵀ ,

which serves every penalty. What the landmarks leave out of A has few large eigenvalues, so few iterations are needed.
Landmarks are the first rows, which the caller has put in an order that looks like chance and belongs to the data.

The iterations stop on the residual of the system itself, computed afresh; where rounding has drifted away from it they
go on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from surefit._core.memory import available_bytes, refuse_beyond_memory
from surefit.engine.leaves import by_leaves, tree_sum
from surefit.solvers.kernel_system.system import KernelSystem
from surefit.solvers.numerics.blas import cholesky, divide_right

EPS = float(np.finfo(np.float64).eps)
MOST_LANDMARKS = 4000
RESTARTS = 5


class Iterated(NamedTuple):
    """C (n, t), with ‖Y − (A + αI) C‖ / ‖Y‖ of every target."""

    C: np.ndarray
    n_iter: int
    residual: np.ndarray


def landmark_count(n: int) -> int:
    """About 8 √n, as many as make the preconditioner cost no more than a few products with A, within the memory."""
    wanted = min(n, MOST_LANDMARKS, max(64, int(8 * n**0.5)))
    fitting = int(available_bytes() / 2 / (16 * n))
    return max(1, min(wanted, fitting))


class Nystrom:
    """r ↦ (F Fᵀ + αI)⁻¹ r"""

    def __init__(self, system: KernelSystem, m: int) -> None:
        if system.features is not None and system.features.shape[1] <= m:
            self._F = system.features
        else:
            refuse_beyond_memory(
                16.0 * system.n * m, f"{m} landmarks for {system.n} rows", "Use fewer: n_landmarks=100."
            )
            self._F = _low_rank(system, m)
        products = self._F.T @ self._F
        products = products.toarray() if sp.issparse(products) else products
        values, self._U = scipy.linalg.eigh(products, driver="evd", check_finite=False)
        self._values = np.maximum(values, 0.0)

    def divide(self, R: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        inside = self._U.T @ (self._F.T @ R)
        return (R - self._F @ (self._U @ (inside / (self._values[:, None] + alphas)))) / alphas


def _low_rank(system: KernelSystem, m: int) -> np.ndarray:
    """F with F Fᵀ ≈ A. A little is added to the landmarks' diagonal, until it is positive definite beyond rounding."""
    F = system.columns(m)
    extra = 10 * m * EPS * float(np.abs(F[np.arange(m), np.arange(m)]).max())
    while True:
        L = F[:m].copy()
        L[np.arange(m), np.arange(m)] += extra
        if cholesky(L):
            divide_right(F, L)
            return F
        extra = max(10 * extra, 1e-300)


def conjugate_gradients(
    system: KernelSystem,
    alphas: np.ndarray,
    Y: np.ndarray,
    *,
    n_landmarks: int | None,
    tol: float,
    max_iter: int,
    step: Callable[[np.ndarray], bool] = lambda C: False,
) -> Iterated:
    """C with ‖Y − (A + αI) C‖ ≤ tol ‖Y‖ for every target; `step(C)` is told of each iteration and may stop them."""
    size = np.maximum(_norms(Y), np.finfo(np.float64).tiny)
    nystrom = Nystrom(system, min(n_landmarks or landmark_count(system.n), system.n))
    C, R, n_iter, best = np.zeros_like(Y), Y.copy(), 0, None
    for _ in range(RESTARTS):
        C, n_iter, stopped = _iterate(system, nystrom, alphas, C, R, tol * size, n_iter, max_iter, step)
        R = system.residual(alphas, C, Y)
        residual = _norms(R) / size
        if best is None or residual.max() < best.residual.max():
            best = Iterated(C, n_iter, residual)
        if stopped or n_iter >= max_iter or (residual <= tol).all():
            break
    assert best is not None
    return best._replace(n_iter=n_iter)


def _iterate(
    system: KernelSystem,
    nystrom: Nystrom,
    alphas: np.ndarray,
    C: np.ndarray,
    R: np.ndarray,
    goal: np.ndarray,
    n_iter: int,
    max_iter: int,
    step: Callable[[np.ndarray], bool],
) -> tuple[np.ndarray, int, bool]:
    """Conjugate gradients from C with residual R, all targets at once; one that has arrived stays where it is."""
    C = C.copy()
    Z = nystrom.divide(R, alphas)
    D, rz = Z, _dots(R, Z)
    while n_iter < max_iter:
        active = _norms(R) > goal
        if not active.any():
            break
        AD = system.multiply(D) + D * alphas
        curvature = _dots(D, AD)
        active &= curvature > 0
        if not active.any():
            break
        length = np.divide(rz, curvature, out=np.zeros_like(rz), where=active)
        C += D * length
        R = R - AD * length
        n_iter += 1
        if step(C):
            return C, n_iter, True
        Z = nystrom.divide(R, alphas)
        before, rz = rz, _dots(R, Z)
        D = Z + D * np.divide(rz, before, out=np.zeros_like(rz), where=before > 0)
    return C, n_iter, False


def _dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Σ a b of each column, in the fixed tree."""
    return tree_sum(by_leaves(A * B, 4096).sum(axis=1))


def _norms(A: np.ndarray) -> np.ndarray:
    return np.sqrt(_dots(A, A))
