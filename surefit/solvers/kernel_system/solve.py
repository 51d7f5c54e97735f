"""(A + αI) c = y by the method that suits its size: a factorization, a decomposition, or iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from surefit._core.memory import available_bytes
from surefit.solvers.kernel_system.cholesky import half_bytes, solve_positive_definite
from surefit.solvers.kernel_system.low_rank import LowRank, suits_low_rank
from surefit.solvers.kernel_system.nystrom import conjugate_gradients
from surefit.solvers.kernel_system.path import Eigen, PenaltyPath, refuse_path_beyond_memory, warn_of_trouble
from surefit.solvers.kernel_system.system import KernelSystem

Solver = Literal["auto", "cholesky", "eigen", "nystrom_cg"]
MOST_ROWS = 20_000
"""Beyond so many rows n³ operations take minutes, and iterations are preferred."""
MANY_PENALTIES = 20
"""So many factorizations cost more than one eigendecomposition."""


class Solution(NamedTuple):
    """C (n, t); what solved it, in how many iterations (1: directly), with what residual (None: not measured)."""

    C: np.ndarray
    solver: Solver
    n_iter: int = 1
    residual: np.ndarray | None = None


def chosen_solver(system: KernelSystem, alphas: np.ndarray) -> Solver:
    if suits_low_rank(system):
        return "eigen"
    direct = system.n <= MOST_ROWS and half_bytes(system.n) <= available_bytes()
    if not direct and (alphas > 0).all():
        return "nystrom_cg"
    return "eigen" if len(np.unique(alphas)) > MANY_PENALTIES else "cholesky"


def solve_kernel_system(
    system: KernelSystem,
    alphas: np.ndarray,
    Y: np.ndarray,
    solver: Solver = "auto",
    *,
    n_landmarks: int | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
    step: Callable[[np.ndarray], bool] = lambda C: False,
) -> Solution:
    """C with (A + αₖ I) C[:, k] = Y[:, k] for every target k; warns where that has no single answer."""
    solver = chosen_solver(system, alphas) if solver == "auto" else solver
    if solver == "nystrom_cg":
        C, n_iter, residual = conjugate_gradients(
            system, alphas, Y, n_landmarks=n_landmarks, tol=tol, max_iter=max_iter, step=step
        )
        return Solution(C, solver, n_iter, residual)
    C, path = np.empty_like(Y), None
    for alpha in np.unique(alphas):
        targets = alphas == alpha
        part = None
        if solver == "cholesky":
            part = solve_positive_definite(system.n, system.block, float(alpha), Y[:, targets])
        if part is None:
            path = path or _decomposition(system)
            part = path.solve(float(alpha), Y[:, targets])
            warn_of_trouble(path, float(alpha))
        C[:, targets] = part
    return Solution(_refined(system, path, alphas, C, Y), solver)


def _decomposition(system: KernelSystem) -> PenaltyPath:
    if suits_low_rank(system):
        return LowRank(system)
    refuse_path_beyond_memory(system.n)
    return Eigen(system.lower())


def _refined(
    system: KernelSystem, path: PenaltyPath | None, alphas: np.ndarray, C: np.ndarray, Y: np.ndarray
) -> np.ndarray:
    """One more step from the residual, where products with A cost next to nothing."""
    if path is None or system.features is None:
        return C
    return refined(system, path, alphas, C, Y)


def refined(system: KernelSystem, path: PenaltyPath, alphas: np.ndarray, C: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """C with its residual solved for once more, where that leaves a smaller one."""
    R = system.residual(alphas, C, Y)
    better = C.copy()
    for alpha in np.unique(alphas):
        targets = alphas == alpha
        better[:, targets] += path.solve(float(alpha), R[:, targets])
    gained = (system.residual(alphas, better, Y) ** 2).sum(axis=0) < (R**2).sum(axis=0)
    return np.where(gained, better, C)
