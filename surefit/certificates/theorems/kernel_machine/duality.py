"""The duality gap of one support vector machine: a two-class problem, or a regression.

    primal   P(f, b) = ½‖f‖² + Σ Uᵢ max(0, vᵢ),   vᵢ = 1 − tᵢ(f(xᵢ) + b),  or  |tᵢ − f(xᵢ) − b| − ε
    dual     D(β) = Σ tᵢβᵢ − ε|βᵢ| − ½βᵀKβ,   Σβ = 0,   0 ≤ tᵢβᵢ ≤ Uᵢ,  or  |βᵢ| ≤ Uᵢ

Theorem. Where K is positive semi-definite, D(β) ≤ P(f, b) for all f, b. (Where only K + τI is, D(β) − ½τ Σ (|βᵢ| + Uᵢ)²
bounds P at all f = Σ γᵢk(xᵢ, ·) with γ in the boxes.) The β of a model misses the constraints by roundings: others are
proposed, which count if they fulfil the constraints exactly, in floating-point numbers.
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


def expansion(kernel: Kernel, X: F64, A: F64, places: NDArray, beta: F64) -> tuple[F64, F64]:
    """f = Σⱼ βⱼ k(xⱼ, ·), j in `places`, at the rows of A, and its error; one column of `beta` for each function.

    For the linear kernel f(x) = x·w, w = Σ βⱼ(xⱼ − c) + c Σβⱼ for any c. With c amid the rows, and Σβ (which math.fsum
    rounds once) zero but for rounding, an offset of the rows costs no digits of w.
    """
    if kernel.name != "linear" or not len(places):
        return apply(kernel, A, X[places], beta, places)[:2]
    c, many = X[places].mean(axis=0).astype(LONG), g(len(places) + 8, LONG_UNIT)
    rest, apart = np.outer(c, [math.fsum(column) for column in beta.T]), X[places] - c
    off = many * (np.abs(apart).T @ np.abs(beta) + np.abs(rest)) + 2 * UNIT * np.abs(rest)
    off += g(len(places) + 8, kernel.raw) * np.abs(X[places]).T @ np.abs(beta)
    value, error, _ = apply(kernel, A, (apart.T @ beta + rest).T, np.eye(beta.shape[1]))
    return value, error + 1.01 * np.abs(A) @ off.astype(np.float64)


def values(kernel: Kernel, X: F64, task: Task, beta: F64, b: float, shift: float) -> tuple[float, ...]:
    """low ≤ P(f, b) ≤ high for f = Σ βⱼ k(xⱼ, ·); what β proves, a lower bound of P at every function; and ‖f‖².

    With infinite U: P = ½‖f‖²/m² of f/m, which violates nothing; infinite where there is none, and for regressions.
    shift  τ: K + τI is positive semi-definite; infinite where that is not known, and D alone is asked for
    """
    rows, on = np.flatnonzero((task.upper > 0) | (beta != 0)), np.flatnonzero(beta)
    f, off = (part[:, 0] for part in expansion(kernel, X, X[rows], on, beta[on, None]))
    t, U, size, beta = task.target[rows], task.upper[rows], np.abs(beta[rows]), beta[rows].astype(LONG)
    q, gain, epsilon = beta * f, t * beta, task.epsilon or 0.0
    v = t * (t - f - LONG(b)) if task.epsilon is None else np.abs(t - f - LONG(b)) - epsilon
    error, many = off + 4 * LONG_UNIT * (np.abs(t) + np.abs(f) + abs(b) + epsilon), g(len(X) + 8, LONG_UNIT)
    norm, off_norm = q.sum(), size @ off + many * np.abs(q).sum()
    if np.isinf(U).any():
        m = max(0, (1 - v - error).min()) if task.epsilon is None else 0
        low, high = ((norm + s * off_norm) / (2 * m**2) if m > 0 else np.inf for s in (-1, 1))
    else:
        loss = [(1 + s * many) * (U * np.maximum(v + s * error, 0)).sum() for s in (-1, 1)]
        low, high = (norm - off_norm) / 2 + loss[0], (norm + off_norm) / 2 + loss[1]
    bound = gain.sum() - epsilon * size.sum() - (norm + off_norm) / 2 - many * (np.abs(gain) + epsilon * size).sum()
    bound -= shift / 2 * ((size + U) ** 2).sum() if 0 < shift < np.inf else 0.0
    if math.fsum(beta) != 0 or (size > U).any() or (task.epsilon is None and (gain < 0).any()):
        bound = -np.inf
    low, high, bound = (float(x) + s * ROUNDED * abs(float(x)) for x, s in ((low, -1), (high, 1), (bound, -1)))
    return low, high, bound, float(norm)
