"""Rounds of histogram boosting on rows that stay in parts elsewhere (part_rows.py), with the bits of rows in memory.

The driver holds the trees and histograms of open nodes. A round is a handful of passes: slopes (their largest sizes
come back), for each output the histogram of the root, then for each batch of splits the histograms of children. With
the pinball loss the quantiles of leaves are found digit by digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit import _native
from surefit.engine.sources.dask_state import Parts
from surefit.objectives.losses import Loss, Pinball
from surefit.solvers.boosting.part_rows import quantile_limits
from surefit.solvers.growing.histogram import GrowthOptions, tree_from
from surefit.solvers.growing.tree import NO_CHILD, Tree
from surefit.summaries.selection import Search, find_keys, values_of_keys


class SpreadRounds:
    """`HistogramRounds` on parts of rows. `weighted`: rows have weights."""

    def __init__(self, parts: Parts, options: GrowthOptions, rate: float, seed: int, weighted: bool) -> None:
        self.parts, self.options, self.rate, self.seed = parts, options, rate, seed
        self.facts, self.weighted = parts.facts, weighted
        self.loss_before = np.nan
        self._largest = np.empty((0, 3))
        self._loss = np.nan

    @property
    def loss(self) -> Loss:
        return self.facts.loss

    def slopes(self) -> float:
        """Gradients and second derivatives at the raw predictions; returns the mean loss."""
        if not len(self._largest):
            self._find_slopes()
        return self._loss

    def _find_slopes(self) -> None:
        self.parts.step("find_slopes")
        value, self._largest = self.parts.ask("largest_slopes")
        self._loss = float(value) / self.facts.total

    def round(self, number: int) -> list[Tree]:
        """One tree for each output; the raw predictions move by their steps."""
        self.loss_before = self.slopes()
        n_outputs = self.facts.baseline.shape[1]
        trees = []
        for k in range(n_outputs):
            tree, node = self._grown(k, self.seed + number * n_outputs + k)
            leaf = np.flatnonzero(tree.children_left == NO_CHILD)
            if isinstance(self.loss, Pinball):
                tree.value[leaf, 0, 0] = self.rate * self._quantiles(self.loss.q, node[leaf])
            self.parts.step("add_steps", node[leaf], tree.value[leaf, 0, 0])
            trees.append(tree)
        self._find_slopes()
        self.parts.round_done(trees, ("find_slopes",))
        return trees

    def _grown(self, k: int, seed: int) -> tuple[Tree, np.ndarray]:
        """A tree, and for each of its nodes the number that the parts know it by."""
        facts, options = self.facts, self.options
        self.parts.step("start_tree", k, self._largest[k])
        grid, has_missing, cells = self.parts.ask("root")
        growth = _native.MergedGrowth(
            facts.n_bins,
            facts.bins.is_categorical.astype(np.uint8),
            has_missing,
            grid,
            facts.n_rows,
            *options.arguments(seed),
        )
        growth.take_root(self._all_cells(cells))
        while True:
            node, feature, goes_left, counted = growth.ask()
            if not len(node):
                break
            self.parts.step("split", node, feature, goes_left)
            sizes, cells = self.parts.ask("children", len(node), counted)
            growth.take(np.ascontiguousarray(sizes), self._all_cells(cells))
        return tree_from(facts.bins, growth.grown(), self.rate), growth.part_node()

    def _all_cells(self, cells: np.ndarray) -> np.ndarray:
        """(histograms · features · 256, lanes): what was not sent is zero."""
        sent = self.facts.sent_cells
        out = np.zeros((len(cells), len(sent), cells.shape[2]), dtype=np.int64)
        out[:, sent] = cells
        return out.reshape(-1, cells.shape[2])

    def _quantiles(self, q: float, node: np.ndarray) -> np.ndarray:
        """The quantile of the errors of the rows in each of the nodes."""

        def add_up(search: Search) -> np.ndarray:
            return self.parts.ask("digits", node, search)

        return quantiles(add_up, q, len(node), self.weighted)

    def rows_of_fit(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(raw predictions, targets, weights) of all rows, on the driver: what a score by name looks at."""
        raw, y, w = self.parts.ask("rows_of_fit")
        return raw, y, w if self.weighted else None


def quantiles(add_up: Any, q: float, n_groups: int, weighted: bool) -> np.ndarray:
    """`group_quantiles` with `average`, from passes over parts; 0 for a group of no weight."""
    group = np.tile(np.arange(n_groups), 2)
    beyond = np.repeat([False, True], n_groups)

    def limits(total: np.ndarray) -> np.ndarray:
        low, high = quantile_limits(q, total[:n_groups], weighted)
        return np.concatenate([low, high])

    keys, total = find_keys(add_up, group, limits, beyond)
    low, high = np.split(values_of_keys(keys), 2)
    return np.where(total[:n_groups] > 0, low / 2 + high / 2, 0.0)


class SpreadValidation:
    """Rows held out, in parts: their loss after every round."""

    X = None

    def __init__(self, parts: Parts, weighted: bool) -> None:
        self.parts, self.weighted = parts, weighted

    def add(self, trees: list[Tree]) -> None:
        self.parts.step("add_trees", trees)
        self.parts.ask("nothing")
        self.parts.round_done(trees)

    def mean_loss(self, loss: Loss) -> float:
        return float(self.parts.ask("loss_of_rows")) / self.parts.facts.total

    def rows_of_fit(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        raw, y, w = self.parts.ask("rows_of_fit")
        return raw, y, w if self.weighted else None
