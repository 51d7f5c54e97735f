"""Whether numbers are the lengths of shortest paths from a source.

Theorem. Edges have lengths w > 0, d(s) = 0. If |dᵢ − dⱼ| ≤ (1 + ε)wᵢⱼ for every edge, no path to i is shorter than
dᵢ/(1 + ε). If every i ≠ s has an edge with dᵢ − dⱼ ≥ (1 − ε)wᵢⱼ, a path to i has a length of at most dᵢ/(1 − ε). Proof.
Add up along the path; and walk back from i along such edges: d falls, so the walk ends, and it can end at s only. ∎
Vertices joined by edges of length 0 are one vertex.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.distances.all_rows import in_slices


def path_errors(D: F64, sources: NDArray, rows: NDArray, cols: NDArray, length: F64, group: NDArray) -> float:
    """The least ε for all sources (D has a row for each); infinite where some number cannot be a length.

    rows, cols, length  all edges, both ways, by rising rows
    group               a number for each vertex, equal where edges of length 0 join them
    """
    some = length > 0
    i, j, w = rows[some], cols[some], length[some]
    if not np.isfinite(D).all() or (D < 0).any() or D[np.arange(len(sources)), sources].any():
        return float("inf")
    worst, k = 0.0, int(group.max(initial=0)) + 1
    for part in in_slices(len(sources), 4 * len(w)):
        d = D[part]
        gain = (d[:, i] - d[:, j]) / w
        worst = max(worst, float(gain.max(initial=0.0)) - 1)
        best = np.full((len(part), k), -np.inf)
        np.maximum.at(best.T, group[i], gain.T)
        best[np.arange(len(part)), group[sources[part]]] = 1.0
        worst = max(worst, 1 - float(best.min(initial=1.0)))
        apart = np.abs(d - d[:, _first(group)][:, group]).max(initial=0.0)
        worst = max(worst, float(apart) / (float(w.min(initial=np.inf))))
    return worst


def _first(group: NDArray) -> NDArray:
    """A vertex of each group."""
    first = np.zeros(int(group.max(initial=0)) + 1, np.intp)
    first[group[::-1]] = np.arange(len(group))[::-1]
    return first
