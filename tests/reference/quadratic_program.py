"""A plain primal-dual interior-point method for the dual of a support vector machine:

min over β of  ½ βᵀKβ + q·β ,     Σ β = 0 ,     low ≤ β ≤ high  (all bounds finite, those with low = high left out).

Newton's method on the conditions  Kβ + q + b − z + w = 0 ,  Σ β = 0 ,  z (β − low) = μ ,  w (high − β) = μ  with μ → 0
(Mehrotra's step lengths and centering). No code is shared with the package.
"""

from __future__ import annotations

import numpy as np


def interior_point(K, q, low, high, rounds=200, goal=1e-13):
    """(β, bias) with a relative complementarity of about `goal`."""
    moving = high > low
    beta = np.where(moving, 0.0, low)
    inner, bias = _solve(
        K[np.ix_(moving, moving)],
        (q + K @ beta)[moving],
        low[moving],
        high[moving],
        -float(beta.sum()),
        rounds,
        goal,
    )
    beta[moving] = inner
    return beta, bias


def _solve(K, q, low, high, total, rounds, goal):
    n = len(q)
    beta, b = 0.5 * (low + high), 0.0
    scale = 1.0 + np.abs(q).max(initial=0.0) + np.abs(K @ beta).max(initial=0.0)
    z, w, down, up = np.full(n, scale), np.full(n, scale), beta - low, high - beta
    for _ in range(rounds):
        dual = K @ beta + q + b - z + w
        primal = beta.sum() - total
        mu = float(z @ down + w @ up) / (2 * n)
        value = abs(float(0.5 * beta @ K @ beta + q @ beta)) + 1e-300
        if 2 * n * mu <= goal * value and np.abs(dual).max() <= goal * scale * 10:
            break
        H = K + np.diag(z / down + w / up)
        move = _newton(H, dual, primal, down, up, z, w, 0.0)
        lengths = _length(move, down, up, z, w)
        after = (z + lengths * move[2]) @ (down + lengths * move[0]) + (w + lengths * move[3]) @ (
            up - lengths * move[0]
        )
        sigma = (after / (2 * n) / mu) ** 3
        move = _newton(H, dual, primal, down, up, z, w, max(sigma, 1e-6) * mu)
        length = min(1.0, 0.995 * _length(move, down, up, z, w))
        beta, b, z, w = beta + length * move[0], b + length * move[1], z + length * move[2], w + length * move[3]
        down, up = down + length * move[0], up - length * move[0]  # not from β, where rounding makes them zero
    return beta, b


def _newton(H, dual, primal, down, up, z, w, mu):
    right = -(dual + z - mu / down - w + mu / up)
    first, ones = np.linalg.solve(H, np.column_stack([right, np.ones(len(right))])).T
    db = (first.sum() + primal) / ones.sum()
    d = first - db * ones
    return d, db, (mu - z * d) / down - z, (mu + w * d) / up - w


def _length(move, down, up, z, w):
    d, _, dz, dw = move
    length = 1.0
    for slack, change in ((down, d), (up, -d), (z, dz), (w, dw)):
        falling = change < 0
        if falling.any():
            length = min(length, float((-slack[falling] / change[falling]).min()))
    return length


def primal_cost(K, signs, linear, upper, beta, bias):
    """½ βᵀKβ + Σ U max(0, −(p + s (Kβ + b))): the machine's own objective."""
    f = K @ beta + bias
    return 0.5 * beta @ K @ beta + upper @ np.maximum(0.0, -(linear + signs * f))
