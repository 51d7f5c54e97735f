"""The affinity that a model's parameters define, as SpectralClustering and SpectralEmbedding name it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.theorems.distances.all_rows import all_rows, in_slices
from surefit.certificates.theorems.graphs.affinity import checked_rows, dense_rows, given_claim, neighbors_claim
from surefit.certificates.theorems.graphs.graph import Graph
from surefit.certificates.theorems.graphs.neighborhoods import Neighborhoods, euclidean, sq_distances

Formula = Callable[
    [NDArray], tuple[F64, F64 | None]
]  # affinities of these rows to all, and what errors are relative to


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
    X, single = all_rows(blocks)
    if callable(asked):
        try:
            W = [[asked(a, b, **attrs.parameter("kernel_params", {})) for b in X] for a in X] if by_rows else asked(X)
            return given_claim(graph, [(np.asarray(W, dtype=np.float64), None, None)])
        except Exception as fault:
            return refuted("affinity", f"The affinity fails on the data: {type(fault).__name__}: {fault}")
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
    size = np.sqrt((X * X).sum(axis=1))
    formulas: dict[str, Formula] = {
        "rbf": lambda rows: (np.exp(-g * sq_distances(X[rows], X)), None),
        "laplacian": lambda rows: (np.exp(-g * np.abs(X[rows, None, :] - X[None]).sum(axis=2)), None),
        "poly": lambda rows: (
            (g * (X[rows] @ X.T) + coef0) ** degree,
            (abs(g) * size.max() * size[rows, None] + abs(coef0)) ** degree,
        ),
    }
    if asked not in formulas:
        return Claim("affinity", f"The graph of affinity={asked!r} is not recomputed.", Grade.UNPROVED, None, tol, True)
    stored = np.zeros(0, getattr(attrs.model.affinity_matrix_, "dtype", np.float64))
    return _kernel_claim(graph, X, str(asked), formulas[str(asked)], epsilon(single, stored), max(degree, 1.0), tol)


def _kernel_claim(graph: Graph, X: F64, name: str, formula: Formula, eps: float, degree: float, tol: float) -> Claim:
    """|W − K| relative to K where K is an exponential, else to (|γ|‖a‖‖b‖ + |c|)^degree; loops do not count.

    exp(−γD) is right to a relative γ_{d+16}(1 + γD), a power to degree · γ_{d+16} of that.
    """
    least = 1e-36 if eps > 1e-10 else 1e-290  # what underflows does not count
    worst, span, rows, places = 0.0, degree, checked_rows(len(X)), np.arange(len(X))
    for part in in_slices(len(rows), X.size):
        some, (K, size) = rows[part], formula(rows[part])
        if not np.isfinite(K).all():
            raise BadData("the kernel overflows on these data")
        unit: Any = np.broadcast_to(K if size is None else size, K.shape)
        unit = np.where(some[:, None] == places, np.inf, np.maximum(unit, least))
        worst = max(worst, float((np.abs(dense_rows(graph, some) - K) / unit).max(initial=0.0)))
        span = max(span, 1 - float(np.log(np.where(unit < 1, unit, 1.0)).min(initial=0.0)))
    return at_most(
        "affinity",
        f"The affinities are those of the kernel {name!r}, on {len(rows)} rows; largest relative difference.",
        Grade.EXACT, worst, tol, error=(gamma(X.shape[1] + 16) + 8 * UNIT) * span, excuse=10 * eps * span,
        failure=f"The affinities are not those of the kernel {name!r}: off by a relative {worst:.2g}.",
    )  # fmt: skip
