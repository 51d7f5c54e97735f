"""Checker of AgglomerativeClustering: each merge joins two clusters of its time that are nearest to each other.

The merges are replayed with the distances of all pairs of clusters at hand (theorems/distances/linkages.py). Along a
graph only pairs that an edge joins count. Of many rows some merges are compared (theorems/distances/many_merges.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.distances.linkages import heights, read_graph, slack
from surefit.certificates.theorems.distances.many_merges import many_heights
from surefit.certificates.theorems.distances.merge_tree import (
    MergeTree,
    read_labels,
    read_tree,
    wrong_labels,
)
from surefit.certificates.theorems.distances.points import Points, read_points

MOST_ROWS, MOST_EXCUSED = 4000, 0.1  # a tenth of a height is no rounding
ABSOLUTE = ("cosine", "haversine")


@checker("children_", "distances_", "linkage_matrix_", "labels_", "n_clusters_", "n_leaves_", "n_connected_components_")
def check_agglomerative_clustering(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The distances of all pairs of clusters, at every merge."""
    attrs, n = Attributes(model, "children_"), blocks.n_rows
    if n > MOST_ROWS and attrs.has("connectivity"):
        return [failed("closest", f"Merges along a graph are replayed for up to {MOST_ROWS} rows, not {n}.")], "nothing"
    points = read_points(attrs, blocks, attrs.parameter("metric", "euclidean"))
    linkage, given = attrs.parameter("linkage", "ward"), attrs.parameter("connectivity", None)
    labels, k = read_labels(attrs, n), whole(getattr(model, "n_clusters_", None))
    graph, pieces = (True, 1) if given is None else read_graph(given, points)
    tree = read_tree(attrs, n, n - 1 if given is None else n - min(max(k, 1), n))
    if [real(getattr(model, name, None)) for name in ("n_leaves_", "n_connected_components_")] != [n, pieces]:
        attrs.faults.append(f"n_leaves_ is not {n}, or n_connected_components_ not {pieces}")
    if linkage == "ward" and points.metric.name != "euclidean":
        attrs.faults.append("linkage='ward' is not for this metric")
    if not 1 <= k <= n:
        attrs.faults.append(f"n_clusters_ is not a number from 1 to {n}")
    if attrs.faults or tree is None or labels is None:
        return [bad_attributes(attrs)], "one pass"
    if n > MOST_ROWS:
        height, least, compared = many_heights(linkage, points, tree)
    else:
        (height, least), compared = heights(linkage, points, tree.children, graph), len(tree.children)
    claims = _merges(attrs, linkage, points, height, least, compared, tol) if compared else []
    claims += [_number(attrs, height, k, tol), _labels(tree, labels, k)]
    return claims, f"{compared} merges against all clusters of their time"


def _merges(
    attrs: Attributes, linkage: str, points: Points, height: F64, least: F64, compared: int, tol: float
) -> list[Claim]:  # fmt: skip
    """Each merge was the closest of its time, and has the height that is stated; told is the merge nearest its limit.

    Heights are measured by themselves; where distances are differences from one, by the largest.
    """
    scale = np.full(len(height), height.max()) if points.metric.name in ABSOLUTE else height
    scale = np.where(scale > 0, scale, 1.0)
    error, excuse = (slack(linkage, points, height, unit) / scale for unit in (UNIT, points.unit))
    excuse = np.minimum(error + excuse, MOST_EXCUSED)

    def worst(name: str, sentence: str, off: F64, times: float, failure: str) -> Claim:
        value, e, x = off / scale, times * error, times * excuse
        j = int(np.argmax((value + e) / (tol + x)))
        where = f"Merge {j}, at {height[j]:.6g}, {failure} {off[j]:.2g}."
        return at_most(name, sentence, Grade.EXACT, value[j], tol, error=e[j], excuse=x[j], failure=where)

    which = f"All {len(height)} merges join a closest pair of clusters of their time, along a graph of those "
    which += "that an edge joins. No other pair is closer by a larger share of its height than this."
    if compared < len(height):
        which = f"{compared} of {len(height)} merges, of small clusters, were compared: no other cluster of their time "
        which += "is nearer to one of the two, and no height falls, by a larger share of the height."
    closer = "does not join a closest pair, or an earlier one was higher: by"
    claims = [worst("closest", which, height - least, 4.0, closer)]
    for name in filter(attrs.has, ("distances_", "linkage_matrix_")):
        stated = np.asarray(getattr(attrs.model, name), dtype=np.float64)
        off = np.abs((stated if name == "distances_" else stated[:, 2]) - height)
        which = f"{name} has the heights of the merges, recomputed; largest relative difference."
        claims.append(worst(name, which, off, 1.0, f"has another height in {name}: off by"))
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
