"""Proposals for the checker of logistic regression without a penalty: coordinates of even curvature, separating rays.

Nothing here is trusted: a poor proposal makes a bound loose, it cannot make a claim false.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Rows
from surefit.certificates.search.linear.logistic import MOST_ACTIVE, moved
from surefit.certificates.theorems.log_loss.log_loss import LogLoss, probabilities
from surefit.certificates.theorems.log_loss.log_loss_free import Coordinates

MOST_COLUMNS = 3000  # of coordinates


def coordinates(task: LogLoss, near: F64, group: NDArray[np.intp]) -> Coordinates | None:
    """T with Σ ω (min p) T'aa'T = I on the directions that rows have; None where columns are too many."""
    d1 = near.shape[1]
    if d1 > MOST_COLUMNS:
        return None
    R = np.zeros((0, d1))
    for A, code, omega in task.rows():
        P = probabilities(task.scores(A, code, near)[0])
        low = np.where(np.isin(code, group), omega * P[:, group].min(axis=1), 0.0)
        R = np.asarray(np.linalg.qr(np.vstack([R, np.sqrt(low)[:, None] * task.points(A)]), mode="r"))
    norms = np.linalg.norm(R, axis=0)
    if not (np.isfinite(norms).all() and norms.any()):
        return None
    scale = np.where(norms > 0, norms, 1.0)
    S, Vt = np.linalg.svd(R / scale, full_matrices=False)[1:]
    keep = S > 1e-12 * S[0]
    return Coordinates((Vt[keep] / S[keep, None] / scale).T, Vt[keep] * S[keep, None] * scale)


def groups_of(tied: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The number of every class's group: classes that are tied with each other, directly or through others."""
    number = np.arange(len(tied))
    for _ in range(len(tied)):
        for i, j in np.argwhere(tied):
            number[[i, j]] = min(number[i], number[j])
    return number


def separating_rays(task: LogLoss, theta: F64, near: F64, going: F64) -> list[F64]:
    """Directions along which no row's own class may lose: the coefficients, and where Newton's steps go."""
    cleared = moved(task, clear_ties(task, moved(task, going, 1.0)), -1.0)
    return [near, going, cleared, without_noise(task, cleared), theta]


def without_noise(task: LogLoss, ray: F64) -> F64:
    """The ray less entries that move no row by more than rounding, next to what others move: ties become exact."""
    most = np.zeros(ray.shape[1])
    for X, _, _ in task.blocks:
        entries = np.zeros(X.shape[1])
        if isinstance(X, Rows):
            np.maximum.at(entries, X.indices, np.abs(X.data))
        else:
            entries = np.abs(X).max(axis=0, initial=0.0)
        most = np.maximum(most, np.append(entries, 1.0))
    moves = np.abs(ray) * most
    return np.where(moves > 1e-13 * moves.max(), ray, 0.0)


def clear_ties(task: LogLoss, move: F64) -> F64:
    """A direction, in (w, b + m·w), less what it does to pairs that it hardly moves: ties become exact."""
    k, d1 = move.shape
    if k * d1 > MOST_ACTIVE:
        return move
    biggest, norms = 0.0, np.full(d1, 1e-300)
    for A, code, omega in task.rows():
        gain, _, _ = task.gains(A, code, moved(task, move, -1.0))
        biggest = max(biggest, float(np.abs(gain[omega > 0]).max(initial=0.0)))
        norms = np.maximum(norms, np.abs(task.points(A)).max(axis=0, initial=0.0))
    T = np.zeros((0, k * d1))
    for A, code, omega in task.rows():
        gain, _, _ = task.gains(A, code, moved(task, move, -1.0))
        i, other = np.nonzero((omega > 0)[:, None] & (np.abs(gain) < 1e-4 * biggest) & (np.arange(k) != code[:, None]))
        B = task.points(A)[i] / norms
        rows = np.zeros((i.size, k, d1))
        rows[np.arange(i.size), code[i]] = B
        rows[np.arange(i.size), other] -= B
        T = np.asarray(np.linalg.qr(np.vstack([T, rows.reshape(i.size, k * d1)]), mode="r"))
    if not T.size:
        return move
    S, Vt = np.linalg.svd(T, full_matrices=False)[1:]
    V = Vt[S > 1e-10 * S[0]] if S.size and S[0] > 0 else Vt[:0]
    flat = (move * norms).reshape(-1)
    flat = flat - V.T @ (V @ flat)
    return (flat - V.T @ (V @ flat)).reshape(k, d1) / norms
