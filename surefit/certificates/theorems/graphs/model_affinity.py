"""The affinity that a model's parameters define, as SpectralClustering and SpectralEmbedding name it."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import Blocks
from surefit.certificates.claim import Claim, Grade, refuted
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.theorems.distances.all_rows import all_rows
from surefit.certificates.theorems.graphs.affinity import checked_rows, given_claim, neighbors_claim, values_claim
from surefit.certificates.theorems.graphs.graph import Graph
from surefit.certificates.theorems.graphs.neighborhoods import Neighborhoods, euclidean, sq_distances


def affinity_claim(
    attrs: Attributes, graph: Graph, blocks: Blocks, tol: float, width: float = 1.0, by_rows: bool = True
) -> Claim:
    """The graph against X.

    width    what `gamma` is where the model leaves it open
    by_rows  a function takes two rows, not the whole of X
    """
    asked, n = attrs.parameter("affinity", "rbf"), blocks.n_rows
    if asked == "precomputed":
        return given_claim(graph, blocks)
    X, single = all_rows(blocks)
    rows = checked_rows(n)
    if callable(asked):
        W = [[asked(a, b, **attrs.parameter("kernel_params", {})) for b in X] for a in X] if by_rows else asked(X)
        return given_claim(graph, np.asarray(W, dtype=np.float64)[rows])
    near = euclidean(X, epsilon(single) / 2)
    if asked in ("nearest_neighbors", "mutual_neighbors"):
        k = whole(getattr(attrs.model, "n_neighbors_", attrs.parameter("n_neighbors", max(int(n / 10), 1))))
        if not 1 <= k or (attrs.has("n_neighbors") and k != real(attrs.model.n_neighbors)):
            return refuted("affinity", "n_neighbors_ is not the number of neighbors asked for.")
        lists = Neighborhoods(n, near, min(k, n) - 1)
        return neighbors_claim(graph, lists, "mutual" if asked == "mutual_neighbors" else "mean")
    if asked == "epsilon":
        return neighbors_claim(graph, Neighborhoods(n, near, None, real(attrs.parameter("radius", None))), "or")
    g, degree, coef0 = (real(attrs.parameter(*p)) for p in (("gamma", width), ("degree", 3), ("coef0", 1)))
    if attrs.has("gamma_") and not abs(real(attrs.model.gamma_) - g) <= 1e-9 * g:
        return refuted("affinity", f"gamma_ is {attrs.model.gamma_}, expected {g}.")
    eps = epsilon(single, np.zeros(0, getattr(attrs.model.affinity_matrix_, "dtype", np.float64)))
    size, rounding = np.sqrt((X * X).sum(axis=1)), gamma(X.shape[1] + 16) + 8 * UNIT
    if asked in ("rbf", "laplacian"):
        K = unit = np.exp(-g * sq_distances(X[rows], X, 2 if asked == "rbf" else 1))
    elif asked == "poly":
        K, unit = (g * (X[rows] @ X.T) + coef0) ** degree, (abs(g) * np.outer(size[rows], size) + abs(coef0)) ** degree
        rounding, eps = rounding * max(degree, 1.0), eps * max(degree, 1.0)
    else:
        sentence, known = f"The graph of affinity={asked!r} is not recomputed.", isinstance(asked, str)
        return Claim("affinity", sentence, Grade.UNPROVED, None, tol, known)
    return values_claim(graph, f"those of the kernel {asked!r}", K, unit, tol, rounding, eps)
