"""Checker of AgglomerativeClustering: each merge joins two clusters that are nearest to each other, heights rise.

Let heights never fall, and let each of the two clusters of every merge have the other as a nearest cluster. Then every
merge joins a closest pair of its time. For if clusters C, D were closer at time t, d(C, D) < h_t, look at the first
merge s ≥ t that takes C or D, say C with E: h_s = d(C, E) ≤ d(C, D) < h_t ≤ h_s. Up to factors 1 + e for nearest and
1 + f for falling heights, the same lines give a closest pair up to the factor (1 + e)(1 + f). Along a graph heights may
fall: there every merge is compared with all pairs that an edge joins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.distances.linkages import REDUCE, Linkage
from surefit.certificates.theorems.distances.merge_tree import MergeTree, linkage_faults, read_tree, wrong_labels
from surefit.certificates.theorems.distances.points import read_points
from surefit.certificates.theorems.distances.restricted import read_graph, restricted_merges

WORK = 1 << 29  # differences of coordinates
SAMPLE = 256  # merges, where all are too many
ABSOLUTE = ("cosine", "haversine")


@dataclass
class Merges:
    """The merges looked at: their heights, and how much closer another pair is."""

    at: NDArray
    height: F64
    excess: F64  # height − distance to a nearest other cluster, of the worse of the two
    scale: F64  # what excess is measured by: the height; the largest where distances are differences from one
    error: F64  # of a height over its scale, in the checker's precision
    excuse: F64  # the same with that of the model's precision added
    rises: bool  # heights must not fall; else each merge was compared with all pairs


@checker("children_", "distances_", "linkage_matrix_", "labels_", "n_clusters_", "n_leaves_", "n_connected_components_")
def check_agglomerative_clustering(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The clusters of each merge against all others of its time; merges spread evenly where that is too much."""
    attrs, n = Attributes(model, "children_"), blocks.n_rows
    points = read_points(attrs, blocks, attrs.parameter("metric", "euclidean"))
    linkage = attrs.text("linkage", "ward")
    labels, k, given = attrs.array("labels_", (n,)), attrs.number("n_clusters_"), attrs.parameter("connectivity", None)
    graph, pieces = (None, 1) if given is None else read_graph(given, points)
    tree = read_tree(attrs, n, n - 1 if graph is None or k is None else n - int(min(max(k, 1), n)))
    if attrs.number("n_leaves_") != n or attrs.number("n_connected_components_") != pieces:
        attrs.faults.append(f"n_leaves_ is not {n}, or n_connected_components_ not {pieces}")
    if linkage not in (*REDUCE, "ward") or (linkage == "ward" and points.metric.name != "euclidean"):
        attrs.faults.append(f"linkage={linkage!r} is not known, or not for this metric")
    if tree is not None:
        linkage_faults(attrs, tree)
    if k is None or not (1 <= k <= n and k == int(k)):
        attrs.faults.append(f"n_clusters_ is not a number from 1 to {n}")
    if attrs.faults or tree is None or labels is None or k is None:
        return [bad_attributes(attrs)], "one pass"
    if graph is None:
        merges = _look(Linkage(linkage, points, tree), tree)
    else:
        height, least = restricted_merges(linkage, points, tree, graph)
        merges = _measured(Linkage(linkage, points, tree), np.arange(len(height)), height, height - least, False)
    claims = [
        *([_closest(merges, tree, tol), *_heights(attrs, merges, tol)] if len(merges.at) else []),
        _number(attrs, merges, tree, int(k), tol),
        _labels(tree, labels, int(k)),
    ]
    return claims, f"{len(merges.at)} of {n - 1} merges against all clusters"


def _look(linkage: Linkage, tree: MergeTree) -> Merges:
    m = len(tree.children)
    at = np.arange(m)
    cost = linkage.cost(tree.children[:, 0]) + linkage.cost(tree.children[:, 1])
    if cost.sum() > WORK:
        at = np.unique(np.linspace(0, m - 1, SAMPLE).astype(np.intp))
        at = at[cost[at] <= WORK / 8]
        at = at[np.cumsum(cost[at]) <= WORK]
    height, excess = np.zeros(len(at)), np.zeros(len(at))
    for i, t in enumerate(at.tolist()):
        clusters, (a, b) = tree.active(t), tree.children[t].tolist()
        for one, other in ((a, b), (b, a)):
            far = linkage.to_all(one, clusters)
            height[i] = float(far[clusters == other][0])
            nearest = float(far[clusters != one].min())
            excess[i] = max(excess[i], height[i] - nearest)
    return _measured(linkage, at, height, excess, True)


def _measured(linkage: Linkage, at: NDArray, height: F64, excess: F64, rises: bool) -> Merges:
    metric = linkage.points.metric
    scale = np.full(len(at), height.max(initial=0.0)) if metric.name in ABSOLUTE else height
    scale = np.where(scale > 0, scale, 1.0)
    error, excuse = (linkage.slack(height, unit) / scale for unit in (UNIT, linkage.points.unit))
    return Merges(at, height, excess, scale, error, error + excuse, rises)


def _closest(merges: Merges, tree: MergeTree, tol: float) -> Claim:
    """The worst merge, by what it is over its limit."""
    before = np.maximum.accumulate(np.append(0.0, merges.height))[:-1]
    fall = merges.rises * np.maximum(before - merges.height, 0.0) / merges.scale
    value, error, excuse = (1 + merges.excess / merges.scale) * (1 + fall) - 1, 4 * merges.error, 4 * merges.excuse
    j = int(np.argmax((value + error) / (tol + excuse)))
    m, t = len(tree.children), int(merges.at[j])
    which = f"All {m} merges" if len(merges.at) == m else f"{len(merges.at)} of {m} merges, spread evenly,"
    how = ": each is a nearest of the other, and heights do not fall" if merges.rises else " that an edge joins"
    return at_most(
        "closest",
        f"{which} join a closest pair of clusters of their time{how}. No other pair is closer by a larger "
        "share of its height than this.",
        Grade.EXACT, float(value[j]), tol, error=float(error[j]), excuse=float(excuse[j]),
        failure=f"Merge {t}, at {merges.height[j]:.6g}, does not join a closest pair: another is closer by "
        f"{merges.excess[j]:.2g}, or an earlier merge is higher by {fall[j] * merges.scale[j]:.2g}.",
    )  # fmt: skip


def _stated(attrs: Attributes) -> dict[str, F64]:
    """The heights that the model states, by the names of its attributes."""
    arrays = {name: attrs.array(name) for name in ("distances_", "linkage_matrix_") if attrs.has(name)}
    return {name: a if a.ndim == 1 else a[:, 2] for name, a in arrays.items() if a is not None}


def _heights(attrs: Attributes, merges: Merges, tol: float) -> list[Claim]:
    claims = []
    for name, stated in _stated(attrs).items():
        off = np.abs(stated[merges.at] - merges.height) / merges.scale
        j = int(np.argmax((off + merges.error) / (tol + merges.excuse)))
        claims.append(at_most(
            name, f"{name} has the heights of the merges looked at, recomputed; largest relative difference.",
            Grade.EXACT, off[j], tol, error=merges.error[j], excuse=merges.excuse[j],
            failure=f"{name} says {stated[merges.at[j]]:.10g} for merge {merges.at[j]}, recomputed as "
            f"{merges.height[j]:.10g}.",
        ))  # fmt: skip
    return claims


def _number(attrs: Attributes, merges: Merges, tree: MergeTree, k: int, tol: float) -> Claim:
    """n_clusters_ is what was asked for; or merges at the distance asked for, or at its share of the largest, or
    above are not made."""
    limit, share = attrs.parameter("distance_threshold", None), attrs.parameter("distance_fraction", None)
    what, fine = f"n_clusters={attrs.parameter('n_clusters', 2)!r}", real(attrs.parameter("n_clusters", 2)) == k
    if limit is not None or share is not None:
        heights = [np.full(len(tree.children), np.nan), *_stated(attrs).values()][-1].copy()
        heights[merges.at] = merges.height
        t = real(limit) if limit is not None else real(share) * float(heights.max(initial=0.0))
        few, many = (1 + int((heights >= t * (1 + s * tol)).sum()) for s in (1, -1))
        what, fine = f"merges below {t:.10g} leave {few}", few <= k <= many and not np.isnan(heights).any()
    sentence = f"There are {k} clusters, as asked for: {what}; faults."
    failure = f"n_clusters_ is {k}, but asked for is another number: {what}."
    return at_most("n_clusters", sentence, Grade.EXACT, int(not fine), 0, failure=failure)


def _labels(tree: MergeTree, labels: F64, k: int) -> Claim:
    wrong = wrong_labels(tree, labels, k)
    return at_most(
        "labels",
        f"labels_ names the {k} clusters that are left when the last {k - 1} merges are not made; rows where not.",
        Grade.EXACT, wrong, 0,
        failure=f"labels_ is not the partition that children_ gives for {k} clusters, for {wrong} rows.",
    )  # fmt: skip
