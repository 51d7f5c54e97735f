"""Checker of DBSCAN: the definition, pair by pair.

A row is *core* where the weights of the rows within eps of it, itself among them, add up to min_samples. Core rows
within eps of each other share a cluster, and a cluster is what core rows joined in this way make up. A row that is not
core belongs to the cluster with the lowest number among those that have a core row within eps of it; without one it is
noise, −1. Clusters are numbered by their first core row.

Given distances may differ in the two directions (a graph of nearest neighbors). Row i then says who is near row i, and
cluster c is what its first core row, the first that has no cluster yet, reaches along the rows of core rows, without
the rows of earlier clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, BlockOf, Blocks, Rows
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma
from surefit.certificates.search.graphs.forest import Forest
from surefit.certificates.theorems.distances.all_rows import in_slices
from surefit.certificates.theorems.distances.merge_tree import read_labels
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE
from surefit.certificates.theorems.distances.points import Points, read_points

MOST_PAIRS = 2e10  # beyond, blocks of rows spread evenly over all
FAR = 1e36  # a distance that is left out
FEW = 2048  # rows up to which every pair is looked at


class Filled:
    """Distances of all pairs from a sparse matrix: what it leaves out is far, but for a row from itself."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks, self.n_rows, self.n_features = blocks, blocks.n_rows, blocks.n_features

    def __iter__(self) -> Iterator[BlockOf]:
        first = 0
        for X, y, w in self.blocks:
            D = X
            if isinstance(X, Rows):
                D = np.where(np.eye(*X.shape, first, dtype=bool), 0.0, FAR).astype(X.dtype)
                D[X.owner(), X.indices] = 0.0
                np.add.at(D, (X.owner(), X.indices), X.data)
            yield BlockOf(D, y, w)
            first += X.shape[0]


@dataclass
class Fit:
    labels: NDArray
    core: NDArray  # one flag for each row
    w: F64
    eps: float
    least: float  # min_samples


@dataclass
class Sweep:
    """What the pairs say of each row that was looked at, of those within eps surely or maybe."""

    seen: NDArray  # flags
    weight: F64  # (n, 2): between these lies the weight within eps
    lowest: NDArray  # the lowest label of a core row surely within eps; n without one
    own: NDArray  # a core row of the row's own cluster is maybe within eps
    edges: NDArray  # pairs of core rows of one cluster, to be checked
    pairs: float


@checker("labels_", "core_sample_indices_", "components_", "n_clusters_")
def check_dbscan(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Every pair of rows that can be near, once; twice where distances by differences refuse the fit."""
    attrs = Attributes(model, "labels_")
    metric = attrs.parameter("metric", "euclidean")
    points = read_points(
        attrs, Filled(blocks) if isinstance(metric, str) and metric == "precomputed" else blocks, metric
    )
    fit = _read(attrs, blocks)
    if attrs.faults or fit is None:
        return [bad_attributes(attrs)], "one pass"
    points.tell(fit.eps)
    sweep = _sweep(points, fit)
    claims, loose = _claims(points, fit, sweep), points.loosened(fit.eps, tol)
    if loose is not None and not all(c.holds for c in claims):
        again = _sweep(loose, fit)
        second = _claims(loose, fit, again)
        claims, sweep = (second, again) if all(c.holds for c in second) else (claims, sweep)
    return [*claims, _numbered(attrs, points, fit)], f"{sweep.pairs:.1e} pairs of rows"


def _read(attrs: Attributes, blocks: Blocks) -> Fit | None:
    n, weights = blocks.n_rows, [np.asarray(w, dtype=np.float64) for _, _, w in blocks if w is not None]
    labels, places = read_labels(attrs, n), attrs.array("core_sample_indices_")
    eps, least = real(attrs.parameter("eps", 0.5)), real(attrs.parameter("min_samples", 5))
    if not (0 < eps < np.inf and np.isfinite(least)):
        attrs.faults.append("eps is not a positive number, or min_samples not a number")
    w = np.concatenate(weights) if weights else np.ones(n)
    if w.shape != (n,) or not np.isfinite(w).all():
        raise BadData("some weights are NaN or infinite")
    if labels is None or places is None:
        return None
    whole = (labels >= -1).all() and (labels < n).all()
    inside = places.ndim == 1 and (places == np.round(places)).all() and (places >= 0).all() and (places < n).all()
    if not (whole and inside and (np.diff(places) > 0).all()):
        attrs.faults.append(f"labels_ or core_sample_indices_ are not whole numbers below {n}, the latter rising")
        return None
    core = np.zeros(n, bool)
    core[places.astype(np.intp)] = True
    return Fit(labels.astype(np.intp), core, w, eps, least)


def _candidates(points: Points, eps: float) -> list[tuple[NDArray, NDArray]]:
    """Blocks of rows, each with all rows that may lie within eps of one of them: those whose entry in the widest column
    is, where no column differs by more than the distance."""
    n, radius, metric = len(points.X), eps * (1 + 1e-6) + 1e-12 * float(np.abs(points.X).max()), points.metric
    narrow = metric.name in BY_COORDINATE and metric.p >= 1 and n > FEW
    along = points.X[:, np.ptp(points.X, axis=0).argmax()] if narrow else np.zeros(n)
    place = np.argsort(along, kind="stable")
    low, high = (np.searchsorted(along[place], along[place] + side) for side in (-radius, radius))
    runs = [slice(first, min(first + 256, n)) for first in range(0, n, 256)]
    return [(place[run], place[low[run.start] : high[run.stop - 1]]) for run in runs]


def _measured(points: Points, I: NDArray, J: NDArray) -> F64:
    """Distances of row I[i] to row J[i]."""
    if points.metric.name == "precomputed":
        return points.X[I, J]
    parts = [points.metric.distance(points.X[I[p]], points.X[J[p]]) for p in in_slices(len(I), points.X.shape[1])]
    return np.concatenate([np.zeros(0), *parts])


def _within(points: Points, rows: NDArray, near: NDArray, eps: float) -> tuple[NDArray, NDArray]:
    """For all these rows: surely within eps of each other, maybe within eps.

    Euclidean distances come first from products of rows less a common center, whose square is off by at most
    γ_{d+8}(‖a‖ + ‖b‖)²; pairs for which that decides nothing are measured by differences.
    """
    if points.metric.name != "euclidean":
        D = points.block(points.X[rows], near)
        return D + points.slack(D) <= eps, D - points.slack(D) <= eps
    A, B = (points.X[some] - points.X[near[len(near) // 2]] for some in (rows, near))
    a, b = np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)
    square = a[:, None] + b - 2 * (A @ B.T) - eps * eps
    error = gamma(A.shape[1] + 8) * (np.sqrt(a.max()) + np.sqrt(b.max())) ** 2
    band = 1.01 * error + 4 * float(points.slack(np.array(eps))) * eps + gamma(4) * eps * eps
    sure, maybe = square < -band, square <= band
    i, j = np.nonzero(maybe & ~sure)
    D = _measured(points, rows[i], near[j])
    sure[i, j], maybe[i, j] = D + points.slack(D) <= eps, D - points.slack(D) <= eps
    return sure, maybe


def _sweep(points: Points, fit: Fit) -> Sweep:
    n, forest = len(points.X), Forest(len(points.X))
    found = Sweep(np.zeros(n, bool), np.zeros((n, 2)), np.full(n, n), np.zeros(n, bool), np.zeros((0, 2)), 0.0)
    blocks = _candidates(points, fit.eps)
    total = float(sum(len(rows) * len(others) for rows, others in blocks))
    for rows, others in blocks[:: max(1, int(np.ceil(total / MOST_PAIRS)))]:
        found.seen[rows] = True
        found.pairs += float(len(rows) * len(others))
        for part in in_slices(len(others), len(rows)):
            _look(points, fit, rows, others[part], found, forest)
    rounding = 0.0 if (fit.w == np.rint(fit.w)).all() else gamma(n) * np.abs(fit.w).sum()
    found.weight += np.array([-rounding, rounding])
    found.edges = forest.array()
    return found


def _look(points: Points, fit: Fit, rows: NDArray, near: NDArray, found: Sweep, forest: Forest) -> None:
    sure, maybe = _within(points, rows, near, fit.eps)
    more, less = np.maximum(fit.w[near], 0.0), np.minimum(fit.w[near], 0.0)
    found.weight[rows, 0] += sure @ more + maybe @ less
    found.weight[rows, 1] += maybe @ more + sure @ less
    core = fit.core[near]
    near, sure, maybe = near[core], sure[:, core], maybe[:, core]
    if not len(near):
        return
    label = fit.labels[near]
    found.lowest[rows] = np.minimum(found.lowest[rows], np.where(sure, label, len(fit.w)).min(axis=1))
    mine = maybe & (label == fit.labels[rows][:, None])
    found.own[rows] |= mine.any(axis=1)
    inner = fit.core[rows]
    forest.join(rows[inner], near, mine[inner])


def _claims(points: Points, fit: Fit, sweep: Sweep) -> list[Claim]:
    seen, n = sweep.seen, len(fit.labels)
    rows = f"all {n} rows" if seen.all() else f"{int(seen.sum())} of {n} rows, in blocks spread evenly"
    grade, how = Grade.EXACT, "distances"
    if points.products:
        grade, how = Grade.BOUNDED, f"{points.products:.1g} in squares from products of the rows as they are"
    low, high = sweep.weight.T
    core = seen & np.where(fit.core, high < fit.least, low >= fit.least)
    core_claim = at_most(
        "core",
        f"A row is core where min_samples={fit.least:g} lie within eps={fit.eps:g}: {rows}, up to the rounding of "
        f"{how}; rows for which this is not so.",
        grade, int(core.sum()), 0,
        failure=f"core_sample_indices_ is wrong for {int(core.sum())} of {rows}, row {_first(core)} among them.",
    )  # fmt: skip
    near = points.X <= fit.eps if points.metric.name == "precomputed" else None
    if near is not None and not np.array_equal(near, near.T):
        return [core_claim, _reached(near, fit)]
    label, lowest = fit.labels, sweep.lowest
    # a core row is of its own cluster, also where the distance given from it to itself is above eps
    joined = np.where(fit.core, lowest >= label, np.where(label < 0, lowest == n, sweep.own & (lowest >= label)))
    wrong = seen & ~joined
    return [
        core_claim,
        at_most(
            "labels",
            "Core rows within eps of each other share a label; other rows have the lowest label of a core row within "
            f"eps, or −1 where there is none: {rows}; rows for which this is not so.",
            grade, int(wrong.sum()), 0,
            failure=f"labels_ is wrong for {int(wrong.sum())} of {rows}, row {_first(wrong)} among them: it does not "
            "go with the core rows within eps.",
        ),
        _connected(points, fit, sweep, grade),
    ]  # fmt: skip


def _reached(near: NDArray, fit: Fit) -> Claim:
    """Where near is one-way, the clusters of the core rows as they are stated, found again by the definition."""
    expected, k = np.full(len(near), -1), 0
    for row in np.flatnonzero(fit.core):
        if expected[row] >= 0:
            continue
        front = np.array([row])
        while front.size:
            expected[front] = k
            front = np.flatnonzero(near[front[fit.core[front]]].any(axis=0) & (expected < 0))
        k += 1
    wrong = expected != fit.labels
    return at_most(
        "labels",
        "The distances are not the same in both directions: a cluster is what its first core row reaches along the "
        f"rows of core rows, without earlier clusters; rows of {len(near)} for which this is not so.",
        Grade.EXACT, int(wrong.sum()), 0,
        failure=f"labels_ is wrong for {int(wrong.sum())} of {len(near)} rows, row {_first(wrong)} among them: it is "
        "not what the first core rows reach, in their order.",
    )  # fmt: skip


def _first(flags: NDArray) -> int:
    return int(np.argmax(flags))


def _connected(points: Points, fit: Fit, sweep: Sweep, grade: Grade) -> Claim:
    """Edges proposed by a search, each a pair of core rows of one label within eps, join each cluster to one piece."""
    a, b = sweep.edges.T
    D = _measured(points, a, b)
    good = fit.core[a] & fit.core[b] & (fit.labels[a] == fit.labels[b]) & (D - points.slack(D) <= fit.eps)
    parent, pieces = list(range(len(fit.labels))), int(fit.core.sum())
    for i, j in sweep.edges[good].tolist():
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        while parent[j] != j:
            parent[j] = j = parent[parent[j]]
        parent[i], pieces = j, pieces - (i != j)
    more = pieces - len(np.unique(fit.labels[fit.core]))
    if not sweep.seen.all():
        reason = "That clusters are connected is not checked: not all of these pairs of rows are looked at."
        return Claim("connected", reason, Grade.BOUNDED, None, None, True)
    return at_most(
        "connected",
        f"Each cluster is one piece: {int(good.sum())} pairs of its core rows within eps join it; pieces too many.",
        grade, more, 0, lower=0.0,
        failure=f"The clusters fall into {more} more pieces than there are labels, by the pairs that were found: core "
        "rows share a label that no chain of these joins.",
    )  # fmt: skip


def _numbered(attrs: Attributes, points: Points, fit: Fit) -> Claim:
    """Clusters 0 … k − 1 by their first core row; components_ holds the core rows; n_clusters_ counts clusters."""
    number, first = np.unique(fit.labels[fit.core], return_index=True)
    k, faults = len(number), []
    if not (number == np.arange(k)).all() or fit.labels.max(initial=-1) != k - 1 or not (np.diff(first) > 0).all():
        faults.append("clusters are not numbered 0, 1, … by their first core row")
    if attrs.has("n_clusters_") and attrs.number("n_clusters_") != k:
        faults.append(f"n_clusters_ is not {k}")
    left_out = (points.metric.name == "precomputed") & (points.X > FAR / 2)
    X = np.where(left_out, 0.0, points.X)[fit.core]
    if attrs.has("components_") or k:
        rows = attrs.array("components_", X.shape)
        if rows is None or not (rows == X).all():
            faults.append("components_ is not the core rows")
    reason = "; ".join([*faults, *attrs.faults])
    sentence = f"{k} clusters are numbered by their first core row, components_ has the core rows; faults."
    return at_most("numbered", sentence, Grade.EXACT, len(faults), 0, failure=f"{reason}.")
