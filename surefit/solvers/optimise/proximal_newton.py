"""Newton's method for a smooth convex function with an L1 penalty: F(u) = f(u) + Σ tⱼ |uⱼ|.

A step goes to the minimum of the quadratic model of f with the penalty as it is (`lasso_quadratic`), so that zeros are
exact. It is shortened until F falls by a share of what the model without its curvature promises,

    Δ = ∇f·v + Σ t (|u + v| − |u|) < 0 .

Where there are too many entries for a second derivative, each step moves a working set of them: those that are not
zero, and those that break the conditions of a minimum most, twice as many at every step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from surefit.solvers.optimise.lasso_quadratic import minimise_lasso
from surefit.solvers.optimise.newton import ARMIJO, CHEAP

ROUNDS = 5
"""Spent on the first model at most; the next gets so many more, for it is nearer to the truth."""


class Composite(Protocol):
    """What is minimised; u is a flat float64 array."""

    metric_cost: float
    rounding: float
    negligible: float
    thresholds: np.ndarray
    """t, one for each entry of u."""

    def evaluate(self, u: np.ndarray) -> Any:
        """One pass: something with `value` (F) and `gradient` (of f)."""

    def working_set(self, at: Any, u: np.ndarray) -> np.ndarray:
        """Entries of u that the next step moves."""

    def second_of(self, u: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """The second derivative of f at u over these entries."""

    def settle(self, z: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Other values of these entries, by moves that f does not notice, with the least penalty."""

    def gap(self, at: Any, u: np.ndarray) -> float:
        """A proven bound for F(u) − min F."""

    def gap_by_step(self, at: Any, u: np.ndarray, z: np.ndarray, H: np.ndarray) -> float:
        """Another such bound, from the minimum z of the model of all entries at u; infinite where there is none."""

    def sharpen(self) -> bool:
        """Compute more precisely from now on; False when that is not possible."""


class Sparse(NamedTuple):
    u: np.ndarray
    at: Any
    gap: float
    n_iter: int
    history: list[float]
    stopped: bool
    """Ended by itself, with the gap that was asked for."""


def minimise_sparse(
    problem: Composite,
    u: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    after_step: Callable[[np.ndarray, Any, np.ndarray], bool],
) -> Sparse:
    """Until the proven gap is at most `tol` times the value."""
    at = problem.evaluate(u)
    history = [float(at.value)]
    n_iter = bonus = 0  # bonus: steps beyond the gap asked for, where they cost little
    while True:
        gap = problem.gap(at, u)
        reached = gap <= tol * at.value or at.value <= problem.negligible
        if reached and (problem.metric_cost > CHEAP or bonus == 2 or gap <= problem.rounding * at.value):
            return Sparse(u, at, gap, n_iter, history, True)
        if n_iter == max_iter:
            return Sparse(u, at, gap, n_iter, history, reached)
        bonus += reached
        entries = problem.working_set(at, u)
        t = problem.thresholds[entries]
        H = problem.second_of(u, entries)
        rounds = ROUNDS * (1 + n_iter)
        settle = partial(problem.settle, entries=entries)
        aim = minimise_lasso(H, at.gradient[entries], u[entries], t, rounds, settle)
        if not reached and len(entries) == len(u) and -_promise(at, u, entries, aim, t) <= 1e-3 * tol * at.value:
            gap = min(gap, problem.gap_by_step(at, u, aim, H))
            reached = gap <= tol * at.value
            if reached and (problem.metric_cost > CHEAP or bonus == 2):
                return Sparse(u, at, gap, n_iter, history, True)
            bonus += reached
        found = _search(problem, u, at, entries, aim, t)
        if found is None:
            if not reached and problem.sharpen():
                at = problem.evaluate(u)
                continue
            return Sparse(u, at, gap, n_iter, history, reached)
        moved, (u, at) = found[0] - u, found
        n_iter += 1
        history.append(float(at.value))
        if after_step(u, at, moved):
            gap = problem.gap(at, u)
            return Sparse(u, at, gap, n_iter, history, gap <= tol * at.value)


def _promise(at: Any, u: np.ndarray, entries: np.ndarray, aim: np.ndarray, t: np.ndarray) -> float:
    """Δ of this file."""
    here = u[entries]
    return float(at.gradient[entries] @ (aim - here)) + float(t @ (np.abs(aim) - np.abs(here)))


def _search(
    problem: Composite, u: np.ndarray, at: Any, entries: np.ndarray, aim: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, Any] | None:
    """The first of the lengths 1, ½, ¼ … that is accepted, with what is there; None when there is none."""
    here, promise = u[entries], _promise(at, u, entries, aim, t)
    noise = problem.rounding * abs(at.value)
    if not promise < 0:
        return None
    length = 1.0
    for _ in range(40):
        new = u.copy()
        new[entries] = aim if length == 1.0 else problem.settle(here + length * (aim - here), entries)
        there = problem.evaluate(new)
        if math.isfinite(there.value):
            if there.value <= at.value + ARMIJO * length * promise:
                return new, there
            if -length * promise < noise:
                # flat to rounding: only a smaller gap is progress
                return (new, there) if problem.gap(there, new) < 0.5 * problem.gap(at, u) else None
        length *= 0.5
    return None
