"""The duality gap of one support vector machine: a two-class problem, or a regression.

    primal   P(f, b) = ½‖f‖² + Σ Uᵢ max(0, vᵢ),   vᵢ = 1 − tᵢ(f(xᵢ) + b),  or  |tᵢ − f(xᵢ) − b| − ε
    dual     D(β) = Σ tᵢβᵢ − ε|βᵢ| − ½βᵀKβ,   Σβ = 0,   0 ≤ tᵢβᵢ ≤ Uᵢ,  or  |βᵢ| ≤ Uᵢ

Where K is positive semi-definite, D(β) ≤ P(f, b) for all f, b. A β that misses the constraints proves a little less:
  box       |βᵢ| ≤ (1 + κ)Uᵢ gives D(β) ≤ min P with all U times 1 + κ ≤ (1 + κ) min P; κ is some roundings of U.
  equality  Σβ = e ≠ 0 is repaired by making the positive βᵢ, or the negative ones, smaller by the same share s, down to
            the sum of the others. That changes D by at most |e| max |t − f| + ½s² |β|ᵀ|K||β|.
  K + τI positive semi-definite, not K: D(β) − ½τ Σ (|βᵢ| + Uᵢ)² bounds P at all f = Σγᵢk(xᵢ, ·) with γ in the boxes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.kernel_machine.expansion import LONG, LONG_UNIT, Long


class Task(NamedTuple):
    """Rows with an upper bound of zero do not take part; infinite ones must not be violated at all."""

    target: F64  # t: −1 or 1, or a number
    upper: F64  # U
    epsilon: float | None  # None for two classes


class Function(NamedTuple):
    """f = Σ βⱼk(xⱼ, ·) and b, with the values of f at all rows: |exact − value| ≤ error, size = Σ|βⱼ||k(xⱼ, ·)|."""

    beta: F64  # of every row
    b: float
    value: Long
    error: F64
    size: F64


def sq_norm(f: Function) -> tuple[Long, float]:
    """βᵀKβ and a bound of its error."""
    terms = f.beta * f.value
    return terms.sum(), 1.01 * float(np.abs(f.beta) @ f.error + g(f.beta.size + 2, LONG_UNIT) * np.abs(terms).sum())


def primal(task: Task, f: Function) -> tuple[float, float]:
    """P and a bound of its error. With infinite U: ½‖f‖²/m² of f/m, which violates nothing; infinite if none."""
    (q, off), z, on, epsilon = sq_norm(f), f.value + LONG(f.b), task.upper > 0, task.epsilon or 0.0
    v = 1 - task.target * z if task.epsilon is None else np.abs(task.target - z) - LONG(epsilon)
    error = f.error + 4 * LONG_UNIT * np.asarray(np.abs(z) + np.abs(task.target) + epsilon + 1, dtype=float)
    if np.isinf(task.upper).any():
        m = float((1 - v - error)[on].min())
        m = m if task.epsilon is None else float(m >= 1)
        return (float(q / 2 / m**2), float(off / 2 + 4 * UNIT * abs(q)) / m**2) if m > 0 else (np.inf, np.inf)
    loss, doubt = (task.upper * np.maximum(v, 0)).sum(), 1.01 * float((task.upper * error)[v > -error].sum())
    return float(q / 2 + loss), off / 2 + doubt + (g(on.size + 8, LONG_UNIT) + 8 * UNIT) * float(abs(q) / 2 + loss)


def dual(task: Task, f: Function, shift: float = 0.0) -> float:
    """What β proves: a lower bound of P at every function and intercept; −inf where it proves nothing.

    shift  τ: K + τI is positive semi-definite; infinite where that is not known, and D alone is asked for
    """
    beta, size, t, epsilon = f.beta.astype(LONG), np.abs(f.beta), task.target, task.epsilon or 0.0
    if (task.epsilon is None and (beta * t < 0).any()) or (size > task.upper * (1 + 8 * UNIT)).any():
        return -np.inf
    (q, off), many = sq_norm(f), g(beta.size + 8, LONG_UNIT)
    low = (t * beta - LONG(epsilon) * size).sum() - q / 2 - off / 2 - many * float((np.abs(t) + epsilon) @ size)
    plus, minus = float(beta[beta > 0].sum()), -float(beta[beta < 0].sum())
    miss = abs(float(beta.sum())) + many * (plus + minus)
    if miss > 0:
        slope = float((np.abs(t - f.value) + f.error)[size > 0].max())
        low -= 1.01 * (miss * slope + (miss / max(plus, minus)) ** 2 / 2 * float(size @ f.size))
    low -= shift / 2 * float(((size + task.upper) ** 2).sum()) if 0 < shift < np.inf else 0.0
    return float(low) - 32 * UNIT * float(abs(low))
