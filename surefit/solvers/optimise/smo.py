"""The dual problem of support vector machines, with a box and one equality:

    min over a of  ½ aᵀQa + p·a ,     Q_ij = s_i s_j K(x_i, x_j) ,   Σ s_i a_i = 0 ,   0 ≤ a_i ≤ U_i .

With the whole Gram matrix in memory sequential minimal optimization works on it directly (`smo_whole.py`). It ends on
the duality gap relative to the value of the primal problem, the machine's cost with the best bias (`smo_gap.py`).

A bound U_i = ∞ is worked on as a finite one, raised until no variable is at it. Where none is high enough, D falls
without bound: no function satisfies all conditions of the primal problem, or only one whose margin is rounding.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from surefit._core.threads import single_threaded_blas
from surefit.solvers.optimise.smo_blocks import solve_in_blocks
from surefit.solvers.optimise.smo_gap import Box
from surefit.solvers.optimise.smo_state import Limits, Point, Rows
from surefit.solvers.optimise.smo_whole import solve_whole

Solver = Callable[[Rows, Box, np.ndarray, Limits], Point]

WHOLE = 2048
"""Variables up to which the Gram matrix is held (32 MB)."""
FIRST_CAP, CAP_GROWTH = 1e3, 1e2
"""Infinite bounds: the first finite one in units of |q| / mean of K's diagonal, and the growth from one to the next."""
FLAT = 1e-13
"""βᵀKβ / (q·β)² relative to K's diagonal below which D is unbounded: what rounding makes of zero."""


@dataclass(frozen=True)
class BoxDual:
    """The best point found; status: converged, max_iter, time_budget, interrupted, rounding, unbounded.

    gap = primal value − (−value), for the best bias; rel_gap is relative to the larger of the two. `rounding` says that
    steps no longer change anything although the gap is above `tol`; `unbounded` that infinite bounds admit no minimum.
    """

    alpha: np.ndarray
    bias: float
    value: float
    gap: float
    rel_gap: float
    n_iter: int
    status: str
    gradient: np.ndarray


def solve_box_dual(
    gram: Rows,
    index: np.ndarray,
    signs: np.ndarray,
    linear: np.ndarray,
    upper: np.ndarray,
    *,
    tol: float = 1e-6,
    max_iter: int | None = None,
    time_budget: float | None = None,
    cache_bytes: int = 500_000_000,
    shrinking: bool = True,
    start: np.ndarray | None = None,
) -> BoxDual:
    """The minimum to a relative duality gap of `tol`, or the best point within the limits; deterministic.

    `max_iter` counts steps of two variables (None or −1: no limit); Ctrl-C ends with the point reached.
    """
    signs, linear = np.asarray(signs, np.float64), np.asarray(linear, np.float64)
    upper = np.asarray(upper, np.float64)
    deadline = None if time_budget is None else time.monotonic() + time_budget
    limits = Limits(tol, None if max_iter is None or max_iter < 0 else int(max_iter), deadline)
    box = Box(
        np.asarray(index, np.intp), signs * linear, np.where(signs > 0, 0.0, -upper), np.where(signs > 0, upper, 0.0)
    )
    beta = np.zeros(len(signs)) if start is None else _feasible(signs, np.asarray(start, np.float64), upper)
    if not len(signs):
        return BoxDual(beta, 0.0, 0.0, 0.0, 0.0, 0, "converged", linear)
    with single_threaded_blas():
        solver: Solver = solve_whole
        if len(signs) > WHOLE:
            solver = partial(solve_in_blocks, cache_bytes=cache_bytes)
        point = _uncapped(solver, gram, box, beta, limits) if np.isinf(upper).any() else solver(gram, box, beta, limits)
    return BoxDual(
        point.beta * signs + 0.0,
        point.gap.bias,
        point.gap.value,
        point.gap.gap,
        point.gap.rel_gap,
        limits.done,
        point.status,
        signs * point.F,
    )


def _feasible(signs: np.ndarray, start: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Signed variables within their bounds and with Σ β = 0: the larger side is scaled down to the smaller."""
    a = np.clip(np.nan_to_num(start, posinf=0.0), 0.0, upper)
    plus, minus = a[signs > 0].sum(), a[signs < 0].sum()
    if min(plus, minus) <= 0:
        return np.zeros(len(signs))
    return a * np.where(signs > 0, min(1.0, minus / plus), -min(1.0, plus / minus))


def _uncapped(solver: Solver, gram: Rows, box: Box, beta: np.ndarray, limits: Limits) -> Point:
    """Infinite bounds: finite ones, raised until no variable is at them or D is seen to be unbounded."""
    endless = np.isinf(box.low) | np.isinf(box.high)
    diagonal = np.abs(np.asarray(gram.diagonal(), np.float64))[box.index]
    scale = float(diagonal.max())
    cap = FIRST_CAP * max(float(np.abs(box.q).max()), 1e-300) / (float(diagonal.mean()) + 1e-300)
    cap = max(cap, 2 * float(np.abs(beta).max()))
    while True:
        capped = replace(
            box,
            low=np.where(np.isinf(box.low), -cap, box.low),
            high=np.where(np.isinf(box.high), cap, box.high),
        )
        point = solver(gram, capped, beta, limits)
        beta = point.beta
        linear, curved = float(box.q @ beta), float(beta @ (point.F - box.q))
        at_cap = bool((np.abs(beta[endless]) >= cap).any())
        if at_cap and linear < 0 and curved <= FLAT * scale * linear**2:
            return replace(point, status="unbounded")
        if not at_cap or point.status not in ("converged", "rounding"):
            return point
        cap *= CAP_GROWTH
        beta = beta * CAP_GROWTH  # variables at their bound stay there; the free ones are corrected first
