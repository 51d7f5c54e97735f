"""Proposals for the checker of logistic regression without a penalty: coordinates of even curvature, separating rays.

Nothing here is trusted: a poor proposal makes a bound loose, it cannot make a claim false.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Rows
from surefit.certificates.search.logistic import FAR, MOST_ACTIVE, moved, newton, without_weight
from surefit.certificates.search.logistic_loss import Loss, along, probabilities, with_rays
from surefit.certificates.theorems.log_loss.log_loss import LogLoss
from surefit.certificates.theorems.log_loss.log_loss_free import TIE, distance

MOST_COLUMNS = 3000  # of coordinates


class Proposal(NamedTuple):
    near: F64  # a point near the infimum
    ray: F64 | None  # the way to go along rays until the probabilities of all that they separate vanish
    group: NDArray[np.bool_]  # classes that are left tied
    T: F64  # coordinates in which the curvature is about one
    P: F64  # its pseudo-inverse


def propose(task: LogLoss, theta: F64, stated: F64 | None) -> Proposal:
    """Rays, the stated one first, until what they leave tied has a minimum, or no further ray is found."""
    rest, rays = with_rays(task), list[F64]()
    first = theta if stated is None else stated
    if is_ray(rest, first) and (stated is not None or not along(rest, first).tied.any()):
        rays.append(first)
    while True:
        rest = replace(rest, rays=tuple(rays))
        tied = along(rest, 0.0 * theta).tied
        group = np.asarray(tied.any(axis=0) | tied.any(axis=1))
        near, going = newton(rest, theta) if group.any() else (theta, theta)
        way = far_along(rest, [theta, near]) if rays else None
        T, P = coordinates(rest, near, np.flatnonzero(group)) if group.any() else (np.zeros((theta.shape[1], 0)),) * 2
        found = Proposal(without_weight(rest, near if way is None else near + way), way, group, T, P)
        if not group.any() or np.isfinite(distance(task, found.near, group, T, P)[0]):
            return found
        nearest = next((ray for ray in separating_rays(rest, theta, near, going) if is_ray(rest, ray)), None)
        if nearest is None or len(rays) > len(theta) + theta.size:
            return found
        rays.append(nearest)


def is_ray(rest: Loss, ray: F64) -> bool:
    found = along(rest, ray)
    return found.pairs > 0 and found.loss <= TIE


def far_along(rest: Loss, points: list[F64]) -> F64:
    """The rays added up, each so far that what it separates is FAR apart at all points, in powers of two."""
    way = 0.0 * points[0]
    for j in reversed(range(len(rest.rays))):
        before, factor = replace(rest, rays=rest.rays[:j]), 1e-300
        for A, code, omega in rest.rows():
            gain, rounding, size = (part.reshape(len(part), -1) for part in rest.gains(A, code, rest.rays[j]))
            least = np.min([rest.gains(A, code, point)[0] for point in points], axis=0)
            missing = FAR - np.minimum(least, 0.0) - rest.gains(A, code, way)[0]
            counts = (omega > 0)[:, None] & ~before.separated(A, code) & (gain > np.maximum(rounding, TIE * size))
            factor = max(factor, float((missing / np.where(counts, gain, np.inf)).max(initial=0.0)))
        way = way + 2.0 ** np.ceil(np.log2(factor)) * rest.rays[j]
    return way


def coordinates(task: Loss, near: F64, group: NDArray[np.intp]) -> tuple[F64, F64]:
    """T with Σ ω (min p) T'aa'T = I on the directions that rows have, and P; none where columns are too many."""
    d1 = near.shape[1]
    none = np.zeros((d1, 0)), np.zeros((0, d1))
    if d1 > MOST_COLUMNS:
        return none
    R = np.zeros((0, d1))
    for A, code, omega in task.rows():
        P = probabilities(task.scores(A, code, near)[0])
        low = np.where(np.isin(code, group), omega * P[:, group].min(axis=1), 0.0)
        R = np.asarray(np.linalg.qr(np.vstack([R, np.sqrt(low)[:, None] * task.points(A)]), mode="r"))
    norms = np.linalg.norm(R, axis=0)
    if not (np.isfinite(norms).all() and norms.any()):
        return none
    scale = np.where(norms > 0, norms, 1.0)
    S, Vt = np.linalg.svd(R / scale, full_matrices=False)[1:]
    keep = S > 1e-12 * S[0]
    return (Vt[keep] / S[keep, None] / scale).T, Vt[keep] * S[keep, None] * scale


def separating_rays(task: Loss, theta: F64, near: F64, going: F64) -> list[F64]:
    """Directions along which no row's own class may lose: the coefficients, and where Newton's steps go."""
    cleared = moved(task, clear_ties(task, moved(task, going, 1.0)), -1.0)
    return [near, going, cleared, without_noise(task, cleared), theta]


def without_noise(task: Loss, ray: F64) -> F64:
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


def clear_ties(task: Loss, move: F64) -> F64:
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
