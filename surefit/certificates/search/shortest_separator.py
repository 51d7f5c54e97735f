"""B, the length of the shortest θ with yᵢx̃ᵢ·θ ≥ 1 for every row, by Wolfe's method for the nearest point of a hull.

1/B is the distance of the hull of the points yᵢx̃ᵢ from the origin. For every point x of the hull,
min yᵢx̃ᵢ·x / ‖x‖ ≤ 1/B ≤ ‖x‖: both ends of the interval are proved, however far the method has come.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Blocks, dense, matmul
from surefit.certificates.theorems.classes import signs, weights_of

MAX_PASSES = 400
MAX_WORK = 2e10


def shortest_separator(blocks: Blocks, intercept: bool, start: F64) -> tuple[float, float]:
    """An interval for B. `start` is any separating θ: the first point is the row nearest to its hyperplane."""
    d = start.size
    passes = int(min(MAX_PASSES, 10 * d + 50, MAX_WORK / max(1.0, float(blocks.n_rows) * d)))
    points, share = np.zeros((0, d)), np.zeros(0)
    x, low, high = start, 0.0, np.inf
    for _ in range(passes):
        least, point = _least(blocks, intercept, x)
        if not (np.isfinite(least) and np.isfinite(float(point @ point)) and np.isfinite(float(x @ x))):
            break  # overflow: what was proved so far stands
        if points.size:
            low = max(low, 1.0 / float(np.linalg.norm(x)))
            high = min(high, float(np.linalg.norm(x)) / least if least > 0 else np.inf)
            if least >= float(x @ x) * (1.0 - 1e-11) or (np.abs(points - point).max(axis=1) == 0).any():
                break
        points, share = np.vstack([points, point]), np.append(share, 0.0 if points.size else 1.0)
        points, share = _nearest(points, share)
        x = share @ points
        if not float(x @ x) > 0:
            break
    return low, high


def _least(blocks: Blocks, intercept: bool, theta: F64) -> tuple[float, F64]:
    """The smallest yx̃·θ, and its yx̃. Rows without weight do not count."""
    best, point = np.inf, np.zeros(theta.size)
    d = blocks.n_features
    for X, y, w in blocks:
        s = signs(np.asarray(y))
        value = s * (matmul(X, theta[:d]) + (theta[-1] if intercept else 0.0))
        value = np.where(weights_of(X, w) > 0, value, np.inf)
        i = int(np.argmin(value)) if value.size else 0
        if value.size and not value[i] >= best:  # a NaN is taken, and ends the search
            best = float(value[i])
            row = s[i] * dense(X[i : i + 1])[0]
            point = np.append(row, s[i]) if intercept else row
    return best, point


def _nearest(points: F64, share: F64) -> tuple[F64, F64]:
    """The point of the hull of a few points that is nearest to the origin: drop those that pull away from it."""
    for _ in range(len(points) + 1):
        k = len(points)
        # min ‖αᵀP‖ with Σ α = 1
        system = np.vstack([np.hstack([points @ points.T, np.ones((k, 1))]), np.append(np.ones(k), 0.0)])
        alpha = np.linalg.lstsq(system, np.append(np.zeros(k), 1.0), rcond=None)[0][:k]
        if (alpha >= 0).all():
            return points, alpha / alpha.sum()
        falls = alpha < 0
        step = float(np.min(share[falls] / (share[falls] - alpha[falls])))
        share = np.maximum(share + step * (alpha - share), 0.0)
        share[np.flatnonzero(falls)[np.argmin(share[falls])]] = 0.0
        keep = share > 0
        points, share = points[keep], share[keep] / share[keep].sum()
    return points, share
