"""A weighted graph as the matrix W of its affinities: Laplacians and cuts from their definitions.

Loops do not count: dᵢ = Σ_{j≠i} Wᵢⱼ, L = D − W, L_sym = I − D^{−½}WD^{−½} (a vertex without edges has a row of zeros).
For a group c with indicator h: hᵀLh = what leaves c. So with hᵀh = |c| or hᵀDh = vol c, and Ky Fan's theorem:

Theorem. For every partition into k groups Σ_c leaves(c)/|c| ≥ the sum of the k smallest eigenvalues of L, and
Σ_c leaves(c)/vol(c) ≥ that of L_sym. Proof. H = (h_c/√|c|), or D^½(h_c/√vol c), has orthonormal columns, the sums are
tr HᵀLH and tr HᵀL_symH, and no orthonormal columns have a smaller trace than the sum of the k smallest. ∎
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import gamma

MOST_ROWS = 6000


def read_graph(attrs: Attributes, n: int) -> F64 | None:
    """W from affinity_matrix_, made symmetric and without loops; None with the fault noted."""
    if n > MOST_ROWS:
        raise BadData(f"graphs of {MOST_ROWS} rows at most are checked, there are {n}")
    W = attrs.array("affinity_matrix_", (n, n))
    if W is None:
        return None
    if (W < 0).any():
        raise BadData("some affinities are negative: the graph has no Laplacian with eigenvalues ≥ 0")
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0.0)
    return W


def inverse_roots(W: F64) -> F64:
    """1/√d, zero where there are no edges."""
    degree = W.sum(axis=1)
    return np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)


def laplacian_of(W: F64, normalized: bool) -> tuple[F64, float, float]:
    """L or L_sym, its error in norm, and its scale, the largest entry of its diagonal.

    Sums of n affinities are right to γₙ, roots and products to a few roundings more; ‖D^{−½}WD^{−½}‖ ≤ 1, ‖W‖ ≤ max d.
    """
    L, s = np.diag(W.sum(axis=1)) - W, inverse_roots(W)
    if normalized:
        L = s[:, None] * L * s
    scale = float(np.diagonal(L).max(initial=0.0))
    return L, 4 * gamma(len(W) + 24) * scale, scale or 1.0


def cuts(W: F64, labels: NDArray, k: int) -> dict[str, float]:
    """Edges between groups (each once), and what leaves each group over its size and over its volume."""
    outside = np.where(labels[:, None] != labels, W, 0.0).sum(axis=1)
    leaves, volume = (np.bincount(labels, weights, minlength=k) for weights in (outside, W.sum(axis=1)))
    size = np.bincount(labels, minlength=k)
    return {
        "cut": float(leaves.sum()) / 2,
        "ratio_cut": float((leaves / np.maximum(size, 1)).sum()),
        "normalized_cut": float((leaves / np.where(volume > 0, volume, 1.0)).sum()),
    }
