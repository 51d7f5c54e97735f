"""Checker of StepwiseAgglomeration: each merge leaves the lowest cost of all pairs of its time.

With S_AB the sum of distances (or similarities) of the rows of A to those of B, merging A and B changes the cost by
  kmeans   |A||B| / (|A| + |B|) ‖c_A − c_B‖²                                (the identity of k-means' centers)
  within   (S_AA + S_BB + 2 S_AB) / (2(|A| + |B|)) − S_AA / (2|A|) − S_BB / (2|B|)
  between  −2 S_AB                                                          (pairs across clusters, both ways)
and sums add up when clusters merge. A function of (X, labels) is called for every pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.distances.merge_tree import (
    MergeTree,
    read_labels,
    read_tree,
    wrong_labels,
)
from surefit.certificates.theorems.distances.points import Points, read_points
from surefit.certificates.theorems.distances.replay import MOST, replay

CALLS = 4000  # of a cost function


@dataclass
class Replayed:
    """The merges looked at: by how much each changed the cost, the least change of its time, and their rounding."""

    at: NDArray
    start: float
    change: F64
    least: F64
    error: F64
    excuse: F64  # of a change in the model's precision


@checker("merges_", "costs_", "labels_", "n_clusters_", "initial_labels_", "linkage_matrix_")
def check_stepwise_agglomeration(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All pairs of rows once, then every merge against all pairs of clusters."""
    attrs, n = Attributes(model, "merges_"), blocks.n_rows
    points = read_points(attrs, blocks, attrs.parameter("metric", "euclidean"))
    initial, labels = attrs.array("initial_labels_", (n,)), None
    costs = None
    k, left = 0 if initial is None else len(np.unique(initial)), attrs.number("n_clusters_")
    if initial is not None and not np.array_equal(np.unique(initial), np.arange(k)):
        attrs.faults.append("initial_labels_ is not 0, 1, … with a row each")
    elif initial is not None and left != min(k, real(attrs.parameter("n_clusters", 1))):
        attrs.faults.append(f"n_clusters_ is not n_clusters={attrs.parameter('n_clusters', 1)!r}")
    tree = None if attrs.faults or left is None else read_tree(attrs, k, k - int(left), "merges_")
    if tree is not None:
        labels, costs = read_labels(attrs, n), attrs.array("costs_", (len(tree.children) + 1,))
    if attrs.faults or initial is None or tree is None or labels is None or costs is None:
        return [bad_attributes(attrs)], "one pass"
    codes = initial.astype(np.intp)
    found = _replayed(attrs, points, codes, tree)
    claims = [_cheapest(found, tree, tol), _costs(attrs, found, costs, tol), _labels(tree, codes, labels)]
    return claims, f"{len(found.at)} of {len(tree.children)} merges against all pairs of clusters"


def _replayed(attrs: Attributes, points: Points, codes: NDArray, tree: MergeTree) -> Replayed:
    name, (n, d), k = attrs.parameter("cost", "kmeans"), points.X.shape, tree.n
    if callable(name):
        return _called(name, points, codes, tree)
    if k > MOST:
        raise BadData(f"{k} clusters at the start are more than the {MOST} that are replayed")
    size = np.bincount(codes, minlength=k).astype(np.float64)
    long, all_ = np.longdouble, np.arange(len(tree.children))
    if name == "kmeans":
        X = points.X.astype(long) - points.X.mean(axis=0)
        sums = np.zeros((k, d), long)
        np.add.at(sums, codes, X)
        means, spread = (sums / size[:, None]).astype(np.float64), np.sqrt((X * X).sum(axis=1).max())
        start = float(((X - (sums / size[:, None])[codes]) ** 2).sum())

        def rise(a: Any, others: NDArray) -> F64:
            off = means[others] - means[a]
            return size[a] * size[others] / (size[a] + size[others]) * np.einsum("ij,ij->i", off, off)

        def join(a: int, b: int, others: NDArray) -> F64:
            sums[a], size[a] = sums[a] + sums[b], size[a] + size[b]
            means[a] = (sums[a] / size[a]).astype(np.float64)
            return rise(a, others)

        M = np.stack([rise(a, np.arange(k)) for a in range(k)])
        change, least = replay(M, tree.children, join)
        # means are off by a rounding of the spread, which moves a rise r by 2√(n r) of it
        error = gamma(d + 8) * change + 4 * UNIT * spread * np.sqrt(n * change) + n * (4 * UNIT * spread) ** 2
        return Replayed(all_, start, change, least, error, error + 16 * points.unit * change)
    S, relative = _sums(attrs, points, codes, k, name)
    inner = S.diagonal().copy()

    def cost(a: int, others: NDArray) -> F64:
        if name == "between":
            return -2 * S[a, others]
        whole = (inner[a] + inner[others] + 2 * S[a, others]) / (2 * (size[a] + size[others]))
        return whole - inner[a] / (2 * size[a]) - inner[others] / (2 * size[others])

    def merged(a: int, b: int, others: NDArray) -> F64:
        inner[a], size[a] = inner[a] + inner[b] + 2 * S[a, b], size[a] + size[b]
        S[a, others] = S[others, a] = S[a, others] + S[b, others]
        return cost(a, others)

    start = float(S.sum() - inner.sum()) if name == "between" else float((inner / (2 * size)).sum())
    change, least = replay(np.stack([cost(a, np.arange(k)) for a in range(k)]), tree.children, merged)
    total = np.maximum(np.abs(change), np.abs(start + np.cumsum(change)))
    return Replayed(all_, start, change, least, relative * total, (relative + 16 * points.unit) * total)


def _sums(attrs: Attributes, points: Points, codes: NDArray, k: int, name: str) -> tuple[F64, float]:
    """S_AB for all clusters at the start, and its relative rounding."""
    n, d = points.X.shape
    width = real(attrs.parameter("gamma", 1.0 / max(1, d)))
    if name not in ("within", "between") or not width >= 0:
        raise BadData(f"cost={name!r} is not known, or gamma is not a number ≥ 0")
    S, given, error = np.zeros((k, k)), points.metric.name == "precomputed", 0.0
    for i in range(n):
        if name == "within" or given:
            row = points.block(points.X[i : i + 1])[0]
        else:
            square = ((points.X - points.X[i]) ** 2).sum(axis=1)
            row = np.exp(-width * square)
            row[i] = 0.0
            error = max(error, gamma(d + 8) * min(width * float(square.max()), 745.0))
        S[codes[i]] += np.bincount(codes, weights=row, minlength=k)
    slack = 0.0 if given or name == "between" else 2 * float(points.metric.error(np.ones(1), d)[0])
    return S, gamma(float(n) * n + 8) + error + slack


def _called(cost: Callable[..., Any], points: Points, codes: NDArray, tree: MergeTree) -> Replayed:
    """A function: the merges whose pairs it is called for are spread evenly, so that it is not called too often."""
    X, k, m = points.X.astype(points.dtype), tree.n, len(tree.children)

    def value(clusters: NDArray, pair: tuple[int, int] | None = None) -> float:
        names = np.zeros(k + m, np.intp)
        names[clusters] = np.arange(len(clusters))
        if pair is not None:
            names[clusters[pair[1]]] = names[clusters[pair[0]]]
        leaf = np.repeat(names[clusters], tree.size[clusters])
        of_leaf = np.empty(k, np.intp)
        of_leaf[tree.order] = leaf
        return real(cost(X, np.unique(of_leaf[codes], return_inverse=True)[1]))

    pairs = (k - np.arange(m)) * (k - np.arange(m) - 1) / 2
    at = np.arange(0, m, max(1, int(np.ceil(pairs.sum() / CALLS))))
    change, least, before = np.zeros(len(at)), np.zeros(len(at)), np.zeros(len(at))
    for i, t in enumerate(at.tolist()):
        clusters = tree.active(t)
        before[i] = value(clusters)
        after = {(p, q): value(clusters, (p, q)) for p in range(len(clusters)) for q in range(p)}
        q, p = np.flatnonzero(np.isin(clusters, tree.children[t])).tolist()
        change[i], least[i] = after[p, q] - before[i], min(after.values()) - before[i]
    size = np.abs(before) + np.abs(change)  # the function's own rounding is not known: sixteen of its values'
    return Replayed(at, value(tree.active(0)), change, least, 16 * UNIT * size, 16 * points.unit * size)


def _cheapest(found: Replayed, tree: MergeTree, tol: float) -> Claim:
    whole = max(abs(found.start), float(np.abs(found.start + np.cumsum(found.change)).max(initial=0.0)), 1e-300)
    scale = np.where(np.abs(found.change) > 1e6 * found.error, np.abs(found.change), whole)
    value, error = np.maximum(found.change - found.least, 0.0) / scale, 2 * found.error / scale
    excuse = 2 * found.excuse / scale + error
    j = int(np.argmax((value + error) / (tol + excuse))) if len(value) else -1
    m = len(tree.children)
    which = f"All {m} merges" if len(found.at) == m else f"{len(found.at)} of {m} merges, spread evenly,"
    worst, e, x = (float(value[j]), float(error[j]), float(excuse[j])) if j >= 0 else (0.0, 0.0, 0.0)
    return at_most(
        "cheapest",
        f"{which} leave the lowest cost that merging any two clusters would; by what share of the change (of the cost "
        "where that is rounding) another pair is better.",
        Grade.GREEDY, worst, tol, error=e, excuse=x,
        failure=f"Merge {int(found.at[j])} changes the cost by {found.change[j]:.6g}, another pair by "
        f"{found.least[j]:.6g}." if j >= 0 else "",
    )  # fmt: skip


def _costs(attrs: Attributes, found: Replayed, costs: F64, tol: float) -> Claim:
    """costs_ before any merge and after each; linkage_matrix_ has the changes."""
    scale = float(np.abs(costs).max()) or 1.0
    rises = np.diff(costs)
    off = [abs(costs[0] - found.start), *np.abs(rises[found.at] - found.change)]
    if attrs.has("linkage_matrix_"):
        off += np.abs(np.asarray(attrs.model.linkage_matrix_, dtype=np.float64)[:, 2] - rises).tolist()
    if len(found.at) == len(rises):
        off += np.abs(costs[1:] - found.start - np.cumsum(found.change)).tolist()
    worst, error = max(off) / scale, float(np.sum(found.error)) / scale
    return at_most(
        "costs",
        f"costs_ is the cost before any merge, {found.start:.6g}, and after each, recomputed; linkage_matrix_ has the "
        "changes. Largest difference, as a share of the largest cost.",
        Grade.EXACT, worst, tol, error=error, excuse=float(found.excuse.sum()) / scale + error,
        failure=f"costs_ or linkage_matrix_ differ from the recomputed costs by up to {max(off):.6g}.",
    )  # fmt: skip


def _labels(tree: MergeTree, codes: NDArray, labels: F64) -> Claim:
    of_leaf = np.zeros(tree.n)
    of_leaf[codes] = labels
    left = tree.n - len(tree.children)
    wrong = int((of_leaf[codes] != labels).sum()) + wrong_labels(tree, of_leaf, left)
    return at_most(
        "labels",
        f"labels_ names the {left} clusters that the merges leave of initial_labels_; rows where not.",
        Grade.EXACT, wrong, 0,
        failure=f"labels_ is not the partition that the merges leave, for {wrong} rows or clusters.",
    )  # fmt: skip
