"""Stress majorization, accelerated, with a stress that never rises.

The majorizer of the stress at X is a convex quadratic whose least point is the Guttman transform Γ(X), and it is as
high at 2Γ(X) − X as at X. So no step X + a(Γ(X) − X) with a ≤ 2 raises the stress; a near 2 nearly halves the number
of steps (de Leeuw and Heiser, 1980), and below 2 what overshoots dies out. Near the end, where the map is nearly
affine, Anderson's combination of the last relaxed steps is tried, the one whose residual would then be least. It is
taken only if its stress is not above the present one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefit.solvers.embedding.guttman import Look, Stress

MEMORY = 6
"""Steps that Anderson's combination looks back on."""
RELAXED = 1.8
"""a"""
NEAR = 1e-6
"""Combinations are tried where a plain step gains less than this share of Σ w d²."""


class Scaled(NamedTuple):
    X: np.ndarray
    stress: float
    sq_dist: float
    n_iter: int
    history: np.ndarray
    """The stress of the start and after each step."""
    converged: bool
    rel_gain: float
    """What one more plain step would gain at least, relative to Σ w d²."""


def minimize_stress(
    problem: Stress,
    start: np.ndarray,
    *,
    max_iter: int,
    eps: float,
    on_step: Callable[[Look], bool] | None = None,
) -> Scaled:
    """From `start`, until a step gains less than `eps` of Σ w d² and a plain one would too, or for `max_iter` steps."""
    here = problem.look(start, first=True)
    history = [here.stress]
    memory = _Memory()
    converged = False
    for n_iter in range(1, max_iter + 1):
        memory.add(here)
        there = _step(problem, here, memory, first=n_iter == 1)
        risen = there.stress > here.stress and n_iter > 1  # only by rounding: this is the end
        gained = here.stress - there.stress
        if not risen:
            here = there
        history.append(here.stress)
        converged = risen or here.stress == 0 or (n_iter > 1 and max(gained, here.gain) < eps * here.sq_dist)
        if converged or (on_step is not None and on_step(here)):
            break
    rel_gain = here.gain / here.sq_dist if here.sq_dist > 0 else 0.0
    return Scaled(here.X, here.stress, here.sq_dist, n_iter, np.array(history), converged, rel_gain)


def _step(problem: Stress, here: Look, memory: _Memory, first: bool) -> Look:
    if not first:
        relaxed = here.X + RELAXED * (here.transform - here.X)
        near = here.gain < NEAR * here.sq_dist
        for proposed in (memory.combined(here), relaxed) if near else (relaxed,):
            kept = problem.delta
            there = None if proposed is None else problem.look(proposed)
            if there is not None and there.stress <= here.stress:
                return there
            problem.delta = kept
            memory.clear()
    return problem.look(here.transform)


class _Memory:
    """Differences of the last configurations and of their residuals F = a(Γ(X) − X)."""

    def __init__(self) -> None:
        self._last: Look | None = None
        self._moves: list[np.ndarray] = []
        self._turns: list[np.ndarray] = []

    def add(self, look: Look) -> None:
        if self._last is not None:
            move = (look.X - self._last.X).ravel()
            self._moves.append(move)
            self._turns.append(RELAXED * ((look.transform - self._last.transform).ravel() - move))
            del self._moves[:-MEMORY], self._turns[:-MEMORY]
        self._last = look

    def clear(self) -> None:
        self._moves, self._turns = [], []

    def combined(self, look: Look) -> np.ndarray | None:
        """X + F − (ΔX + ΔF) γ with γ = argmin ‖F − ΔF γ‖"""
        if len(self._turns) < 2:
            return None
        turns, moves = np.column_stack(self._turns), np.column_stack(self._moves)
        residual = RELAXED * (look.transform - look.X).ravel()
        scale = np.linalg.norm(turns, axis=0)
        if not (scale > 0).all():
            return None
        gamma = np.linalg.lstsq(turns / scale, residual, rcond=1e-8)[0] / scale
        X = look.X + (residual - (moves + turns) @ gamma).reshape(look.X.shape)
        return X - X.mean(axis=0) if np.isfinite(X).all() else None
