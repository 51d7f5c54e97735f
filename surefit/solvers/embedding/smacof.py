"""Stress majorization, accelerated, with a stress that never rises.

A step goes from X to the Guttman transform Γ(X). Where the last steps are known the next one is Anderson's: among the
combinations of them the one whose residual Γ(X) − X would be least if Γ were affine. It is taken only if its stress is
not above the present one; else the plain transform is, for which that is a theorem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefit.solvers.embedding.guttman import Look, Stress

MEMORY = 6
"""Steps that Anderson's combination looks back on."""
PLAIN = 3
"""Steps before the first combination."""


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
        there = _step(problem, here, memory if n_iter > PLAIN else None)
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


def _step(problem: Stress, here: Look, memory: _Memory | None) -> Look:
    combined = None if memory is None else memory.combined(here)
    if combined is not None:
        kept = problem.delta
        there = problem.look(combined)
        if there.stress <= here.stress:
            return there
        problem.delta = kept
        memory.clear()
    return problem.look(here.transform)


class _Memory:
    """Differences of the last configurations and of their residuals."""

    def __init__(self) -> None:
        self._last: Look | None = None
        self._moves: list[np.ndarray] = []
        self._turns: list[np.ndarray] = []

    def add(self, look: Look) -> None:
        if self._last is not None:
            move = (look.X - self._last.X).ravel()
            self._moves.append(move)
            self._turns.append((look.transform - self._last.transform).ravel() - move)
            del self._moves[:-MEMORY], self._turns[:-MEMORY]
        self._last = look

    def clear(self) -> None:
        self._moves, self._turns = [], []

    def combined(self, look: Look) -> np.ndarray | None:
        """Γ(X) − (ΔX + ΔF) γ with γ = argmin ‖F − ΔF γ‖,  F = Γ(X) − X"""
        if not self._turns:
            return None
        turns, moves = np.column_stack(self._turns), np.column_stack(self._moves)
        residual = (look.transform - look.X).ravel()
        scale = np.linalg.norm(turns, axis=0)
        if not (scale > 0).all():
            return None
        gamma = np.linalg.lstsq(turns / scale, residual, rcond=1e-8)[0] / scale
        X = look.transform - ((moves + turns) @ gamma).reshape(look.X.shape)
        return X - X.mean(axis=0) if np.isfinite(X).all() else None
