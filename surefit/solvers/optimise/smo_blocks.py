"""The box-constrained dual with more variables than a Gram matrix has place for.

A round takes a working set of several hundred variables, those that violate the conditions most and some of the last
set, or all that are free where these are many, and solves the problem in them alone by sequential minimal
optimization; then the gradient of all follows, F += K_w Δβ. Whole rows of K are computed only of variables that moved,
in blocks, and kept in single precision, in a bounded number of bytes.

Single precision is enough: what it costs is proportional to the change of β since F was last computed from β in double
precision, which is done again until the gap of that F is small enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit import _native
from surefit._core.threads import threads_for
from surefit.solvers.optimise.row_cache import RowCache
from surefit.solvers.optimise.smo_gap import Box, rough_gap, violation
from surefit.solvers.optimise.smo_polish import free_minimum
from surefit.solvers.optimise.smo_state import Limits, Point, Rows

WORKING = 1024
"""Variables of a working set."""
FRESH = 512
"""Of these, at most so many that were not in the last one."""
INNER_SHARE = 0.1
"""A working set is solved to this share of the violation that it was chosen with."""
STEPS_A_TURN = 30
"""Steps for each variable of a working set, after which the equations of its free ones take a turn."""
MOST_FREE = 2048
"""Free variables up to which the last digits come from their equations."""
MOST_WIDE = 3072
"""Free variables up to which a working set has all of them."""
EXACT, SINGLE_TOL = 8192, 1e-7
"""More rows than this, and a gap no smaller than this: the gradient is checked only where it can matter."""
BLOCK_BYTES = 2**23


class _Descent:
    """β and F of all variables, and rounds that lower D."""

    def __init__(self, gram: Any, box: Box, beta: np.ndarray, limits: Limits, cache_bytes: int) -> None:
        self.gram, self.box, self.limits = gram, box, limits
        self.cache = RowCache(in_single(gram), cache_bytes, WORKING, np.float32)
        self.diagonal = np.asarray(gram.diagonal(), np.float64)[box.index]
        self.beta, self.F = beta, exact_gradient(gram, box, beta)
        self.last = np.empty(0, np.intp)
        self._square = np.empty(0, np.float32)
        self.wide = True
        self.plain = len(box.index) == gram.n and np.array_equal(box.index, np.arange(gram.n))

    def round(self) -> int:
        """One working set; returns the steps done."""
        box, beta, F = self.box, self.beta, self.F
        before = violation(box, beta, F)
        chosen = self._working_set()
        rows, place = np.unique(box.index[chosen], return_inverse=True)
        K = self._among(rows)
        if not self.plain:
            K = K[np.ix_(place, place)]
        sub, slope = beta[chosen], F[chosen]
        old = sub.copy()
        part = Box(rows[place], box.q[chosen], box.low[chosen], box.high[chosen])
        most = min(self.limits.steps(len(chosen)), STEPS_A_TURN * len(chosen))
        steps, worst = _native.smo_descend(
            np.ascontiguousarray(K),
            self.diagonal[chosen],
            (part.low, part.high),
            sub,
            slope,
            INNER_SHARE * before,
            most,
        )
        self.limits.done += steps
        if steps == most and worst > INNER_SHARE * before:
            self.wide = False
            sub = self._at_free_minimum(part, sub, slope)
        change = np.bincount(place, sub - old, len(rows))
        moved = np.flatnonzero(change)
        F = F.copy()
        self._add(rows[moved], change[moved], F)
        beta = beta.copy()
        beta[chosen] = sub
        self.beta, self.F, self.last = beta, F, chosen  # together: Ctrl-C finds β with its gradient
        return int(steps)

    def _among(self, rows: np.ndarray) -> np.ndarray:
        """K of these rows alone, in single precision."""
        m = len(rows)
        if len(self._square) < m * m:
            self._square = np.empty(m * m, np.float32)
        return self.cache.gram.rows(rows, rows, self._square[: m * m].reshape(m, m))

    def _at_free_minimum(self, part: Box, sub: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Where steps of two are too slow: the equations of the free variables, if D is lower there."""
        free = part.free(sub)
        if not 2 <= len(free) <= WORKING:
            return sub
        K = self.gram.rows(part.index[free], part.index[free]).astype(np.float64)
        there = free_minimum(K, part, free, sub, slope[free])
        if there is None:
            return sub
        change = (there - sub)[free]
        return there if slope[free] @ change + 0.5 * change @ (K @ change) < 0 else sub

    def _add(self, rows: np.ndarray, change: np.ndarray, F: np.ndarray) -> None:
        """F += K_rows change, as many rows at a time as the cache has place for."""
        of_rows = F if self.plain else np.zeros(self.gram.n)
        for first in range(0, len(rows), len(self.cache.held)):
            part = slice(first, first + len(self.cache.held))
            places = self.cache.places(rows[part])
            threads = threads_for(len(places) * self.gram.n)
            _native.smo_add_rows(self.cache.held, places, change[part], of_rows, threads)
        if not self.plain:
            F += of_rows[self.box.index]

    def _working_set(self) -> np.ndarray:
        """The most violating variables on both sides, then those of the last set, until it is full; in order.

        Where the free variables would fill it, all of them instead of the last set: pieces of them converge slowly.
        """
        box, beta, F = self.box, self.beta, self.F
        fresh = FRESH if len(self.last) else WORKING
        grows = _first(np.where(beta < box.high, F, np.inf), fresh // 2)
        falls = _first(np.where(beta > box.low, -F, np.inf), fresh // 2)
        chosen = np.union1d(grows, falls)
        free = box.free(beta)
        if self.wide and WORKING - FRESH < len(free) <= MOST_WIDE:
            return np.union1d(chosen, free)
        left = self.last[~np.isin(self.last, chosen)]
        inside = (beta[left] > box.low[left]) & (beta[left] < box.high[left])
        left = left[np.argsort(~inside, kind="stable")][: WORKING - len(chosen)]
        return np.union1d(chosen, left)


def _first(keys: np.ndarray, count: int) -> np.ndarray:
    """Places of the smallest finite keys."""
    if len(keys) > count:
        places = np.argpartition(keys, count)[:count]
        return places[np.isfinite(keys[places])]
    return np.flatnonzero(np.isfinite(keys))


def in_single(gram: Any) -> Any:
    """The same rows in single precision, where the kernel has them."""
    return gram.in_precision(np.float32) if hasattr(gram, "in_precision") else gram


def exact_gradient(gram: Rows, box: Box, beta: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
    """Kβ + q in the precision of the data, in blocks of the rows with β ≠ 0; at all variables or at these."""
    coef = np.bincount(box.index, beta, gram.n)
    rows = np.flatnonzero(coef)
    chosen = box.index if columns is None else box.index[columns]
    wanted, place = np.unique(chosen, return_inverse=True)
    everything = len(wanted) == gram.n
    out = np.zeros(len(wanted))
    step = max(1, min(BLOCK_BYTES // (8 * len(wanted)), len(rows)))
    block = np.empty((step, len(wanted)))
    for first in range(0, len(rows), step):
        part = rows[first : first + step]
        out += coef[part] @ gram.rows(part, None if everything else wanted, block[: len(part)])
    return out[place] + (box.q if columns is None else box.q[columns])


def _checked(gram: Rows, box: Box, descent: _Descent, tol: float) -> Point:
    """β with its gradient in double precision, wherever that can matter for the gap.

    A variable at a bound whose F + b is on the right side by more than the rounding of single precision, |δF| ≤ 2⁻¹⁹
    Σ|β| max K (some thirty units of each entry), adds nothing to the gap with either gradient: its F may stay.
    """
    beta, F = descent.beta, descent.F
    columns = None
    if gram.n > EXACT and tol >= SINGLE_TOL:
        rounding = 2.0**-19 * float(np.abs(beta).sum()) * float(np.abs(descent.diagonal).max())
        near = np.abs(F + rough_gap(box, beta, F).bias) <= 2 * rounding
        inside = (beta > box.low) & (beta < box.high)
        columns = np.flatnonzero(near | inside)
    exact = exact_gradient(gram, box, beta, columns)
    descent.F = exact if columns is None else F.copy()
    if columns is not None:
        descent.F[columns] = exact
    return Point.of(box, beta, descent.F)


def solve_in_blocks(gram: Rows, box: Box, beta: np.ndarray, limits: Limits, cache_bytes: int) -> Point:
    """From β, which is feasible, until the relative gap of the exact gradient is at most tol."""
    descent = _Descent(gram, box, beta, limits, cache_bytes)
    point, status = Point.of(box, descent.beta, descent.F), None
    try:
        while status is None and not point.gap.rel_gap <= limits.tol:
            steps = descent.round()
            status = limits.reached() or (None if steps else "rounding")
            if status or rough_gap(box, descent.beta, descent.F).rel_gap <= 0.9 * limits.tol:
                point = _checked(gram, box, descent, limits.tol)
    except KeyboardInterrupt:
        status = "interrupted"
        point = _checked(gram, box, descent, limits.tol)
    if status is None:
        point = _polished(gram, box, point)
    return replace(point, status="converged" if point.gap.rel_gap <= limits.tol else status or "rounding")


def _polished(gram: Rows, box: Box, point: Point) -> Point:
    """The free variables at their minimum, if that makes the gap smaller."""
    free = box.free(point.beta)
    if not 2 <= len(free) <= MOST_FREE:
        return point
    K = np.asarray(gram.rows(box.index[free], box.index[free]), np.float64)
    beta = free_minimum(K, box, free, point.beta, point.F[free])
    if beta is None:
        return point
    F = point.F + exact_gradient(gram, replace(box, q=np.zeros(len(beta))), beta - point.beta)
    finer = Point.of(box, beta, F)
    return finer if finer.better_than(point) else point
