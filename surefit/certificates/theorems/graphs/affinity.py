"""Whether a graph is the one that X and the parameters define, as SpectralClustering and SpectralEmbedding name it.

Rows of W are held against the definition: all, or of many a sample. Where rows are equally near X leaves an affinity
open: then it is the nearest allowed value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.theorems.distances.all_rows import all_rows
from surefit.certificates.theorems.graphs.graph import Graph
from surefit.certificates.theorems.graphs.neighborhoods import both_ways, euclidean, sq_distances

ALL_ROWS, SAMPLED = 4000, 256  # beyond, so many rows spread evenly are checked
JOINED = {  # what the lists of both ends of an edge make of it
    "nearest_neighbors": lambda a, b: (a + 0.0 + b) / 2,
    "mutual_neighbors": lambda a, b: (a & b) + 0.0,
    "epsilon": lambda a, b: (a | b) + 0.0,
}


def checked_rows(n: int) -> NDArray:
    return np.unique(np.linspace(0, n - 1, n if n <= ALL_ROWS else SAMPLED).astype(np.intp))


def lists_claim(W: F64, near: NDArray, back: NDArray, joined: str, what: str) -> Claim:
    """Every affinity is 0, ½ or 1 and lies between those of the lists that are sure and of those that may be."""
    low, high = map(JOINED[joined], near, back)
    wrong = int(np.count_nonzero(np.abs(W - np.clip(np.rint(2 * W) / 2, low, high)) > 1e-12))
    return at_most(
        "affinity", f"The graph joins rows to their {what}, on {len(W)} of {W.shape[1]} rows; pairs that it should or "
        "should not join.",
        Grade.EXACT, wrong, 0, failure=f"The graph is not that of the {what}: {wrong} pairs are wrong.",
    )  # fmt: skip


def values_claim(
    W: F64, rows: NDArray, what: str, K: F64, unit: Any, limit: float, error: float = 0.0, eps: float = 0.0
) -> Claim:
    """The largest difference from K relative to the unit; loops do not count, nor what underflows in the model.

    K = exp(−E) with E right to a relative error is right to 1 + E of it.
    """
    unit = np.maximum(unit, 1e-36 if eps > 1e-10 else 1e-290)
    worst = float((np.abs(W - K) / unit)[rows[:, None] != np.arange(W.shape[1])].max(initial=0.0))
    span = 1 - float(np.log(np.minimum(unit, 1.0)).min())
    return at_most(
        "affinity", f"The affinities are {what}, on {len(W)} of {W.shape[1]} rows; largest relative difference.",
        Grade.EXACT, worst, limit, error=error * span, excuse=10 * eps * span,
        failure=f"The affinities are not {what}: off by a relative {worst:.2g}.",
    )  # fmt: skip


def given_claim(graph: Graph, given: Iterable[Any]) -> Claim:
    """The matrix given, by blocks of its rows; where all rows are checked it is made symmetric."""
    rows = checked_rows(graph.n)
    K = np.concatenate([dense(part[0])[:, rows] for part in given]).T
    K = (K + K.T) / 2 if len(rows) == graph.n else K
    unit = float(np.abs(np.where(rows[:, None] == np.arange(graph.n), 0.0, K)).max())
    return values_claim(graph.block(rows), rows, "those given", K, unit, 1e-12)


def affinity_claim(attrs: Attributes, graph: Graph, blocks: Blocks, tol: float, width: float = 1.0) -> Claim:
    """The graph against X; width is what `gamma` is where the model leaves it open."""
    asked, n = attrs.parameter("affinity", "rbf"), graph.n
    if asked == "precomputed":
        return given_claim(graph, blocks)
    (X, single), rows = all_rows(blocks), checked_rows(n)
    W = graph.block(rows)
    if asked in JOINED:
        k = whole(attrs.parameter("n_neighbors_", attrs.parameter("n_neighbors", max(int(n / 10), 1))))
        if asked != "epsilon" and (not 1 <= k or (attrs.has("n_neighbors") and k != real(attrs.model.n_neighbors))):
            return refuted("affinity", "n_neighbors_ is not the number of neighbors asked for.")
        others, radius = (None, real(attrs.parameter("radius", None))) if asked == "epsilon" else (min(k, n) - 1, 0.0)
        what = f"others within {radius:g}" if others is None else f"{others} nearest others"
        return lists_claim(W, *both_ways(euclidean(X, epsilon(single) / 2), rows, n, others, radius, W), asked, what)
    if asked not in ("rbf", "laplacian"):
        sentence = f"The graph of affinity={asked!r} is not recomputed."
        return Claim("affinity", sentence, Grade.UNPROVED, None, tol, callable(asked) or isinstance(asked, str))
    g = real(attrs.parameter("gamma", width))
    if attrs.has("gamma_") and not abs(real(attrs.model.gamma_) - g) <= 1e-9 * g:
        return refuted("affinity", f"gamma_ is {attrs.model.gamma_}, expected {g}.")
    eps = epsilon(single, np.zeros(0, getattr(attrs.model.affinity_matrix_, "dtype", np.float64)))
    what, error = f"those of the kernel {asked!r}", gamma(X.shape[1] + 16) + 8 * UNIT
    K = np.exp(-g * sq_distances(X[rows], X, 2 if asked == "rbf" else 1))
    return values_claim(W, rows, what, K, K, tol, error, eps)
