"""Connected components of a graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64


def components(n: int, rows: NDArray, cols: NDArray) -> NDArray:
    """The number of the component of each vertex, 0, 1, … by their first vertices: labels fall along edges, which are
    given one way or both, until none does."""
    label = np.arange(n)
    while True:
        lower = label.copy()
        np.minimum.at(lower, rows, label[cols])
        np.minimum.at(lower, cols, label[rows])
        lower = lower[lower]
        if np.array_equal(lower, label):
            return np.unique(label, return_inverse=True)[1]
        label = lower


def completed(flags: NDArray, distances: Callable[[NDArray, NDArray], F64]) -> tuple[NDArray, int]:
    """The graph both ways, and where it is in pieces an edge between the nearest two rows of every two; and how many
    pieces it had."""
    graph = flags | flags.T
    piece = components(len(graph), *np.nonzero(graph))
    rows = [np.flatnonzero(piece == i) for i in range(int(piece.max()) + 1)]
    for b, a in itertools.combinations(rows, 2):
        D = distances(a, b)
        i, j = np.unravel_index(D.argmin(), D.shape)
        graph[a[i], b[j]] = graph[b[j], a[i]] = True
    return graph, len(rows)
