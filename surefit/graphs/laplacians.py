"""Degrees, volumes and the three Laplacians of a weighted graph.

    dᵢ = Σⱼ≠ᵢ wᵢⱼ        vol(A) = Σ_{i ∈ A} dᵢ

    unnormalized    L      = D − W                fᵀL f = ½ Σᵢⱼ wᵢⱼ (fᵢ − fⱼ)²
    symmetric       L_sym  = D^{-½} L D^{-½}      fᵀL_sym f = ½ Σᵢⱼ wᵢⱼ (fᵢ/√dᵢ − fⱼ/√dⱼ)²
    random_walk     L_rw   = D^{-1} L             the same eigenvalues as L_sym, eigenvectors D^{-½} times its own

Each has the eigenvalue 0 as often as the graph has connected components. A vertex without edges is a component of its
own: its row of every Laplacian is zero (1/d is read as 0 there).
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidParameter
from surefit.graphs.weights import take_labels, take_weights_of_edges, without_loops

LaplacianKind = Literal["unnormalized", "random_walk", "symmetric"]


def degrees(W: Any) -> np.ndarray:
    """The sum of the weights of each vertex's edges; a loop is not counted.

    Examples
    --------
    >>> from surefit.graphs import degrees
    >>> degrees([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    array([1., 3., 2.])
    """
    return row_sums(without_loops(take_weights_of_edges(W)))


def volume(W: Any, labels: Any) -> np.ndarray:
    """The sum of the degrees of each group of vertices, in the order of the sorted labels.

    Examples
    --------
    >>> from surefit.graphs import volume
    >>> volume([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [0, 1, 1])
    array([1., 5.])
    """
    d = degrees(W)
    numbers, k = take_labels(labels, len(d))
    return np.bincount(numbers, d, minlength=k)


def laplacian(W: Any, kind: LaplacianKind = "unnormalized") -> Any:
    """A Laplacian of the graph: CSR for a sparse W, an array for a dense one.

    Examples
    --------
    >>> from surefit.graphs import laplacian
    >>> laplacian([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    array([[ 1., -1.,  0.],
           [-1.,  3., -2.],
           [ 0., -2.,  2.]])
    """
    if kind not in get_args(LaplacianKind):
        raise InvalidParameter(f"laplacian(kind=…) must be one of {get_args(LaplacianKind)}; got {kind!r}")
    return laplacian_of(without_loops(take_weights_of_edges(W)), kind)


def row_sums(W: Any) -> np.ndarray:
    return np.asarray(W.sum(axis=1), dtype=np.float64).reshape(-1)


def laplacian_of(W: Any, kind: LaplacianKind) -> Any:
    """The same for a W that has been checked and has no loops."""
    d = row_sums(W)
    if kind == "unnormalized":
        left, right, diagonal = np.ones(len(d)), np.ones(len(d)), d
    else:
        diagonal = (d > 0).astype(np.float64)
        left = inverse(np.sqrt(d)) if kind == "symmetric" else inverse(d)
        right = left if kind == "symmetric" else np.ones(len(d))
    if sp.issparse(W):
        scaled = W.data * (left[np.repeat(np.arange(len(d)), np.diff(W.indptr))] * right[W.indices])
        off = sp.csr_array((-scaled, W.indices, W.indptr), shape=W.shape)
        return sp.csr_array(off + sp.diags_array(diagonal, format="csr"))
    L = 0.0 - W * (left[:, None] * right)
    L[np.arange(len(d)), np.arange(len(d))] = diagonal
    return L


def inverse(values: np.ndarray) -> np.ndarray:
    """1/v, and 0 where v is 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
