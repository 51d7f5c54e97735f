"""The duality gap of one support vector machine: a two-class problem, or a regression.

    primal   P(f, b) = ½‖f‖² + Σ Uᵢ max(0, vᵢ),   vᵢ = 1 − tᵢ(f(xᵢ) + b),  or  |tᵢ − f(xᵢ) − b| − ε
    dual     D(β) = Σ tᵢβᵢ − ε|βᵢ| − ½βᵀKβ,   Σβ = 0,   0 ≤ tᵢβᵢ ≤ Uᵢ,  or  |βᵢ| ≤ Uᵢ

Where K is positive semi-definite, D(β) ≤ P(f, b) for all f, b. A β that misses the constraints proves a little less:
  box       |βᵢ| ≤ (1 + κ)Uᵢ gives D(β) ≤ min P with all U times 1 + κ ≤ (1 + κ) min P.
  equality  Σβ = e is repaired by moving one βⱼ by −e: D changes by at most |e|(|tⱼ| + ε + |f(xⱼ)|) + ½e²K(j, j).
  K + τI positive semi-definite, not K: D(β) − ½τ Σ (|βᵢ| + Uᵢ)² bounds P at all f = Σγᵢk(xᵢ, ·) with γ in the boxes.
"""

from __future__ import annotations

from collections.abc import Callable
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
    """f = Σ βⱼk(xⱼ, ·) and b, with the values of f at all rows."""

    beta: F64  # of every row
    b: float
    value: Long
    error: F64
    moved: F64  # what roundings of β may move f by, but for a number that b takes up, in units of u


class Primal(NamedTuple):
    low: float
    high: float
    scale: float  # ½|‖f‖²| + Σ Uᵢ max(0, vᵢ): the same where K is positive semi-definite
    least: float  # min of t(f + b) over the rows that take part, from below; for two classes
    rounding: float  # by how much one rounding of b, and of every βⱼ so that Σβ = 0 stays, may raise it, in units of u


def sq_norm(f: Function) -> tuple[Long, float]:
    """βᵀKβ and a bound of its error."""
    terms = f.beta * f.value
    return terms.sum(), float(np.abs(f.beta) @ f.error + g(f.beta.size + 2, LONG_UNIT) * np.abs(terms).sum())


def violation(task: Task, f: Function) -> tuple[Long, F64]:
    """v at every row, and a bound of its error."""
    z = f.value + LONG(f.b)
    v = 1 - task.target * z if task.epsilon is None else np.abs(task.target - z) - LONG(task.epsilon)
    return v, f.error + 4 * LONG_UNIT * np.asarray(np.abs(z) + np.abs(task.target) + 1, dtype=float)


def primal(task: Task, f: Function) -> Primal:
    """P of the model's own function, in an interval. With infinite U: ½‖f‖²/m² of f/m, which violates nothing."""
    (q, off), (v, error) = sq_norm(f), violation(task, f)
    on = task.upper > 0
    least = float((1 - v - error)[on].min(initial=np.inf))
    if np.isinf(task.upper).any():
        inside = bool((v + error <= 0)[on].all())
        m = least if task.epsilon is None and least > 0 else 1.0 if inside else 0.0
        low, high = (float(q - off) / 2 / m**2, float(q + off) / 2 / m**2) if m > 0 else (np.inf, np.inf)
        rounding = 2 * high * (float(f.moved[on].max(initial=0.0)) + abs(f.b))
        return Primal(low * (1 - 8 * UNIT), high * (1 + 8 * UNIT), high, least, rounding)
    slack, moved = 1 + g(on.size + 8, LONG_UNIT) + 8 * UNIT, f.moved + abs(f.b)
    loss = float((task.upper * np.maximum(v + error, 0)).sum())
    low = float(q - off) / 2 + float((task.upper * np.maximum(v - error, 0)).sum())
    near = task.upper * moved * (v > -1e-6 * np.maximum(moved, 1))
    rounding = float(near.sum() + np.abs(f.beta) @ np.abs(f.value + LONG(f.b)))
    scale = (abs(float(q)) + off) / 2 + loss
    return Primal(low - (slack - 1) * scale, float(q + off) / 2 + loss + (slack - 1) * scale, scale, least, rounding)


def kkt(task: Task, f: Function) -> float:
    """The largest violation of the Karush–Kuhn–Tucker conditions, in units of f: 0 at an optimum."""
    g, width, side = task.target - f.value, task.upper, task.epsilon or 0.0
    low, high = (
        (-width, width)
        if task.epsilon is not None
        else (np.minimum(0, task.target * width), np.maximum(0, task.target * width))
    )
    rise = (g - np.where(f.beta >= 0, side, -side))[f.beta < high].max(initial=-np.inf)
    fall = (g - np.where(f.beta > 0, side, -side))[f.beta > low].min(initial=np.inf)
    return max(0.0, float(rise - fall))


def dual(task: Task, f: Function, diagonal: Callable[[int], float], shift: float = 0.0) -> float:
    """What β proves: a lower bound of P at every function and intercept; −inf where it proves nothing.

    diagonal  K(j, j), from above
    shift     τ: K + τI is positive semi-definite; infinite where that is not known, and D alone is asked for
    """
    beta, U, t, epsilon = f.beta.astype(LONG), task.upper, task.target, LONG(task.epsilon or 0.0)
    on, classes = U > 0, task.epsilon is None
    if (classes and (beta * t < 0).any()) or beta[~on].any():
        return -np.inf
    kappa = max(0.0, float((np.abs(beta[on]) / U[on]).max(initial=0.0)) * (1 + 4 * UNIT) - 1)
    (q, off), terms, many = sq_norm(f), t * beta - epsilon * np.abs(beta), g(beta.size + 8, LONG_UNIT)
    low = terms.sum() - many * ((np.abs(t) + epsilon) * np.abs(beta)).sum() - (q + off) / 2
    miss = float(abs(beta.sum()) + many * np.abs(beta).sum())
    if miss > 0:  # one row can go down by that, and one can go up
        width, movable = U * (1 + kappa), beta != 0
        down = beta + np.where((t > 0) & classes, 0, width)
        up = np.where((t < 0) & classes, 0, width) - beta
        both = [int(np.argmax(np.where(movable, way, -1))) for way in (down, up)]
        if not min(down[both[0]], up[both[1]]) >= miss:
            return -np.inf
        slope = max(float(np.abs(t[j]) + epsilon + abs(f.value[j]) + f.error[j]) for j in both)
        low -= miss * slope + miss**2 / 2 * max(diagonal(j) for j in both)
    low = float(low) - (shift / 2 * float(((np.abs(f.beta) + U) ** 2).sum()) if 0 < shift < np.inf else 0.0)
    return low / (1 + kappa) - 8 * UNIT * (abs(low) + float(q)) if low > 0 else low
