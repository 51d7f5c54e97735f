"""The smallest eigenpairs of a graph's Laplacian.

Its null space needs no search: one vector for each connected component, the indicator (for L, and for D^{-1}L), or the
indicator times √d (for L_sym). What is searched for is orthogonal to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit.graphs import connected_components
from surefit.graphs.laplacians import LaplacianKind, laplacian_of, row_sums
from surefit.graphs.weights import take_weights_of_edges, without_loops
from surefit.solvers.spectral.smallest_pairs import MOST_ROUNDS, smallest_pairs, with_signs


class GraphPairs(NamedTuple):
    values: np.ndarray
    """Smallest first."""
    vectors: np.ndarray
    """Columns; of L or L_sym of length one, of D^{-1}L with vᵀD v = 1."""
    n_components: int
    """Connected components."""
    components: np.ndarray
    """Of each vertex."""
    residual: float
    """The largest ‖L v − λ v‖ of a unit eigenvector of L or L_sym."""
    n_iter: int
    converged: bool
    weights: Any
    """The graph, checked and without loops."""


def graph_pairs(
    W: Any,
    k: int,
    kind: LaplacianKind,
    *,
    tol: float,
    constant_first: bool = False,
    max_iter: int = MOST_ROUNDS,
) -> GraphPairs:
    """The k smallest pairs of the Laplacian `kind` of the graph W (checked here).

    Vectors of the null space come first, those of large components before those of small ones; with `constant_first`
    the vector that is the same for all vertices (times √d for L_sym), then a basis of what is orthogonal to it. A
    vertex without edges counts with d = 1 where d divides.
    """
    W = without_loops(take_weights_of_edges(W, name="the affinity matrix"))
    n_components, components = connected_components(W)
    plain = kind == "unnormalized"
    L = laplacian_of(W, "unnormalized" if plain else "symmetric")
    d = row_sums(W)
    root = np.sqrt(np.where(d > 0, d, 1.0))
    null = _indicators(components, n_components, k - constant_first)
    if constant_first:
        null = np.hstack([np.ones((len(d), 1)), null[:, : n_components - 1]])
    null = null * (1.0 if plain else root[:, None])
    found = smallest_pairs(L, k, null_space=null, tol=tol, max_iter=max_iter)
    vectors = with_signs(found.vectors / root[:, None]) if kind == "random_walk" else found.vectors
    residual = float(found.residual_norms.max(initial=0.0))
    return GraphPairs(found.values, vectors, n_components, components, residual, found.n_iter, found.converged, W)


def _indicators(components: np.ndarray, count: int, k: int) -> np.ndarray:
    """Of the components, the largest first (the first of equal ones), k at most."""
    size = np.bincount(components, minlength=count)
    chosen = np.lexsort((np.arange(count), -size))[:k]
    return (components[:, None] == chosen).astype(np.float64)
