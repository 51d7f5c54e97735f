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
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import answer_of, sample_rows
from surefit.certificates.rounding import epsilon, gamma

ROUNDINGS = 10.0
NEXT_STEP = 16.0  # the step after the last may be longer than the last, by four times; squared
MOST_NUMBERS = 2**27


@dataclass
class Tree:
    splits: Any
    centers: F64
    leaves: list[int]


@checker("cluster_centers_", "labels_", "inertia_", "splits_", "node_centers_", "predict")
def check_bisecting_kmeans(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows in memory; one distance to two centers for each cut above a row."""
    attrs = Attributes(model, "cluster_centers_")
    n, d = blocks.n_rows, blocks.n_features
    if n * d > MOST_NUMBERS:
        raise BadData(f"{n} × {d} numbers are too many to hold in memory here")
    X = np.concatenate([dense(x) for x, _, _ in blocks])
    w = np.concatenate([np.ones(x.shape[0]) if v is None else np.asarray(v, dtype=float) for x, _, v in blocks])
    if not all_finite(X):
        raise BadData("the data have entries that are NaN or infinite")
    C, labels, inertia = attrs.array("cluster_centers_"), attrs.raw("labels_"), attrs.number("inertia_")
    k = whole(attrs.parameter("n_clusters", 8))
    if C is None or C.ndim != 2 or C.shape[1] != d or not 1 <= len(C) <= k or (len(C) < k and _distinct(X) > len(C)):
        attrs.faults.append(f"cluster_centers_ is no array of {k} × {d} numbers")
    if labels is None or labels.shape != (n,) or labels.dtype.kind not in "iu":
        attrs.faults.append(f"labels_ is not a list of {n} whole numbers")
    elif C is not None and not ((labels >= 0) & (labels < len(C))).all():
        attrs.faults.append("labels_ names clusters that are not there")
    if attrs.faults or C is None or labels is None or inertia is None:
        return [bad_attributes(attrs)], "one pass"
    single = any(x.dtype == np.float32 for x, _, _ in blocks)
    eps = epsilon(single, np.asarray(model.cluster_centers_))
    shift = X.mean(axis=0)
    A = X - shift
    size = np.sqrt((A * A).sum(axis=1))
    unit = float((np.abs(shift).max(initial=0.0) + size.max(initial=0.0)) * eps)
    claims = [
        _clusters(A, w, C - shift, labels, eps, unit, tol),
        _inertia(A, w, C - shift, labels, inertia, eps, unit, tol),
    ]
    tree = _read_tree(attrs, C, d)
    if attrs.faults:
        return [*claims, bad_attributes(attrs)], "two passes"
    if tree is None:
        told = (
            "The cuts are not among the public attributes of this model: nesting and the order of cuts are not checked."
        )
        return [*claims, Claim("nested", told, Grade.UNPROVED, None, None, True)], "two passes"
    rows, wrong = _route(A, tree, shift, labels, unit)
    asked = real(attrs.parameter("tol", 1e-4))
    claims += [
        _nested(wrong, n),
        *_cuts(attrs, A, w, tree, shift, rows, asked, unit, tol),
        _predict(model, blocks, tree, unit),
    ]
    return claims, "a distance to two centers for each cut above a row"


def _distinct(X: F64) -> int:
    return len(np.unique(X, axis=0))


def _clusters(A: F64, w: F64, C: F64, labels: Any, eps: float, unit: float, tol: float) -> Claim:
    """Each center is the mean of the rows of its label, measured by what moving it there would save."""
    worst, excuse, at = 0.0, 0.0, 0
    for j, c in enumerate(C):
        member = labels == j
        W = float(w[member].sum())
        if W == 0:
            worst, at = np.inf, j
            continue
        D = A[member] - c
        spread = float(w[member] @ (D * D).sum(axis=1))
        gap = (w[member] @ D) / W
        share = W * float(gap @ gap) / spread if spread > 0 else 0.0
        room = ROUNDINGS * W * unit**2 / spread if spread > 0 else 0.0
        if share - room > worst - excuse:
            worst, excuse, at = share, room, j
    return at_most(
        "centers",
        f"Each center is the mean of its rows: what moving it there would save, of its cluster's sum; center {at}.",
        Grade.EXACT, worst, max(tol, 1e-4), excuse=excuse, error=gamma(len(A) + 8) * (1 + np.sqrt(worst)),
        failure=f"Center {at} is not the mean of its rows: moving it there saves {worst:.2g} of its cluster's sum.",
    )  # fmt: skip


def _inertia(A: F64, w: F64, C: F64, labels: Any, claimed: float, eps: float, unit: float, tol: float) -> Claim:
    truth = float(w @ ((A - C[labels]) ** 2).sum(axis=1))
    slip = 2 * unit * np.sqrt(truth * float(w.sum())) + unit**2 * float(w.sum())
    size = truth if truth > 0 else 1.0
    return at_most(
        "inertia",
        f"inertia_ is the sum of squared distances to the centers, recomputed as {truth:.10g}; relative difference.",
        Grade.EXACT, abs(claimed - truth) / size, tol, error=gamma(len(A) + A.shape[1] + 8),
        excuse=ROUNDINGS * (eps + slip / size),
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


def _route(A: F64, tree: Tree, shift: F64, labels: Any, unit: float) -> tuple[dict[int, Any], int]:
    """The rows of every node by their labels, and how many of them are at a cut on the farther side."""
    rows = {leaf: np.flatnonzero(labels == j) for j, leaf in enumerate(tree.leaves)}
    wrong, centers = np.zeros(len(A), dtype=bool), tree.centers - shift
    for t in range(len(tree.splits) - 1, -1, -1):
        left, right = 2 * t + 1, 2 * t + 2
        rows[int(tree.splits[t])] = np.concatenate([rows[left], rows[right]])
        for own, other in ((left, right), (right, left)):
            near = ((A[rows[own]] - centers[own]) ** 2).sum(axis=1)
            far = ((A[rows[own]] - centers[other]) ** 2).sum(axis=1)
            wrong[rows[own]] |= near - far > ROUNDINGS * unit * (np.sqrt(near) + np.sqrt(far) + unit)
    return rows, int(wrong.sum())


def _nested(wrong: int, n: int) -> Claim:
    return at_most(
        "nested",
        f"Every row is on the side of the nearer center at each cut above its cluster; rows of {n} that are not.",
        Grade.EXACT, wrong, 0,
        failure=f"{wrong} of {n} rows are on the side of the farther center at some cut.",
    )  # fmt: skip


def _cuts(
    attrs: Attributes,
    A: F64,
    w: F64,
    tree: Tree,
    shift: F64,
    rows: dict[int, Any],
    asked: float,
    unit: float,
    tol: float,
) -> list[Claim]:
    """Each cut is where 2-means stops, and each was of the largest cluster at its time."""
    by_weight = attrs.text("bisecting_strategy", "biggest_inertia") == "largest_cluster"
    weight, spread, means = {}, {}, {}
    for node, r in rows.items():
        W = float(w[r].sum())
        means[node] = (w[r] @ A[r]) / W if W > 0 else np.zeros(A.shape[1])
        weight[node], spread[node] = W, float(w[r] @ ((A[r] - means[node]) ** 2).sum(axis=1))
    centers, worst, limit, excuse, behind, waiting = tree.centers - shift, 0.0, tol, 0.0, 0.0, {0}
    for t, node in enumerate(tree.splits.tolist()):
        parts = (2 * t + 1, 2 * t + 2)
        saves = sum(weight[p] * float(((centers[p] - means[p]) ** 2).sum()) for p in parts)
        own = sum(spread[p] for p in parts)
        room = ROUNDINGS * weight[node] * unit**2 / own if own > 0 else 0.0
        promise = NEXT_STEP * max(asked, 0.0) * spread[node] / A.shape[1] / own if own > 0 else 0.0
        share, allowed = saves / own if own > 0 else 0.0, max(tol, min(promise, 1e-2))
        if (share - room) / allowed > (worst - excuse) / limit:
            worst, limit, excuse = share, allowed, room
        size = {p: weight[p] if by_weight and spread[p] > 0 else spread[p] for p in waiting}
        largest = max(size.values())
        behind = max(behind, (largest - size[node]) / largest if largest > 0 else 0.0)
        waiting = (waiting - {node}) | set(parts)
    exact = worst <= tol + excuse
    return [
        at_most(
            "cuts",
            "Each cut is a fixed point of 2-means: moving its centers to the means of their rows saves at most this."
            if exact else
            f"Cuts stopped by tol={asked:g}: moving their centers to the means of their rows saves at most this share.",
            Grade.FIXED_POINT if exact else Grade.BOUNDED, worst, tol if exact else limit,
            error=gamma(len(A) + 8) * (worst + np.sqrt(worst)), excuse=excuse,
            failure=f"A cut is no fixed point: moving its centers saves {worst:.2g} of its sum; lower tol.",
        ),
        at_most(
            "largest_first",
            f"Each cut was of the cluster of largest {'weight' if by_weight else 'inertia'}; by how much one was not.",
            Grade.GREEDY, behind, 1e-9,
            failure=f"A cluster was cut although another was larger by a share of {behind:.2g}.",
        ),
    ]  # fmt: skip


def _predict(model: Any, blocks: Blocks, tree: Tree, unit: float) -> Claim:
    X = sample_rows(blocks)
    said = answer_of(model, "predict", X)
    if isinstance(said, Claim):
        return said
    wrong, place = 0, {leaf: j for j, leaf in enumerate(tree.leaves)}
    for x, label in zip(np.asarray(X, dtype=float), np.asarray(said).ravel().tolist(), strict=False):
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
    wrong = wrong if np.shape(said) == (len(X),) else len(X)
    return at_most(
        "predict", f"predict goes down the cuts to the nearer center; rows of {len(X)} where it does not.",
        Grade.EXACT, wrong, 0, failure=f"predict gives another cluster on {wrong} of {len(X)} rows.",
    )  # fmt: skip
