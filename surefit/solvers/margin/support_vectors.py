"""The dual programs of support vector machines, for the working-set solver.

Classification, σᵢ = ±1:  min ½ αᵀQα − Σ αᵢ ,  Q_ij = σᵢ σⱼ k(xᵢ, xⱼ) ,  Σ σᵢ αᵢ = 0 ,  0 ≤ αᵢ ≤ Uᵢ ;
    f(x) = Σ σᵢ αᵢ k(xᵢ, x) + b  minimises  ½ ‖f‖² + Σ Uᵢ max(0, 1 − σᵢ f(xᵢ)).
Regression, over (α, α*) with signs (+, −) and linear part (ε − y, ε + y), both in [0, U]:
    f(x) = Σ (αᵢ − αᵢ*) k(xᵢ, x) + b  minimises  ½ ‖f‖² + Σ Uᵢ max(0, |yᵢ − f(xᵢ)| − ε).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surefit.kernels import GramRows
from surefit.solvers.optimise.smo import BoxDual, solve_box_dual


@dataclass(frozen=True)
class Limits:
    """When a fit stops: at a relative gap, after so many iterations, or at a moment of `time.monotonic`."""

    tol: float
    max_iter: int | None = None
    deadline: float | None = None
    cache_bytes: int = 200 * 2**20
    shrinking: bool = True

    @property
    def seconds(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


class Machine(NamedTuple):
    """f(x) = Σ coefᵢ k(xᵢ, x) + bias, with what is known of how far it is from the optimum."""

    coef: np.ndarray
    bias: float
    gap: float
    rel_gap: float
    n_iter: int
    status: str
    farkas: np.ndarray | None = None
    """Where infinite bounds admit no answer: the proof of it."""


DualSolver = Callable[..., BoxDual]
FALLBACK = 10.0
"""Where infinite bounds admit no answer: the finite one instead, in units of 1 / mean of k(x, x)."""


def separate(
    gram: GramRows,
    index: np.ndarray,
    sign: np.ndarray,
    upper: np.ndarray,
    limits: Limits,
    solver: DualSolver = solve_box_dual,
) -> Machine:
    """The soft margin between two classes, σᵢ = ±1; rows that may not count (U = 0) have coefficient zero.

    Where one class has no rows the answer is the other, with a margin of one.
    """
    counted = upper > 0
    above, below = bool((counted & (sign > 0)).any()), bool((counted & (sign < 0)).any())
    if not (above and below):
        return Machine(np.zeros(len(sign)), float(above - below), 0.0, 0.0, 0, "converged")
    dual = _solve(gram, index[counted], sign[counted], np.full(counted.sum(), -1.0), upper[counted], limits, solver)
    coef = np.zeros(len(sign))
    coef[counted] = sign[counted] * dual.alpha
    if dual.status == "unbounded":
        return soft_instead(gram, index, sign, upper, limits, np.abs(coef) / np.abs(coef).sum(), solver)
    return Machine(coef, dual.bias, dual.gap, dual.rel_gap, dual.n_iter, dual.status)


def soft_instead(
    gram: GramRows,
    index: np.ndarray,
    sign: np.ndarray,
    upper: np.ndarray,
    limits: Limits,
    farkas: np.ndarray,
    solver: DualSolver = solve_box_dual,
) -> Machine:
    """Where no function separates the classes: the soft margin for a large C, and the proof that there is no hard one.

    φ ≥ 0, Σ φ = 1, has Σ φᵢ σᵢ k(xᵢ, ·) = 0 and Σ φᵢ σᵢ = 0: a weighted mean of one class is one of the other.
    """
    return _instead(separate(gram, index, sign, _finite(gram, index, upper), limits, solver), farkas)


def regress(
    gram: GramRows,
    index: np.ndarray,
    y: np.ndarray,
    epsilon: float,
    upper: np.ndarray,
    limits: Limits,
    farkas: np.ndarray | None = None,
) -> Machine:
    """A function that stays within ε of the targets, as far as the bounds allow.

    Where infinite bounds admit none: that of finite ones, with φ of Σ φ = 0, Σ φᵢ k(xᵢ, ·) = 0 and Σ φᵢ yᵢ > ε Σ |φᵢ|.
    `farkas`: such a φ that is known.
    """
    if farkas is not None:
        soft = regress(gram, index, y, epsilon, _finite(gram, index, upper), limits)
        return _instead(soft, farkas)
    n = len(y)
    sign = np.repeat([1.0, -1.0], n)
    linear = np.concatenate([epsilon - y, epsilon + y])
    dual = _solve(gram, np.tile(index, 2), sign, linear, np.tile(upper, 2), limits, solve_box_dual)
    coef = dual.alpha[:n] - dual.alpha[n:]
    if dual.status == "unbounded":
        return regress(gram, index, y, epsilon, upper, limits, coef / np.abs(coef).sum())
    return Machine(coef, dual.bias, dual.gap, dual.rel_gap, dual.n_iter, dual.status)


def _instead(soft: Machine, farkas: np.ndarray) -> Machine:
    status = soft.status if soft.status == "interrupted" else "unbounded"
    return soft._replace(status=status, farkas=farkas, gap=np.inf, rel_gap=np.inf)


def _finite(gram: GramRows, index: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Finite bounds in the place of infinite ones."""
    diagonal = np.asarray(gram.diagonal(), dtype=np.float64)[index]
    return np.where(np.isinf(upper), FALLBACK / (float(np.abs(diagonal).mean()) or 1.0), upper)


def _solve(
    gram: GramRows,
    index: np.ndarray,
    sign: np.ndarray,
    linear: np.ndarray,
    upper: np.ndarray,
    limits: Limits,
    solver: DualSolver,
) -> BoxDual:
    return solver(
        gram,
        index,
        sign,
        linear,
        upper,
        tol=limits.tol,
        max_iter=limits.max_iter,
        time_budget=limits.seconds,
        cache_bytes=limits.cache_bytes,
        shrinking=limits.shrinking,
    )
