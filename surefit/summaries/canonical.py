"""Rows in canonical order: by a hash of their contents, ties by contents; equal rows are merged, their weights added.

What is done to rows in that order depends on the set of weighted rows alone: shuffling them changes nothing, a row of
weight two is a row given twice, and a row of weight zero is not there.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.arithmetic import power_of_two
from surefit._core.threads import threads_for

HASHED_NUMBERS = 2**18
"""Numbers that are copied at a time to be hashed."""


class Canonical(NamedTuple):
    """Distinct rows in canonical order: X[order[i]] with total weight w[i] (None: all one)."""

    X: Any
    order: np.ndarray
    w: np.ndarray | None

    @property
    def n_rows(self) -> int:
        return len(self.order)


def row_hashes(X: Any, n_threads: int = 1) -> np.ndarray:
    """64-bit hashes of the rows; equal rows, dense or CSR, hash alike, and −0 is 0."""
    if sp.issparse(X):
        return _native.hash_rows_csr(X.data, X.indices, X.indptr, X.shape[1], n_threads)
    return _native.hash_rows(np.ascontiguousarray(X), n_threads)


def example_hashes(X: Any, y: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """64-bit hashes of rows with their targets: the hash of (hash of x, hash of y), mixed as SplitMix64 has it."""
    return _with_targets(row_hashes(X, n_threads), y, n_threads)


def _with_targets(hashes: np.ndarray, y: np.ndarray, n_threads: int) -> np.ndarray:
    targets = np.ascontiguousarray(y, dtype=np.float64).reshape(len(y), -1)
    return mixed(hashes + np.uint64(0x9E3779B97F4A7C15) * row_hashes(targets, n_threads))


def in_single_precision(X: Any) -> tuple[Any, float]:
    """(rows / unit as float32, unit): what is drawn among them is the same for rows of either precision."""
    unit = unit_above(X)
    return in_units(X, unit), unit


def in_units(X: Any, unit: float) -> Any:
    """X / unit as float32."""
    if sp.issparse(X):
        return (X / unit).astype(np.float32)
    return np.divide(X, unit, out=np.empty(X.shape, np.float32), casting="same_kind")


def unit_above(X: Any) -> float:
    """A power of two above all numbers of X."""
    most = abs(X).max() if sp.issparse(X) else max(float(X.max()), -float(X.min()))
    return float(power_of_two(float(most)))


def single_precision_hashes(X: Any, unit: float) -> np.ndarray:
    """`row_hashes` of `in_units(X, unit)`, block by block: X is never copied as a whole."""
    if sp.issparse(X):
        return row_hashes(in_units(X, unit))
    step = max(1, HASHED_NUMBERS // max(1, X.shape[1]))
    n_threads = threads_for(X.size)
    parts = [row_hashes(in_units(X[start : start + step], unit), n_threads) for start in range(0, len(X), step)]
    return np.concatenate(parts)


def single_precision_example_hashes(X: Any, y: np.ndarray) -> np.ndarray:
    """`example_hashes` of `in_single_precision(X)`, which is never made as a whole."""
    return _with_targets(single_precision_hashes(X, unit_above(X)), y, threads_for(X.size))


def mixed(z: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser: a bijection of 64-bit numbers that looks like chance."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def canonical_rows(
    X: Any, w: np.ndarray | None, hashes: np.ndarray, first_only: int | None = None, y: np.ndarray | None = None
) -> Canonical:
    """The distinct rows of positive weight in canonical order, all or the first few.

    With `y` (and `example_hashes`) rows are equal only if their targets are, and the weights of equal rows are added
    from the smallest to the largest, so that their sum has no order either.
    """
    order, starts = _runs(X, w, hashes, first_only, y)
    if starts is None:
        return Canonical(X, order, None if w is None else w[order])
    if w is None:
        weights = np.diff(np.append(starts, len(order))).astype(np.float64)
    else:
        terms = w[order]
        if y is not None:
            terms = terms[np.lexsort((terms, _run_numbers(starts, len(order))))]
        weights = np.add.reduceat(terms, starts)
    return Canonical(X, order[starts], weights)


def distinct_places(X: Any, w: np.ndarray | None, hashes: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    """For every row, which of `canonical_rows` it is; −1 where its weight is zero."""
    order, starts = _runs(X, w, hashes, None, y)
    places = np.full(len(hashes), -1)
    places[order] = np.arange(len(order)) if starts is None else _run_numbers(starts, len(order))
    return places


def _runs(
    X: Any, w: np.ndarray | None, hashes: np.ndarray, first_only: int | None, y: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Rows of positive weight in canonical order, and where each run of equal ones starts; None: all are distinct."""
    order = _native.order_by_hash(hashes)
    if w is not None:
        order = order[w[order] > 0]
    if first_only is not None and first_only < len(order):
        order = _leading(order, hashes, first_only)
    sorted_hashes = hashes[order]
    alike = sorted_hashes[1:] == sorted_hashes[:-1]
    if not alike.any():
        return order, None
    order, same = _by_contents(X, y, order, alike)
    return order, np.flatnonzero(np.concatenate([[True], ~same]))


def _run_numbers(starts: np.ndarray, n: int) -> np.ndarray:
    """0 for the places of the first run, 1 for those of the second, …"""
    return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n)))


def canonical_groups(
    X: Any, w: np.ndarray | None, hashes: np.ndarray, y: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(order, starts): rows of positive weight in canonical order, and where each run of equal rows begins in it."""
    order, starts = _runs(X, w, hashes, None, y)
    return order, np.arange(len(order)) if starts is None else starts


def _leading(order: np.ndarray, hashes: np.ndarray, count: int) -> np.ndarray:
    """The rows of the first `count` hashes, all repetitions with them."""
    sorted_hashes = hashes[order]
    fresh = np.concatenate([[True], sorted_hashes[1:] != sorted_hashes[:-1]])
    starts = np.flatnonzero(fresh)
    return order if len(starts) <= count else order[: starts[count]]


def _by_contents(X: Any, y: np.ndarray | None, order: np.ndarray, alike: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runs of equal hash: as a rule equal rows. Where they are not, the run is sorted by contents."""
    left, right = order[:-1][alike], order[1:][alike]
    equal = _equal_rows(X, y, left, right)
    same = alike.copy()
    same[alike] = equal
    if equal.all():
        return order, same
    order = order.copy()
    edges = np.flatnonzero(np.concatenate([[True], ~alike, [True]]))
    for start, stop in pairwise(edges):
        if stop - start > 1:
            here = order[start:stop]
            rows = X[here]
            rows = rows.toarray() if sp.issparse(rows) else rows
            if y is not None:
                rows = np.column_stack([rows, y[here]])
            order[start:stop] = here[np.lexsort((rows + 0.0).T[::-1])]
    same[alike] = _equal_rows(X, y, order[:-1][alike], order[1:][alike])
    return order, same


def _equal_rows(X: Any, y: np.ndarray | None, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if sp.issparse(X):
        equal = np.asarray(abs(X[left] - X[right]).sum(axis=1)).ravel() == 0
    else:
        a, b = X[left], X[right]
        equal = ((a == b) | ((a != a) & (b != b))).all(axis=1)  # missing values are equal
    if y is not None:
        equal &= (y[left] == y[right]).reshape(len(left), -1).all(axis=1)
    return equal
