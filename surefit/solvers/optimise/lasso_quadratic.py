"""A quadratic function with an L1 penalty, solved to rounding:

    min over z of  q(z) = g·(z − u) + ½ (z − u)ᵀH(z − u) + Σ tⱼ |zⱼ| ,        tⱼ ≥ 0, zero where zⱼ is free.

Two kinds of moves, neither of which ever raises q, take turns. Sweeps of coordinate descent find which entries are
zero. With the signs fixed, q is quadratic in the rest: one linear system leads to its minimum. Where entries would
change their sign on the way, either all of these become zero or the move ends at the lowest point of q along it,
whichever is lower (the feature-sign search of Lee, Battle, Raina and Ng, 2006). The answer is reached when no sign had
to change and the gradient r = g + H(z − u) has |rⱼ| ≤ tⱼ at every zero.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from surefit import _native

DAMPING = 1e-12
"""Share of the diagonal that is added to it: directions without curvature are not followed to infinity."""
SWEEPS, QUIET = 100, 5
"""Sweeps before a linear system is solved: at most, and those without a change of sign that are enough."""


def minimize_lasso(
    H: np.ndarray,
    g: np.ndarray,
    u: np.ndarray,
    t: np.ndarray,
    rounds: int,
    without_flat_moves: Callable[[np.ndarray], np.ndarray] = lambda z: z,
) -> np.ndarray:
    """z after at most so many rounds; entries without curvature stay, or are zero if they are penalised.

    `without_flat_moves` may know moves along which q is best searched for by itself (those that H does not notice).
    """
    diagonal = np.diagonal(H).copy()
    alive = diagonal > 0
    H, t = np.array(H, order="C"), np.ascontiguousarray(t)
    H[~alive] = H[:, ~alive] = 0.0
    H[np.diag_indices_from(H)] = np.where(alive, diagonal * (1 + DAMPING), 1.0)
    g = np.where(alive, g, 0.0)
    u = np.where(alive | (t == 0), u, 0.0)
    z = u.copy()
    slack = 1e-14 * np.sqrt(np.diagonal(H)) * (np.abs(g) / np.sqrt(np.diagonal(H))).max(initial=0.0)
    r = g.copy()
    crossed = False
    for _ in range(rounds):
        if not crossed:  # entries that leave zero do so from the minimum under the present signs
            _native.lasso_sweeps(H, r, z, t, SWEEPS, QUIET)
            z = without_flat_moves(z)
            r = g + H @ (z - u)
        crossed = _to_minimum(H, r, z, t, alive)
        z = without_flat_moves(z)
        r = g + H @ (z - u)
        wrong = np.where(z != 0, np.abs(r + t * np.sign(z)) - 1e4 * slack, np.abs(r) - t - slack)
        if not crossed and (wrong <= 0).all():
            break
    return z


def _to_minimum(H: np.ndarray, r: np.ndarray, z: np.ndarray, t: np.ndarray, alive: np.ndarray) -> bool:
    """Towards the minimum under the present signs, z in place. Whether signs changed on the way."""
    free = np.flatnonzero(alive & ((z != 0) | (t == 0)))
    if not len(free):
        return False
    scale = 1 / np.sqrt(H[free, free])
    block = H[np.ix_(free, free)]
    factor = _factor(block * scale[:, None] * scale)
    here, wrong = z[free], r[free] + t[free] * np.sign(z[free])
    move = -scale * dpotrs(factor, scale * wrong, lower=0)[0]
    move -= scale * dpotrs(factor, scale * (wrong + block @ move), lower=0)[0]  # once more, for what rounding left
    crossing = (t[free] > 0) & (here * (here + move) <= 0)
    if not crossing.any():
        z[free] = here + move
        return False
    slope, thresholds = r[free], t[free]

    def change(there: np.ndarray) -> float:
        """q(there) − q(here)."""
        v = there - here
        return float(slope @ v + 0.5 * v @ (block @ v) + thresholds @ (np.abs(there) - np.abs(here)))

    along = _along(block, slope, thresholds, here, move, crossing)
    bold = np.where(crossing, 0.0, here + move)
    z[free] = bold if change(bold) < change(along) else along
    return True


def _factor(C: np.ndarray) -> np.ndarray:
    """Cholesky's factor of C, its diagonal of one raised where rounding has left C indefinite.

    With M at least C, the step −M⁻¹r lowers the quadratic function of C from where its gradient is r.
    """
    raised = 0.0
    while True:
        factor, fault = dpotrf(C + raised * np.eye(len(C)), lower=0, clean=0)
        if not fault:
            return factor
        raised = max(100 * raised, 1e-13)


def _along(
    H: np.ndarray, r: np.ndarray, t: np.ndarray, here: np.ndarray, move: np.ndarray, crossing: np.ndarray
) -> np.ndarray:
    """The lowest point of q from `here` along `move`, up to its end.

    The slope of q there is r·v + t·(sign(here) v) + a vᵀHv at the length a, and jumps by 2 t|v| where an entry changes
    its sign: the minimum is where it reaches zero, within a stretch or at a jump, whose entry is then zero.
    """
    entries = np.flatnonzero(crossing)
    lengths = -here[entries] / move[entries]
    order = np.argsort(lengths, kind="stable")
    entries, lengths = entries[order], lengths[order]
    slope, bend = float(r @ move + t @ (np.sign(here) * move)), float(move @ (H @ move))
    for k, length in enumerate(lengths):
        if slope + length * bend >= 0:
            return here - slope / bend * move
        slope += 2 * t[entries[k]] * abs(move[entries[k]])
        if slope + length * bend >= 0:
            there = here + length * move
            there[entries[lengths == length]] = 0.0
            return there
    there = here + min(1.0, -slope / bend) * move if bend > 0 else here + move
    return there
