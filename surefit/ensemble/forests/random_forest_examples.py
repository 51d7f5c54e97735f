"""What a forest is grown from: its distinct examples in canonical order, in bins or as columns that are sorted once.

A draw lands on a distinct example (x, y), so the trees depend on the set of weighted examples alone. Trees in bins are
grown from the examples; exact trees from copies of them, as many as the weight of each (rounded up): the draws of an
example go to its copies in turn, and a node counts as many rows as if weights had been given as repetitions.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.memory import available_bytes, refuse_beyond_memory
from surefit.engine.sources.source import Source
from surefit.solvers.growing.exact import Columns, presort
from surefit.solvers.growing.forest import BinnedExamples
from surefit.solvers.growing.tree import seen_categories
from surefit.summaries.bins import MISSING, find_bins
from surefit.summaries.canonical import example_hashes
from surefit.summaries.resample import Examples, distinct_examples, hashed_examples

KEPT_ON_DISK = 0.5
"""Bins that would take more than this share of the free memory are kept in a temporary file."""


MOST_COPIES = 64
"""So many times the rows there are (and a million) exact trees are grown from."""


@dataclass(frozen=True)
class ForestExamples:
    """`examples`: the distinct ones. The trees see *units* (examples, or copies of them): `owner` is the example of a
    unit, −1 for a row of no weight, which nobody draws; `unit_of_row` a unit for each row of the data.

    `y` (units, outputs). Either `binned` or `columns`. `seen` (columns, 256): the categories that some unit has.
    """

    examples: Examples
    owner: np.ndarray
    unit_of_row: np.ndarray
    y: np.ndarray
    binned: BinnedExamples | None
    columns: Columns | None
    copies: np.ndarray | None = None
    turn: np.ndarray | None = None
    """For exact trees: how many copies there are of the example of a unit, and which of them it is."""
    seen: np.ndarray | None = None

    def drawn(self, counts: np.ndarray) -> np.ndarray:
        """How often each unit was drawn, from the draws of the examples: those go to its units in turn."""
        of_unit = np.append(counts, 0)[self.owner]
        if self.copies is None:
            return of_unit
        return of_unit // self.copies + (self.turn < of_unit % self.copies)

    @property
    def weights(self) -> np.ndarray:
        """The weight of each unit."""
        weights = np.append(self.examples.weights, 0.0)[self.owner]
        return weights if self.copies is None else weights / self.copies

    def repeated(self) -> float:
        """The number of rows, a row of weight two counted twice."""
        return float(np.ceil(self.examples.weights).sum())


def binned_examples(
    data: Source,
    y: np.ndarray | None,
    n_classes: int,
    max_bins: int,
    n_threads: int,
    categorical: np.ndarray | None = None,
) -> ForestExamples:
    """From any source of rows. `y`: targets of rows in memory; others come with the blocks."""
    bins = find_bins(data, max_bins=max_bins, categorical=categorical)
    if data.resident:
        assert y is not None, "rows in memory come with their targets"
        targets, weights = y, data.w
        found = distinct_examples(data.X, y, weights, n_threads)
    else:
        hashes, targets, weights = _hashed_rows(data, n_threads)
        found = hashed_examples(hashes, weights)
    spare = _spare(weights)
    rows = np.concatenate([found.first_rows, spare])
    place = found.places()
    place[spare] = len(found.weights) + np.arange(len(spare))
    matrix = _matrix((len(rows), data.n_features), resident=data.resident)
    if data.resident:
        bins.transform(data.X[rows], n_threads, matrix)
    else:
        for block in data.blocks():  # equal rows write the same bins
            matrix[place[block.start : block.start + block.n_rows]] = bins.transform(block.X, n_threads)
    copies = np.ceil(found.weights)
    repeats = None if (copies == 1).all() else np.append(copies, np.ones(len(spare))).astype(np.int32)
    owner = np.append(np.arange(len(found.weights)), np.full(len(spare), -1))
    codes = targets[rows].astype(np.int32) if n_classes else targets[rows]
    binned = BinnedExamples(matrix, bins, codes[:, 0] if codes.ndim == 2 else codes, n_classes, repeats)
    seen = None if categorical is None else seen_categories(matrix[: len(found.weights)], categorical, MISSING)
    return ForestExamples(found, owner, place, targets[rows].reshape(len(rows), -1), binned, None, seen=seen)


def hashed_units(data: Source, seen: np.ndarray | None) -> tuple[ForestExamples, np.ndarray]:
    """(examples without bins or columns, hashes of the rows of no weight) of rows that are elsewhere."""
    hashes, targets, weights = _hashed_rows(data, 1)
    found, spare = hashed_examples(hashes, weights), _spare(weights)
    rows = np.concatenate([found.first_rows, spare])
    place = found.places()
    place[spare] = len(found.weights) + np.arange(len(spare))
    owner = np.append(np.arange(len(found.weights)), np.full(len(spare), -1))
    y = targets[rows].reshape(len(rows), -1)
    return ForestExamples(found, owner, place, y, None, None, seen=seen), hashes[spare]


def sorted_examples(
    data: Source, y: np.ndarray, n_threads: int, categorical: np.ndarray | None = None
) -> ForestExamples:
    """Rows in memory, every column sorted."""
    found = distinct_examples(data.X, y, data.w, n_threads)
    spare = _spare(data.w)
    copies = np.ceil(found.weights)
    if copies.sum() > MOST_COPIES * data.n_rows + 10**6:
        raise InvalidData(
            f"sample_weight adds up to {copies.sum():.3g}: exact trees count a row of weight w as w rows. "
            "Divide the weights by a number, or use max_bins=255."
        )
    copies = np.append(copies, np.ones(len(spare))).astype(np.intp)
    first = np.cumsum(copies) - copies
    rows = np.repeat(np.concatenate([found.first_rows, spare]), copies)
    owner = np.repeat(np.append(np.arange(len(found.weights)), np.full(len(spare), -1)), copies)
    place = found.places()
    place[spare] = len(found.weights) + np.arange(len(spare))
    columns = presort(data.X[rows], categorical=categorical, n_threads=n_threads)
    y = y[rows].reshape(len(rows), -1)
    turn = np.arange(len(rows)) - np.repeat(first, copies)
    seen = None if categorical is None else seen_categories(columns.X[owner >= 0], categorical)
    return ForestExamples(found, owner, first[place], y, None, columns, np.repeat(copies, copies), turn, seen)


def _spare(weights: np.ndarray | None) -> np.ndarray:
    return np.empty(0, dtype=np.intp) if weights is None else np.flatnonzero(weights == 0)


def _hashed_rows(data: Source, n_threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """(hashes of examples, targets, weights) of all rows, block by block."""
    hashes, targets, weights = [], [], []
    for block in data.blocks():
        assert block.y is not None, "a forest needs targets"
        hashes.append(example_hashes(block.X, block.y, n_threads))
        targets.append(block.y)
        weights.append(block.w)
    w = None if weights[0] is None else np.concatenate([part for part in weights if part is not None])
    return np.concatenate(hashes), np.concatenate(targets), w


def _matrix(shape: tuple[int, int], resident: bool) -> np.ndarray:
    """Bytes in memory; for rows that are elsewhere in a temporary file where they would fill it."""
    size = shape[0] * shape[1]
    if not resident and size > KEPT_ON_DISK * available_bytes():
        with tempfile.TemporaryFile() as file:  # mapped memory outlives the open file, and is gone with the array
            file.truncate(max(1, size))
            return np.memmap(file, dtype=np.uint8, mode="r+", shape=shape)
    refuse_beyond_memory(size, "The bins of all rows", "Write the rows to Parquet files, which are read in blocks.")
    return np.empty(shape, dtype=np.uint8)
