"""The order in which a stochastic method visits rows, and that order has no chance in it but the seed.

Rows are cut into windows: rows i·m … (i+1)·m − 1 of the data, m fixed by the width alone, so memory, Parquet and Dask
have the same windows. With `shuffle` a window is visited in an order that depends on the set of its weighted rows
alone: equal examples (same x, same y) are merged and their weights added; what is left stands in canonical order, and
is permuted by random numbers that start from (seed, epoch, window). So shuffled rows are visited alike, and a row of
weight two is a row given twice. Beyond one window the order of the windows is the order of the data.

Without `shuffle` rows are visited as they stand; those of weight zero are left out, nothing is merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.engine.leaves import aligned_rows, leaf_threads
from surefit.engine.sources.source import Source
from surefit.summaries.canonical import canonical_rows, example_hashes
from surefit.summaries.holdout import held_out

WINDOW_BYTES = 2**26
SPARSE_WIDTH = 256
"""Columns a CSR row is reckoned as, at most."""


class Window(NamedTuple):
    """Rows X, y of one window. Visit X[order[0]], X[order[1]], … with weights w[0], w[1], … (None: all one)."""

    X: Any
    y: np.ndarray
    w: np.ndarray | None
    order: np.ndarray
    held: np.ndarray
    """Rows that are not visited but kept to judge by, and their weights."""
    held_w: np.ndarray | None
    start: int
    """Number of the window's first row in the data."""


def window_rows(n_features: int, sparse: bool = False) -> int:
    """Rows of a window: 2^j leaves within WINDOW_BYTES of float64."""
    return aligned_rows(min(n_features, SPARSE_WIDTH) if sparse else n_features, WINDOW_BYTES)


class Visits:
    """Epochs over the rows of a source. Sources in memory keep the canonical order between epochs.

    `validation_fraction`: this share of the weight of each class in a window is held out (see `holdout`).
    """

    def __init__(self, source: Source, seed: int, shuffle: bool, validation_fraction: float | None = None) -> None:
        self._source, self._seed, self._shuffle, self._fraction = source, seed, shuffle, validation_fraction
        self._rows = window_rows(source.n_features, source.is_sparse)
        self._kept: list[Window] | None = None
        self._held: list[tuple[Any, np.ndarray, np.ndarray | None]] | None = None

    def epoch(self, number: int) -> Iterator[Window]:
        """The windows in the order of the data; the order within a window is that of epoch `number`."""
        if self._source.resident and self._kept is None:
            self._kept = list(self._canonical_windows())
        windows = self._canonical_windows() if self._kept is None else self._kept
        for place, window in enumerate(windows):
            yield self._permuted(window, number, place) if self._shuffle else window

    def held(self) -> Iterator[tuple[Any, np.ndarray, np.ndarray | None]]:
        """(X, y, w) of the rows held out, window by window."""
        if not self._source.resident:
            yield from (_held_rows(window) for window in self._canonical_windows())
            return
        if self._held is None:
            self._held = [_held_rows(window) for window in self._kept or self._canonical_windows()]
        yield from self._held

    def _permuted(self, window: Window, number: int, place: int) -> Window:
        turn = _native.permutation(len(window.order), self._seed, number, place)
        return window._replace(order=window.order[turn], w=None if window.w is None else window.w[turn])

    def _canonical_windows(self) -> Iterator[Window]:
        for start, X, y, w in _windows(self._source, self._rows):
            yield self._ordered(start, X, y, w)

    def _ordered(self, start: int, X: Any, y: np.ndarray, w: np.ndarray | None) -> Window:
        """The window in canonical order, or as it stands; part of it held out."""
        n_threads = leaf_threads(len(y), self._source.leaf_rows)
        hashes = example_hashes(X, y, n_threads) if self._shuffle or self._fraction else None
        held = np.empty(0, dtype=np.intp)
        held_w = None if w is None else np.empty(0)
        visited = w
        if self._fraction:
            assert hashes is not None
            kept_out = held_out(hashes, y, w, self._fraction, self._seed)
            held = np.flatnonzero(kept_out)
            held_w = None if w is None else w[held]
            visited = np.where(kept_out, 0.0, 1.0 if w is None else w)
        if self._shuffle:
            assert hashes is not None
            _, order, weights = canonical_rows(X, visited, hashes, y=y)
            if w is None and weights is not None and (weights == 1.0).all():
                weights = None
        else:
            order = np.arange(len(y)) if visited is None else np.flatnonzero(visited > 0)
            weights = None if w is None else w[order]
        return Window(X, y, weights, order.astype(np.intp, copy=False), held, held_w, start)


def _held_rows(window: Window) -> tuple[Any, np.ndarray, np.ndarray | None]:
    return window.X[window.held], window.y[window.held], window.held_w


def _windows(source: Source, rows: int) -> Iterator[tuple[int, Any, np.ndarray, np.ndarray | None]]:
    """(first row, X, y, w) of the windows, whatever the blocks of the source; a window of one block is not copied."""
    pieces: list[tuple[Any, Any, Any]] = []
    filled = start = 0
    for block in source.blocks():
        done = 0
        while done < block.n_rows:
            stop = min(block.n_rows, done + rows - filled)
            w = None if block.w is None else block.w[done:stop]
            assert block.y is not None
            pieces.append((_cut(block.X, done, stop), block.y[done:stop], w))
            filled, done = filled + stop - done, stop
            if filled == rows:
                yield start, *_joined(pieces)
                start, filled, pieces = start + filled, 0, []
    if pieces:
        yield start, *_joined(pieces)


def _cut(X: Any, start: int, stop: int) -> Any:
    """Rows start … stop−1, sharing their memory with X."""
    if not sp.issparse(X):
        return X[start:stop]
    if start == 0 and stop == X.shape[0]:
        return X
    first, last = X.indptr[start], X.indptr[stop]
    indptr = X.indptr[start : stop + 1] - first
    cut = sp.csr_array((stop - start, X.shape[1]), dtype=X.dtype)
    cut.data, cut.indices, cut.indptr = X.data[first:last], X.indices[first:last], indptr
    cut.has_sorted_indices = True
    return cut


def _joined(pieces: list[tuple[Any, Any, Any]]) -> tuple[Any, np.ndarray, np.ndarray | None]:
    if len(pieces) == 1:
        return pieces[0]
    X = [piece[0] for piece in pieces]
    rows = sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.concatenate(X)
    w = None if pieces[0][2] is None else np.concatenate([piece[2] for piece in pieces])
    return rows, np.concatenate([piece[1] for piece in pieces]), w
