"""Proposals for the checker of logistic regression without a penalty: coordinates of even curvature, separating rays.

Nothing here is trusted: a poor proposal makes a bound loose, it cannot make a claim false.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.search.linear.even_coordinates import even_coordinates
from surefit.certificates.search.linear.logistic import MOST_ACTIVE, moved, refine
from surefit.certificates.theorems.log_loss.log_loss import TIE, LogLoss, probabilities
from surefit.certificates.theorems.log_loss.log_loss_free import Coordinates, free_least

MOST_COLUMNS = 3000  # of coordinates
SHARES = 10.0 ** -np.arange(1.0, 9.0)


def coordinates(task: LogLoss, near: F64) -> Coordinates:
    """T with Σ ω (min p) T'aa'T = I on the directions that rows have; nothing where columns are too many."""
    d1 = near.shape[1]
    nothing = Coordinates(np.zeros(len(near), dtype=bool), np.zeros((d1, 0)), np.zeros((0, d1)))
    if d1 > MOST_COLUMNS:
        return nothing
    group = nothing.group.copy()
    for A, code, _ in task.rows():
        compared = np.isfinite(task.scores(A, code, near)[0])
        group |= compared[compared.sum(axis=1) > 1].any(axis=0)
    R = np.zeros((0, d1))
    for A, code, omega in task.rows():
        P = probabilities(task.scores(A, code, near)[0])
        low = omega * P[:, group].min(axis=1, initial=1.0)
        R = np.asarray(np.linalg.qr(np.vstack([R, np.sqrt(low)[:, None] * A]), mode="r"))
    T, back = even_coordinates(R)
    return Coordinates(group, T, back)


def propose_rays(task: LogLoss, theta: F64, stated: F64 | None) -> list[F64]:
    """A ray along which no row's own class loses and many gain; nothing if that is the stated one.

    Nothing where a minimum can be proved to exist, or no ray was found.
    """
    ray: F64 | None = theta if stated is None else stated
    left = _tied(task, theta if stated is None else stated)
    if stated is None and left:
        ray, left = None, -1
    while left:
        rest = task if ray is None else replace(task, ray=ray)
        near, going = refine(rest, theta)
        if free_least(rest, near, coordinates(rest, near))[0] > 0:
            break
        cleared = moved(task, clear_ties(rest, moved(task, going, 1.0)), -1.0)
        more = [theta, near, going, cleared, without_noise(task, cleared)]
        found = more if ray is None else [_sum(task, ray, other, share) for other in more for share in SHARES]
        tied = sorted((count, i) for i, other in enumerate(found) if (count := _tied(task, other)) >= 0)
        if not tied or (ray is not None and tied[0][0] >= left):
            break
        left, i = tied[0]
        ray = found[i]
    return [] if ray is None or ray is stated else [ray]


def _sum(task: LogLoss, ray: F64, other: F64, share: float) -> F64:
    """The ray, and a share of another direction, by what each moves a row at most."""
    sizes = []
    for v in (ray, other):
        gains = [np.abs(task.gains(A, code, v)[0]).max(initial=0.0) for A, code, _ in task.rows()]
        sizes.append(max(*gains, 1e-300))
    return ray / sizes[0] + share * other / sizes[1]


def _tied(task: LogLoss, ray: F64) -> int:
    """Pairs of rows and classes that the ray leaves tied; −1 if it is none."""
    gained, tied, loss = 0, 0, 0.0
    for A, code, _ in task.rows():
        gain, rounding, size = task.gains(A, code, ray)
        gains = gain > np.maximum(rounding, TIE * size)
        gains[np.arange(code.size), code] = True
        lost = np.where(gains, 0.0, (rounding - gain) / np.where(size > 0, size, 1.0))
        loss = float(np.maximum(loss, lost.max(initial=0.0)))
        gained, tied = gained + int(np.count_nonzero(gains)) - code.size, tied + int(np.count_nonzero(~gains))
    return tied if gained and loss <= TIE else -1


def without_noise(task: LogLoss, ray: F64) -> F64:
    """The ray less entries that move no row by more than rounding, next to what others move: ties become exact."""
    most = np.ones(ray.shape[1])
    for A, _, _ in task.rows():
        most[:-1] = np.maximum(most[:-1], np.abs(A[:, :-1] + task.shift).max(axis=0, initial=0.0))
    moves = np.abs(ray) * most
    return np.where(moves > 1e-13 * moves.max(), ray, 0.0)


def clear_ties(task: LogLoss, move: F64) -> F64:
    """A direction, in (w, b + m·w), less what it does to pairs that it hardly moves: ties become exact."""
    k, d1 = move.shape
    if k * d1 > MOST_ACTIVE:
        return move
    biggest, norms = 0.0, np.full(d1, 1e-300)
    for A, code, _ in task.rows():
        gain, _, _ = task.gains(A, code, moved(task, move, -1.0))
        biggest = max(biggest, float(np.abs(gain).max(initial=0.0)))
        norms = np.maximum(norms, np.abs(A).max(axis=0, initial=0.0))
    T = np.zeros((0, k * d1))
    for A, code, _ in task.rows():
        gain, _, _ = task.gains(A, code, moved(task, move, -1.0))
        gain = np.where(np.isfinite(task.scores(A, code, 0.0 * move)[0]), gain, np.inf)  # of what is tied
        i, other = np.nonzero((np.abs(gain) < 1e-4 * biggest) & (np.arange(k) != code[:, None]))
        B = A[i] / norms
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
