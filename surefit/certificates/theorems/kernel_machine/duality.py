"""The duality gap of one support vector machine: a two-class problem, or a regression.

    primal   P(f, b) = ½‖f‖² + Σ Uᵢ max(0, vᵢ),   vᵢ = 1 − tᵢ(f(xᵢ) + b),  or  |tᵢ − f(xᵢ) − b| − ε
    dual     D(β) = Σ tᵢβᵢ − ε|βᵢ| − ½βᵀKβ,   Σβ = 0,   0 ≤ tᵢβᵢ ≤ Uᵢ,  or  |βᵢ| ≤ Uᵢ

Theorem. Where K is positive semi-definite, D(β) ≤ P(f, b) for all f, b. (Where only K + τI is, D(β) − ½τ Σ (|βᵢ| + Uᵢ)²
bounds P at all f = Σ γᵢk(xᵢ, ·) with γ in the boxes.) A dual point is proposed for this: it counts if it fulfils the
constraints exactly, in floating-point numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, LONG_UNIT, apply
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

ROUNDED = 16 * UNIT  # U = C · weight · class weight is rounded, and the value in the end


class Task(NamedTuple):
    """Rows with an upper bound of zero do not take part; infinite ones must not be violated at all."""

    target: F64  # t: −1 or 1, or a number
    upper: F64  # U
    epsilon: float | None  # None for two classes


class Values(NamedTuple):
    """|exact − value| ≤ error; one column for each function."""

    value: F64  # in long double
    error: F64


def expansion(kernel: Kernel, X: F64, A: F64, places: NDArray, beta: F64) -> Values:
    """f = Σⱼ βⱼ k(xⱼ, ·), j in `places`, at the rows of A; one column of `beta` for each function.

    For the linear kernel f(x) = x·w, w = Σ βⱼ(xⱼ − c) + c Σβⱼ for any c. With c amid the rows, and Σβ (which math.fsum
    rounds once) zero but for rounding, an offset of the rows costs no digits of w.
    """
    if kernel.name != "linear" or not len(places):
        return Values(*apply(kernel, A, X[places], beta, places)[:2])
    c = X[places].mean(axis=0).astype(LONG)
    rest, apart, m = np.outer(c, [math.fsum(column) for column in beta.T]), X[places] - c, len(places)
    w = apart.T @ beta + rest
    off = g(m + 8, LONG_UNIT) * (np.abs(apart).T @ np.abs(beta) + np.abs(rest)) + 2 * UNIT * np.abs(rest)
    off += g(m + 8, kernel.raw) * np.abs(X[places]).T @ np.abs(beta)
    value, error, _ = apply(kernel, A, w.T, np.eye(w.shape[1]))
    return Values(value, error + 1.01 * np.abs(A) @ off.astype(np.float64))


def primal(task: Task, beta: F64, b: float, f: Values) -> tuple[float, float]:
    """P of f + b in an interval; β and f are of all rows.

    With infinite U: ½‖f‖²/m² of f/m, which violates nothing; infinite where there is none, and for regressions.
    """
    z, epsilon, many = f.value + LONG(b), task.epsilon or 0.0, g(len(beta) + 8, LONG_UNIT)
    v = 1 - task.target * z if task.epsilon is None else np.abs(task.target - z) - LONG(epsilon)
    error = f.error + 4 * LONG_UNIT * (np.abs(z) + np.abs(task.target) + epsilon + 1)
    q, off = (beta * f.value).sum(), np.abs(beta) @ f.error + many * np.abs(beta * f.value).sum()
    if np.isinf(task.upper).any():
        m = max(0, (1 - v - error)[task.upper > 0].min()) if task.epsilon is None else 0
        low, high = ((q + side * off) / (2 * m**2) if m > 0 else np.inf for side in (-1, 1))
    else:
        low, high = (
            (q + s * off) / 2 + (1 + s * many) * (task.upper * np.maximum(v + s * error, 0)).sum() for s in (-1, 1)
        )
    return float(low) - ROUNDED * abs(float(low)), float(high) + ROUNDED * abs(float(high))


def dual(kernel: Kernel, X: F64, task: Task, beta: F64, shift: float) -> float:
    """What β proves: a lower bound of P at every function and intercept; −inf where it is outside the constraints.

    shift  τ: K + τI is positive semi-definite; infinite where that is not known, and D alone is asked for
    """
    size, on, many = np.abs(beta), np.flatnonzero(beta), g(len(beta) + 8, LONG_UNIT)
    wrong = task.epsilon is None and bool((beta * task.target < 0).any())
    if wrong or not (size <= task.upper).all() or math.fsum(beta) != 0:
        return -np.inf
    f = expansion(kernel, X, X[on], on, beta[on, None])
    norm = beta[on] * f.value[:, 0]
    gain, epsilon = task.target.astype(LONG) * beta, (task.epsilon or 0.0) * size.astype(LONG)
    low = (gain - epsilon).sum() - norm.sum() / 2
    low -= size[on] @ f.error[:, 0] + many * (np.abs(norm).sum() + np.abs(gain).sum() + epsilon.sum())
    low -= shift / 2 * ((size + task.upper) ** 2).sum() if 0 < shift < np.inf else 0.0
    return float(low) - ROUNDED * abs(float(low))
