"""The last digits of a box-constrained dual: with the variables at their bounds fixed, the others solve equations.

With f the free places, the minimum over them is the saddle point

    K_ff δ + c 1 = −F_f ,   1·δ = 0 ,

two solves with Cholesky's factor of K_ff. Where a variable would cross its bound on the way, the move ends there, the
variable stays at the bound and the rest is solved again. Where K_ff is singular, D is linear along directions that it
does not notice: as long as D falls along one of them the move follows it, to the first bound.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from surefit.solvers.optimise.smo_gap import Box

SINGULAR = 160
"""A singular K_ff is worked on by its eigenvalues, in parts of at most so many variables."""
EIGEN_SHARE = 1e-13
"""Eigenvalues below this share of the largest, times the order, count as zero."""
FLAT_SHARE = 1e-6
"""What K does not notice of F counts above this share of it."""
RELATIVE_PIVOT = 1e-7
"""The smallest diagonal entry of Cholesky's factor, relative to the largest, of a system that is worth solving."""
ROUNDS = 30


def free_minimum(K: np.ndarray, box: Box, places: np.ndarray, beta: np.ndarray, F: np.ndarray) -> np.ndarray | None:
    """β with the entries at `places` at their minimum, the others as they are; None where no digits are to be had.

    K is the Gram matrix of `places`, all of which are free, F the gradient at them.
    """
    if len(places) < 2:
        return None
    low, high = box.low[places], box.high[places]
    here, slope = beta[places], F
    inside = np.arange(len(places))
    for _ in range(ROUNDS):
        if len(inside) < 2:
            break
        stopped = np.zeros(len(places), bool)
        moved = _regular(K[np.ix_(inside, inside)], slope[inside], here[inside], low[inside], high[inside])
        if moved is not None:
            here[inside], stopped[inside] = moved
        else:
            for part in np.array_split(inside, -(-len(inside) // SINGULAR)):
                moved = _singular(K[np.ix_(part, part)], slope[part], here[part], low[part], high[part])
                if moved is None:
                    return None
                here[part], stopped[part] = moved
                slope = F + K @ (here - beta[places])
        if not stopped.any():
            break
        slope = F + K @ (here - beta[places])
        inside = inside[~stopped[inside]]
    out = beta.copy()
    out[places] = here
    return _balanced(out, places, low, high)


def _balanced(beta: np.ndarray, places: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Σ β = 0 to the last digit: what rounding has left of it goes to the entry farthest from its bounds."""
    farthest = int(np.argmax(np.minimum(beta[places] - low, high - beta[places])))
    value = beta[places[farthest]] - math.fsum(beta)
    if low[farthest] <= value <= high[farthest]:
        beta[places[farthest]] = value
    return beta


Moved = tuple[np.ndarray, np.ndarray]
"""The entries after a move, and which of them are at a bound now."""


def _regular(K: np.ndarray, F: np.ndarray, here: np.ndarray, low: np.ndarray, high: np.ndarray) -> Moved | None:
    """To the saddle point or the first bound; None if K has no factor that can be trusted."""
    factor, fault = dpotrf(K, lower=0, clean=0)
    pivots = np.diagonal(factor)
    if fault or pivots.min() < RELATIVE_PIVOT * pivots.max():
        return None
    first = dpotrs(factor, F - F.mean(), lower=0)[0]
    ones = dpotrs(factor, np.ones(len(F)), lower=0)[0]
    move = (first.sum() / ones.sum()) * ones - first
    return _towards(move - move.mean(), here, low, high, 1.0)  # 1·δ = 0 to the last digit, whatever K's condition


def _singular(K: np.ndarray, F: np.ndarray, here: np.ndarray, low: np.ndarray, high: np.ndarray) -> Moved | None:
    """Along what K does not notice, among moves with 1·δ = 0, from bound to bound; then the shortest to the minimum."""
    F = F - F.mean()
    centered = K - K.mean(axis=0)
    centered -= centered.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh(centered)
    if values[0] < -1e-9 * values[-1]:
        return None
    kept = values > EIGEN_SHARE * len(F) * values[-1]
    flat = _without(vectors[:, ~kept], vectors[:, ~kept].sum(axis=0))
    stopped = np.zeros(len(F), bool)
    while flat.shape[1]:
        move = -flat @ (flat.T @ F)
        move[stopped] = 0.0
        if float(np.abs(move).max()) <= FLAT_SHARE * float(np.abs(F).max()):
            break
        here, now = _towards(move, here, low, high, np.inf)
        if not now.any():
            break
        stopped |= now
        for entry in np.flatnonzero(now):
            flat = _without(flat, flat[entry])
    if stopped.any():
        return here, stopped
    shares = (vectors[:, kept].T @ F) / values[kept]
    move = -vectors[:, kept] @ shares
    return _towards(move - move.mean(), here, low, high, 1.0)


def _without(basis: np.ndarray, u: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the combinations c of the columns with u·c = 0 (Householder's reflection)."""
    size = float(np.linalg.norm(u))
    if size <= 1e-12:
        return basis
    u = u / size
    u[-1] += np.copysign(1.0, u[-1])
    return (basis - np.outer(basis @ u, u * (2 / float(u @ u))))[:, :-1]


def _towards(move: np.ndarray, here: np.ndarray, low: np.ndarray, high: np.ndarray, most: float) -> Moved:
    """here + share · move with the largest share ≤ `most` that meets no bound on the way."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(move > 0, (high - here) / move, np.where(move < 0, (low - here) / move, np.inf))
    share = max(float(shares.min(initial=np.inf)), 0.0)
    if not share < most:
        return (np.minimum(np.maximum(here + most * move, low), high) if most < np.inf else here), shares < 0
    stopped = shares <= share
    there = np.minimum(np.maximum(here + share * move, low), high)
    return np.where(stopped, np.where(move > 0, high, low), there), stopped
