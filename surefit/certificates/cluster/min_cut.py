"""Checker of MinCut: the cut recounted, and no lighter one by maximum flows.

S holds vertices that no cut lighter than c parts; at first one vertex. A flow of value f from S (as one vertex) to v
shows that every cut that parts S from v weighs f at least: where f ≥ c, v joins S. When S holds all vertices no cut is
lighter than c (docs/certificates/cluster.md). Flows are proposed by a search; capacities and conservation are checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.graphs.max_flow import max_flow
from surefit.certificates.theorems.distances.all_rows import all_rows, in_slices
from surefit.certificates.theorems.distances.metrics import Metric, read_metric
from surefit.certificates.theorems.graphs.affinity import JOINED, checked_rows, given_claim, lists_claim
from surefit.certificates.theorems.graphs.graph import Graph, cuts, read_graph
from surefit.certificates.theorems.graphs.neighborhoods import both_ways, euclidean

MOST_ROWS = 1000  # for flows


@checker("affinity_matrix_", "labels_", "cut_value_")
def check_min_cut(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The graph against X, one maximum flow for each vertex."""
    attrs, n = Attributes(model, "labels_"), blocks.n_rows
    graph, labels, claimed = read_graph(attrs, n), attrs.raw("labels_"), attrs.number("cut_value_")
    if labels is None or labels.shape != (n,) or labels.dtype.kind not in "iu" or set(np.unique(labels)) != {0, 1}:
        attrs.faults.append(f"labels_ does not part the {n} rows into groups 0 and 1")
    elif labels[0] != 0:
        attrs.faults.append("the first row is not in group 0")
    if attrs.faults or graph is None or labels is None or claimed is None:
        return [bad_attributes(attrs)], "one pass"
    value = cuts(graph, labels, 2)["cut"]
    claims = [*_affinity(attrs, graph, blocks, tol), _value(claimed, value, n, tol), _least(graph, value, tol)]
    return claims, f"{n}² distances, {n - 1 if n <= MOST_ROWS else 0} maximum flows"


def _value(claimed: float, value: float, n: int, tol: float) -> Claim:
    unit = value or 1.0
    return at_most(
        "cut_value", f"cut_value_ is the weight between the groups, recomputed as {value:.10g}; relative difference.",
        Grade.EXACT, abs(claimed - value) / unit, tol, error=gamma(float(n) ** 2 + 8),
        failure=f"cut_value_ is {claimed:.10g}, but the edges between the groups weigh {value:.10g}.",
    )  # fmt: skip


def _least(graph: Graph, value: float, tol: float) -> Claim:
    """(value − proved)/value, proved the least value of the flows."""
    name, n = "minimum", graph.n
    if value == 0:
        return at_most(name, "Nothing is cut, and no cut is below zero.", Grade.OPTIMAL, 0.0, tol)
    if n > MOST_ROWS:
        sentence = f"That no cut is lighter is not proved: {n} rows are too many for {n - 1} maximum flows."
        return Claim(name, sentence, Grade.UNPROVED, None, tol, True)
    (proved, better), error = _flows(graph, value), gamma(float(n) ** 2 + 8)
    return at_most(
        name,
        f"No cut is lighter than {proved:.10g}, by {n - 1} flows of at least that; share by which this one is heavier.",
        Grade.OPTIMAL, max(0.0, 1 - proved / value), tol, {"proved": proved, "found": better}, error=error,
        lower=1 - better / value - error,
        failure=f"A cut of {better:.10g} is lighter than this one of {value:.10g}." if better < value * (1 - tol)
        else "The flows found do not prove that no cut is lighter.",
    )  # fmt: skip


def _flows(graph: Graph, value: float) -> tuple[float, float]:
    """The least flow from the vertices merged so far to the next, and the lightest cut met; C has these as vertex 0."""
    C, inside, proved, better = graph.block(np.arange(graph.n)), np.arange(graph.n) == 0, np.inf, np.inf
    slip = gamma(graph.n + 4)  # sums of merged edges
    while not inside.all() and proved > 0:
        v = int(np.argmax(np.where(inside, -1.0, C[0])))
        if C[0, v] >= value:
            found = float(C[0, v])
        else:
            flow, reached = max_flow(C, 0, v, value * (1 + 4 * slip))
            found = _checked(C, flow, v)
            if reached.any():
                side = reached | (inside & reached[0])
                better = min(better, cuts(graph, side.astype(np.intp), 2)["cut"])
        proved = min(proved, found * (1 - slip))
        inside[v] = True
        C[0] += C[v]
        C[:, 0] = C[0]
        C[v] = C[:, v] = 0.0
        C[0, 0] = 0.0
    return proved, better


def _checked(C: F64, flow: F64, v: int) -> float:
    """At most the value of a flow from 0 to v that keeps to C: what exceeds C or is not passed on is taken off."""
    F = (flow - flow.T) / 2
    over = np.maximum(np.abs(F) - C, 0.0).sum()
    gain = F.sum(axis=0)
    lost = np.abs(np.delete(gain, [0, v])).sum()
    return float(gain[v] - over - lost) - gamma(len(C) + 8) * float(np.abs(F).sum())


def _affinity(attrs: Attributes, graph: Graph, blocks: Blocks, tol: float) -> list[Claim]:
    """The edges of the neighbors, each with the weight exp(−d²/(2σ²)); σ is the median length where open."""
    asked, n, d = attrs.text("affinity", "precomputed"), graph.n, blocks.n_features
    if asked == "precomputed":
        return [given_claim(graph, blocks)]
    metric = read_metric(d, attrs.parameter("metric", "euclidean"), 2, attrs.parameter("metric_params", {}))
    X, single = all_rows(blocks, distances=metric.name == "precomputed")
    rows, unit = checked_rows(n), epsilon(single) / 2
    W, D = graph.block(rows), metric.block(X[rows], X)

    def measure(rows: NDArray) -> tuple[F64, F64]:
        D = metric.block(X[rows], X)
        return D, metric.error(D, d) + metric.error(D, d, unit)

    k = whole(attrs.parameter("n_neighbors", 10))
    radius = {"epsilon": real(attrs.parameter("radius", 1.0)), "rbf": np.inf}.get(asked)
    if k < 1 or (asked not in ("nearest_neighbors", "mutual_neighbors") and radius is None):
        return [refuted("affinity", f"affinity={asked!r} is not a graph, or n_neighbors not a number of others.")]
    measured, k = euclidean(X, unit) if metric.name == "euclidean" else measure, min(k, n - 1)
    near, back = both_ways(measured, rows, n, k if radius is None else None, radius or 0.0, W)
    joined = "mutual_neighbors" if asked == "mutual_neighbors" else "epsilon"
    edges = (W > 0) | (JOINED[joined](near[0], back[0]) > 0)  # also those too light for floating point
    lengths = D[edges] if len(rows) == n else _lengths(graph, metric, X)
    lengths = lengths[lengths > 0]  # those of equal rows say nothing about a scale
    sigma = real(attrs.parameter("sigma", float(np.median(lengths)) if lengths.size else 1.0))
    K, least = np.exp(-(D**2) / (2 * sigma**2)), 1e-36 if single else 1e-290
    near[0] &= K > least
    back[0] &= K > least
    off = float((np.abs(W - K) / np.maximum(K, least))[W > 0].max(initial=0.0))
    size = float((1 + (D[W > 0] / sigma) ** 2).max(initial=0.0))
    return [
        lists_claim((W > 0) + 0.0, near, back, joined, "neighbors"),
        at_most(
            "weights", f"Edges weigh exp(−d²/(2σ²)) with σ = {sigma:.4g}, on {len(rows)} of {n} rows; largest relative "
            "difference.",
            Grade.EXACT, off, tol, error=gamma(2 * d + 64) * size, excuse=10 * epsilon(single) * size,
            failure=f"An edge does not weigh exp(−d²/(2σ²)): off by a relative {off:.2g}.",
        ),
    ]  # fmt: skip


def _lengths(graph: Graph, metric: Metric, X: F64) -> F64:
    """Of all edges that weigh something."""
    parts = []
    for rows in in_slices(graph.n, graph.n):
        i, j = np.nonzero(graph.block(rows))
        near = X[rows[i], j] if metric.name == "precomputed" else metric.distance(X[rows[i]], X[j])
        parts.append(near)
    return np.concatenate(parts)
