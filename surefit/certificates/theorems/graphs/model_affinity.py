"""The affinity that a model's parameters define, as SpectralClustering and SpectralEmbedding name it."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import Blocks
from surefit.certificates.claim import Claim, Grade, refuted
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.graphs.affinity import given_claim, neighbors_claim
from surefit.certificates.theorems.graphs.distances import Metric, all_rows
from surefit.certificates.theorems.graphs.graph import Graph
from surefit.certificates.theorems.graphs.kernel_affinity import kernel_claim
from surefit.certificates.theorems.graphs.neighborhoods import Neighborhoods
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import NAMES

MOST_ROWS = 1 << 20


def affinity_claim(
    attrs: Attributes, graph: Graph, blocks: Blocks, tol: float, width: float = 1.0, by_rows: bool = True
) -> Claim:
    """The graph against X.

    width    what `gamma` is where the model leaves it open
    by_rows  a function takes two rows, not the whole of X
    """
    asked, n = attrs.parameter("affinity", "rbf"), blocks.n_rows
    if not (isinstance(asked, str) or callable(asked)):
        return refuted("affinity", "affinity is neither a name nor a function.")
    if asked == "precomputed":
        return given_claim(graph, blocks)
    if asked == "precomputed_nearest_neighbors":
        return Claim("affinity", "The graph of given neighbors is not recomputed.", Grade.UNPROVED, None, tol, True)
    X, single = all_rows(blocks, MOST_ROWS)
    if callable(asked) and not by_rows:
        try:
            W = np.asarray(asked(X), dtype=np.float64)
        except Exception as fault:
            return refuted("affinity", f"The affinity fails on the data: {type(fault).__name__}: {fault}")
        return given_claim(graph, [(W, None, None)])
    unit = epsilon(single) / 2
    if asked in ("nearest_neighbors", "mutual_neighbors"):
        k = whole(getattr(attrs.model, "n_neighbors_", attrs.parameter("n_neighbors", max(int(n / 10), 1))))
        if not 1 <= k or (attrs.has("n_neighbors") and k != real(attrs.model.n_neighbors)):
            return refuted("affinity", "n_neighbors_ is not the number of neighbors asked for.")
        near = Neighborhoods(X, min(k, n) - 1, 0.0, Metric("euclidean", 2.0), unit)
        return neighbors_claim(graph, near, "mutual" if asked == "mutual_neighbors" else "mean")
    if asked == "epsilon":
        radius = real(attrs.parameter("radius", None))
        return neighbors_claim(graph, Neighborhoods(X, None, radius, Metric("euclidean", 2.0), unit), "or")
    gamma, degree, coef0 = (real(attrs.parameter(*p)) for p in (("gamma", width), ("degree", 3), ("coef0", 1)))
    if attrs.has("gamma_") and not abs(real(attrs.model.gamma_) - gamma) <= 1e-9 * gamma:
        return refuted("affinity", f"gamma_ is {attrs.model.gamma_}, expected {gamma}.")
    name = "callable" if callable(asked) else NAMES.get(str(asked), str(asked))
    settings = attrs.parameter("kernel_params", {})
    call = (lambda A, B: [[asked(a, b, **settings) for b in B] for a in A]) if callable(asked) else None
    kernel = Kernel(name, gamma, degree, coef0, X[:1000].mean(axis=0), call)
    stored = np.zeros(0, getattr(attrs.model.affinity_matrix_, "dtype", np.float64))
    return kernel_claim(graph, X, kernel, epsilon(single, stored), tol)
