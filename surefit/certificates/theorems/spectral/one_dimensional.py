"""k-means on a line: the exact optimum for few values, a proved lower bound for many.

On a line some optimal clusters are intervals, so dynamic programming over the sorted values finds the optimum:
D_c(j) = min over a of D_{c−1}(a − 1) + cost(a … j), here as the minimum of a matrix in every layer.

Theorem. Rows moved by δᵢ change the root of the least cost by at most √Σωδ². Proof. The cost of a clustering is
‖(I − P)√ωx‖² for a projection P, so its root changes by at most ‖√ωδ‖; so does the least of them. ∎ Of many rows each
is moved to the nearest of few values.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma


def moved(x: F64, omega: F64, values: F64) -> tuple[F64, float]:
    """The weight that comes to each of the sorted values from rows that are moved to the nearest, and Σωδ²."""
    to = np.searchsorted((values[1:] + values[:-1]) / 2, x)
    return np.bincount(to, weights=omega, minlength=len(values)), float(omega @ (x - values[to]) ** 2)


def least_cost(values: F64, weight: F64, k: int) -> float:
    """At most the least within-cluster sum of squares of k intervals of the sorted values.

    The cost of values a … b is q − s²/w, from differences of running sums: with |values| ≤ M off by 16 γ (Σw) M² at
    most (where w is of the size of its rounding γ Σw, q alone is no more than that).
    """
    values, weight = values[weight > 0], weight[weight > 0]
    size = len(values)
    if k >= size:
        return 0.0
    sums = [np.concatenate([[0.0], np.cumsum(weight * values**power)]) for power in range(3)]
    w, s, q = (np.subtract.outer(c[1:], c[:-1]).T for c in sums)
    cost = np.maximum(q - s * s / np.where(w > 0, w, np.inf), 0.0)
    cost[np.tri(size, k=-1, dtype=bool)] = np.inf
    D = cost[0]
    for _ in range(1, k):
        D = (np.append(0.0, D[:-1])[:, None] + cost).min(axis=0)
    rounding = 16 * gamma(size + 8) * float(weight.sum()) * float(np.abs(values).max()) ** 2
    return max(0.0, float(D[-1]) * (1 - gamma(k + 1)) - k * rounding)
