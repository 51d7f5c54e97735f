"""A weighted graph from its matrix of affinities: degrees, Laplacians, cuts and components from their definitions.

Loops do not count: dᵢ = Σ_{j≠i} Wᵢⱼ, L = D − W, L_sym = I − D^{−½}WD^{−½} (a vertex without edges has a row of zeros).
For a group c with indicator h: hᵀLh = what leaves c. So with hᵀh = |c| or hᵀDh = vol c, and Ky Fan's theorem:

Theorem. For every partition into k groups Σ_c leaves(c)/|c| ≥ the sum of the k smallest eigenvalues of L, and
Σ_c leaves(c)/vol(c) ≥ that of L_sym. Proof. H = (h_c/√|c|), or D^½(h_c/√vol c), has orthonormal columns, the sums are
tr HᵀLH and tr HᵀL_symH, and no orthonormal columns have a smaller trace than the sum of the k smallest. ∎
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import gamma


@dataclass(frozen=True)
class Graph:
    """Edges i → j, both ways, by rising rows, without loops."""

    n: int
    rows: NDArray
    cols: NDArray
    weight: F64
    degree: F64

    def leaving(self, labels: NDArray, k: int) -> F64:
        """The weight of the edges that leave each group."""
        across = labels[self.rows] != labels[self.cols]
        return np.bincount(labels[self.rows][across], self.weight[across], minlength=k)


@dataclass(frozen=True)
class Laplacian:
    """diag − edges: L or L_sym."""

    graph: Graph
    diagonal: F64
    edges: F64

    @property
    def error(self) -> float:
        """Of a product, over ‖u‖. Sums of at most m edges are right to γ_m, and ‖edges‖ ≤ max diag for both Laplacians:
        D^{−½}WD^{−½} has norm 1 at most, W the largest degree."""
        m = int(np.bincount(self.graph.rows, minlength=1).max())
        return 2.02 * gamma(2 * m + 24) * float(self.diagonal.max(initial=0.0))

    def times(self, U: F64) -> F64:
        i, j, n = self.graph.rows, self.graph.cols, self.graph.n
        WU = [np.bincount(i, self.edges * u[j], minlength=n) for u in U.T]
        return self.diagonal[:, None] * U - np.reshape(WU, U.T.shape).T

    def matrix(self) -> F64:
        """Known to the same error, in norm."""
        A = np.diag(self.diagonal)
        A[self.graph.rows, self.graph.cols] = -self.edges
        return A


def inverse_roots(graph: Graph) -> F64:
    """1/√d, zero where there are no edges."""
    return np.where(graph.degree > 0, 1 / np.sqrt(np.where(graph.degree > 0, graph.degree, 1.0)), 0.0)


def laplacian_of(graph: Graph, normalized: bool) -> Laplacian:
    s = inverse_roots(graph)
    if normalized:
        return Laplacian(graph, (s > 0) + 0.0, graph.weight * (s[graph.rows] * s[graph.cols]))
    return Laplacian(graph, graph.degree, graph.weight)


def cuts(graph: Graph, labels: NDArray, k: int) -> dict[str, float]:
    """Edges between groups (each once), and what leaves each group over its size and over its volume."""
    leaves = graph.leaving(labels, k)
    size, volume = np.bincount(labels, minlength=k), np.bincount(labels, graph.degree, minlength=k)
    return {
        "cut": float(leaves.sum()) / 2,
        "ratio_cut": float((leaves / np.maximum(size, 1)).sum()),
        "normalized_cut": float((leaves / np.where(volume > 0, volume, 1.0)).sum()),
    }


def read_graph(attrs: Attributes, n: int, stored: bool = False) -> Graph | None:
    """The graph of affinity_matrix_, sparse or not; None with the fault noted. A dense matrix is made symmetric.

    stored  weights of zero that a sparse matrix stores are edges too
    """
    value: Any = getattr(attrs.model, "affinity_matrix_", None)
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        i, j, w, shape = *map(np.asarray, (matrix.row, matrix.col, matrix.data)), tuple(matrix.shape)
    else:
        W = attrs.array("affinity_matrix_", (n, n))
        if W is None:
            return None
        W = (W + W.T) / 2
        (i, j), shape = np.nonzero(W), W.shape
        w = W[i, j]
    if shape != (n, n) or w.dtype.kind not in "biuf" or not np.isfinite(w).all():
        attrs.faults.append(f"affinity_matrix_ is not a matrix of {n} × {n} finite numbers")
        return None
    if (w < 0).any():
        raise BadData("some affinities are negative: the graph has no Laplacian with eigenvalues ≥ 0")
    edge = (i != j) & ((w != 0) | stored)
    i, j, w = i[edge].astype(np.intp), j[edge].astype(np.intp), w[edge].astype(np.float64)
    there, back = i * n + j, j * n + i
    order, turned = np.argsort(there), np.argsort(back)
    mirrored = np.array_equal(there[order], back[turned]) and (np.diff(there[order]) > 0).all()
    if not (mirrored and np.abs(w[order] - w[turned]).max(initial=0.0) <= 1e-12 * w.max(initial=0.0)):
        raise BadData("the affinities are not symmetric, or an edge is stored more than once")
    w, (rows, cols) = (w[order] + w[turned]) / 2, np.divmod(there[order], n)
    return Graph(n, rows, cols, w, np.bincount(rows, w, minlength=n))
