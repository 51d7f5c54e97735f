"""The shortest separator: the hard margin.

    B = min ‖θ‖  such that  aᵢ·θ ≥ 1  for every row                      (θ holds the intercept too)

The dual is the point nearest the origin of the convex hull of the rows, p = Σ λᵢ aᵢ with ‖p‖ = 1/B and θ = p/‖p‖². So
every λ ≥ 0 and every θ with positive margins prove

    Σλ / ‖Σ λᵢ aᵢ‖  ≤  B  ≤  ‖θ‖ / min aᵢ·θ .

Few rows have λ > 0. A working set of rows is solved as a least distance problem (Lawson and Hanson, Solving least
squares problems, chapter 23), the rows that its answer violates most are let in, until the two bounds meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from surefit.solvers.signed_rows import SignedRows

ROUNDS = 300
MOST_ROWS = 3000
"""Rows of the working set beyond which no answer is looked for."""
SMALL_SET = 64
"""Rows let in at a time, at least."""
MEET = 1e-9
"""Relative distance of the bounds at which they have met."""
SETTLED = 1e-5
"""A working set whose answer leaves no row short of its margin by more is solved exactly."""


class Shortest(NamedTuple):
    theta: np.ndarray
    length: float
    """B from above: ‖θ‖ where the smallest margin is 1."""
    lower: float
    """B from below."""
    support: np.ndarray
    """Rows with a multiplier."""
    multipliers: np.ndarray


def shortest_separator(rows: SignedRows, start: np.ndarray) -> Shortest | None:
    """From a θ whose margins are all positive; None where the bounds stay apart by more than rounding should leave."""
    margins = rows.margins(start)
    if not margins.min() > 0:
        return None
    unit = float(np.linalg.norm(start) / margins.min())
    few = max(2 * rows.width, SMALL_SET)
    work = _smallest(margins, few)
    best: Shortest | None = None
    for _ in range(ROUNDS):
        A = rows.take(work)
        solved = _least_distance(A, unit) if len(work) <= MOST_ROWS else None
        if solved is None:
            break
        theta, multipliers = solved
        margins = rows.margins(theta)
        if margins.min() >= 1 - SETTLED:  # nothing to let in but for rounding: exactly, on the rows that hold it
            held = np.flatnonzero(multipliers)
            exact = _on_the_margin(A[held])
            if exact is not None:
                theta, multipliers[held] = exact
                margins = rows.margins(theta)
        length, least = float(np.linalg.norm(A.T @ multipliers)), float(margins.min())
        if not 0 < length < np.inf:
            break
        lower = float(multipliers.sum()) / length
        if least > 0:
            upper = float(np.linalg.norm(theta)) / least
            if best is None or upper / lower < best.length / best.lower:
                held = np.flatnonzero(multipliers)
                best = Shortest(theta / least, upper, lower, work[held], multipliers[held])
            if best.length <= best.lower * (1 + MEET):
                return best
        violated = np.flatnonzero(margins < 1 - MEET / 4)
        new = violated[~np.isin(violated, work)]
        if not len(new):
            break
        if len(work) > 10 * few:
            work = work[multipliers > 0]
        work = np.append(work, new[_smallest(margins[new], few)])
        unit = lower
    return best if best is not None and best.length <= best.lower * (1 + 10 * MEET) else None


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Where the smallest values are, at most `count`; of equal ones the first."""
    among = np.arange(len(values))
    if len(values) > 4 * count:
        among = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
    return among[np.argsort(values[among], kind="stable")[:count]]


def _least_distance(A: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray] | None:
    """min ‖θ‖ such that A θ ≥ 1, `unit` about ‖θ‖: θ = Aᵀ λ and the multipliers λ ≥ 0."""
    G = A.T
    if G.shape[0] > G.shape[1]:  # θ is a combination of the rows: their triangle will do
        G = np.asarray(np.linalg.qr(G, mode="r"))
    t = 1.0 / unit
    system = np.vstack([G, np.full(len(A), t)])
    try:
        multipliers, _ = nnls(system, np.append(np.zeros(len(G)), 1.0))
    except RuntimeError:  # the active set of nearly dependent rows did not settle: no answer rather than a wrong one
        return None
    left = 1.0 - t * multipliers.sum()
    if not (multipliers.any() and left > 0):
        return None
    multipliers = multipliers * (unit / left)
    return A.T @ multipliers, multipliers


def _on_the_margin(A: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The shortest θ with A θ = 1 and its multipliers, A Aᵀ λ = 1; None where rows are dependent or some λ < 0.

    With Aᵀ = Q R it is θ = Q z, Rᵀ z = 1, R λ = z: the sum Aᵀ λ would cancel where R·B is large.
    """
    if len(A) > A.shape[1]:
        return None
    Q, R = np.linalg.qr(A.T)
    diagonal = np.abs(np.diag(R))
    if diagonal.min() <= 1e-13 * diagonal.max():
        return None
    z = np.zeros(len(A))
    for _ in range(3):  # the first answer, and its residual twice
        z = z + solve_triangular(R, 1.0 - A @ (Q @ z), trans="T", check_finite=False)
    multipliers = solve_triangular(R, z, check_finite=False)
    return (Q @ z, multipliers) if (multipliers >= 0).all() else None
