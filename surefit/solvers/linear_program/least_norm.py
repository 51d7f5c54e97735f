"""Of all optimal points of a linear program, the one of least norm ‖w‖: the answer does not depend on the order of
rows, and a row of weight two is a row repeated.

Any optimal dual a describes all optimal points: rᵢ = 0 where a is between its bounds, rᵢ ≥ 0 where it is at the upper,
rᵢ ≤ 0 where it is at the lower one. The least norm over this polyhedron is found with a growing set of working
constraints; each small problem

    min ‖x‖²  such that  G x ≥ f,  E x = e

is a least distance problem (Lawson and Hanson, Solving least squares problems, chapter 23).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.optimize import nnls

from surefit.solvers.linear_program.exact_basis import rows_times
from surefit.solvers.linear_program.scaled_rows import ScaledRows, nearly_dependent
from surefit.solvers.numerics import twofold

ROUNDS = 200
ROUNDS_OF_REFINEMENT = 3
MANY = 10


class Optimum(NamedTuple):
    """Everything about the optimal set: rows of A, the penalty's own rows, and where each dual is."""

    rows: ScaledRows
    y: np.ndarray
    equal: np.ndarray
    """Row numbers with r = 0."""
    side: np.ndarray
    """(n,) +1: r ≥ 0, −1: r ≤ 0, 0: equal, or no condition."""
    zero: np.ndarray
    """Coefficients that must be zero."""
    signs: np.ndarray
    """(d,) +1: w ≥ 0, −1: w ≤ 0, 0: free."""


def least_norm(optimum: Optimum, beta: np.ndarray) -> tuple[np.ndarray, float] | None:
    """Coefficients (about the center) and the intercept there, of least norm; None where the optimal point is unique.

    `beta` is one optimal point, in the units of A.
    """
    rows, y = optimum.rows, optimum.y
    free = np.setdiff1d(np.arange(rows.d), optimum.zero)
    if rows.fit_intercept:
        free = free[~rows.constant[free]]
    E = _bare(rows, optimum.equal, free)
    e = y[optimum.equal]
    units = np.append(rows.scale[free], np.ones(int(rows.fit_intercept)))
    if E.shape[1] == 0:
        return None
    if len(E) >= E.shape[1] and _rank(E / units) >= E.shape[1]:
        return None
    start_coef, _ = rows.in_users_units(beta)
    start = np.append(start_coef[free], beta[-1:] if rows.fit_intercept else [])
    size = float(np.median(rows.scale[free])) if len(free) else 1.0
    work_rows = np.zeros(0, dtype=np.intp)
    work_signs = np.zeros(0, dtype=np.intp)
    sides = optimum.side
    best: np.ndarray | None = None
    signs = optimum.signs[free]
    for _ in range(ROUNDS):
        G = np.vstack([sides[work_rows, None] * -_bare(rows, work_rows, free), _unit(work_signs, signs, E.shape[1])])
        f = np.append(-sides[work_rows] * y[work_rows], np.zeros(len(work_signs)))
        point = _least_distance(E, e, G, f, start, rows.fit_intercept, size)
        if point is None:
            break
        coef = np.zeros(rows.d)
        coef[free] = point[: len(free)]
        r = y - _product(rows, coef, point)
        if rows.fit_intercept:
            point = point.copy()
            r, shift = _middle(r, optimum)
            point[-1] += shift
        tolerance = 1e-11 * (np.abs(y) + np.abs(y - r) + np.abs(y).mean())
        bad = -sides * r - tolerance
        wrong = np.flatnonzero(bad > 0)
        wrong_signs = np.flatnonzero(signs * point[: len(free)] < -1e-12 * np.abs(point[: len(free)]).max(initial=0.0))
        new = np.setdiff1d(wrong, work_rows)
        new_signs = np.setdiff1d(wrong_signs, work_signs)
        if not len(new) and not len(new_signs):
            best = point if not len(wrong) and not len(wrong_signs) else None
            break
        worst = new[np.argsort(-bad[new], kind="stable")[:MANY]]
        work_rows = np.append(work_rows, worst)
        work_signs = np.append(work_signs, new_signs[:MANY])
    return None if best is None else _split(best, free, rows)


def _rank(M: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(M, rtol=nearly_dependent(sum(M.shape))))


def _bare(rows: ScaledRows, which: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Rows of A in the user's units about the center, for the free columns."""
    whole = rows.take(which, scaled=False, every_column=True)
    keep = np.append(free, [rows.d] if rows.fit_intercept else []).astype(np.intp)
    return whole[:, keep]


def _unit(which: np.ndarray, signs: np.ndarray, width: int) -> np.ndarray:
    G = np.zeros((len(which), width))
    G[np.arange(len(which)), which] = signs[which]
    return G


def _product(rows: ScaledRows, coef: np.ndarray, point: np.ndarray) -> np.ndarray:
    """A times a point given in the user's units about the center."""
    columns = rows.columns
    try:
        rows.columns = np.arange(rows.d)
        return rows.times(np.append(coef * rows.scale, point[-1:] if rows.fit_intercept else []))
    finally:
        rows.columns = columns


def _middle(r: np.ndarray, optimum: Optimum) -> tuple[np.ndarray, float]:
    """Where only the intercept is left free, the middle of its interval: as the median of an even number of values."""
    if len(optimum.equal):
        return r, 0.0
    sides, sign = optimum.side, optimum.rows.sign
    slope = np.ones(len(r)) if sign is None else sign
    # A shift δ of the intercept makes the residual r − δ σ; conditions side·(r − δ σ) ≥ 0.
    upper = sides * slope > 0
    lower = sides * slope < 0
    if not upper.any() or not lower.any():
        return r, 0.0
    high, low = float((r * slope)[upper].min()), float((r * slope)[lower].max())
    if not high >= low:
        return r, 0.0
    shift = (high + low) / 2
    return r - shift * slope, shift


def _least_distance(
    E: np.ndarray, e: np.ndarray, G: np.ndarray, f: np.ndarray, start: np.ndarray, with_intercept: bool, size: float
) -> np.ndarray | None:
    """min ‖w‖² such that E x = e and G x ≥ f, x = (w, intercept): first which constraints bind, then exactly."""
    k = E.shape[1] - with_intercept
    if len(G) == 0:
        return _equality(E, e, k, start)
    point = _equality(E, e, k, start)
    if point is not None and (G @ point - f >= -1e-12 * (np.abs(G) @ np.abs(point) + np.abs(f))).all():
        return point
    # A small price on the intercept makes the problem strictly convex; it only serves to find what binds.
    weights = np.append(np.full(k, 1.0), np.full(int(with_intercept), 1e-3 / size))
    Q = _span(np.vstack([E, G])[:, :k])
    small = np.hstack([np.vstack([E, G])[:, :k] @ Q, np.vstack([E, G])[:, k:]])
    weights = np.append(np.ones(Q.shape[1]), weights[k:])
    small = small / weights
    e_rows, g_rows = small[: len(E)], small[len(E) :]
    if len(E):
        particular = np.linalg.lstsq(e_rows, e, rcond=1e-12)[0]
        null = scipy.linalg.null_space(e_rows, rcond=1e-10)
    else:
        particular, null = np.zeros(small.shape[1]), np.eye(small.shape[1])
    if null.shape[1] == 0:
        return None
    H, c = g_rows @ null, f - g_rows @ particular
    norms = _lengths(H)
    open_rows = np.flatnonzero(norms > 1e-10 * _lengths(g_rows))  # the others follow from E x = e
    if not len(open_rows):
        return None
    H, c = H[open_rows] / norms[open_rows, None], c[open_rows] / norms[open_rows]
    unit = float(np.abs(c).max()) or 1.0
    system = np.vstack([H.T, c / unit])
    target = np.append(np.zeros(len(H.T)), 1.0)
    multipliers, residual = nnls(system, target)
    if residual < 1e-12:
        return None
    binding = open_rows[multipliers > 1e-13 * multipliers.max(initial=0.0)]
    return _equality(np.vstack([E, G[binding]]), np.append(e, f[binding]), k, start)


def _lengths(M: np.ndarray) -> np.ndarray:
    """‖row‖ of every row, where squares may be beyond floating point."""
    largest = np.abs(M).max(axis=1, initial=0.0)
    largest = np.where(largest > 0, largest, 1.0)
    return largest * np.linalg.norm(M / largest[:, None], axis=1)


def _span(M: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the row space."""
    if M.shape[0] == 0 or M.shape[1] == 0:
        return np.zeros((M.shape[1], 0))
    Q, R, _ = scipy.linalg.qr(M.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    return Q[:, diagonal > 1e-12 * max(diagonal.max(initial=0.0), 1e-300)]


def _equality(E: np.ndarray, e: np.ndarray, k: int, start: np.ndarray) -> np.ndarray | None:
    """min ‖w‖² such that E x = e with the intercept free; where the conditions leave it free it stays as in `start`."""
    if len(E) == 0:
        return np.append(np.zeros(k), start[k:])
    W, b = E[:, :k], E[:, k:]
    point = np.append(np.zeros(k), start[k:])
    if b.shape[1] and np.abs(b).max() > 0:
        # Eliminate the intercept: what is orthogonal to its column involves w alone.
        Q, _ = scipy.linalg.qr(b)
        least = _minimum_norm((Q.T @ W)[1:])
        for _ in range(ROUNDS_OF_REFINEMENT):
            left = _missing(E, e, point)
            w = least((Q.T @ left)[1:])
            point = point + np.append(w, (b[:, 0] @ (left - W @ w)) / (b[:, 0] @ b[:, 0]))
        return point
    least = _minimum_norm(W)
    point[:k] = 0.0
    for _ in range(ROUNDS_OF_REFINEMENT):
        point[:k] += least(_missing(W, e, point[:k]))
    return point


def _missing(E: np.ndarray, e: np.ndarray, point: np.ndarray) -> np.ndarray:
    """e − E x, summed in twice the precision."""
    if np.abs(E).max(initial=0.0) > 2.0**990:  # halves of larger numbers overflow
        E, point = E / 2.0**100, point * 2.0**100
    product = rows_times(twofold.exact(E), twofold.exact(-point))
    return twofold.add(twofold.exact(e), product).value if E.shape[1] else e


def _minimum_norm(M: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """b ↦ the shortest w with M w = b, for b in the range of M.

    Mᵀ = Q R of independent rows of M and w = Q R⁻ᵀ b. Large columns go first, which keeps the digits of small ones
    (Cox and Higham, 1998); which rows are independent does not depend on units.
    """
    k, d = M.shape
    columns = np.abs(M).max(axis=0, initial=0.0)
    unit = M / np.where(columns > 0, columns, 1.0)
    sizes = np.abs(unit).max(axis=1, initial=0.0)
    if not sizes.any():
        return lambda b: np.zeros(d)
    unit = unit / np.where(sizes > 0, sizes, 1.0)[:, None]
    R, order = scipy.linalg.qr(unit.T, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    rows = order[: int((diagonal > nearly_dependent(k + d) * diagonal[0]).sum())]
    large = np.argsort(-columns, kind="stable")
    Q, R, turn = scipy.linalg.qr(M[np.ix_(rows, large)].T, mode="economic", pivoting=True, check_finite=False)
    rows = rows[turn]

    def shortest(b: np.ndarray) -> np.ndarray:
        w = np.zeros(d)
        w[large] = Q @ scipy.linalg.solve_triangular(R, b[rows], trans="T", check_finite=False)
        return w

    return shortest


def _split(point: np.ndarray, free: np.ndarray, rows: ScaledRows) -> tuple[np.ndarray, float]:
    coef = np.zeros(rows.d)
    coef[free] = point[: len(free)]
    return coef, float(point[-1]) if rows.fit_intercept else 0.0
