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
from surefit.certificates.rounding import UNIT, gamma


@dataclass(frozen=True)
class Graph:
    """Edges i → j, both ways, without loops and without zeros; sums of their weights are right to a relative γ_m."""

    n: int
    rows: NDArray
    cols: NDArray
    weight: F64
    degree: F64
    most: int  # edges of one vertex

    def times(self, U: F64) -> F64:
        """W U."""
        columns = [np.bincount(self.rows, self.weight * u[self.cols], minlength=self.n) for u in U.T]
        return np.stack(columns, axis=1) if columns else np.zeros((self.n, 0))

    @property
    def root(self) -> F64:
        """1/√d, zero where there are no edges."""
        return np.where(self.degree > 0, 1 / np.sqrt(np.where(self.degree > 0, self.degree, 1.0)), 0.0)

    def laplacian_times(self, U: F64, normalized: bool) -> tuple[F64, F64]:
        """L U or L_sym U, and bounds of the errors of the columns: ‖D^{−½}WD^{−½}‖ ≤ 1, ‖W‖ ≤ max d."""
        length = np.linalg.norm(U, axis=0)
        if normalized:
            s = self.root[:, None]
            return np.where(s > 0, U - s * self.times(s * U), 0.0), 2.02 * gamma(self.most + 16) * length
        top = float(self.degree.max(initial=0.0))
        return self.degree[:, None] * U - self.times(U), 2.02 * gamma(self.most + 8) * top * length

    def laplacian(self, normalized: bool) -> tuple[F64, float]:
        """L or L_sym as a matrix, and a bound of the norm of its error."""
        A = np.zeros((self.n, self.n))
        scale = self.root[self.rows] * self.root[self.cols] if normalized else 1.0
        np.add.at(A, (self.rows, self.cols), -self.weight * scale)
        A[np.diag_indices(self.n)] = (self.degree > 0) if normalized else self.degree
        size = np.sqrt(self.n) if normalized else float(self.degree.max(initial=0.0))
        return (A + A.T) / 2, (gamma(self.most + 16) if normalized else 2 * UNIT) * float(size)

    def leaving(self, labels: NDArray, k: int) -> F64:
        """The weight of the edges that leave each group."""
        across = labels[self.rows] != labels[self.cols]
        return np.bincount(labels[self.rows][across], self.weight[across], minlength=k)

    def components(self) -> NDArray:
        """For each vertex the lowest number in its component: labels fall along edges until none does."""
        label = np.arange(self.n)
        while True:
            lower = label.copy()
            np.minimum.at(lower, self.rows, label[self.cols])
            lower = lower[lower]
            if np.array_equal(lower, label):
                return label
            label = lower


def cuts(graph: Graph, labels: NDArray, k: int) -> dict[str, float]:
    """Edges between groups (each once), and what leaves each group over its size and over its volume."""
    leaves = graph.leaving(labels, k)
    size, volume = np.bincount(labels, minlength=k), np.bincount(labels, graph.degree, minlength=k)
    return {
        "cut": float(leaves.sum()) / 2,
        "ratio_cut": float((leaves / np.maximum(size, 1)).sum()),
        "normalized_cut": float((leaves / np.where(volume > 0, volume, 1.0)).sum()),
    }


def read_graph(attrs: Attributes, n: int, name: str = "affinity_matrix_") -> Graph | None:
    """The graph of an attribute, sparse or not; None with the fault noted. A dense matrix is made symmetric."""
    value: Any = getattr(attrs.model, name, None)
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        i, j, w = np.asarray(matrix.row), np.asarray(matrix.col), np.asarray(matrix.data)
        shape = tuple(matrix.shape)
    else:
        W = attrs.array(name, (n, n))
        if W is None:
            return None
        W = (W + W.T) / 2
        i, j = np.nonzero(W)
        w, shape = W[i, j], W.shape
    if shape != (n, n) or w.dtype.kind not in "biuf" or not np.isfinite(w).all():
        attrs.faults.append(f"{name} is not a matrix of {n} × {n} finite numbers")
        return None
    edge = (i != j) & (w != 0)
    return _graph(n, i[edge].astype(np.intp), j[edge].astype(np.intp), w[edge].astype(np.float64))


def _graph(n: int, i: NDArray, j: NDArray, w: F64) -> Graph:
    order, turned = np.lexsort((j, i)), np.lexsort((i, j))
    if (w < 0).any():
        raise BadData("some affinities are negative: the graph has no Laplacian with eigenvalues ≥ 0")
    there, back = (i[order], j[order]), (j[turned], i[turned])
    if not (np.array_equal(there[0], back[0]) and np.array_equal(there[1], back[1])):
        raise BadData("the graph has edges that go one way only")
    if not np.abs(w[order] - w[turned]).max(initial=0.0) <= 1e-12 * w.max(initial=0.0):
        raise BadData("the affinities are not symmetric")
    if ((i[order][1:] == i[order][:-1]) & (j[order][1:] == j[order][:-1])).any():
        raise BadData("the graph stores an edge more than once")
    degree = np.zeros(n, np.longdouble)
    np.add.at(degree, i, w)
    most = int(np.bincount(i, minlength=1).max())
    return Graph(n, i[order], j[order], w[order], degree.astype(np.float64), most)
