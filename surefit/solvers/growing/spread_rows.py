"""A part of the examples of a forest that stays on a worker: bags are drawn there, nodes are split and counted there.

A draw lands on the whole line of examples in canonical order; a part draws all of them, and keeps those that land
between its first and its last example. So a bag is that of rows in memory, and no part sends or is sent a number for
each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit import _native
from surefit.engine.sources.dask_state import KeptPart
from surefit.solvers.growing.histogram import bin_values, on_bins
from surefit.solvers.growing.predict import apply_all
from surefit.solvers.growing.tree import Tree
from surefit.summaries.bins import Bins

DRAWN_AT_A_TIME = 2**20


@dataclass(frozen=True)
class ForestFacts:
    """What all parts know. `sums`: of chances before each part, and of all; `factor`: of the chances of each class.

    `n_draws` None: every tree sees all examples by their chances. `y_exponent`: every |y| is below 2 to this power.
    `once`: all chances are one. `repeats`: whether an example may stand for several rows. `last`: the last part that
    has examples. `outside`: what trees say out of the bag is added up.
    """

    bins: Bins
    n_classes: int
    criterion: int
    y_exponent: int
    sums: np.ndarray
    n_draws: int | None
    factor: np.ndarray | None
    once: bool
    repeats: bool
    last: int
    outside: bool = False


class ForestPart(KeptPart):
    """Examples of one run of the canonical order, and rows of no weight (`spare`), which nobody draws.

    `seen`: the categories that examples have; `lowest`, `highest`: of the targets of all rows.
    """

    fields = ("place", "hashes", "bins", "y", "weights", "spare_hashes", "spare_bins", "seen", "lowest", "highest")

    def __init__(self, place: int, *values: Any) -> None:
        super().__init__()
        self.place = place
        self.hashes, self.bins, self.y, self.weights, self.spare_hashes, self.spare_bins, *others = values
        self.seen, self.lowest, self.highest = others

    def __sizeof__(self) -> int:
        return self.bins.nbytes + self.spare_bins.nbytes + 64 * len(self.y)

    def chances(self, factor: np.ndarray | None) -> np.ndarray:
        return self.weights if factor is None else self.weights * factor[self.y.astype(np.intp)]

    def sums(self, factor: np.ndarray | None, before: float) -> np.ndarray:
        """Sums of chances, one example after the other, from what came before this part."""
        return np.cumsum(np.concatenate([[before], self.chances(factor)]))[1:]

    def new_state(self, facts: ForestFacts, rounds: list[Any]) -> ForestState:
        return ForestState(facts, self, rounds)


class ForestState:
    """The trees that are being grown, and the sums of what those before said out of the bag."""

    def __init__(self, facts: ForestFacts, part: ForestPart, rounds: list[Any]) -> None:
        self.facts, self.part = facts, part
        n, width = len(part.y) + len(part.spare_hashes), max(1, facts.n_classes)
        self.outside = np.zeros((n, width)) if facts.outside else None
        self.n_trees = np.zeros(n, dtype=np.int64)
        self.counts: np.ndarray | None = None
        self.rows: Any = None
        for seeds, trees in rounds if facts.outside else ():
            self.counts = self._drawn(seeds)
            self.add_outside(trees)

    # Steps.

    def start_trees(self, seeds: np.ndarray) -> None:
        facts, part = self.facts, self.part
        if self.rows is None:
            codes = np.ascontiguousarray(part.y, dtype=np.int32) if facts.n_classes else None
            numbers = None if facts.n_classes else np.ascontiguousarray(part.y)
            repeats = np.ceil(part.weights).astype(np.int32) if facts.repeats else None
            self.rows = _native.ForestPart(
                part.bins, codes, facts.n_classes, numbers, repeats, facts.y_exponent, facts.criterion
            )
        weights = None
        self.counts = self._drawn(seeds)
        if self.counts is None:
            weights = None if facts.once else part.chances(facts.factor)
        self.rows.start(len(seeds), self.counts, weights)

    def split(self, node: np.ndarray, feature: np.ndarray, goes_left: np.ndarray) -> None:
        self.rows.split(node, feature, goes_left)

    def add_outside(self, trees: list[Tree]) -> None:
        """What the trees say about the examples outside their bags is added, in the order of the trees."""
        part = self.part
        assert self.outside is not None and self.counts is not None, "trees are drawn first"
        values = bin_values(np.concatenate([part.bins, part.spare_bins]))
        leaves = apply_all([on_bins(tree, self.facts.bins) for tree in trees], values, 1) if len(values) else None
        for number, tree in enumerate(trees):
            if leaves is None:
                return
            apart = np.ones(len(values), dtype=bool)
            apart[: len(part.y)] = self.counts[number] == 0
            at = np.flatnonzero(apart)
            self.outside[at] += tree.value.reshape(tree.node_count, -1)[leaves[at, number]]
            self.n_trees[at] += 1

    def _drawn(self, seeds: np.ndarray) -> np.ndarray | None:
        """(trees, examples): how often each was drawn."""
        facts, part = self.facts, self.part
        if facts.n_draws is None:
            return None
        counts = np.zeros((len(seeds), len(part.y)), dtype=np.int32)
        if len(part.y):
            for row, seed in zip(counts, seeds, strict=True):
                row[:] = self._counts(int(seed))
        return counts

    def _counts(self, seed: int) -> np.ndarray:
        """`bootstrap_counts` for the examples of this part."""
        facts, part = self.facts, self.part
        assert facts.n_draws is not None, "without bootstrap nothing is drawn"
        before, total = facts.sums[part.place], facts.sums[-1]
        ends = part.sums(facts.factor, before)
        end = np.inf if part.place == facts.last else ends[-1]
        chance = np.random.default_rng(seed)
        out = np.zeros(len(part.y), dtype=np.int64)
        for first in range(0, facts.n_draws, DRAWN_AT_A_TIME):
            marks = chance.random(min(DRAWN_AT_A_TIME, facts.n_draws - first)) * total
            mine = marks[(marks >= before) & (marks < end)]
            places = (mine - before).astype(np.intp) if facts.once else np.searchsorted(ends, mine, side="right")
            out += np.bincount(np.minimum(places, len(out) - 1), minlength=len(out))
        return out

    # Questions.

    def nothing(self) -> tuple[()]:
        return ()

    def class_counts(self) -> np.ndarray:
        """(trees, classes): draws of each class."""
        assert self.counts is not None, "trees are drawn first"
        codes = self.part.y.astype(np.intp)
        return np.stack([np.bincount(codes, row, self.facts.n_classes) for row in self.counts])

    def totals(self, first: int) -> tuple[np.ndarray, ...]:
        """Of the nodes from `first` on (examples, rows, weights, Σ w y, lowest, highest target)."""
        return self.rows.totals(first)

    def histograms(self, *question: Any) -> tuple[np.ndarray, ...]:
        return self.rows.histograms(*question)

    def items(self, node: np.ndarray) -> list[tuple[np.ndarray, ...]]:
        """The examples of nodes; what all parts have stands side by side."""
        return [self.rows.items(node)]

    def said_outside(self) -> list[tuple[np.ndarray, ...]]:
        """(sums, trees) of examples, then (hashes, sums, trees) of rows of no weight."""
        assert self.outside is not None, "asked for at the start"
        n = len(self.part.y)
        return [(self.outside[:n], self.n_trees[:n], self.part.spare_hashes, self.outside[n:], self.n_trees[n:])]


def _totals_merged(left: Any, right: Any) -> Any:
    added = tuple(a + b for a, b in zip(left[:4], right[:4], strict=True))
    return *added, np.minimum(left[4], right[4]), np.maximum(left[5], right[5])


MERGES = {"totals": _totals_merged}
