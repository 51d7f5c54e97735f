"""The last digits of a box-constrained dual: with the variables at their bounds fixed, the others solve equations.

With f the free places, the minimum over them is the saddle point

    K_ff δ + c 1 = −F_f ,   1·δ = 0 ,

two solves with Cholesky's factor of K_ff. Where a variable would cross its bound on the way, the move ends there, the
variable stays at the bound and the rest is solved again.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from surefit.solvers.optimise.smo_gap import Box

SINGULAR = 512
"""Free variables up to which a singular K_ff is solved by its eigenvalues."""
EIGEN_SHARE = 1e-13
"""Eigenvalues below this share of the largest, times the order, count as zero."""
RELATIVE_PIVOT = 1e-7
"""The smallest diagonal entry of Cholesky's factor, relative to the largest, of a system that is worth solving."""
ROUNDS = 30


def free_minimum(K: np.ndarray, box: Box, places: np.ndarray, beta: np.ndarray, F: np.ndarray) -> np.ndarray | None:
    """β with the entries at `places` at their minimum, the others as they are; None where no digits are to be had.

    K is the Gram matrix of `places`, all of which are free, F the gradient at them.
    """
    low, high = box.low[places], box.high[places]
    here, slope = beta[places], F
    inside = np.arange(len(places))
    for _ in range(ROUNDS):
        if len(inside) < 2:
            break
        move = _saddle_move(K[np.ix_(inside, inside)], slope[inside])
        if move is None:
            return None
        share, stopped = _share(here[inside], move, low[inside], high[inside])
        change = np.zeros(len(places))
        change[inside] = share * move
        here = np.minimum(np.maximum(here + change, low), high)
        here[inside[stopped]] = np.where(move[stopped] > 0, high[inside[stopped]], low[inside[stopped]])
        if not stopped.any():
            break
        slope = F + K @ (here - beta[places])
        inside = inside[~stopped]
    out = beta.copy()
    out[places] = here
    return out


def _share(here: np.ndarray, move: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[float, np.ndarray]:
    """The share of the move up to the first bound, and who is stopped there."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(move > 0, (high - here) / move, np.where(move < 0, (low - here) / move, np.inf))
    share = float(min(shares.min(initial=np.inf), 1.0))
    return share, shares <= (share if share < 1.0 else -1.0)


def _saddle_move(K: np.ndarray, F: np.ndarray) -> np.ndarray | None:
    """δ; None if K has no factor that can be trusted."""
    F = F - F.mean()
    factor, fault = dpotrf(K, lower=0, clean=0)
    pivots = np.diagonal(factor)
    if fault or pivots.min() < RELATIVE_PIVOT * pivots.max():
        return _flat_move(K, F) if len(F) <= SINGULAR else None
    first = dpotrs(factor, F, lower=0)[0]
    ones = dpotrs(factor, np.ones(len(F)), lower=0)[0]
    move = (first.sum() / ones.sum()) * ones - first
    return move if np.isfinite(move).all() else None


def _flat_move(K: np.ndarray, F: np.ndarray) -> np.ndarray | None:
    """The shortest δ for a singular K: nothing is changed where K has no curvature among moves with 1·δ = 0."""
    centered = K - K.mean(axis=0)
    centered -= centered.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh(centered)
    if values[0] < -1e-9 * values[-1] or not values[-1] > 0:
        return None
    kept = values > EIGEN_SHARE * len(F) * values[-1]
    move = -vectors[:, kept] @ ((vectors[:, kept].T @ F) / values[kept])
    return move - move.mean()
