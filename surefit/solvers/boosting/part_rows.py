"""A part of the rows of a histogram boosting that stays where it is: its bins, and what the rounds make of them.

A round is its trees: a part that has lost its state (engine/sources/dask_state.py) is sent all trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit import _native
from surefit._core.arithmetic import whole_weights
from surefit.engine.sources.dask_state import KeptPart
from surefit.objectives.losses import Loss
from surefit.objectives.quantiles import TIE
from surefit.solvers.boosting.histogram_rounds import Slopes, loss_sum
from surefit.solvers.growing.histogram import bin_values, on_bins
from surefit.solvers.growing.predict import sum_of_trees
from surefit.solvers.growing.tree import Tree
from surefit.summaries.bins import Bins
from surefit.summaries.selection import Search, digit_weights, ordered_keys


@dataclass(frozen=True)
class Facts:
    """What all parts know. `n_bins`: of each feature; `total`: the weight of all rows; `whole_total`:
    the same rounded once, for whole weights."""

    bins: Bins
    n_bins: np.ndarray
    loss: Loss
    baseline: np.ndarray
    n_rows: int
    total: float
    whole_total: float

    @property
    def sent_cells(self) -> np.ndarray:
        """Which of features × 256 cells there can be rows in."""
        bins = np.arange(256)
        return ((bins < self.n_bins[:, None]) | (bins == 255)).ravel()


class PartRows(KeptPart):
    """Bins, targets and weights of rows; raw predictions to start from where they are not the constant of the fit."""

    fields = ("bins", "y", "w", "raw")

    def __init__(self, bins: np.ndarray, y: np.ndarray, w: np.ndarray | None, raw: np.ndarray | None) -> None:
        super().__init__()
        self.bins, self.y, self.w, self.raw = bins, y, w, raw

    def __sizeof__(self) -> int:
        return 2 * self.bins.nbytes + 64 * len(self.y)

    def new_state(self, facts: Facts, rounds: list[list[Tree]]) -> PartState:
        return PartState(facts, self, rounds)


class PartState:
    """The raw predictions of a part, the slopes there, and the nodes of the tree that is being grown."""

    def __init__(self, facts: Facts, part: PartRows, trees: list[list[Tree]]) -> None:
        self.facts, self.part = facts, part
        n, outputs = len(part.y), facts.baseline.shape[1]
        self.raw = np.empty((n, outputs), order="F")
        self.raw[:] = facts.baseline if part.raw is None else part.raw
        for round_ in trees:
            self.add_trees(round_)
        self.slopes_: Slopes | None = None
        self.rows: Any = None
        self.output = 0
        self.loss = np.nan

    # Steps.

    def add_trees(self, trees: list[Tree]) -> None:
        values = bin_values(self.part.bins)
        for k, tree in enumerate(trees):
            self.raw[:, k] += sum_of_trees([on_bins(tree, self.facts.bins)], values, 1)[:, 0]

    def find_slopes(self) -> None:
        part = self.part
        if self.slopes_ is None:
            self.slopes_ = Slopes(self.facts.loss, *self.raw.shape)
        self.loss = self.slopes_.at(part.y, self.raw, part.w, 1)

    def start_tree(self, k: int, largest: np.ndarray) -> None:
        facts, part, slopes = self.facts, self.part, self.slopes_
        assert slopes is not None, "slopes come first"
        if self.rows is None:
            codes = facts.bins.is_categorical.astype(np.uint8)
            self.rows = _native.HistogramRows(part.bins, facts.n_bins, codes, 1, True)
        hessian = None if slopes.hessian is None else slopes.hessian[:, k]
        self.rows.take(slopes.gradient[:, k], hessian, part.w, facts.total, facts.n_rows, largest)
        self.rows.start_nodes()
        self.output = k

    def split(self, node: np.ndarray, feature: np.ndarray, goes_left: np.ndarray) -> None:
        self.rows.split_nodes(node, feature, goes_left)

    def add_steps(self, node: np.ndarray, values: np.ndarray) -> None:
        """raw += the value of the node a row is in, for nodes that hold each row once."""
        raw, number = self.raw[:, self.output], self._numbers(node)
        raw += values[number]

    def _numbers(self, node: np.ndarray) -> np.ndarray:
        """For every row which of the nodes it is in."""
        first, size = (a[node] for a in self.rows.node_ranges())
        place = np.argsort(first, kind="stable")
        number = np.empty(len(self.raw), dtype=np.intp)
        number[self.rows.node_order()] = np.repeat(place, size[place])
        return number

    # Questions.

    def nothing(self) -> tuple[()]:
        return ()

    def largest_slopes(self) -> tuple[float, np.ndarray]:
        """(sum of the loss, the largest gradient and second derivative of each output and the largest weight)."""
        slopes, w = self.slopes_, self.part.w
        assert slopes is not None, "slopes come first"
        g = np.fmax.reduce(np.abs(slopes.gradient), axis=0)
        h = np.ones(len(g)) if slopes.hessian is None else np.fmax.reduce(np.abs(slopes.hessian), axis=0)
        return self.loss, np.stack([g, h, np.full(len(g), 1.0 if w is None else w.max())], axis=1)

    def loss_of_rows(self) -> float:
        """The weighted sum at the raw predictions."""
        return loss_sum(self.facts.loss, self.part.y, self.raw, self.part.w)

    def root(self) -> tuple[Any, ...]:
        return self.rows.grid(), self.rows.has_missing(), self._cells(np.zeros(1, dtype=np.int64))

    def children(self, n_splits: int, counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows of both children of the last splits, histograms of the nodes to be counted)."""
        size = self.rows.node_ranges()[1]
        return size[len(size) - 2 * n_splits :].reshape(-1, 2), self._cells(counted)

    def _cells(self, node: np.ndarray) -> np.ndarray:
        return self.rows.count_nodes(node)[:, self.facts.sent_cells]

    def digits(self, node: np.ndarray, search: Search) -> np.ndarray:
        """Weights by digits of the errors of rows, the group of a row being its node."""
        errors = self.part.y - self.raw[:, self.output]
        return digit_weights(search, ordered_keys(errors), self._numbers(node), self._whole())

    def _whole(self) -> np.ndarray | None:
        return None if self.part.w is None else whole_weights(self.part.w, self.facts.whole_total)

    def rows_of_fit(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(raw predictions, targets, weights) of the rows themselves."""
        return self.raw, self.part.y, np.empty(0) if self.part.w is None else self.part.w


def quantile_limits(q: float, total: np.ndarray, weighted: bool) -> tuple[np.ndarray, np.ndarray]:
    """What the weight up to the two values that a quantile is the mean of has to reach, and to exceed."""
    if weighted:
        return (q - TIE) * total, (q + TIE) * total
    return q * total - TIE * total, q * total + TIE * total


def _slopes_merged(left: Any, right: Any) -> Any:
    return left[0] + right[0], np.maximum(left[1], right[1])


def _roots_merged(left: Any, right: Any) -> Any:
    return left[0], left[1] | right[1], left[2] + right[2]


def _joined(left: Any, right: Any) -> Any:
    return tuple(np.concatenate(pair) for pair in zip(left, right, strict=True))


MERGES = {"largest_slopes": _slopes_merged, "root": _roots_merged, "rows_of_fit": _joined}
