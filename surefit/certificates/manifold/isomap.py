"""Checker of Isomap: the graph of neighbors, shortest paths in it, and classical scaling of their lengths.

`dist_matrix_` has the lengths, which are recomputed (theorems/graphs/shortest_paths.py). The embedding is that of the
leading eigenpairs of −½ P D² P (docs/certificates/manifold.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.manifold.double_centered import centered, eigen_claims
from surefit.certificates.predictions import SAMPLE, numbers_claim
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.graphs.neighbor_lists import neighbor_lists
from surefit.certificates.theorems.distances.all_rows import all_rows
from surefit.certificates.theorems.distances.metrics import Metric, read_metric
from surefit.certificates.theorems.graphs.components import completed
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
    stated = np.asarray(getattr(source, "eigenvalues_", np.nan)).reshape(-1)[:k]
    lam = stated.astype(np.float64) if stated.dtype.kind == "f" else np.zeros(0)
    if lam.size < k or not (lam >= 0).all() or not (np.diff(lam) <= 0).all() or not np.isfinite(lam).all():
        attrs.faults.append("eigenvalues_ is not a descending list of numbers ≥ 0, one for each column")
    if attrs.faults or Y is None or D is None:
        return [bad_attributes(attrs)], "one pass"
    eps, far = epsilon(single, np.asarray(model.embedding_), np.asarray(model.dist_matrix_)), metric.block(X, X)
    joined, wrong = _joined(attrs, far, _slack(metric, X, far, epsilon(single) / 2))
    graph, count = completed(joined, lambda a, b: far[np.ix_(a, b)])
    B, error, rounding = centered((D + D.T) / 2, 2 * UNIT * D, eps)  # of the lengths as stated
    asked = real(attrs.parameter("tol", 0.0))
    loose = asked if 0 < asked < 0.25 and attrs.text("eigen_solver", "auto") != "dense" else 0.0
    claims = [_neighbors(wrong, n, count), _paths(D, far, graph, eps, tol)]
    claims += eigen_claims(Y, lam, B, error, rounding, eps, tol, loose)
    if attrs.has("residual_variance_"):
        claims.append(_residual(attrs, D, Y, tol))
    claims.append(_transform(model, X.astype(np.float32) if single else X, Y, lam, rounding))
    return claims, f"{n}² distances, {min(n, ALL_SOURCES)} sources × {graph.sum()} edges, a factor of order {n}"


def _slack(metric: Metric, X: F64, far: F64, unit: float) -> F64:
    """Of distances in a precision of this unit; squares may be formed as ‖a‖² − 2a·b + ‖b‖², off by δ or less."""
    d = X.shape[1]
    delta = 4 * gamma(d + 8) * float((X * X).sum(axis=1).max()) if metric.name == "euclidean" else 0.0
    products = np.minimum(delta / np.where(far > 0, far, 1e-300), np.sqrt(delta))
    return metric.error(far, d) + metric.error(far, d, unit) + products


def _joined(attrs: Attributes, far: F64, slack: F64, shown: bool = True) -> tuple[NDArray, int]:
    """Each row with its nearest others, or all within the radius; and for how many rows that cannot be so.

    Which of rows equally near are taken the model shows; else, or where that cannot be, they are taken by number.
    """
    n, own = len(far), np.eye(len(far), dtype=bool)
    if not attrs.has("n_neighbors"):
        return (far <= real(attrs.parameter("radius", np.nan))) & ~own, 0
    k, far = min(whole(attrs.model.n_neighbors), n - 1), np.where(own, np.inf, far)
    given, chosen = neighbor_lists(attrs.model, n, k) if shown else None, np.zeros((n, n), bool)
    chosen[np.arange(n)[:, None], np.argsort(far, axis=1, kind="stable")[:, :k] if given is None else given] = True
    farthest = np.where(chosen, far - slack, -np.inf).max(axis=1)
    nearest = np.where(chosen | own, np.inf, far + slack).min(axis=1)
    wrong = int(np.count_nonzero(((chosen & ~own).sum(axis=1) != k) | (nearest < farthest)))
    return _joined(attrs, far, slack, shown=False) if wrong and shown else (chosen, wrong)


def _neighbors(wrong: int, n: int, count: int) -> Claim:
    more = "" if count == 1 else ", joined by the shortest edge between every two; more neighbors join them"
    return at_most(
        "neighbors",
        f"The graph joins each row to its nearest others; rows of {n} where it cannot. It has {count} connected "
        f"components{more}.",
        Grade.EXACT, wrong, 0, failure=f"nbrs_ gives other rows than the nearest for {wrong} rows.",
    )  # fmt: skip


def _paths(D: F64, far: F64, graph: NDArray, eps: float, tol: float) -> Claim:
    """The lengths from every source, or from a sample: sums of at most n edges, each right to a relative γ."""
    (i, j), n = np.nonzero(graph), len(D)
    sources = np.arange(n) if n <= ALL_SOURCES else np.unique(np.linspace(0, n - 1, SAMPLE).astype(np.intp))
    truth = path_lengths(sources, i, j, far[i, j])
    shortest = float(far[i, j][far[i, j] > 0].min(initial=np.inf))
    worst = float((np.abs(D[sources] - truth) / np.maximum(truth, shortest)).max())
    return at_most(
        "shortest_paths",
        f"dist_matrix_ has the lengths of shortest paths from {len(sources)} of {n} rows; largest relative difference.",
        Grade.EXACT, worst, tol, error=gamma(n + 64), excuse=ROUNDINGS * eps,
        failure=f"dist_matrix_ has not the lengths of shortest paths: off by a share of {worst:.2g}.",
    )  # fmt: skip


def _residual(attrs: Attributes, D: F64, Y: F64, tol: float) -> Claim:
    """1 − r², r the correlation of lengths of paths and distances in the embedding over all pairs."""
    upper, metric = np.triu_indices(len(D), 1), read_metric(Y.shape[1], "euclidean", 2, None)
    a, b = (M[upper] - M[upper].mean() for M in (D, metric.block(Y, Y)))
    truth, given = 1 - float(a @ b) ** 2 / (float((a @ a) * (b @ b)) or 1.0), real(attrs.model.residual_variance_)
    return at_most(
        "residual_variance", f"Of the variance of the lengths {truth:.4g} is not in the embedding; difference.",
        Grade.EXACT, abs(given - truth), tol, error=gamma(float(len(D)) ** 2 + 64),
        failure=f"residual_variance_ is {given:.6g}, recomputed as {truth:.6g}.",
    )  # fmt: skip


def _transform(model: Any, X: NDArray, Y: F64, lam: F64, rounding: float) -> Claim:
    """A training row lies where the embedding has it: its nearest row is itself, and By/λ = y."""
    n = len(Y)
    rows = np.unique(np.linspace(0, n - 1, min(SAMPLE, n)).astype(np.intp))
    room = np.where(lam > rounding, 1e-5 * np.sqrt(lam / n) + rounding / np.sqrt(np.maximum(lam, rounding)), np.inf)
    return numbers_claim(model, "transform", X[rows], Y[rows], room * np.ones((len(rows), 1)))
