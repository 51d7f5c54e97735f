"""Sequential minimal optimization with the whole Gram matrix in memory, in double precision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefit import _native
from surefit.solvers.optimise.smo_gap import Box, summary, violation
from surefit.solvers.optimise.smo_polish import free_minimum
from surefit.solvers.optimise.smo_state import Limits, Point, Rows

FIRST_SHARE, NEXT_SHARE = 1e-3, 1e-1
"""The violation to end at: first as a share of that at the start, then of the last one."""
STEPS_A_TURN = 30
"""Steps for each variable, after which the equations of the free ones take a turn in any case."""
MOST_FREE = 4096
ROUNDING = 1e-15
"""A violation of this share of the sizes that F is made of is nothing but rounding."""
STALLED = 3
"""Turns without a lower D or a smaller gap that end the search."""
LAST_DIGITS = 1e-13
SMALL = 512
"""Variables up to which the first turns are one compiled call."""


def solve_whole(gram: Rows, box: Box, beta: np.ndarray, limits: Limits) -> Point:
    index = box.index
    if (index[1:] > index[:-1]).all():
        K = np.asarray(gram.rows(index, index), np.float64)
    else:
        rows, place = np.unique(index, return_inverse=True)
        K = np.asarray(gram.rows(rows, rows), np.float64)[np.ix_(place, place)]
    K = np.ascontiguousarray(K)
    if len(index) <= SMALL and not beta.any() and not limits.reached():
        point = compiled_turns(K, box, limits)
        if point.gap.rel_gap <= LAST_DIGITS:
            return replace(point, status="converged")
        beta = point.beta
    return solve_dense(K, box, beta, limits)


def compiled_turns(K: np.ndarray, box: Box, limits: Limits) -> Point:
    """A few turns of `solve_dense` from β = 0 in one compiled call: all that most small problems need."""
    beta, F = np.empty_like(box.q), np.empty_like(box.q)
    most = min(limits.steps(len(beta)), STEPS_A_TURN * len(beta))
    ends = (FIRST_SHARE, NEXT_SHARE, most, LAST_DIGITS)
    steps, bias, value, gap = _native.smo_turns(K, box.q, (box.low, box.high), ends, beta, F)
    limits.done += steps
    return Point(beta, F, summary(bias, value, gap))


def solve_dense(K: np.ndarray, box: Box, beta: np.ndarray, limits: Limits) -> Point:
    """From β, which is feasible, until the relative gap is at most tol, then polished.

    Steps of two variables and the equations of the free ones take turns; neither raises D.
    """
    diagonal = np.ascontiguousarray(np.diagonal(K))
    point = Point.of(box, beta, K @ beta + box.q if beta.any() else box.q.copy())
    eps = FIRST_SHARE * violation(box, point.beta, point.F)
    if beta.any():
        point = _improved(point, at_free_minimum(K, box, point))
    best, lowest, stalled = point, point, 0
    try:
        while stalled < STALLED and not best.gap.rel_gap <= limits.tol:
            if status := limits.reached():
                return replace(best, status=status)
            beta, F = point.beta.copy(), point.F.copy()
            most = min(limits.steps(len(beta)), STEPS_A_TURN * len(beta))
            steps, worst = _native.smo_descend(K, diagonal, (box.low, box.high), beta, F, eps, most)
            limits.done += steps
            there = Point.of(box, beta, K @ beta + box.q)
            point = _improved(there, at_free_minimum(K, box, there))
            stalled = 0 if point.improves_on(best) and point.improves_on(lowest) else stalled + 1
            best = point if point.better_than(best) else best
            lowest = point if point.gap.value < lowest.gap.value else lowest
            if worst <= eps or steps < most:
                size = float((np.abs(K) @ np.abs(beta) + np.abs(box.q)).max())
                if worst <= ROUNDING * size or (steps == 0 and worst > eps):
                    break
                eps = NEXT_SHARE * max(worst, 0.0)
        if best.gap.rel_gap > LAST_DIGITS:
            finer = at_free_minimum(K, box, best)
            best = finer if finer is not None and finer.better_than(best) else best
        return replace(best, status="converged" if best.gap.rel_gap <= limits.tol else "rounding")
    except KeyboardInterrupt:
        return replace(best, status="interrupted")


def at_free_minimum(K: np.ndarray, box: Box, point: Point) -> Point | None:
    """The free variables at their minimum."""
    places = box.free(point.beta)
    if not 2 <= len(places) <= MOST_FREE:
        return None
    beta = free_minimum(K[np.ix_(places, places)], box, places, point.beta, point.F[places])
    return None if beta is None else Point.of(box, beta, K @ beta + box.q)


def _improved(point: Point, other: Point | None) -> Point:
    return other if other is not None and other.improves_on(point) else point
