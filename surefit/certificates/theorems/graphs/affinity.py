"""Whether a matrix of affinities is the one that X and the parameters define: row by row, all rows or a sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, dense
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.distances.all_rows import in_slices
from surefit.certificates.theorems.graphs.graph import Graph
from surefit.certificates.theorems.graphs.neighborhoods import Neighborhoods

ALL_ROWS, SAMPLE = 2000, 48
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
    wrong, rows = 0, checked_rows(graph.n)
    for part in in_slices(len(rows), 4 * graph.n):
        some = rows[part]
        W = dense_rows(graph, some)
        sure, maybe = near.lists(some)
        back_sure, back_maybe = np.zeros_like(sure), np.ones_like(maybe)
        others = np.flatnonzero((W > 0).any(axis=0) | maybe.any(axis=0))
        for few in in_slices(len(others), 4 * graph.n):
            theirs = near.lists(others[few])
            back_sure[:, others[few]], back_maybe[:, others[few]] = theirs[0][:, some].T, theirs[1][:, some].T
        low, high = JOINED[joined](sure, back_sure), JOINED[joined](maybe, back_maybe)
        wrong += int(np.count_nonzero((low - 1e-12 > W) | (high + 1e-12 < W)))
        wrong += int(np.count_nonzero(np.abs(2 * W - np.rint(2 * W)) > 1e-12))
    what = f"{near.k} nearest others" if near.k is not None else f"others within {near.radius:g}"
    return at_most(
        "affinity",
        f"The graph joins rows to their {what}, on {len(rows)} rows; pairs that it should or should not join.",
        Grade.EXACT, wrong, 0,
        failure=f"The graph is not that of the {what}: {wrong} pairs are wrong on {len(rows)} rows.",
    )  # fmt: skip


def given_claim(graph: Graph, blocks: Iterable[Any]) -> Claim:
    """A precomputed matrix is the data itself; a dense one made symmetric."""
    n, first, off, size, count = graph.n, 0, 0.0, 0.0, 0
    if any(X.shape[1:] != (n,) for X, _, _ in blocks):
        return refuted("affinity", f"The matrix given has not {n} columns.")
    places = checked_rows(n)
    whole = np.concatenate([dense(X) for X, _, _ in blocks]) if n <= ALL_ROWS else None
    for X, _, _ in blocks:
        rows = places[(places >= first) & (places < first + X.shape[0])]
        for i in rows:
            given = dense(X[i - first : i - first + 1])[0]
            given = given if whole is None else (given + whole[:, i]) / 2
            given[i] = 0.0
            off = max(off, float(np.abs(dense_rows(graph, np.array([i]))[0] - given).max(initial=0.0)))
            size, count = max(size, float(np.abs(given).max(initial=0.0))), count + 1
        first += X.shape[0]
    size = size or 1.0
    return at_most(
        "affinity", f"The affinities are those given, on {count} rows; largest difference, relative to the largest.",
        Grade.EXACT, off / size, 1e-12, failure=f"The affinities are not those given: off by {off / size:.2g}.",
    )  # fmt: skip
