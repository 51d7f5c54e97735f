"""Probabilities from decision values: sigmoids for pairs of classes, coupled for more than two.

For one pair p(f) = σ(a₊ f) where f ≥ 0 and σ(a₋ f) where f < 0: Platt's sigmoid with a slope of its own on either side,
through one half where the decision changes. So p > ½ exactly where the pair decides for its class, and p grows with f.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit

CERTAIN = 1e-7
"""Probabilities of pairs stay as far from 0 and 1, as in libsvm."""
STEPS = 200


def pair_slopes(f: np.ndarray, sign: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """(a₋, a₊) of least log-loss for decision values f of rows with σ = ±1 and weights w.

    The targets are Platt's: (N₊ + 1)/(N₊ + 2) for σ = 1 and 1/(N₋ + 2) for σ = −1. A side without values takes the
    other's slope.
    """
    positive, negative = w[sign > 0].sum(), w[sign < 0].sum()
    target = np.where(sign > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))
    sides = [_slope(f[side], target[side], w[side]) for side in (f < 0, f > 0)]
    known = [slope for slope in sides if slope is not None]
    below, above = (slope if slope is not None else (known[0] if known else 1.0) for slope in sides)
    return below, above


def _slope(f: np.ndarray, target: np.ndarray, w: np.ndarray) -> float | None:
    """The a ≥ 0 of least Σ wᵢ ℓ(a fᵢ; tᵢ): its derivative Σ wᵢ fᵢ (σ(a fᵢ) − tᵢ) grows with a; Newton, bracketed."""
    scale = float(np.abs(f).max(initial=0.0))
    if scale == 0.0 or not w.any():
        return None
    f = f / scale

    def slope_at(a: float) -> tuple[float, float]:
        p = expit(a * f)
        return float(w @ (f * (p - target))), float(w @ (f * f * p * (1 - p)))

    if slope_at(0.0)[0] >= 0:  # on this side it is wrong as often as right
        return 0.0
    low, high, a = 0.0, 1.0, 1.0
    while slope_at(high)[0] < 0:
        low, high = high, 2 * high
    for _ in range(STEPS):
        first, second = slope_at(a)
        low, high = (a, high) if first < 0 else (low, a)
        step = a - first / second if second > 0 else np.inf
        a_next = step if low < step < high else (low + high) / 2
        if abs(a_next - a) <= 1e-14 * a:
            break
        a = a_next
    return a / scale


def pair_probability(f: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """The probability of the pair's class σ = +1; `slopes` (pairs, 2) for decision values (n, pairs)."""
    return expit(np.where(f < 0, slopes[:, 0], slopes[:, 1]) * f)


def coupled(r: np.ndarray, n_classes: int) -> np.ndarray:
    """p (n, classes) of least Σ_{i<j} (r_ji pᵢ − r_ij pⱼ)² with Σ p = 1, from r_ij = P(i | i or j), i < j.

    Wu, Lin and Weng's second method: with Q_ii = Σ_{s≠i} r_si² and Q_ij = −r_ji r_ij the answer solves Q p + b 1 = 0.
    """
    k = n_classes
    above, below = _off_diagonal(k)
    r = np.minimum(np.maximum(r, CERTAIN), 1 - CERTAIN)
    flat = np.zeros((len(r), k * k))
    flat[:, above], flat[:, below] = r, 1 - r
    R = flat.reshape(-1, k, k)
    system = np.ones((len(r), k + 1, k + 1))
    system[:, :k, :k] = -R * R.transpose(0, 2, 1)
    system.reshape(len(r), -1)[:, : k * (k + 2) : k + 2] = (R * R).sum(axis=1)  # the diagonal, and below it zero
    system[:, k, k] = 0.0
    right = np.zeros((len(r), k + 1, 1))
    right[:, k] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
    return p / p.sum(axis=1, keepdims=True)


@cache
def _off_diagonal(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (i, j) and (j, i), i < j, in a k × k matrix written row by row."""
    i, j = np.triu_indices(k, 1)
    return i * k + j, j * k + i


def agreeing(p: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The nearest probabilities whose largest is that of the class `chosen`, by the last digit where several tie.

    Where p puts others first, these and the chosen class share their mean: the Euclidean projection.
    """
    p = p.copy()
    everyone = np.arange(len(p))
    for row in (p.argmax(axis=1) != chosen).nonzero()[0]:
        c = chosen[row]
        total, pooled = float(p[row, c]), [c]
        for other in np.argsort(-p[row], kind="stable"):
            if other != c and p[row, other] >= total / len(pooled):
                total += float(p[row, other])
                pooled.append(other)
        p[row, pooled] = total / len(pooled)
    tied = (p >= p[everyone, chosen][:, None]).sum(axis=1) > 1
    if tied.any():
        p[tied, chosen[tied]] = np.nextafter(p[tied, chosen[tied]], p.dtype.type(1))
    return p
