"""Proposes a point of the hull of the rows σᵢ(xᵢ, 1) near the origin, by Wolfe's method, and the θ that it points to.

1/B, B the length of the shortest θ with σᵢ(xᵢ, 1)·θ ≥ 1 for every row, is the distance of the hull from the origin, and
the nearest point p is that θ, up to its length.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Block, Blocks, dense
from surefit.certificates.theorems.linear_program.long_rows import slices
from surefit.certificates.theorems.row_products import matmul

MAX_STEPS = 400
MAX_WORK = 3e9  # multiplications


def shortest_separator(blocks: Blocks, intercept: bool, w: F64, b: float) -> tuple[F64, tuple[F64, float]]:
    """Weights φ of the rows, and a separating (w, b). The first point is the row nearest to the given hyperplane."""
    parts: list[tuple[int, Block, F64]] = []
    for part in slices(blocks):
        used = np.where(part.w > 0, 2.0 * part.y - 1.0, np.nan)
        parts.append((part.first, part.X, used))
    n = sum(s.size for _, _, s in parts)
    size = sum(len(X.data) if not isinstance(X, np.ndarray) else X.size for _, X, _ in parts)
    theta = np.append(w, b) if intercept else w
    rows: list[int] = []
    points, share, best, x = np.zeros((0, theta.size)), np.zeros(0), (0.0, theta), theta
    work = 0.0
    for _ in range(MAX_STEPS):
        work += size + points.size * len(points) + len(points) ** 3 * 30.0
        i, least, point = _nearest_row(parts, x, intercept)
        length = float(np.linalg.norm(x))
        if not (np.isfinite(least) and 0 < length < np.inf) or work > MAX_WORK:
            break
        best = max(best, (least / length, x), key=lambda pair: pair[0])
        if i in rows or (rows and least >= length * length * (1.0 - 1e-12)):
            break
        rows, points, share = [*rows, i], np.vstack([points, point]), np.append(share, 0.0 if rows else 1.0)
        kept, share = _shrunk(points, share)
        rows, points = [rows[j] for j in kept], points[kept]
        x = share @ points
    phi = np.zeros(n)
    phi[rows] = share
    d = w.size
    return phi, (best[1][:d], float(best[1][d]) if intercept else 0.0)


def _nearest_row(parts: list[tuple[int, Block, F64]], theta: F64, intercept: bool) -> tuple[int, float, F64]:
    """The row of the smallest σ(x, 1)·θ."""
    best, found = np.inf, (0, np.nan, theta)
    for first, X, sign in parts:
        d = X.shape[1]
        values = sign * (matmul(X, theta[:d]) + (theta[d] if intercept else 0.0))
        i = int(np.argmin(np.where(np.isnan(values), np.inf, values)))
        if values[i] < best:
            best, row = float(values[i]), sign[i] * dense(X[i : i + 1])[0]
            found = (first + i, best, np.append(row, sign[i]) if intercept else row)
    return found


def _shrunk(points: F64, share: F64) -> tuple[list[int], F64]:
    """The point of the hull of a few points nearest to the origin: those that pull away from it are dropped."""
    kept = list(range(len(points)))
    gram, alpha = points @ points.T, share
    for _ in range(len(points) + 1):
        k = len(kept)
        inner = gram[np.ix_(kept, kept)]
        scale = float(np.abs(inner).max()) or 1.0
        system = np.vstack([np.hstack([inner / scale, np.ones((k, 1))]), np.append(np.ones(k), 0.0)])
        alpha = np.linalg.lstsq(system, np.append(np.zeros(k), 1.0), rcond=None)[0][:k]
        if (alpha >= 0).all() or k == 1:
            break
        falls = alpha < 0
        step = float(np.min(share[falls] / (share[falls] - alpha[falls])))
        share = np.maximum(share + step * (alpha - share), 0.0)
        share[np.flatnonzero(falls)[np.argmin(share[falls])]] = 0.0
        keep = share > 0
        kept, share = [kept[j] for j in np.flatnonzero(keep)], share[keep] / share[keep].sum()
        alpha = share
    return kept, np.maximum(alpha, 0.0) / np.maximum(alpha, 0.0).sum()
