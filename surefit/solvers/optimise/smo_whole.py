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
POLISH_ROUNDS = 3
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
    eps = FIRST_SHARE * violation(box, point.beta, point.F)
    try:
        while not point.gap.rel_gap <= limits.tol:
            if status := limits.reached():
                return replace(point, status=status)
            beta, F = point.beta.copy(), point.F.copy()
            steps, worst = _native.smo_descend(K, diagonal, (box.low, box.high), beta, F, eps, limits.steps(len(beta)))
            limits.done += steps
            if worst <= eps:
                eps = NEXT_SHARE * max(worst, 0.0)
            size = float((np.abs(K) @ np.abs(beta) + np.abs(box.q)).max())
            point = Point.of(box, beta, K @ beta + box.q)
            if steps == 0 or (worst <= ROUNDING * size and point.gap.rel_gap > limits.tol):
                return replace(_polished(K, box, point), status="rounding")
        return replace(_polished(K, box, point), status="converged")
    except KeyboardInterrupt:
        return replace(point, status="interrupted")


def _polished(K: np.ndarray, box: Box, point: Point) -> Point:
    """The free variables at their minimum, as long as that lowers the gap."""
    for _ in range(POLISH_ROUNDS):
        places = box.free(point.beta)
        beta = free_minimum(K[np.ix_(places, places)], box, places, point.beta, point.F[places])
        if beta is None:
            return point
        better = Point.of(box, beta, K @ beta + box.q)
        if not better.better_than(point):
            return point
        point = better
    return point
