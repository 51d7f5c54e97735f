"""Sequential minimal optimization with the whole Gram matrix in memory, in double precision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefit import _native
from surefit.solvers.optimise.smo_gap import Box, violation
from surefit.solvers.optimise.smo_polish import free_minimum
from surefit.solvers.optimise.smo_state import Limits, Point, Rows

FIRST_SHARE, NEXT_SHARE = 1e-2, 1e-1
"""The violation to end at: first as a share of that at the start, then of the last one."""
STEPS_A_TURN = 30
"""Steps for each variable, after which the equations of the free ones take a turn."""
POLISH_ROUNDS, MOST_FREE = 3, 4096
ROUNDING = 1e-15
"""A violation of this share of the sizes that F is made of is nothing but rounding."""


def solve_whole(gram: Rows, box: Box, beta: np.ndarray, limits: Limits) -> Point:
    every, place = np.unique(box.index, return_inverse=True)
    K = np.asarray(gram.rows(every, every), np.float64)
    if len(every) < len(box.index) or not np.array_equal(place, np.arange(len(place))):
        K = K[np.ix_(place, place)]
    return solve_dense(np.ascontiguousarray(K), box, beta, limits)


def solve_dense(K: np.ndarray, box: Box, beta: np.ndarray, limits: Limits) -> Point:
    """From β, which is feasible, until the relative gap is at most tol, then polished."""
    diagonal = np.ascontiguousarray(np.diagonal(K))
    point = Point.of(box, beta, K @ beta + box.q)
    if beta.any():
        point = _polished(K, box, point, by_value=True)
    eps = FIRST_SHARE * violation(box, point.beta, point.F)
    turn = STEPS_A_TURN * len(beta)
    try:
        while not point.gap.rel_gap <= limits.tol:
            if status := limits.reached():
                return replace(point, status=status)
            beta, F = point.beta.copy(), point.F.copy()
            most = min(limits.steps(len(beta)), turn)
            steps, worst = _native.smo_descend(K, diagonal, (box.low, box.high), beta, F, eps, most)
            limits.done += steps
            point = Point.of(box, beta, K @ beta + box.q)
            if steps == most and worst > eps:
                point = _polished(K, box, point, by_value=True)
                continue
            size = float((np.abs(K) @ np.abs(beta) + np.abs(box.q)).max())
            if worst <= ROUNDING * size or (steps == 0 and worst > eps):
                break
            eps = NEXT_SHARE * max(worst, 0.0)
        point = _polished(K, box, point)
        return replace(point, status="converged" if point.gap.rel_gap <= limits.tol else "rounding")
    except KeyboardInterrupt:
        return replace(point, status="interrupted")


def _polished(K: np.ndarray, box: Box, point: Point, by_value: bool = False) -> Point:
    """The free variables at their minimum, as long as that lowers the gap (or D, on the way)."""
    for _ in range(1 if by_value else POLISH_ROUNDS):
        places = box.free(point.beta)
        if len(places) > MOST_FREE:
            return point
        beta = free_minimum(K[np.ix_(places, places)], box, places, point.beta, point.F[places])
        if beta is None:
            return point
        better = Point.of(box, beta, K @ beta + box.q)
        if not (better.gap.value < point.gap.value if by_value else better.better_than(point)):
            return point
        point = better
    return point
