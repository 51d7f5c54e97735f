"""Checker of AgglomerativeClustering: each merge joins two clusters of its time that are nearest to each other.

The merges are replayed with the distances of all pairs of clusters at hand (theorems/distances/linkages.py). Along a
graph only pairs that an edge joins count. Of many rows some merges are compared (theorems/distances/many_merges.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.distances.linkages import LINKAGES, heights, read_graph, slack
from surefit.certificates.theorems.distances.many_merges import many_heights
from surefit.certificates.theorems.distances.merge_tree import (
    MergeTree,
    linkage_faults,
    read_labels,
    read_tree,
    wrong_labels,
)
from surefit.certificates.theorems.distances.points import Points, read_points

MOST_ROWS, MOST_EXCUSED = 4000, 0.1  # a tenth of a height is no rounding
ABSOLUTE = ("cosine", "haversine")


@dataclass
class Merges:
    height: F64
    excess: F64  # height − the least of its time
    scale: F64  # what excess is measured by: the height; the largest where distances are differences from one
    error: F64  # of a height over its scale, in the checker's precision
    excuse: F64  # the same with that of the model's precision added


@checker("children_", "distances_", "linkage_matrix_", "labels_", "n_clusters_", "n_leaves_", "n_connected_components_")
def check_agglomerative_clustering(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The distances of all pairs of clusters, at every merge."""
    attrs, n = Attributes(model, "children_"), blocks.n_rows
    points = read_points(attrs, blocks, attrs.parameter("metric", "euclidean"))
    linkage, given = attrs.text("linkage", "ward"), attrs.parameter("connectivity", None)
    labels, k = read_labels(attrs, n), attrs.number("n_clusters_")
    unknown = n > MOST_ROWS and given is not None
    graph, pieces = (True, 1) if given is None or unknown else read_graph(given, points)
    tree = read_tree(attrs, n, n - 1 if given is None or k is None else n - int(min(max(k, 1), n)))
    if attrs.number("n_leaves_") != n or (attrs.number("n_connected_components_") != pieces and not unknown):
        attrs.faults.append(f"n_leaves_ is not {n}, or n_connected_components_ not {pieces}")
    if linkage not in LINKAGES or (linkage == "ward" and points.metric.name != "euclidean"):
        attrs.faults.append(f"linkage={linkage!r} is not known, or not for this metric")
    if tree is not None:
        linkage_faults(attrs, tree)
    if k is None or not (1 <= k <= n and k == int(k)):
        attrs.faults.append(f"n_clusters_ is not a number from 1 to {n}")
    if attrs.faults or tree is None or labels is None or k is None:
        return [bad_attributes(attrs)], "one pass"
    claims, height, compared = list[Claim](), next(iter(_stated(attrs).values()), np.zeros(0)), len(tree.children)
    if unknown:
        claims = [failed("closest", f"Merges along a graph are replayed for up to {MOST_ROWS} rows, there are {n}.")]
    elif n > 1:
        if n > MOST_ROWS:
            height, least, compared = many_heights(linkage, points, tree)
        else:
            height, least = heights(linkage, points, tree.children, graph)
        merges = _measured(linkage, points, height, least)
        claims = [_closest(merges, compared, tol), *_heights(attrs, merges, tol)]
    claims += [_number(attrs, height, int(k), tol), _labels(tree, labels, int(k))]
    return claims, f"{compared} merges against all clusters of their time"


def _measured(linkage: str, points: Points, height: F64, least: F64) -> Merges:
    scale = np.full(len(height), height.max(initial=0.0)) if points.metric.name in ABSOLUTE else height
    scale = np.where(scale > 0, scale, 1.0)
    error, excuse = (slack(linkage, points, height, unit) / scale for unit in (UNIT, points.unit))
    return Merges(height, height - least, scale, error, np.minimum(error + excuse, MOST_EXCUSED))


def _closest(merges: Merges, compared: int, tol: float) -> Claim:
    """The worst merge, by what it is over its limit."""
    which = f"All {len(merges.height)} merges join a closest pair of clusters of their time, along a graph of those "
    which += "that an edge joins. No other pair is closer by a larger share of its height than this."
    if compared < len(merges.height):
        which = f"{compared} of {len(merges.height)} merges, of small clusters, were compared: no other cluster of "
        which += "their time is nearer to one of the two, and no height falls, by a larger share of the height."
    value, error, excuse = merges.excess / merges.scale, 4 * merges.error, 4 * merges.excuse
    j = int(np.argmax((value + error) / (tol + excuse)))
    return at_most(
        "closest",
        which,
        Grade.EXACT, float(value[j]), tol, error=float(error[j]), excuse=float(excuse[j]),
        failure=f"Merge {j}, at {merges.height[j]:.6g}, does not join a closest pair: another is closer by "
        f"{merges.excess[j]:.2g}, or an earlier one was higher by that.",
    )  # fmt: skip


def _stated(attrs: Attributes) -> dict[str, F64]:
    """The heights that the model states, by the names of its attributes."""
    arrays = {name: attrs.array(name) for name in ("distances_", "linkage_matrix_") if attrs.has(name)}
    return {name: a if a.ndim == 1 else a[:, 2] for name, a in arrays.items() if a is not None}


def _heights(attrs: Attributes, merges: Merges, tol: float) -> list[Claim]:
    claims = []
    for name, stated in _stated(attrs).items():
        off = np.abs(stated - merges.height) / merges.scale
        j = int(np.argmax((off + merges.error) / (tol + merges.excuse)))
        claims.append(at_most(
            name, f"{name} has the heights of the merges, recomputed; largest relative difference.",
            Grade.EXACT, off[j], tol, error=merges.error[j], excuse=merges.excuse[j],
            failure=f"{name} says {stated[j]:.10g} for merge {j}, recomputed as {merges.height[j]:.10g}.",
        ))  # fmt: skip
    return claims


def _number(attrs: Attributes, height: F64, k: int, tol: float) -> Claim:
    """n_clusters_ is what was asked for; or merges at the distance asked for, or at its share of the largest, or
    above are not made."""
    limit, share = attrs.parameter("distance_threshold", None), attrs.parameter("distance_fraction", None)
    what, fine = f"n_clusters={attrs.parameter('n_clusters', 2)!r}", real(attrs.parameter("n_clusters", 2)) == k
    if limit is not None or share is not None:
        t = real(limit) if limit is not None else real(share) * float(height.max(initial=0.0))
        few, many = (1 + int((height >= t * (1 + s * tol)).sum()) for s in (1, -1))
        what, fine = f"merges below {t:.10g} leave {few}", few <= k <= many
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
