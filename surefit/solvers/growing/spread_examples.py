"""Rows in a Dask collection made ready for a forest: distinct examples in canonical order, in parts on the workers.

Every block is hashed and binned where it is, and its rows go to the part of their hash: hashes are uniform, so parts
are runs of the canonical order of about equal length. Equal examples meet in one part. What comes to the driver: the
sketch of the bins, and for each part how many examples it has, their weights by class, the range of targets, the
categories.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from surefit._core.arithmetic import exact_sum
from surefit.engine.sources.dask import DaskSource, delayed
from surefit.engine.sources.dask_blocks import FEWEST_PARTS, PART_BYTES, DaskBlocks
from surefit.solvers.growing.spread_rows import ForestPart
from surefit.solvers.growing.tree import seen_categories
from surefit.summaries.bins import MISSING, Bins
from surefit.summaries.canonical import example_hashes


class Piece(NamedTuple):
    """Rows of a block by hash and weight, equal ones once: `times` they are there. `w` None: weights are one."""

    hashes: np.ndarray
    bins: np.ndarray
    y: np.ndarray
    w: np.ndarray | None
    times: np.ndarray


@dataclass(frozen=True)
class SortBlock:
    """The rows of a block for each of the parts."""

    bins: Bins
    n_parts: int

    def __call__(self, rows: tuple[Any, Any, Any], start: int) -> list[Piece]:
        X, y, w = rows
        y = np.ascontiguousarray(y, dtype=np.float64).reshape(len(y))
        hashes = example_hashes(X, y)
        order = np.argsort(hashes, kind="stable") if w is None else np.lexsort((w, hashes))
        starts = _run_starts(hashes[order], None if w is None else w[order])
        first, times = order[starts], np.diff(np.append(starts, len(order)))
        part = part_of(hashes[first], self.n_parts)
        ends = np.searchsorted(part, np.arange(self.n_parts + 1))
        binned = self.bins.transform(X)[first]
        pieces = []
        for lo, hi in pairwise(ends):
            own = first[lo:hi]
            pieces.append(
                Piece(hashes[own], binned[lo:hi].copy(), y[own], None if w is None else w[own], times[lo:hi].copy())
            )
        return pieces


def part_of(hashes: np.ndarray, n_parts: int) -> np.ndarray:
    """⌊n_parts · hash / 2⁶⁴⌋, from the upper half of the hash."""
    return ((hashes >> np.uint64(32)) * np.uint64(n_parts)) >> np.uint64(32)


def _run_starts(hashes: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    fresh = np.ones(len(hashes), dtype=bool)
    fresh[1:] = hashes[1:] != hashes[:-1]
    if w is not None:
        fresh[1:] |= w[1:] != w[:-1]
    return np.flatnonzero(fresh)


def pick(pieces: list[Piece], number: int) -> Piece:
    return pieces[number]


def join_pieces(number: int, categorical: np.ndarray | None, *pieces: Piece) -> ForestPart:
    """A part from the pieces of all blocks: its examples in canonical order, and apart from them rows of no weight."""
    weighted = pieces[0].w is not None
    hashes, y, times = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("hashes", "y", "times"))
    bins = np.concatenate([piece.bins for piece in pieces])
    w = np.concatenate([piece.w for piece in pieces if piece.w is not None]) if weighted else None
    order = np.argsort(hashes, kind="stable") if w is None else np.lexsort((w, hashes))
    spare = order[:0]
    if w is not None:
        spare = order[w[order] == 0]
        spare = spare[_run_starts(hashes[spare], None)]
        order = order[w[order] > 0]
    starts = _run_starts(hashes[order], None)
    first = order[starts]
    if len(order) == 0:
        weights = np.empty(0)
    elif w is None:
        weights = np.add.reduceat(times[order], starts).astype(np.float64)
    else:  # from the smallest to the largest, as `Examples` has it
        own = times[order]
        weights = np.add.reduceat(np.repeat(w[order], own), (np.cumsum(own) - own)[starts])
    seen = None if categorical is None else seen_categories(bins[first], categorical, MISSING)
    ends = float(y.min(initial=np.inf)), float(y.max(initial=-np.inf))
    return ForestPart(number, hashes[first], bins[first], y[first], weights, hashes[spare], bins[spare], seen, *ends)


class PartFacts(NamedTuple):
    """Of the examples of a part; lowest and highest target of all its rows. `weights`: exact sums for every class."""

    n: int
    repeated: int
    once: bool
    whole: bool
    weights: tuple[int, ...]
    lowest: float
    highest: float
    seen: np.ndarray | None


def part_facts(n_classes: int, part: ForestPart) -> PartFacts:
    codes = part.y.astype(np.intp) if n_classes else np.zeros(len(part.y), dtype=np.intp)
    return PartFacts(
        len(part.y),
        int(np.ceil(part.weights).sum()),
        bool((part.weights == 1).all()),
        bool((part.weights == np.floor(part.weights)).all()),
        tuple(exact_sum(part.weights[codes == k]) for k in range(max(n_classes, 1))),
        part.lowest,
        part.highest,
        part.seen,
    )


def weight_so_far(factor: np.ndarray | None, part: ForestPart, before: float) -> float:
    """Σ of the chances of all examples up to the last of this part, one after the other."""
    return float(part.sums(factor, before)[-1]) if len(part.y) else before


class SpreadExamples:
    """The parts of a source, and what is known of all of them."""

    def __init__(self, data: DaskSource, bins: Bins, n_classes: int, categorical: np.ndarray | None) -> None:
        self.bins, self.n_classes = bins, n_classes
        n_parts = max(FEWEST_PARTS, -(-data.n_rows * (data.n_features + 32) // PART_BYTES))
        n_parts = int(min(n_parts, max(1, data.n_rows // 256)))
        sort = SortBlock(bins, n_parts)
        blocks = [delayed(sort)(block, start) for start, block in data.delayed_blocks()]
        parts = [
            delayed(join_pieces)(number, categorical, *(delayed(pick)(block, number) for block in blocks))
            for number in range(n_parts)
        ]
        self.blocks = DaskBlocks(data, parts)
        found = self.blocks.each(part_facts, n_classes)
        self.sizes = np.array([facts.n for facts in found])
        self.repeated = float(sum(facts.repeated for facts in found))
        self.once, self.whole = (all(getattr(facts, name) for facts in found) for name in ("once", "whole"))
        self.weights = [sum(column) for column in zip(*(facts.weights for facts in found), strict=True)]
        self.lowest = min(facts.lowest for facts in found)
        self.highest = max(facts.highest for facts in found)
        self.seen = None if categorical is None else np.logical_or.reduce([facts.seen for facts in found])

    @property
    def n_examples(self) -> int:
        return int(self.sizes.sum())

    def sums(self, factor: np.ndarray | None = None) -> np.ndarray:
        """The sum of the chances before each part, and that of all."""
        return np.array([0.0, *self.blocks.chain(weight_so_far, factor, 0.0)])
