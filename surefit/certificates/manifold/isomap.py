"""Checker of Isomap: the graph of neighbors, shortest paths in it, and classical scaling of their lengths.

`dist_matrix_` has the lengths, which are recomputed (theorems/graphs/shortest_paths.py). The embedding is that of the
leading eigenpairs of −½ P D² P (docs/certificates/manifold.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.manifold.double_centered import Centered, centered, eigen_claims
from surefit.certificates.predictions import SAMPLE, numbers_claim
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.graphs.neighbor_lists import neighbor_lists
from surefit.certificates.theorems.distances.all_rows import all_rows
from surefit.certificates.theorems.distances.metrics import read_metric
from surefit.certificates.theorems.graphs.components import completed
from surefit.certificates.theorems.graphs.neighborhoods import Measure, Neighborhoods, euclidean, sq_distances
from surefit.certificates.theorems.graphs.shortest_paths import path_lengths

MOST_ROWS, ALL_SOURCES, ROUNDINGS = 4000, 600, 10.0


@checker("embedding_", "dist_matrix_", "eigenvalues_", "residual_variance_", "transform")
def check_isomap(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Distances of all pairs, all edges for many sources, one Cholesky factor."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    if attrs.has("landmarks"):
        return [failed("landmarks", "Coordinates from landmarks are not checked.")], "nothing"
    p, settings = attrs.parameter("p", 2), attrs.parameter("metric_params", {})
    metric = read_metric(blocks.n_features, attrs.parameter("metric", "minkowski"), p, settings)
    X, single = all_rows(blocks, MOST_ROWS, metric.name == "precomputed")
    k = whole(attrs.parameter("n_components", 2))
    Y, D = attrs.array("embedding_", (n, k)), attrs.array("dist_matrix_", (n, n))
    source: Any = model if attrs.has("eigenvalues_") else getattr(model, "kernel_pca_", model)
    lam = np.asarray(getattr(source, "eigenvalues_", np.nan), dtype=np.float64).reshape(-1)
    if lam.size < k or not (lam >= 0).all() or not (np.diff(lam) <= 0).all() or not np.isfinite(lam).all():
        attrs.faults.append("eigenvalues_ is not a descending list of numbers ≥ 0, one for each column")
    if attrs.faults or Y is None or D is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(single, np.asarray(model.embedding_), np.asarray(model.dist_matrix_))
    far, unit = metric.block(X, X), epsilon(single) / 2
    slack = metric.error(far, X.shape[1]) + metric.error(far, X.shape[1], unit)
    by_metric = euclidean(X, unit) if metric.name == "euclidean" else lambda rows: (far[rows], slack[rows])
    joined, wrong = _joined(attrs, n, by_metric)
    graph, count = completed(joined, lambda a, b: far[np.ix_(a, b)])
    b, lam = centered((D + D.T) / 2, 1e-15 * D, eps), lam[:k]  # of the lengths as stated
    asked = real(attrs.parameter("tol", 0.0))
    loose = asked if 0 < asked < 0.25 and attrs.text("eigen_solver", "auto") != "dense" else 0.0
    claims = [_neighbors(wrong, n), _components(count), _paths(D, far, graph, eps, tol)]
    claims += eigen_claims(Y, lam, b, eps, tol, loose)
    if attrs.has("residual_variance_"):
        claims.append(_residual(attrs, D, Y, tol))
    if callable(getattr(type(model), "transform", None)) and metric.name != "precomputed":
        rows = X.astype(np.float32) if single else X
        claims.append(_transform(model, rows, Y, lam, b, eps))
    return claims, f"{n}² distances, {min(n, ALL_SOURCES)} sources × {graph.sum()} edges, a factor of order {n}"


def _joined(attrs: Attributes, n: int, measure: Measure) -> tuple[NDArray, int]:
    """Each row with its nearest others, or all within the radius; and for how many rows the model has others.

    Which of rows equally near are taken the model shows, else they are taken by number.
    """
    by_count = attrs.has("n_neighbors")
    k = min(whole(attrs.parameter("n_neighbors", 5)), n - 1) if by_count else None
    if k is not None and k < 1:
        raise BadData("n_neighbors is not a whole number of others")
    sure, maybe = Neighborhoods(n, measure, k, real(attrs.parameter("radius", np.nan))).lists(np.arange(n))
    if k is None:
        return sure, 0
    own, given = np.zeros((n, n), bool), neighbor_lists(attrs.model, n, k)
    order = np.argsort(np.where(sure, 0, np.where(maybe, 1, 2)), axis=1, kind="stable")[:, :k]
    own[np.arange(n)[:, None], order if given is None else given] = True
    return own, int(np.count_nonzero((sure & ~own | own & ~maybe).any(axis=1)))


def _neighbors(wrong: int, n: int) -> Claim:
    return at_most(
        "neighbors", f"The graph joins each row to its nearest others; rows of {n} where it cannot.", Grade.EXACT,
        wrong, 0, failure=f"nbrs_ gives other rows than the nearest for {wrong} rows.",
    )  # fmt: skip


def _components(count: int) -> Claim:
    more = "" if count == 1 else ", joined by the shortest edge between every two; more neighbors join them"
    return Claim("components", f"The graph has {count} connected components{more}.", Grade.EXACT, count, None, True)


def _paths(D: F64, far: F64, graph: NDArray, eps: float, tol: float) -> Claim:
    """The lengths from every source, or from a sample: sums of at most n edges, each right to a relative γ."""
    (i, j), n = np.nonzero(graph), len(D)
    sources = np.arange(n) if n <= ALL_SOURCES else np.unique(np.linspace(0, n - 1, SAMPLE).astype(np.intp))
    truth = path_lengths(sources, i, j, far[i, j])
    shortest = float(far[i, j][far[i, j] > 0].min(initial=np.inf))
    off = float((np.abs(D[sources] - truth) / np.maximum(truth, shortest)).max())
    skew = float(np.abs(D - D.T).max()) / (float(D.max()) or 1.0)
    worst = float(np.max([off, skew]))
    return at_most(
        "shortest_paths",
        f"dist_matrix_ has the lengths of shortest paths from {len(sources)} of {n} rows; largest relative difference.",
        Grade.EXACT, worst, tol, error=gamma(n + 64), excuse=ROUNDINGS * eps,
        failure=f"dist_matrix_ has not the lengths of shortest paths: off by a share of {worst:.2g}.",
    )  # fmt: skip


def _residual(attrs: Attributes, D: F64, Y: F64, tol: float) -> Claim:
    """1 − r², r the correlation of lengths of paths and distances in the embedding over all pairs."""
    upper = np.triu_indices(len(D), 1)
    a, b = (M[upper].astype(np.longdouble) for M in (D, np.sqrt(sq_distances(Y, Y))))
    a, b = a - a.mean(), b - b.mean()
    scale = float((a * a).sum() * (b * b).sum())
    truth, given = 1 - float((a * b).sum()) ** 2 / (scale or 1.0), attrs.number("residual_variance_")
    if given is None:
        return refuted("residual_variance", "residual_variance_ is not a number.")
    return at_most(
        "residual_variance", f"Of the variance of the lengths {truth:.4g} is not in the embedding; difference.",
        Grade.EXACT, abs(given - truth), tol, error=gamma(64),
        failure=f"residual_variance_ is {given:.6g}, recomputed as {truth:.6g}.",
    )  # fmt: skip


def _transform(model: Any, X: NDArray, Y: F64, lam: F64, b: Centered, eps: float) -> Claim:
    """A training row lies where the embedding has it: its nearest row is itself."""
    n = len(Y)
    rows = np.unique(np.linspace(0, n - 1, min(SAMPLE, n)).astype(np.intp))
    safe = np.where(lam > 0, lam, np.inf)
    size = np.sqrt((Y * Y).sum(axis=0)) / safe * np.sqrt(n) * b.rounding / (ROUNDINGS * eps)
    rounding = np.where(
        lam > b.rounding, (16 * eps + 4 * gamma(n + 16, eps / 2)) * size + 1e-5 * np.sqrt(lam / n), np.inf
    )
    return numbers_claim(model, "transform", X[rows], Y[rows], rounding)
