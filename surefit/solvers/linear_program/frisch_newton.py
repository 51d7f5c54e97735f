"""Frisch–Newton: a primal–dual interior point for piecewise linear fits, on the bounded dual.

    primal    min over β of  Σᵢ max(hᵢ rᵢ, lᵢ rᵢ) − g·β          r = y − A β,  l ≤ 0 ≤ h
    dual      max  y·a        such that  Aᵀa = −g,  l ≤ a ≤ h

With s = h − a, t = a − l ≥ 0 and r = u − v, u, v ≥ 0, the central path is uᵢ sᵢ = vᵢ tᵢ = μ cᵢ; cᵢ is the width h − l
relative to its mean, so that a row of weight two is a row repeated. A Newton step solves one p×p system

    (Aᵀ D A) Δβ = Aᵀ D k − ρ          D = 1 / (u/s + v/t)

(Portnoy and Koenker, The Gaussian hare and the Laplacian tortoise, 1997), with Mehrotra's predictor and corrector.
Memory is linear in the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg.blas import dsyrk

from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree

CHUNK = 4096
MOST_STEPS = 60
NOTHING = 1e-290
GAP = 1e-7


class Problem(NamedTuple):
    """One piecewise linear fit with its rows as a dense float64 array."""

    A: np.ndarray
    """(n, p), of full column rank."""
    y: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    g: np.ndarray
    """(p,): Σ aᵢ Aᵢ of rows outside the problem whose dual is fixed."""
    remainder: Callable[[], np.ndarray] | None = None
    """(n, p): what rounding took from A, where that is known."""


class Path(NamedTuple):
    """Where the central path was left."""

    beta: np.ndarray
    importance: np.ndarray
    """D of every row: large where the residual is zero and the dual is between its bounds."""
    steps: int


def weighted_gram(A: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """AᵀDA by chunks of rows, merged in the fixed tree whatever the number of threads."""

    def one(i: int) -> np.ndarray:
        chunk = slice(i * CHUNK, (i + 1) * CHUNK)
        return dsyrk(1.0, (A[chunk] * np.sqrt(weights[chunk, None])).T)

    upper = np.triu(fold_tree(-(-len(A) // CHUNK), one, np.add, threads_for(A.size * A.shape[1])))
    return upper + np.triu(upper, 1).T


def _solver(gram: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Solves with a symmetric positive matrix; its diagonal is lifted where rounding has made it singular."""
    scale = 1 / np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
    scaled = gram * scale[:, None] * scale
    lift = 0.0
    while True:
        try:
            factor = scipy.linalg.cho_factor(scaled + lift * np.eye(len(scaled)), check_finite=False)
        except np.linalg.LinAlgError:
            lift = max(10 * lift, 1e-15)
            if lift > 1e-3:
                raise
            continue
        return lambda b: scale * scipy.linalg.cho_solve(factor, scale * b, check_finite=False)


def _longest(value: np.ndarray, step: np.ndarray) -> float:
    """The longest step ≤ 1 that keeps value + step ≥ 0."""
    falling = step < 0
    return min(1.0, float((value[falling] / -step[falling]).min(initial=np.inf)))


class _System(NamedTuple):
    """The linear system of a step."""

    A: np.ndarray
    D: np.ndarray
    solve: Callable[[np.ndarray], np.ndarray]
    off: np.ndarray
    """y − A β − u + v"""
    missing: np.ndarray
    """−g − Aᵀa"""


def _newton(
    system: _System, at: tuple[np.ndarray, ...], target_u: np.ndarray, target_v: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Steps of β, a, u and v to u s = target_u, v t = target_v, to first order."""
    u, s, v, t = at
    k = system.off - (target_u / s - u) + (target_v / t - v)
    d_beta = system.solve(system.A.T @ (system.D * k) - system.missing)
    d_a = system.D * (k - system.A @ d_beta)
    return d_beta, d_a, (target_u - u * s + u * d_a) / s, (target_v - v * t - v * d_a) / t


def follow_path(problem: Problem, beta: np.ndarray | None = None) -> Path:
    """Follow the central path to a relative gap of 1e-7, where the optimal vertex is in sight."""
    A, y, lo, hi, g = problem[:5]
    width = hi - lo
    share = width / width.mean()
    if beta is None:
        beta = _solver(weighted_gram(A, share))(A.T @ (share * y))
    r = y - A @ beta
    a = np.zeros_like(y) if (lo < 0).all() and (hi > 0).all() else (lo + hi) / 2
    s, t = hi - a, a - lo
    typical = float(np.abs(r).mean())
    lift = max(typical, 1e-10 * float(np.abs(y).mean()))
    lift = lift if lift > NOTHING else 1.0  # a perfect fit of nothing has no scale of its own
    u, v = np.maximum(r, 0) + lift, np.maximum(-r, 0) + lift
    importance = 1 / (u / s + v / t)
    step = 0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for step in range(1, MOST_STEPS + 1):  # noqa: B007
            gap = float(u @ s + v @ t)
            value = float(np.maximum(hi * r, lo * r).sum())
            if not np.isfinite(gap) or gap <= GAP * max(abs(value), 1e-12 * float(np.abs(y) @ width)):
                break
            mu = gap / (2 * len(y))
            missing = -g - A.T @ a
            off = y - A @ beta - u + v
            D = 1 / (u / s + v / t)
            if not np.isfinite(D).all():
                break
            importance = D
            system = _System(A, D, _solver(weighted_gram(A, D)), off, missing)
            at = (u, s, v, t)
            zero = np.zeros_like(y)
            d_beta, d_a, d_u, d_v = _newton(system, at, zero, zero)
            primal = min(_longest(s, -d_a), _longest(t, d_a))
            dual = min(_longest(u, d_u), _longest(v, d_v))
            after = float((u + dual * d_u) @ (s - primal * d_a) + (v + dual * d_v) @ (t + primal * d_a))
            center = mu * max((after / gap) ** 3, 1e-6) * share
            d_beta, d_a, d_u, d_v = _newton(system, at, center + d_u * d_a, center - d_v * d_a)
            primal = 0.9995 * min(_longest(s, -d_a), _longest(t, d_a))
            dual = 0.9995 * min(_longest(u, d_u), _longest(v, d_v))
            if max(primal, dual) < 1e-10:
                break
            a += primal * d_a
            s, t = hi - a, a - lo
            s, t = np.maximum(s, 1e-18 * width), np.maximum(t, 1e-18 * width)
            beta = beta + dual * d_beta
            u, v = u + dual * d_u, v + dual * d_v
            r = y - A @ beta
    return Path(beta, importance, step)
