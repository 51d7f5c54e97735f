"""The exact minimum cut of a weighted graph: the two-way partition whose edges between the sides weigh least.

A vertex alone is one side of a cut, of the weight of its edges: its degree. Vertices that no lighter cut than the best
so far can part are merged, edges between merged vertices vanish, parallel edges add up, and every degree in the smaller
graph is the weight of a cut of the first one. When one vertex is left, no cut is lighter than the best that was seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native


class Cut(NamedTuple):
    value: float
    side: np.ndarray
    """Whether a vertex lies on the side of the first one."""
    n_rounds: int


def minimum_cut(graph: sp.csr_array, report: Callable[[int, float], None] | None = None) -> Cut:
    """The lightest cut of a symmetric graph without negative weights; n ≥ 2.

    report  called after each round with the vertices left and the best weight so far
    """
    graph = _without_loops(graph)
    n_parts, part = sp.csgraph.connected_components(graph, directed=False)
    if n_parts > 1:
        return Cut(0.0, part == part[0], 0)
    smaller, vertex = graph, np.arange(graph.shape[0])
    best, side, n_rounds = math.inf, np.zeros(0, bool), 0
    while smaller.shape[0] > 1:
        degrees = np.asarray(smaller.sum(axis=1)).ravel()
        lightest = int(np.argmin(degrees))
        if degrees[lightest] < best:
            best, side = float(degrees[lightest]), vertex == lightest
        groups = _native.inseparable_groups(
            smaller.indptr.astype(np.int64), smaller.indices.astype(np.int64), smaller.data, best
        )
        smaller, vertex = _merged(smaller, groups), groups[vertex]
        n_rounds += 1
        if report is not None:
            report(smaller.shape[0], best)
    side = side if side[0] else ~side
    return Cut(cut_weight(graph, side), side, n_rounds)


def cut_weight(graph: sp.csr_array, side: np.ndarray) -> float:
    """Σ of the weights of the edges between the sides, each edge once, rounded once."""
    edges = graph.tocoo()
    between = side[edges.row] & ~side[edges.col]
    return math.fsum(edges.data[between])


def _without_loops(graph: sp.csr_array) -> sp.csr_array:
    edges = sp.coo_array(graph)
    keep = (edges.row != edges.col) & (edges.data > 0)
    row, column, weight = edges.row[keep], edges.col[keep], edges.data[keep].astype(np.float64)
    return sp.csr_array(sp.coo_array((weight, (row, column)), shape=graph.shape))


def _merged(graph: sp.csr_array, groups: np.ndarray) -> sp.csr_array:
    edges, n_groups = graph.tocoo(), int(groups.max()) + 1
    row, column = groups[edges.row], groups[edges.col]
    between = row != column
    joined = sp.coo_array((edges.data[between], (row[between], column[between])), shape=(n_groups, n_groups))
    return sp.csr_array(joined)
