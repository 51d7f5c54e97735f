"""min over θ of  P(θ) = Σ φᵢ(tᵢ − aᵢ·θ) + Σ λⱼ|θⱼ| ,  φᵢ(e) = max(loᵢ e, hiᵢ e): a lower bound by linear duality.

φᵢ(e) ≥ δ e for every δ in [loᵢ, hiᵢ]. Take δᵢ for every row, g = Σ δᵢ aᵢ, and r = g − clip(g, −λ, λ). For every θ′

    P(θ) − P(θ′) ≤ Σ (φᵢ(eᵢ) − δᵢ eᵢ) + Σ (λⱼ|θⱼ| − θⱼ clip(gⱼ)) + r·(θ′ − θ),

where no term of the first two sums is negative: nothing cancels. r is zero for a δ that is feasible in the dual; what
rounding leaves of it is multiplied by a bound for |θ′ − θ|. Where columns are nearly dependent that bound is large, and
the rounding of g itself would hide the answer: then g is summed in twice the precision (`gap_of(..., precise=True)`).

A prediction a·θ′ in floating point is uncertain by ρ|a||θ′|, in the user's coordinates. A θ′ that is better by less
than that is not better: with cⱼ = Σ slope |aⱼ| and `rounding` ρ > 0, up to ρ cⱼ of any sign may be added to rⱼ (its
part of r·θ′ is at most ρ cⱼ|θ′ⱼ|), and ρ cⱼ|θⱼ| is added to the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64, Block, dense, magnitude, matmul, tmatmul
from surefit.certificates.rounding import UNIT, gamma, typical
from surefit.certificates.search.bounded_least_squares import bounded_least_squares
from surefit.certificates.theorems.least_squares import fold_qr
from surefit.certificates.theorems.twofold import add, transposed_product, two_product, two_sum

MAX_KINKS = 2000  # rows at the kink for which slopes are sought
NEAR = (1e-13, 1e-11, 1e-9, 1e-7)  # residuals below these shares of the row's size may count as zero


class Part(NamedTuple):
    """Rows of the problem. a is (X, 1) with an intercept, times `sign` where there is one.

    `raw`: the rows before `Problem.shift` was taken off, where X is rounded.
    """

    X: Block
    sign: F64 | None
    t: F64
    lo: F64
    hi: F64
    raw: Block | None = None


@dataclass
class Problem:
    """`parts()` starts afresh each time; `penalty` has an entry per column, and 0 for the intercept at the end."""

    parts: Callable[[], Iterator[Part]]
    n_rows: int
    n_features: int
    intercept: bool
    penalty: F64
    shift: F64 | None = None
    rounding: float = 0.0  # what predictions lose, relative to the size of their terms

    def columns(self) -> int:
        return self.n_features + int(self.intercept)


@dataclass
class Value:
    """P(θ), and the sizes that rounding is measured by."""

    objective: float  # P(θ)
    loss: float  # without the penalty
    scale: float  # Σ slope · (|t| + |a||θ|)
    columns: F64  # Σ slope |a|, per column
    raw: F64  # the same of the rows before the shift
    largest_t: float
    largest_a: float  # of a penalised column


def times(problem: Problem, part: Part, theta: F64) -> F64:
    """a·θ for every row."""
    z = matmul(part.X, theta[: problem.n_features]) + (theta[-1] if problem.intercept else 0.0)
    return z if part.sign is None else part.sign * z


def transposed(problem: Problem, part: Part, delta: F64) -> F64:
    """Σ δᵢ aᵢ."""
    delta = delta if part.sign is None else part.sign * delta
    g = tmatmul(part.X, delta)
    return np.append(g, delta.sum()) if problem.intercept else g


def value(problem: Problem, theta: F64) -> Value:
    loss = scale = top_t = top_a = 0.0
    columns, raw = np.zeros(problem.columns()), np.zeros(problem.columns())
    for part in problem.parts():
        e = part.t - times(problem, part, theta)
        slope = np.maximum(np.abs(part.lo), np.abs(part.hi))
        loss += float(np.maximum(part.lo * e, part.hi * e).sum())
        size = matmul(magnitude(part.X), np.abs(theta[: problem.n_features]))
        size += abs(float(theta[-1])) if problem.intercept else 0.0
        scale += float(slope @ (np.abs(part.t) + size))
        absolute = part._replace(X=magnitude(part.X), sign=None)
        columns += transposed(problem, absolute, slope)
        if part.raw is not None:
            raw += transposed(problem, absolute._replace(X=magnitude(part.raw)), slope)
        used = slope > 0
        top_t = max(top_t, float(np.abs(part.t[used]).max(initial=0.0)))
        data = part.X.data if not isinstance(part.X, np.ndarray) else part.X
        top_a = max(top_a, float(np.abs(data).max(initial=0.0)))
    objective = loss + float(problem.penalty @ np.abs(theta))
    return Value(objective, loss, scale, columns, raw, top_t, top_a)


@dataclass
class Gap:
    """`slack` is exact; `left` is what the dual point misses of feasibility, per column; `room` its rounding; `free`
    how much of any sign may be added to it."""

    slack: float
    left: F64
    room: F64
    free: F64

    def chosen(self, inverse: F64, null: F64) -> F64:
        """r, made short in the norm of `length` by what may be added.

        `null` has the directions that `inverse` leaves out. r has nothing there, for it is a sum of rows; what is added
        must not have much either: nothing bounds θ′ along them.
        """
        near = np.sign(self.left) * np.maximum(np.abs(self.left) - self.free, 0.0)
        use = self.free > 0
        if not use.any() or not inverse.size or self.length(near, inverse, null) <= NEAR[0]:
            return near
        unit = self.free[use]
        z = bounded_least_squares(
            np.vstack([inverse, null])[:, use] * unit,
            np.append(-inverse @ self.left, np.zeros(len(null))),
            np.full(unit.size, -1.0),
            np.ones(unit.size),
        )
        out = self.left.copy()
        out[use] += unit * np.clip(z, -1.0, 1.0)
        return min((self.left, near, out), key=lambda r: self.length(r, inverse, null))

    def length(self, r: F64, inverse: F64, null: F64) -> float:
        """‖inverse·r‖, and what was added along directions that are left out."""
        return float(np.linalg.norm(inverse @ r) + np.linalg.norm(null @ (r - self.left)))

    def within(self, reach: F64) -> float:
        """The gap against all θ′ with |θ′ − θ| ≤ reach, column by column."""
        return self.slack + float((np.maximum(np.abs(self.left) - self.free, 0.0) + self.room) @ reach)


def gap_of(
    problem: Problem, theta: F64, at: Value, deltas: Callable[[int, Part, F64], F64], *, precise: bool = False
) -> Gap:
    """The bound above for one dual point: `deltas(first row, part, residuals)` gives its entries, inside the box."""
    slack, row = 0.0, 0
    g = np.zeros(problem.columns()), np.zeros(problem.columns())
    for part in problem.parts():
        e = part.t - times(problem, part, theta)
        delta = np.clip(deltas(row, part, e), part.lo, part.hi)
        slack += float((np.maximum(part.lo * e, part.hi * e) - delta * e).sum())
        if precise:
            g = add(g, _precisely(problem, part, delta))
        else:
            g[0][:] += transposed(problem, part, delta)
        row += e.size
    held = np.clip(g[0], -problem.penalty, problem.penalty)
    slack += float((problem.penalty * np.abs(theta) - theta * held).sum())
    slack += 2.0 * gamma(problem.columns() + 3) * at.scale  # e is rounded, and hi − lo is at most twice the slope
    margin = typical(problem.n_rows) * at.columns
    if precise:  # the rows as they came, and the shift
        margin = problem.n_rows * 8 * UNIT * UNIT * (at.columns + 2.0 * at.raw)
    # θ is a factor of the second sum, and |r| ≤ max(0, |g| + margin − λ): a g well inside the penalty has no r.
    slack += float(np.where(problem.penalty > 0, np.abs(theta) * margin, 0.0).sum())
    left = (g[0] - held) + np.where(np.abs(g[0]) < problem.penalty, 0.0, g[1])
    hidden = margin + np.where(np.abs(g[0]) < problem.penalty, np.abs(g[1]), 0.0)
    room = np.clip(np.abs(g[0]) + np.abs(g[1]) + margin - problem.penalty, 0.0, hidden)
    # Free: what predictions lose; and where θⱼ is zero any number between ±λⱼ may stand for clip(gⱼ).
    lost = problem.rounding * at.raw
    slack += float(lost @ np.abs(theta))
    inside = np.where(theta == 0, np.maximum(problem.penalty - np.abs(g[0]) - np.abs(g[1]) - margin, 0.0), 0.0)
    return Gap(slack, left, room, lost + inside)


def _precisely(problem: Problem, part: Part, delta: F64) -> tuple[F64, F64]:
    """Σ δᵢ aᵢ in twice the precision, from the rows as they came: Σ δx − (Σ δ) shift."""
    delta = delta if part.sign is None else part.sign * delta
    g = transposed_product(part.X if part.raw is None else part.raw, delta)
    total = transposed_product(np.ones((delta.size, 1)), delta)
    if part.raw is not None and problem.shift is not None:
        high, low = two_product(-problem.shift, np.broadcast_to(total[0], problem.shift.shape))
        g = add(g, two_sum(high, low - problem.shift * total[1]))
    return (np.append(g[0], total[0]), np.append(g[1], total[1])) if problem.intercept else g


def given(delta: F64) -> Callable[[int, Part, F64], F64]:
    """The dual point is a vector of the model."""
    return lambda row, part, e: delta[row : row + e.size]


def constructed(problem: Problem, theta: F64, at: Value) -> Iterator[Callable[[int, Part, F64], F64]]:
    """Dual points made from θ alone, one per threshold of `NEAR`.

    The slope of φ is known away from the kink. At the kink, and for penalised coefficients that are zero, it is any
    number of an interval: those are chosen to make g feasible, by bounded least squares.
    """
    size = at.columns + np.where(at.columns > 0, 0.0, 1.0)
    unit = at.scale / max(float(at.columns[-1] if problem.intercept else problem.n_rows), 1e-300)
    found = -1
    for share in NEAR:
        near = _near(problem, theta, share * unit)
        if near is None:
            return
        rows, A, lo, hi, g = near
        if rows.size == found:
            continue
        found = rows.size
        free = (theta == 0) & (problem.penalty > 0)
        aim = problem.penalty * np.sign(theta) - g
        extra = -np.diag(np.ones(theta.size))[:, free]
        wall = problem.penalty[free]
        system = np.hstack([A.T, extra]) / size[:, None]
        x = bounded_least_squares(system, aim / size, np.concatenate([lo, -wall]), np.concatenate([hi, wall]))
        yield _at_kinks(rows, x[: rows.size])


def _near(problem: Problem, theta: F64, limit: float) -> tuple[F64, F64, F64, F64, F64] | None:
    """The rows with |e| ≤ limit as a small problem, and the g of all others; None where there are too many."""
    rows, A, lo, hi, count, row = [], [], [], [], 0, 0
    g = np.zeros(problem.columns())
    for part in problem.parts():
        e = part.t - times(problem, part, theta)
        near = (np.abs(e) <= limit) & (part.hi > part.lo)
        g += transposed(problem, part, np.where(near, 0.0, np.where(e > 0, part.hi, part.lo)))
        at = np.flatnonzero(near)
        count += at.size
        if count > MAX_KINKS:
            return None
        block = dense(part.X)[at] if at.size else np.zeros((0, problem.n_features))
        block = np.hstack([block, np.ones((at.size, 1))]) if problem.intercept else block
        A.append(block if part.sign is None else part.sign[at, None] * block)
        rows.append(at + row)
        lo.append(part.lo[at])
        hi.append(part.hi[at])
        row += e.size
    return np.concatenate(rows), np.vstack(A), np.concatenate(lo), np.concatenate(hi), g


def _at_kinks(rows: F64, x: F64) -> Callable[[int, Part, F64], F64]:
    def deltas(row: int, part: Part, e: F64) -> F64:
        delta = np.where(e > 0, part.hi, part.lo)
        lo, hi = np.searchsorted(rows, [row, row + e.size])
        delta[rows[lo:hi] - row] = x[lo:hi]
        return delta

    return deltas


def factor(problem: Problem) -> F64:
    """The triangular factor of the rows slope·a, slope the smaller of |lo| and hi, and of a row λⱼ for column j."""
    R = np.diag(problem.penalty)
    for part in problem.parts():
        block = dense(part.X)
        block = np.hstack([block, np.ones((block.shape[0], 1))]) if problem.intercept else block
        R = fold_qr(R, np.minimum(np.abs(part.lo), part.hi)[:, None] * block)
    return R


def directions(scaled: F64, norms: F64) -> tuple[F64, F64, F64]:
    """R⁻ᵀ over the directions that predictions in floating point can use, the others in its units; the first as rows.

    A singular value below (√(d + 1) + 8)u of the largest: a step along that direction loses more than it moves.
    """
    S, Vt = np.linalg.svd(scaled, full_matrices=True)[1:]
    S = np.append(S, np.zeros(len(Vt) - S.size))
    cut = typical(S.size) * (S[0] if S.size and S[0] > 0 else 1.0)
    keep = S > cut
    return Vt[keep] / S[keep, None] / norms, Vt[~keep] / cut / norms, Vt[keep]
