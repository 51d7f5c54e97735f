"""Newton's method for a smooth convex function with an L1 penalty: F(u) = f(u) + Σ tⱼ |uⱼ|.

A step goes to the minimum of a quadratic model of f with the penalty as it is, so that zeros are exact. It is shortened
until F falls by a share of what the model without its curvature promises,

    Δ = ∇f·v + Σ t (|u + v| − |u|) < 0 .

A model may speak of some entries of u only (a working set): those that are not zero, and those that break the
conditions of a minimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from surefit.solvers.optimise.newton import ARMIJO, CHEAP

EXTRA = 2


class Model(Protocol):
    """A quadratic model of f around u over some of its entries, with the penalty."""

    entries: np.ndarray

    def minimum(self) -> np.ndarray:
        """Values of these entries: the minimum of the model, or near it while u is far from the minimum of F."""

    def gap(self, aim: np.ndarray) -> float:
        """A bound for F(u) − min F from the minimum of the model; infinite where there is none."""


class CompositeProblem(Protocol):
    """What is minimized; u is a flat float64 array."""

    metric_cost: float
    """Cost of a second derivative, in passes; infinite when there is none."""
    rounding: float
    """Relative rounding of the values."""
    thresholds: np.ndarray
    """t, one for each entry of u."""

    def evaluate(self, u: np.ndarray) -> Any:
        """One pass: something with `value` (F) and `gradient` (of f)."""

    def model(self, at: Any, u: np.ndarray, n_iter: int, tol: float) -> Model:
        """The model of step `n_iter`, on the way to a relative gap of `tol`."""

    def without_flat_moves(self, z: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Other values of these entries, by moves that f does not notice, with the least penalty."""

    def gap(self, at: Any, u: np.ndarray) -> float:
        """A bound for F(u) − min F."""

    def use_double(self) -> bool:
        """Compute more precisely from now on; False when that is not possible."""


class CompositeMinimum(NamedTuple):
    u: np.ndarray
    at: Any
    gap: float
    n_iter: int
    history: list[float]
    stopped: bool
    """Ended by itself, with the gap that was asked for."""


def minimize_composite(
    problem: CompositeProblem,
    u: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    after_step: Callable[[np.ndarray, Any, np.ndarray], bool],
) -> CompositeMinimum:
    """Until the gap is bounded by `tol` times the value."""
    at = problem.evaluate(u)
    history = [float(at.value)]
    extra = 0  # steps beyond the gap asked for: where they cost little, for each squares what is missing
    while True:
        n_iter = len(history) - 1
        gap = problem.gap(at, u)
        reached = gap <= tol * at.value
        enough = problem.metric_cost > CHEAP or extra == EXTRA
        if (reached and (enough or gap <= problem.rounding * at.value)) or n_iter == max_iter:
            return CompositeMinimum(u, at, gap, n_iter, history, reached)
        model = problem.model(at, u, n_iter, tol)
        entries, aim = model.entries, model.minimum()
        if not reached and -_promise(problem, at, u, entries, aim) <= 1e-3 * tol * at.value:
            gap = min(gap, model.gap(aim))
            reached = gap <= tol * at.value
            if reached and enough:
                return CompositeMinimum(u, at, gap, n_iter, history, True)
        extra += reached
        found = _search(problem, u, at, entries, aim)
        if found is None:
            if not reached and problem.use_double():
                at = problem.evaluate(u)
                continue
            return CompositeMinimum(u, at, gap, n_iter, history, reached)
        moved, (u, at) = found[0] - u, found
        history.append(float(at.value))
        if after_step(u, at, moved):
            gap = problem.gap(at, u)
            return CompositeMinimum(u, at, gap, n_iter + 1, history, gap <= tol * at.value)


def _promise(problem: CompositeProblem, at: Any, u: np.ndarray, entries: np.ndarray, aim: np.ndarray) -> float:
    """Δ of this file."""
    here, t = u[entries], problem.thresholds[entries]
    return float(at.gradient[entries] @ (aim - here)) + float(t @ (np.abs(aim) - np.abs(here)))


def _search(
    problem: CompositeProblem, u: np.ndarray, at: Any, entries: np.ndarray, aim: np.ndarray
) -> tuple[np.ndarray, Any] | None:
    """The first of the lengths 1, ½, ¼ … that is accepted, with what is there; None when there is none."""
    here, promise = u[entries], _promise(problem, at, u, entries, aim)
    noise = problem.rounding * abs(at.value)
    if not promise < 0:
        return None
    length = 1.0
    for _ in range(40):
        new = u.copy()
        new[entries] = aim if length == 1.0 else problem.without_flat_moves(here + length * (aim - here), entries)
        there = problem.evaluate(new)
        if math.isfinite(there.value):
            if there.value <= at.value + ARMIJO * length * promise:
                return new, there
            if -length * promise < noise:
                # flat to rounding: only a smaller gap is progress
                return (new, there) if problem.gap(there, new) < 0.5 * problem.gap(at, u) else None
        length *= 0.5
    return None
