"""Descent along edges: from a vertex near the optimum to an optimal vertex, with an exact dual.

    min over β of  Σᵢ max(hᵢ rᵢ, lᵢ rᵢ) − g·β          r = y − A β

A vertex is where p independent rows H have r = 0. Every other row has its dual at a bound (h above, l below), and the
duals of H follow from Aᵀa = −g. Where one of them, aₖ, is beyond a bound, moving along the edge that frees row k
descends, with slope −|aₖ − bound|; the slope grows by (h − l)|q| at each row that is passed, and the row where it
becomes ≥ 0 takes k's place (the weighted median of the crossings: Barrodale and Roberts, 1973). When no dual is beyond
a bound, the vertex is optimal and a proves it.

Ties (several rows with r = 0 outside H) can make steps of no length. After a run of them y is moved by a tiny fixed
pattern, which parts the ties; the dual found does not depend on y.

Where rounding in the duals of H could hide a bound that is passed (nearly dependent columns), they are solved for again
in twice the precision before the vertex is called optimal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from surefit.solvers.linear_program.exact_basis import solve_basis
from surefit.solvers.linear_program.frisch_newton import Problem

REFRESH = 64
TIGHT = 1e-12
"""A dual may be so far beyond its bound, relative to the width."""
DOUBT = 1e-9
"""From this much rounding on (relative to the width) duals are computed in twice the precision."""


class Vertex(NamedTuple):
    beta: np.ndarray
    dual: np.ndarray
    basis: np.ndarray
    pivots: int
    optimal: bool


def choose_basis(A: np.ndarray, importance: np.ndarray) -> np.ndarray:
    """p independent rows, the important ones first."""
    n, p = A.shape
    weights = np.sqrt(importance / importance.max())
    norms = np.abs(A).max(axis=1)
    few = min(n, 6 * p + 64)
    rank = np.argpartition(-weights * norms, few - 1)[:few] if few < n else np.arange(n)
    rank.sort()
    chosen = _independent(A, rank, weights)
    if len(chosen) < p or not np.linalg.cond(A[chosen] / norms[chosen, None]) < 1e8:
        chosen = _independent(A, np.arange(n), weights)
    return np.sort(chosen)


def _independent(A: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """As many of the rows as A has columns, by QR with pivoting."""
    scaled = A[rows] * np.maximum(weights[rows, None], 1e-12)
    _, order = scipy.linalg.qr(scaled.T, mode="r", pivoting=True, check_finite=False)
    return rows[order[: A.shape[1]]]


def solve_square(M: np.ndarray, b: np.ndarray) -> np.ndarray:
    """M x = b with one step of refinement."""
    factor = scipy.linalg.lu_factor(M, check_finite=False)
    x = scipy.linalg.lu_solve(factor, b, check_finite=False)
    return x + scipy.linalg.lu_solve(factor, b - M @ x, check_finite=False)


class _State:
    """The vertex, its inverse basis, residuals and duals."""

    def __init__(self, problem: Problem, y: np.ndarray, basis: np.ndarray, above: np.ndarray | None) -> None:
        self.problem, self.y, self.basis = problem, y, basis
        self.low: np.ndarray | None = None
        self.refresh(above)

    def refresh(self, above: np.ndarray | None) -> None:
        """Everything afresh from the basis; `above` (dual at h) decides where a residual is zero to rounding."""
        A, _, _, _, g, _ = self.problem
        self.inverse = np.linalg.inv(A[self.basis])
        self.beta = solve_square(A[self.basis], self.y[self.basis])
        self.r = self.y - A @ self.beta
        self.r[self.basis] = 0.0
        noise = 1e-14 * (np.abs(self.y) + np.abs(A) @ np.abs(self.beta))
        self.above = self.r > 0 if above is None else np.where(np.abs(self.r) <= noise, above, self.r > 0)
        duals = self.bound_duals()
        self.pull = g + A.T @ duals
        self.size = np.abs(g) + np.abs(A.T) @ np.abs(duals)

    def basic_duals(self) -> np.ndarray:
        return -self.inverse.T @ self.pull

    def rounding(self) -> np.ndarray:
        """How much of the basic duals is rounding."""
        return 1e-14 * (np.abs(self.inverse.T) @ self.size)

    def doubtful(self) -> bool:
        width = (self.problem.hi - self.problem.lo)[self.basis]
        return not (self.rounding() <= DOUBT * width).all()

    def bound_duals(self) -> np.ndarray:
        """The duals of all rows, zero in the basis."""
        duals = np.where(self.above, self.problem.hi, self.problem.lo)
        duals[self.basis] = 0.0
        return duals

    def exact(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(β, duals of the basis) to the last digit; None where the basis is singular to rounding."""
        A, _, _, _, g, remainder = self.problem
        if remainder is None:
            return None
        if self.low is None:
            self.low = remainder()
        return solve_basis(A, self.low, self.y, g, self.bound_duals(), self.basis)


def _pivot(state: _State, k: int, sign: float, excess: float) -> float | None:
    """Free row k of the basis in the direction `sign`; how far residuals moved, or None where there is no end."""
    A, _, lo, hi, _, _ = state.problem
    column = state.inverse[:, k].copy()
    q = sign * (A @ column)
    leaving = state.basis[k]
    q[state.basis] = 0.0
    small = 1e-11 * np.abs(q).max()
    meets = np.flatnonzero(np.where(state.above, q < -small, q > small))
    times = np.maximum(np.where(state.above[meets], state.r[meets], -state.r[meets]), 0.0) / np.abs(q[meets])
    jumps = (hi[meets] - lo[meets]) * np.abs(q[meets])
    order = np.lexsort((-np.abs(q[meets]), times))
    slopes = np.cumsum(jumps[order])
    end = int(np.searchsorted(slopes, excess * (1 - 1e-12)))
    if end >= len(order):
        return None
    passed, entering = meets[order[:end]], meets[order[end]]
    time = float(times[order[end]])
    # The duals that change: passed rows go to their other bound, k goes to its bound, the entering row joins H.
    flip = np.where(state.above[passed], lo[passed] - hi[passed], hi[passed] - lo[passed])
    state.pull += A[passed].T @ flip
    state.above[passed] = ~state.above[passed]
    state.pull -= A[entering] * (hi[entering] if state.above[entering] else lo[entering])
    state.above[leaving] = sign > 0
    state.pull += A[leaving] * (hi[leaving] if sign > 0 else lo[leaving])
    row = A[entering] @ state.inverse
    pivot = row[k]
    row[k] -= 1.0
    state.inverse -= np.outer(column / pivot, row)
    state.beta -= sign * time * column
    state.r += time * q
    state.r[leaving] = sign * time
    state.r[entering] = 0.0
    state.basis[k] = entering
    return time * float(np.abs(q).max())


def _beyond(state: _State, duals: np.ndarray, allowed: np.ndarray) -> int | None:
    """The place in the basis whose edge is steepest, of those whose dual is beyond a bound."""
    lo, hi = state.problem.lo[state.basis], state.problem.hi[state.basis]
    beyond = np.maximum(duals - hi, lo - duals)
    price = np.where(beyond > allowed, beyond / np.sqrt((state.inverse**2).sum(axis=0)), 0.0)
    k = int(price.argmax())
    return k if price[k] > 0 else None


def _descend(state: _State, most: int, patience: int) -> tuple[int, str]:
    """Pivots until no dual is beyond its bound ('optimal'), or 'stalled', 'unbounded', 'limit'."""
    _, _, lo, hi, _, _ = state.problem
    width = hi - lo
    nothing = 1e-13 * float(np.abs(state.y).max(initial=0.0))
    still = since = 0
    fresh = True
    for count in range(most):
        if since >= REFRESH:
            state.refresh(state.above)
            since, fresh = 0, True
        duals = state.basic_duals()
        h = state.basis
        k = _beyond(state, duals, TIGHT * width[h] + state.rounding())
        if k is None and not fresh:
            state.refresh(state.above)
            since, fresh = 0, True
            continue
        if k is None and state.doubtful():
            found = state.exact()
            duals = duals if found is None else found[1]
            k = None if found is None else _beyond(state, duals, TIGHT * width[h])
        if k is None:
            return count, "optimal"
        excess = max(duals[k] - hi[h[k]], lo[h[k]] - duals[k])
        moved = _pivot(state, k, 1.0 if duals[k] > hi[h[k]] else -1.0, float(excess))
        if moved is None:
            return count, "unbounded"
        still = still + 1 if moved <= nothing else 0
        if still > patience:
            return count, "stalled"
        since, fresh = since + 1, False
    return most, "limit"


def descend(problem: Problem, basis: np.ndarray, above: np.ndarray | None = None) -> Vertex:
    """An optimal vertex, from the basis given; `optimal` is False where the objective has no end or time ran out."""
    A, y, lo, hi, g, _ = problem
    n, p = A.shape
    most = 200 + 20 * (n + p)
    state = _State(problem, y, basis.copy(), above)
    done, outcome = _descend(state, most, patience=20 + p // 4)
    pattern = np.random.default_rng(0).uniform(-1.0, 1.0, n)
    size_of_y = float(np.abs(y).max(initial=0.0)) or 1.0
    for size in (1e-9, 1e-7):
        if outcome not in ("stalled", "limit"):
            break
        state = _State(problem, y + size * size_of_y * pattern, state.basis, state.above)
        more, outcome = _descend(state, most, patience=200 + 4 * p)
        done += more
        if outcome == "optimal":
            # Duals do not depend on y; where moving it back leaves the signs right the vertex is optimal as it is.
            state = _State(problem, y, state.basis, state.above)
            more, outcome = _descend(state, most, patience=20 + p // 4)
            done += more
    duals, state.y = state.bound_duals(), y
    found = state.exact() if state.doubtful() else None
    if found is None:
        basic = solve_square(A[state.basis].T, -(g + A.T @ duals))
        found = solve_square(A[state.basis], y[state.basis]), basic
    beta, duals[state.basis] = found
    return Vertex(beta, np.clip(duals, lo, hi), state.basis, done, outcome == "optimal")
