"""Columns cut into at most 255 bins: what histogram methods look at in the place of the numbers themselves.

    bin of x = #{thresholds < x}        so x ≤ thresholds[0] is bin 0; a missing value (NaN) has the bin 255

Let v₁ < … < v_m be the distinct values of a column (missing ones aside), W_i the weight of the rows that have v_i, and
C_i = W₁ + … + W_i. A threshold lies between v_i and v_(i+1): v_i/2 + v_(i+1)/2, or v_i where that is not below v_(i+1).

    m ≤ max_bins     a threshold after every v_i: every split of the data is on offer
    m > max_bins     after the first v_i with C_i ≥ C_m k / max_bins, for k = 1 … max_bins − 1 (each once)

Above 200,000 distinct rows these are the rows with the 200,000 smallest hashes (summaries/canonical.row_hashes). So the
thresholds depend on the set of weighted rows alone: a weight of two is a row given twice, order does not matter, and
the sketch (those rows) merges from parts. A categorical column holds codes 0 … 254, which are its bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.threads import thread_count, threads_for
from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import MemorySource, Source
from surefit.engine.step import Step
from surefit.summaries.canonical import row_hashes

MISSING = 255
MOST_BINS = 255
SKETCH_ROWS = 200_000


@dataclass(frozen=True)
class Bins:
    """in: the thresholds of every column, ascending (none for a column of codes), and which columns hold codes."""

    thresholds: list[np.ndarray]
    is_categorical: np.ndarray

    def transform(self, X: Any, n_threads: int = 1, out: np.ndarray | None = None) -> np.ndarray:
        """The bin of every value, (rows, columns) of bytes."""
        if out is None:
            out = np.empty(X.shape, dtype=np.uint8)
        starts = np.concatenate([[0], np.cumsum([len(t) for t in self.thresholds])]).astype(np.int64)
        values = np.concatenate([*self.thresholds, np.empty(0)])
        codes = self.is_categorical.astype(np.uint8)
        if not sp.issparse(X):
            _native.transform_bins(X, values, starts, codes, n_threads, out)
            return out
        step = max(1, 2**20 // max(X.shape[1], 1))
        for lo in range(0, X.shape[0], step):
            rows = X[lo : lo + step].toarray()
            _native.transform_bins(rows, values, starts, codes, n_threads, out[lo : lo + step])
        return out


class Sketch(NamedTuple):
    """The distinct rows with the smallest hashes, in their order, and the weight of each."""

    hashes: np.ndarray
    X: np.ndarray
    w: np.ndarray


class SketchRowsStep(Step):
    """in: weights of all rows of the source, in the place of its own (or None).

    out: the `Sketch` of all rows of positive weight, at most `most_rows` of them (equal hashes: equal rows).
    """

    def __init__(self, most_rows: int = SKETCH_ROWS) -> None:
        self.most_rows = most_rows

    def map(self, state: Any, block: Block, n_threads: int) -> Sketch:
        hashes = row_hashes(block.X, n_threads)
        weights = block.w if state is None else state[block.start : block.start + block.n_rows]
        rows = np.arange(block.n_rows) if weights is None else np.flatnonzero(weights > 0)
        if len(rows) > self.most_rows:
            rows = rows[hashes[rows] <= _nth_distinct(hashes[rows], self.most_rows)]
        rows = rows[np.argsort(hashes[rows], kind="stable")]
        w = np.ones(len(rows)) if weights is None else weights[rows]
        places, w = _tree_sums(hashes[rows], w, rows // block.leaf_rows)
        X = block.X[rows[places]]
        return Sketch(hashes[rows[places]], X.toarray() if sp.issparse(X) else X, w)

    def combine(self, left: Sketch, right: Sketch) -> Sketch:
        hashes = np.concatenate([left.hashes, right.hashes])
        order = np.argsort(hashes, kind="stable")
        first = np.append(True, np.diff(hashes[order]) != 0)[: len(order)]
        starts = np.flatnonzero(first)[: self.most_rows + 1]
        if len(starts) > self.most_rows:
            order, starts = order[: starts[-1]], starts[:-1]
        w = np.add.reduceat(np.concatenate([left.w, right.w])[order], starts) if len(order) else left.w
        taken = order[starts]
        return Sketch(hashes[taken], np.concatenate([left.X, right.X])[taken], w)


def _nth_distinct(hashes: np.ndarray, n: int) -> np.uint64:
    """The n-th smallest distinct number, or the largest where there are fewer."""
    ascending = np.sort(hashes)
    starts = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
    return ascending[starts[min(n, len(starts)) - 1]]


def _tree_sums(hashes: np.ndarray, w: np.ndarray, leaf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(first place, weight) of every run of equal hashes; summed within a leaf, then in the fixed tree over leaves."""
    places = np.arange(len(hashes))
    while (hashes[1:] == hashes[:-1]).any():
        starts = np.flatnonzero(np.append(True, (hashes[1:] != hashes[:-1]) | (leaf[1:] != leaf[:-1])))
        hashes, places, leaf, w = hashes[starts], places[starts], leaf[starts] // 2, np.add.reduceat(w, starts)
    return places, w


def find_bins(
    data: Source | Any,
    w: np.ndarray | None = None,
    *,
    max_bins: int = MOST_BINS,
    categorical: np.ndarray | Sequence[bool] | None = None,
    n_jobs: int | None = None,
) -> Bins:
    """The bins of a source of rows, or of rows in memory; `w`: their weights, in the place of the source's own."""
    if not isinstance(data, Source):
        data = MemorySource(data, n_jobs=n_jobs)
    codes = np.zeros(data.n_features, dtype=bool) if categorical is None else np.asarray(categorical, dtype=bool)
    sketch: Sketch = data.fold(SketchRowsStep(), w)
    weights = None if (sketch.w == 1).all() else sketch.w
    columns = np.ascontiguousarray(sketch.X.T)
    thresholds: list[np.ndarray] = [np.empty(0)] * data.n_features

    def column(j: int) -> None:
        if not codes[j]:
            thresholds[j] = column_thresholds(columns[j], weights, max_bins)

    work = 20.0 * sketch.X.size
    fold_tree(data.n_features, column, lambda left, right: None, threads_for(work, n_jobs))
    return Bins(thresholds, codes)


def column_thresholds(x: np.ndarray, w: np.ndarray | None, max_bins: int) -> np.ndarray:
    """The rule above for one column: values x with weights w (None: all one)."""
    seen = ~np.isnan(x)
    if not seen.all():
        x, w = x[seen], None if w is None else w[seen]
    if len(x) == 0:
        return np.empty(0)
    if w is None:
        x = np.sort(x)
    else:
        order = np.argsort(x, kind="stable")
        x, w = x[order], w[order]
    last = np.flatnonzero(np.append(x[1:] != x[:-1], True))
    v = x[last].astype(np.float64)
    after = np.arange(len(v) - 1)
    if len(v) > max_bins:
        C = last + 1.0 if w is None else np.cumsum(w)[last]
        after = np.searchsorted(C, C[-1] * np.arange(1, max_bins) / max_bins)
        after = np.unique(after[after < len(v) - 1])
    return midpoints(v[after], v[after + 1])


def midpoints(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Numbers t with low ≤ t < high: the middle, or low where the middle is not such a number."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def bin_matrix(bins: Bins, data: Source, out: np.ndarray | None = None) -> np.ndarray:
    """The bins of all rows of a source, block by block into one matrix of bytes."""
    if out is None:
        out = np.empty((data.n_rows, data.n_features), dtype=np.uint8)
    for block in data.blocks():
        bins.transform(block.X, thread_count(None), out[block.start : block.start + block.n_rows])
    return out
