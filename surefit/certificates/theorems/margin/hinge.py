"""The duality gap of a linear support vector machine whose intercept has a penalty, or that has none.

With x̃ = (x, c), w̃ = (w, b/c) where a constant column c carries the intercept, and v = 1 − s x̃·w̃:

    primal   P(w̃) = ½‖w̃‖² or ‖w̃‖₁,  plus  Σ U max(0, v)  or  Σ U max(0, v)²
    dual     D(a) = Σ a  or  Σ a − a²/(4U),  less ½‖g‖² where the penalty is ½‖w̃‖²;   g = Σ a s x̃
             0 ≤ a ≤ U,  or  0 ≤ a;   |gⱼ| ≤ 1 for every j where the penalty is ‖w̃‖₁ (a is scaled down until it is)

D(a) ≤ P(w̃) for all of them (Fenchel–Young, row by row). For squared losses a = 2U max(0, v) makes the gap ½‖w̃ − g‖².
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.linear_program.long_rows import (
    LONG,
    UNIT,
    Slice,
    absolute,
    gamma,
    scores,
    slices,
    transposed_times,
)


class Problem(NamedTuple):
    blocks: Blocks
    terms: Callable[[Slice], tuple[F64, F64]]  # s and U of some rows
    squared: bool
    l1: bool
    column: float  # c; zero without an intercept


class Plane(NamedTuple):
    w: F64
    b: float


class Primal(NamedTuple):
    low: float
    high: float
    rounding: float  # what one rounding of every coefficient costs at an optimum, to first order in u or in u²
    slopes: F64  # U or 2U max(0, v) where v > 0, of every row
    moved: float  # Σ U(|x|·|w| + |b|) of the rows that violate: to first order what roundings add to P, in units


def primal(p: Problem, plane: Plane, unit: float) -> Primal:
    """P in an interval; one pass over the rows. `unit` is that of the model's precision."""
    w, last = plane.w.astype(LONG), LONG(plane.b) / LONG(p.column) if p.column else LONG(0)
    penalty = np.abs(w).sum() + abs(last) if p.l1 else ((w**2).sum() + last**2) / 2
    low = high = penalty
    cost, total, slopes = LONG(0), LONG(0), []
    for part in slices(p.blocks):
        s, U = p.terms(part)
        z, size, off = scores(part.X, plane.w, plane.b)
        v, power = 1 - s * z, 2 if p.squared else 1
        low, high = (total + (U * np.maximum(v + side, 0) ** power).sum() for total, side in ((low, -off), (high, off)))
        moved = unit * size
        cost += (
            (U * np.where(v > -moved, moved**2, 0)).sum()
            if p.squared
            else (U * moved)[np.abs(v) <= np.maximum(1e-3, moved)].sum()
        )
        total += (U * size)[v > -moved].sum()
        slopes.append(np.where(v > 0, U * (2 * v if p.squared else 1), 0.0).astype(np.float64))
    slack = gamma(p.blocks.n_rows + w.size + 8) + 1e-15
    return Primal(float(low) * (1 - slack), float(high) * (1 + slack), float(cost), np.concatenate(slopes),
                  float(total))  # fmt: skip


def dual(p: Problem, a: F64) -> float:
    """What a proves: a lower bound of P; one pass over the rows. `a` is clipped into its box first."""
    d = p.blocks.n_features
    g, size = np.zeros(d + 1, dtype=LONG), np.zeros(d + 1, dtype=LONG)
    linear = squares = LONG(0)
    for part in slices(p.blocks):
        s, U = p.terms(part)
        here = np.clip(a[part.first : part.first + len(s)], 0.0, np.inf if p.squared else U * (1 - 4e-16))
        here = np.where(U > 0, here, 0.0).astype(LONG)
        g += np.append(transposed_times(part.X, here * s), p.column * (here * s).sum())
        size += np.append(transposed_times(absolute(part.X), here), p.column * here.sum())
        linear += here.sum()
        squares += (here**2 / np.where(U > 0, 4 * U * (1 - 4e-16), 1.0)).sum() if p.squared else LONG(0)
    n = p.blocks.n_rows
    off, slack = gamma(n + 8) * size, gamma(n + 16) + 4 * UNIT
    if p.l1:
        largest = float((np.abs(g) + off).max(initial=LONG(0)))
        best = linear / (2 * squares) if squares > 0 else LONG(1)
        theta = min(LONG(1 - 4e-16) / max(largest, 1e-300), best)
        return float((theta * linear * (1 - slack) - theta**2 * squares * (1 + slack)) * (1 - 1e-15))
    half = ((np.abs(g) + off) ** 2).sum() / 2
    low = float(linear * (1 - slack) - squares * (1 + slack) - half * (1 + slack))
    return low - 1e-15 * float(linear)
