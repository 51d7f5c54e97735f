"""Checker of Isomap: the graph of neighbors, shortest paths in it, and classical scaling of their lengths.

`dist_matrix_` has the lengths: potentials that no edge contradicts and that some edge attains at every vertex prove
that they are shortest (theorems/graphs/shortest_paths.py). The embedding is that of the leading eigenpairs of −½ P D² P
(docs/certificates/manifold.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.manifold.double_centered import Centered, centered, eigen_claims
from surefit.certificates.predictions import SAMPLE, answer_of, numbers_claim
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.distances.all_rows import all_rows, in_slices
from surefit.certificates.theorems.distances.metrics import read_metric
from surefit.certificates.theorems.graphs.neighborhoods import Measure, Neighborhoods, euclidean, sq_distances
from surefit.certificates.theorems.graphs.shortest_paths import path_errors

MOST_ROWS, ALL_SOURCES, ROUNDINGS = 4000, 600, 10.0


@dataclass(frozen=True)
class Edges:
    """Both ways, by rising rows."""

    rows: NDArray
    cols: NDArray
    length: F64
    wrong: int  # rows whose neighbors cannot be those of the model


@checker("embedding_", "dist_matrix_", "eigenvalues_", "residual_variance_", "transform")
def check_isomap(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Distances of all pairs, all edges for many sources, one Cholesky factor."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    if attrs.has("landmarks"):
        return [failed("landmarks", "Coordinates from landmarks are not checked.")], "nothing"
    p, settings = attrs.parameter("p", 2), attrs.parameter("metric_params", {})
    metric = read_metric(blocks.n_features, attrs.parameter("metric", "minkowski"), p, settings)
    X, single = all_rows(blocks, MOST_ROWS, metric.name == "precomputed")
    Y, D = attrs.array("embedding_"), attrs.array("dist_matrix_", (n, n))
    if Y is not None and (Y.ndim != 2 or len(Y) != n or Y.shape[1] != real(attrs.parameter("n_components", 2))):
        attrs.faults.append(f"embedding_ has shape {Y.shape}, expected {n} rows and n_components columns")
    source: Any = model if attrs.has("eigenvalues_") else getattr(model, "kernel_pca_", model)
    lam = Attributes(source, "eigenvalues_").array("eigenvalues_") if hasattr(source, "eigenvalues_") else None
    if (
        lam is None
        or Y is None
        or Y.ndim != 2
        or lam.ndim != 1
        or lam.size < Y.shape[1]
        or (lam < 0).any()
        or (np.diff(lam) > 0).any()
    ):
        attrs.faults.append("eigenvalues_ is not a descending list of numbers ≥ 0, one for each column")
    if attrs.faults or Y is None or D is None or lam is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(single, np.asarray(model.embedding_), np.asarray(model.dist_matrix_))
    far, unit = metric.block(X, X), epsilon(single) / 2
    slack = metric.error(far, X.shape[1]) + metric.error(far, X.shape[1], unit)
    by_metric = euclidean(X, unit) if metric.name == "euclidean" else lambda rows: (far[rows], slack[rows])
    edges = _edges(attrs, far, by_metric)
    found, count = _joined(edges, far)
    b, lam = centered((D + D.T) / 2, 1e-15 * D, eps), lam[: Y.shape[1]]  # of the lengths as stated
    claims = [_neighbors(edges, n), _components(count), _paths(D, found, eps, tol)]
    claims += eigen_claims(Y, lam, b, eps, tol, _loose(attrs))
    if attrs.has("residual_variance_"):
        claims.append(_residual(attrs, D, Y, tol))
    if callable(getattr(type(model), "transform", None)) and metric.name != "precomputed":
        rows = X.astype(np.float32) if single else X
        claims.append(_transform(model, rows, Y, lam, b, eps))
    return (
        claims,
        f"{n}² distances, {min(n, ALL_SOURCES)} × {len(found.rows)} edges, a factor: {n**3 / 3.0:.1e} operations",
    )


def _loose(attrs: Attributes) -> float:
    asked = real(attrs.parameter("tol", 0.0))
    return asked if 0 < asked < 0.25 and attrs.text("eigen_solver", "auto") != "dense" else 0.0


def _edges(attrs: Attributes, far: F64, measure: Measure) -> Edges:
    """Each row with its nearest others (as `nbrs_` proposes, checked; else by number), or all within the radius."""
    n, by_count = len(far), attrs.has("n_neighbors")
    k = min(whole(attrs.parameter("n_neighbors", 5)), n - 1) if by_count else None
    if k is not None and k < 1:
        raise BadData("n_neighbors is not a whole number of others")
    lists = Neighborhoods(n, measure, k, real(attrs.parameter("radius", np.nan)))
    given = answer_of(_Lists(attrs.model.nbrs_), "lists", np.array(k)) if by_count and attrs.has("nbrs_") else None
    if not (isinstance(given, np.ndarray) and given.shape == (n, k) and given.dtype.kind in "iu" and (given < n).all()):
        given = None
    joined, wrong = np.zeros((n, n), bool), 0
    for rows in in_slices(n, 4 * n):
        sure, maybe = lists.lists(rows)
        own = sure.copy()
        if k is not None:
            order = np.argsort(np.where(sure, 0, np.where(maybe, 1, 2)), axis=1, kind="stable")[:, :k]
            own[:] = False
            own[np.arange(len(rows))[:, None], order if given is None else given[rows]] = True
            wrong += int(np.count_nonzero((sure & ~own | own & ~maybe).any(axis=1)))
        joined[rows] |= own
    i, j = np.nonzero(joined | joined.T)
    return Edges(i, j, far[i, j], wrong)


@dataclass(frozen=True)
class _Lists:
    """The nearest others of every row as a fitted search gives them."""

    search: Any

    def lists(self, k: NDArray) -> NDArray:
        return np.asarray(self.search.kneighbors(n_neighbors=int(k), return_distance=False))


def _labels(n: int, i: NDArray, j: NDArray) -> NDArray:
    """Components by edges, numbered from 0."""
    label = np.arange(n)
    while True:
        lower = label.copy()
        np.minimum.at(lower, i, label[j])
        lower = lower[lower]
        if np.array_equal(lower, label):
            return np.unique(label, return_inverse=True)[1]
        label = lower


def _joined(edges: Edges, far: F64) -> tuple[Edges, int]:
    """A graph in pieces is completed as scikit-learn does: for every two components the shortest edge between them."""
    n = len(far)
    part = _labels(n, edges.rows, edges.cols)
    count = int(part.max(initial=0)) + 1
    extra = []
    for a in range(count):
        for b in range(a + 1, count):
            left, right = np.flatnonzero(part == a), np.flatnonzero(part == b)
            gap = far[np.ix_(left, right)]
            r, c = np.unravel_index(int(gap.argmin()), gap.shape)
            extra.append((left[r], right[c], gap[r, c]))
    if not extra:
        return edges, count
    p, q, w = (np.array(column) for column in zip(*extra, strict=True))
    i, j = np.concatenate([edges.rows, p, q]), np.concatenate([edges.cols, q, p])
    order = np.lexsort((j, i))
    return Edges(i[order], j[order], np.concatenate([edges.length, w, w])[order], edges.wrong), count


def _neighbors(edges: Edges, n: int) -> Claim:
    return at_most(
        "neighbors", f"The graph joins each row to its nearest others; rows of {n} where it cannot.", Grade.EXACT,
        edges.wrong, 0, {"edges": len(edges.rows) // 2},
        failure=f"nbrs_ gives other rows than the nearest for {edges.wrong} rows.",
    )  # fmt: skip


def _components(count: int) -> Claim:
    more = "" if count == 1 else ", joined by the shortest edge between every two; more neighbors join them"
    return Claim("components", f"The graph has {count} connected components{more}.", Grade.EXACT, count, None, True)


def _paths(D: F64, edges: Edges, eps: float, tol: float) -> Claim:
    """ε of the theorem for every source, or for a sample; the lengths of edges are known to a relative γ."""
    n = len(D)
    sources = np.arange(n) if n <= ALL_SOURCES else np.unique(np.linspace(0, n - 1, SAMPLE).astype(np.intp))
    zero = edges.length == 0
    group = _labels(n, edges.rows[zero], edges.cols[zero])
    off = path_errors(D[sources], sources, edges.rows, edges.cols, edges.length, group)
    skew = float(np.abs(D - D.T).max(initial=0.0)) / (float(D.max(initial=0.0)) or 1.0)
    short = float(edges.length[~zero].min(initial=np.inf))
    excuse = ROUNDINGS * eps * (1 + float(D.max(initial=0.0)) / short)  # a sum stored in its type, against one edge
    return at_most(
        "shortest_paths",
        f"dist_matrix_ has the lengths of shortest paths, from {len(sources)} of {n} rows; no path is shorter by a "
        "larger share, and one of that length is there.",
        Grade.EXACT, max(off, skew), tol, error=gamma(64) + 1e-15, excuse=excuse,
        failure=f"dist_matrix_ has not the lengths of shortest paths: off by a share of {max(off, skew):.2g}.",
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
