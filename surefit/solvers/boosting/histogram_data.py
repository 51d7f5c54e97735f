"""Rows in memory or in Parquet files made ready for histogram boosting: targets, weights, bins of training rows and of
those held out.

The bins are found on the training rows alone. Rows are binned block by block into one matrix of bytes: in memory, or in
a file that is mapped where it would take more than a quarter of the free memory.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit._core.memory import available_bytes
from surefit._core.threads import thread_count
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.solvers.growing.tree import seen_categories
from surefit.summaries.bins import MISSING, Bins, find_bins
from surefit.summaries.canonical import example_hashes


class TargetsStep(Step):
    """out: (targets, weights or nothing) of all rows, in order."""

    keeps_rows = True

    def map_leaf(self, state: Any, leaf: Block) -> tuple[np.ndarray, np.ndarray]:
        return np.asarray(leaf.y, dtype=np.float64), np.empty(0) if leaf.w is None else leaf.w

    def combine(self, left: Any, right: Any) -> Any:
        return tuple(map(np.concatenate, zip(left, right, strict=True)))


class ExampleHashesStep(Step):
    """out: the hashes of all rows with their targets, in order."""

    keeps_rows = True

    def map(self, state: Any, block: Block, n_threads: int) -> np.ndarray:
        return example_hashes(block.X, np.asarray(block.y, dtype=np.float64), n_threads)

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.concatenate([left, right])


def targets_of(data: Source) -> tuple[np.ndarray, np.ndarray | None]:
    """(targets, weights) of all rows in memory."""
    if data.resident:
        return np.asarray(data.y, dtype=np.float64), data.w
    y, w = data.fold(TargetsStep())
    return y, w if data.has_weights else None


@dataclass
class BinnedData:
    """Bins, targets and weights of the training rows; of the rows held out, where there are some.

    `used`: which rows are trained on (None: all). `seen` (columns, 256): the bins that training rows have.
    """

    bins: Bins
    rows: np.ndarray
    y: np.ndarray
    w: np.ndarray | None
    used: np.ndarray | None
    seen: np.ndarray | None
    held_rows: np.ndarray | None = None
    held: np.ndarray | None = None
    held_y: np.ndarray | None = None
    held_w: np.ndarray | None = None
    mapped: bool = False

    def trained(self, values: np.ndarray) -> np.ndarray:
        """Of values of all rows those of the training rows."""
        return values if self.used is None else values[self.used]

    @property
    def n_categories(self) -> np.ndarray | None:
        """For every column one more than the largest code."""
        return None if self.seen is None else 255 - np.argmax(self.seen[:, 254::-1], axis=1)


def bin_source(
    data: Source,
    y: np.ndarray,
    w: np.ndarray | None,
    held: np.ndarray | None,
    max_bins: int,
    categorical: np.ndarray | None,
) -> BinnedData:
    """Bins of all rows. `w`: weights (None: all one); `held`: which are held out; rows of weight 0 are not used."""
    outside = np.zeros(data.n_rows, dtype=bool) if held is None else held
    used = ~outside if w is None else ~outside & (w > 0)
    every = bool(used.all())
    weights = w if every else used.astype(np.float64) if w is None else np.where(used, w, 0.0)
    bins = find_bins(data, weights, max_bins=max_bins, categorical=categorical)
    matrix, mapped = _binned(data, bins)
    rows = matrix if every else matrix[used]
    seen = None if categorical is None else seen_categories(rows, categorical, MISSING)
    out = BinnedData(
        bins, rows, y if every else y[used], w if w is None or every else w[used], None if every else used, seen
    )
    out.mapped = mapped
    if outside.any():
        out.held_rows, out.held, out.held_y = outside, matrix[outside], y[outside]
        out.held_w = None if w is None else w[outside]
    return out


def _binned(data: Source, bins: Bins) -> tuple[np.ndarray, bool]:
    if data.resident:
        return bins.transform(data.X, thread_count(None)), False
    size = data.n_rows * data.n_features
    mapped = size > available_bytes() / 4
    if mapped:
        file = tempfile.TemporaryFile()  # the mapping keeps it open, and it is gone with it
        out: np.ndarray = np.memmap(file, dtype=np.uint8, mode="w+", shape=(data.n_rows, data.n_features))
    else:
        out = np.empty((data.n_rows, data.n_features), dtype=np.uint8)
    for block in data.blocks():
        bins.transform(block.X, thread_count(None), out[block.start : block.start + block.n_rows])
    return out, mapped
