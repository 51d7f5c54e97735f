"""Whether a matrix of affinities is the one that X and the parameters define: row by row, all rows or a sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import SAMPLE, sample_rows
from surefit.certificates.theorems.distances.all_rows import all_rows
from surefit.certificates.theorems.graphs.graph import Graph
from surefit.certificates.theorems.graphs.neighborhoods import Neighborhoods

ALL_ROWS = 2000  # beyond, rows spread evenly are checked
JOINED = {
    "mean": lambda a, b: (a + 0.0 + b) / 2,
    "or": lambda a, b: (a | b) + 0.0,
    "mutual": lambda a, b: (a & b) + 0.0,
}


def checked_rows(n: int) -> NDArray:
    return np.arange(n) if n <= ALL_ROWS else np.unique(np.linspace(0, n - 1, SAMPLE).astype(np.intp))


def dense_rows(graph: Graph, rows: NDArray) -> F64:
    out = np.zeros((len(rows), graph.n))
    for place, i in enumerate(rows):
        own = slice(*np.searchsorted(graph.rows, [i, i + 1]))
        out[place, graph.cols[own]] = graph.weight[own]
    return out


def neighbors_claim(graph: Graph, near: Neighborhoods, joined: str) -> Claim:
    """Every weight lies between those of the lists that are sure and of those that may be."""
    rows = checked_rows(graph.n)
    W, (sure, maybe) = dense_rows(graph, rows), near.lists(rows)
    others = np.flatnonzero(((W > 0) | maybe).any(axis=0))
    back_sure, back_maybe, theirs = np.zeros_like(sure), np.ones_like(maybe), near.lists(others, rows)
    back_sure[:, others], back_maybe[:, others] = theirs[0].T, theirs[1].T
    low, high = JOINED[joined](sure, back_sure), JOINED[joined](maybe, back_maybe)
    halves = np.abs(2 * W - np.rint(2 * W)) <= 1e-12
    wrong = int(np.count_nonzero(~(halves & (low - 1e-12 <= W) & (W <= high + 1e-12))))
    what = f"{near.k} nearest others" if near.k is not None else f"others within {near.radius:g}"
    return at_most(
        "affinity",
        f"The graph joins rows to their {what}, on {len(rows)} rows; pairs that it should or should not join.",
        Grade.EXACT, wrong, 0,
        failure=f"The graph is not that of the {what}: {wrong} pairs are wrong on {len(rows)} rows.",
    )  # fmt: skip


def values_claim(
    graph: Graph, what: str, K: F64, unit: F64, limit: float, rounding: float = 0.0, eps: float = 0.0
) -> Claim:
    """The largest difference from K (of the rows that are checked) relative to the unit; loops do not count.

    K is right to a relative rounding, exp(−E) to 1 + E of them. What underflows in the model's precision is no matter.
    """
    rows, unit = checked_rows(graph.n), np.maximum(unit, 1e-36 if eps > 1e-10 else 1e-290)
    off = np.abs(dense_rows(graph, rows) - K) / unit
    off[np.arange(len(rows)), rows] = 0.0
    worst, span = float(off.max()), 1 - float(np.log(np.minimum(unit, 1.0)).min())
    return at_most(
        "affinity", f"The affinities are {what}, on {len(rows)} rows; largest relative difference.",
        Grade.EXACT, worst, limit, error=rounding * span, excuse=10 * eps * span,
        failure=f"The affinities are not {what}: off by a relative {worst:.2g}.",
    )  # fmt: skip


def given_claim(graph: Graph, given: Blocks | F64) -> Claim:
    """A matrix given, or its rows that are checked; all rows are made symmetric."""
    rows, W = checked_rows(graph.n), given
    if not isinstance(W, np.ndarray):
        W = all_rows(W)[0] if W.n_rows <= ALL_ROWS else dense(sample_rows(W))
    if W.shape != (len(rows), graph.n):
        return refuted("affinity", f"The matrix given has not {graph.n} columns.")
    W = (W + W.T) / 2 if len(rows) == graph.n else W
    size = np.abs(np.where(rows[:, None] == np.arange(graph.n), 0.0, W)).max()
    return values_claim(graph, "those given", W, np.full_like(W, size or 1.0), 1e-12)
