"""Checker of BisectingKMeans: clusters are nested, each cut is a fixed point of 2-means, the largest was cut first.

Node 0 holds all rows; cut t parts node splits_[t] into nodes 2t + 1 and 2t + 2, a row going to the nearer of the two
centers. For the rows of a node Σω‖x − c‖² = Σω‖x − m‖² + W‖m − c‖², m their mean: a center off its mean costs the last
term. scikit-learn's model shows the clusters only, not the cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import answer_of, sample_rows
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.distances.to_centers import transform_claim

ROUNDINGS = 10.0
NEXT_STEP = 16.0  # the step after the last may be longer than the last, by four times; squared
MOST_NUMBERS = 2**27


@dataclass
class Tree:
    splits: Any
    centers: F64
    leaves: list[int]


@dataclass
class Data:
    X: F64
    w: F64
    shift: F64  # the mean of the rows
    unit: float  # a rounding of a row or center in the model's own precision


@dataclass
class Part:
    """Rows about a center c: W = Σω, S = Σω‖x − c‖², W‖m − c‖² of their mean m, and bounds of its roundings."""

    weight: float
    sum_sq: float
    saved: float
    sum_error: float
    saved_error: float

    @property
    def spread(self) -> float:
        """Σω‖x − m‖², from below."""
        return max(0.0, self.sum_sq - self.sum_error - self.saved - self.saved_error)


@checker("cluster_centers_", "labels_", "inertia_", "splits_", "node_centers_", "predict", "transform")
def check_bisecting_kmeans(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows in memory; one distance to two centers for each cut above a row."""
    attrs = Attributes(model, "cluster_centers_")
    n, d = blocks.n_rows, blocks.n_features
    if n * d > MOST_NUMBERS:
        raise BadData(f"{n} × {d} numbers are too many to hold in memory here")
    looked = list(looked_over(blocks))
    X, w = np.concatenate([dense(b.X) for b in looked]), np.concatenate([b.w for b in looked])
    C, labels, inertia = attrs.array("cluster_centers_"), attrs.raw("labels_"), attrs.number("inertia_")
    k = whole(attrs.parameter("n_clusters", 8))
    if (
        C is None
        or C.ndim != 2
        or C.shape[1] != d
        or not 1 <= len(C) <= k
        or (len(C) < k and len(np.unique(X, axis=0)) > len(C))
    ):
        attrs.faults.append(f"cluster_centers_ is no array of {k} × {d} numbers")
    if labels is None or labels.shape != (n,) or labels.dtype.kind not in "iu":
        attrs.faults.append(f"labels_ is not a list of {n} whole numbers")
    elif C is not None and not ((labels >= 0) & (labels < len(C))).all():
        attrs.faults.append("labels_ names clusters that are not there")
    if attrs.faults or C is None or labels is None or inertia is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(any(b.X.dtype == np.float32 for b in looked), np.asarray(model.cluster_centers_))
    data = _data(X, w, C, eps)
    parts = [_part(data, np.flatnonzero(labels == j), c) for j, c in enumerate(C)]
    sample = sample_rows(blocks)
    claims = [
        _clusters(data, parts, tol),
        _inertia(data, parts, inertia, eps, tol),
        transform_claim(model, sample, C, data.shift, eps),
    ]
    tree = _read_tree(attrs, C, d)
    if attrs.faults:
        return [*claims, bad_attributes(attrs)], "two passes"
    if tree is None:
        told = (
            "The cuts are not among the public attributes of this model: nesting, the order of cuts and what predict "
            "gives are not checked."
        )
        return [*claims, Claim("nested", told, Grade.UNPROVED, None, 0.0, True)], "two passes"
    rows, wrong = _route(data, tree, labels)
    nodes = {node: _part(data, r, tree.centers[node]) for node, r in rows.items()}
    claims += [
        _nested(wrong, n),
        _cuts(data, tree, nodes, real(attrs.parameter("tol", 1e-4)), tol),
        _largest_first(attrs, data, tree, nodes),
        _predict(model, sample, tree, data.unit),
    ]
    return claims, "a distance to two centers for each cut above a row"


def _data(X: F64, w: F64, C: F64, eps: float) -> Data:
    shift = X.mean(axis=0)
    size = float(np.linalg.norm(X - shift, axis=1).max() + np.linalg.norm(C - shift, axis=1).max())
    return Data(X, w, shift, (float(np.abs(shift).max(initial=0.0)) + size) * eps)


def _part(data: Data, rows: Any, c: F64) -> Part:
    """Differences x − c have one rounding relative to themselves: S is known to γS, their mean to γ√(S/W)."""
    D, w = data.X[rows] - c, data.w[rows]
    W, S, share = float(w.sum()), float(w @ (D * D).sum(axis=1)), gamma(len(D) + D.shape[1] + 8)
    saved = float((((w @ D) / W) ** 2).sum()) * W if W > 0 else 0.0
    return Part(W, S, saved, share * S, share * (2 * np.sqrt(saved * S) + share * S + saved))


def _clusters(data: Data, parts: list[Part], tol: float) -> Claim:
    """Each center is the mean of the rows of its label, measured by what moving it there would save."""
    worst, error, excuse, at = 0.0, 0.0, 0.0, -1
    for j, part in enumerate(parts):
        point = part.weight > 0 and part.sum_sq <= ROUNDINGS * part.weight * data.unit**2
        if point:  # its rows sit on their center up to rounding
            continue
        share, off = _ratio(part.saved, part.saved_error, part.sum_sq, part.sum_error)
        room = ROUNDINGS * part.weight * data.unit**2 / part.sum_sq if part.sum_sq > 0 else 0.0
        if at < 0 or share + off - room > worst + error - excuse:
            worst, error, excuse, at = share, off, room, j
    exact = worst + error <= tol + excuse
    return at_most(
        "centers",
        "Every row sits on its center, up to rounding." if at < 0 else
        f"Each center is the mean of its rows: what moving it there would save, of its cluster's sum; center {at}.",
        Grade.EXACT if exact else Grade.BOUNDED, worst, tol if exact else max(tol, 1e-4), excuse=excuse, error=error,
        failure=f"Center {at} is not the mean of its rows: moving it there saves {worst:.2g} of its cluster's sum.",
    )  # fmt: skip


def _ratio(part: float, part_error: float, whole: float, whole_error: float) -> tuple[float, float]:
    """part/whole, and by how much that may be off; infinite where nothing is known of the whole."""
    if not whole > 0:
        return np.inf, 0.0
    value, least = part / whole, whole - whole_error
    return value, (part + part_error) / least - value + gamma(4) * value if least > 0 else np.inf


def _inertia(data: Data, parts: list[Part], claimed: float, eps: float, tol: float) -> Claim:
    truth, weight = sum(p.sum_sq for p in parts), float(data.w.sum())
    slip = 2 * data.unit * np.sqrt(truth * weight) + data.unit**2 * weight
    size = truth if truth > 0 else 1.0
    off = abs(claimed - truth) / size
    error = (1.1 * (1 + off) * sum(p.sum_error for p in parts) + gamma(len(parts) + 4) * truth) / size
    return at_most(
        "inertia",
        f"inertia_ is the sum of squared distances to the centers, recomputed as {truth:.10g}; relative difference.",
        Grade.EXACT, off, tol, error=error, excuse=ROUNDINGS * (eps + slip / size),
        failure=f"inertia_ is {claimed:.10g}, but the squared distances to the centers add up to {truth:.10g}.",
    )  # fmt: skip


def _read_tree(attrs: Attributes, C: F64, d: int) -> Tree | None:
    if not attrs.has("splits_"):
        return None
    k = len(C)
    splits, centers = attrs.raw("splits_"), attrs.array("node_centers_", (2 * k - 1, d))
    if splits is None or splits.shape != (k - 1,) or (k > 1 and splits.dtype.kind not in "iu") or centers is None:
        attrs.faults.append(f"splits_ is not a list of {k - 1} nodes")
        return None
    waiting, cut_of = {0}, {}
    for t, node in enumerate(splits.tolist()):
        if node not in waiting:
            attrs.faults.append(f"cut {t} parts node {node}, which is not there or was cut before")
            return None
        waiting -= {node}
        waiting |= {2 * t + 1, 2 * t + 2}
        cut_of[node] = t
    leaves, stack = [], [0]
    while stack:
        node = stack.pop()
        if node in cut_of:
            stack += [2 * cut_of[node] + 2, 2 * cut_of[node] + 1]
        else:
            leaves.append(node)
    if not np.array_equal(centers[leaves], C):
        attrs.faults.append("cluster_centers_ are not the centers of the last nodes, from left to right")
    return Tree(splits, centers, leaves)


def _route(data: Data, tree: Tree, labels: Any) -> tuple[dict[int, Any], int]:
    """The rows of every node by their labels, and how many of them are at a cut on the farther side."""
    rows = {leaf: np.flatnonzero(labels == j) for j, leaf in enumerate(tree.leaves)}
    X, unit, wrong, centers = data.X, data.unit, np.zeros(len(data.X), dtype=bool), tree.centers
    for t in range(len(tree.splits) - 1, -1, -1):
        left, right = 2 * t + 1, 2 * t + 2
        rows[int(tree.splits[t])] = np.concatenate([rows[left], rows[right]])
        for own, other in ((left, right), (right, left)):
            near = ((X[rows[own]] - centers[own]) ** 2).sum(axis=1)
            far = ((X[rows[own]] - centers[other]) ** 2).sum(axis=1)
            wrong[rows[own]] |= near - far > ROUNDINGS * unit * (np.sqrt(near) + np.sqrt(far) + unit)
    return rows, int(wrong.sum())


def _nested(wrong: int, n: int) -> Claim:
    return at_most(
        "nested",
        f"Every row is on the side of the nearer center at each cut above its cluster; rows of {n} that are not.",
        Grade.EXACT, wrong, 0,
        failure=f"{wrong} of {n} rows are on the side of the farther center at some cut.",
    )  # fmt: skip


def _cuts(data: Data, tree: Tree, nodes: dict[int, Part], asked: float, tol: float) -> Claim:
    """Each cut is where 2-means stops, and the root is the mean of all rows, whatever tol says."""
    worst, error, excuse, limit, any_cut = 0.0, 0.0, 0.0, tol, False
    cuts = [(nodes[node], [nodes[2 * t + 1], nodes[2 * t + 2]]) for t, node in enumerate(tree.splits.tolist())]
    for node, parts in [(nodes[0], [nodes[0]]), *cuts]:
        own = sum(p.spread for p in parts)
        if not own > ROUNDINGS * node.weight * data.unit**2:  # two points, up to rounding
            continue
        share = sum(p.saved for p in parts) / own
        off = sum(p.saved_error for p in parts) / own + gamma(8) * share
        room = ROUNDINGS * node.weight * data.unit**2 / own
        promise = NEXT_STEP * max(asked, 0.0) * node.spread / data.X.shape[1] / own if len(parts) == 2 else 0.0
        allowed = max(tol, min(promise, 1e-2))
        if not any_cut or (share + off - room) / allowed > (worst + error - excuse) / limit:
            worst, error, excuse, limit, any_cut = share, off, room, allowed, True
    exact = worst + error <= tol + excuse
    return at_most(
        "cuts",
        "Each cut is a fixed point of 2-means: moving its centers to the means of their rows saves at most this."
        if exact else
        f"Cuts stopped by tol={asked:g}: moving their centers to the means of their rows saves at most this share.",
        Grade.FIXED_POINT if exact else Grade.BOUNDED, worst, tol if exact else limit, error=error, excuse=excuse,
        failure=f"A cut is no fixed point: moving its centers saves {worst:.2g} of its sum; lower tol.",
    )  # fmt: skip


def _largest_first(attrs: Attributes, data: Data, tree: Tree, nodes: dict[int, Part]) -> Claim:
    """Each cut was of the largest cluster at its time, by its sum about its own center or by its weight."""
    by_weight = attrs.text("bisecting_strategy", "biggest_inertia") == "largest_cluster"
    behind, error, excuse, waiting = 0.0, 0.0, 0.0, {0}
    for t, node in enumerate(tree.splits.tolist()):
        for other in waiting - {node}:
            value, off, room = _ahead(nodes[other], nodes[node], by_weight, data)
            if value + off - room > behind + error - excuse or (value + off > 0) > (behind + error > 0):
                behind, error, excuse = value, off, room
        waiting = (waiting - {node}) | {2 * t + 1, 2 * t + 2}
    return at_most(
        "largest_first",
        f"Each cut was of the cluster of largest {'weight' if by_weight else 'inertia'}; by how much one was not.",
        Grade.GREEDY, behind, 1e-9, error=error, excuse=excuse,
        failure=f"A cluster was cut although another was larger by a share of {behind:.2g}.",
    )  # fmt: skip


def _ahead(other: Part, cut: Part, by_weight: bool, data: Data) -> tuple[float, float, float]:
    """By what share the other was larger than the one cut, what rounding here may add to it, and there; 0 if not."""
    weigh = by_weight and other.sum_sq > 0
    larger, size = (other.weight, cut.weight) if weigh else (other.sum_sq, cut.sum_sq)
    if not larger > 0:
        return 0.0, 0.0, 0.0
    sums = gamma(len(data.X) + 4) + (0.0 if weigh else (other.sum_error + cut.sum_error) / larger)
    lead = (larger - size) / larger
    moved = sum(2 * data.unit * np.sqrt(p.sum_sq * p.weight) + p.weight * data.unit**2 for p in (other, cut)) / larger
    return max(0.0, lead), max(0.0, sums + min(0.0, lead)), 0.0 if weigh else ROUNDINGS * float(moved)


def _predict(model: Any, X: Any, tree: Tree, unit: float) -> Claim:
    said = answer_of(model, "predict", X, (len(X),))
    if isinstance(said, Claim):
        return said
    wrong, place = 0, {leaf: j for j, leaf in enumerate(tree.leaves)}
    for x, label in zip(np.asarray(X, dtype=float), said.tolist(), strict=True):
        open_, found = [0], set()
        cut_of = {int(node): t for t, node in enumerate(tree.splits)}
        while open_:
            node = open_.pop()
            if node not in cut_of:
                found.add(place[node])
                continue
            a, b = 2 * cut_of[node] + 1, 2 * cut_of[node] + 2
            near, far = (np.sqrt(((x - tree.centers[p]) ** 2).sum()) for p in (a, b))
            slack = ROUNDINGS * unit
            open_ += [p for p, ahead in ((a, far - near), (b, near - far)) if ahead >= -slack]
        wrong += label not in found
    wrong = wrong if said.dtype.kind in "iu" else len(X)
    return at_most(
        "predict", f"predict goes down the cuts to the nearer center; rows of {len(X)} where it does not.",
        Grade.EXACT, wrong, 0, failure=f"predict gives another cluster on {wrong} of {len(X)} rows.",
    )  # fmt: skip
