"""A weighted graph as the matrix W of its affinities, by blocks of rows: Laplacians and cuts from their definitions.

Loops do not count: dᵢ = Σ_{j≠i} Wᵢⱼ, L = D − W, L_sym = I − D^{−½}WD^{−½} (a vertex without edges has a row of zeros).
For a group c with indicator h: hᵀLh = what leaves c. So with hᵀh = |c| or hᵀDh = vol c, and Ky Fan's theorem:

Theorem. For every partition into k groups Σ_c leaves(c)/|c| ≥ the sum of the k smallest eigenvalues of L, and
Σ_c leaves(c)/vol(c) ≥ that of L_sym. Proof. H = (h_c/√|c|), or D^½(h_c/√vol c), has orthonormal columns, the sums are
tr HᵀLH and tr HᵀL_symH, and no orthonormal columns have a smaller trace than the sum of the k smallest. ∎
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.distances.all_rows import in_slices
from surefit.certificates.theorems.graphs.components import components


@dataclass(frozen=True)
class Graph:
    n: int
    W: Any  # symmetric (n, n), an array or a sparse matrix
    s: F64  # of rows and columns: the affinities are sᵢWᵢⱼsⱼ

    def block(self, rows: NDArray) -> F64:
        """The affinities of these rows, without loops."""
        B = self.W[rows]
        B = B.toarray() if hasattr(B, "toarray") else B
        B[np.arange(len(rows)), rows] = 0.0
        return self.s[rows, None] * B * self.s

    def by_rows(self, f: Callable[[F64, NDArray], F64]) -> F64:
        """f of every block and the numbers of its rows, one below the other."""
        return np.concatenate([f(self.block(rows), rows) for rows in in_slices(self.n, self.n)])

    def components(self) -> NDArray:
        """The number of the component of each vertex: what earlier blocks have joined counts as one vertex."""
        label = np.arange(self.n)
        for rows in in_slices(self.n, self.n):
            i, j = np.nonzero(self.block(rows))
            label = components(int(label.max()) + 1, label[rows[i]], label[j])[label]
        return label


def read_graph(attrs: Attributes, n: int) -> Graph | None:
    """W from affinity_matrix_, made symmetric; None with the fault noted."""
    W: Any = getattr(attrs.model, "affinity_matrix_", None)
    W = W.tocsr().astype(np.float64) if hasattr(W, "tocsr") else attrs.array("affinity_matrix_", (n, n))
    if W is None or W.shape != (n, n) or not np.isfinite(W.sum()):
        attrs.faults.append(f"affinity_matrix_ is not a matrix of {n} × {n} finite numbers")
        return None
    if W.min() < 0:
        raise BadData("some affinities are negative: the graph has no Laplacian with eigenvalues ≥ 0")
    return Graph(n, (W + W.T) / 2, np.ones(n))


def laplacian_of(graph: Graph, normalized: bool) -> tuple[F64, Graph, float]:
    """The diagonal of L or L_sym; the graph of what it takes off, W or D^{−½}WD^{−½}; the error of the matrix in norm,
    and half of that of a product over ‖u‖.

    Sums of n affinities are right to γₙ, roots and products to a few roundings more; ‖D^{−½}WD^{−½}‖ ≤ 1, ‖W‖ ≤ max d.
    """
    diagonal = graph.by_rows(lambda B, _: B.sum(axis=1))
    if normalized:
        s = np.where(diagonal > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
        diagonal, graph = (s > 0) + 0.0, Graph(graph.n, graph.W, s)
    return diagonal, graph, 4 * gamma(graph.n + 24) * float(diagonal.max(initial=0.0))


def cuts(graph: Graph, labels: NDArray, k: int) -> dict[str, float]:
    """Edges between groups (each once), and what leaves each group over its size and over its volume."""
    outside = graph.by_rows(lambda B, rows: np.where(labels[rows, None] != labels, B, 0.0).sum(axis=1))
    degree = graph.by_rows(lambda B, _: B.sum(axis=1))
    leaves, volume = (np.bincount(labels, weights, minlength=k) for weights in (outside, degree))
    size = np.bincount(labels, minlength=k)
    return {
        "cut": float(leaves.sum()) / 2,
        "ratio_cut": float((leaves / np.maximum(size, 1)).sum()),
        "normalized_cut": float((leaves / np.where(volume > 0, volume, 1.0)).sum()),
    }
