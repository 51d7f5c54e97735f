"""Trees from histograms of binned rows, grown leaf by leaf: the split with the largest gain next.

A node whose rows have the sums G = Σ g and H = Σ h of their gradients and second derivatives takes the Newton step

    v = −G / (H + l2)            and a split gains   G_l²/(H_l + l2) + G_r²/(H_r + l2) − G²/(H + l2) .

g and h are rounded once to integers times a power of two (30 bits of the largest g, up to 31 of the largest h) and then
multiplied by weights, so that sums over rows are exact: no order, number of threads or cut into parts changes a bit. A
root that is not split takes no step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from surefit import _native
from surefit.solvers.growing.tree import NO_CHILD, Tree
from surefit.summaries.bins import Bins


@dataclass(frozen=True)
class GrowthOptions:
    """in: l2 ≥ 0; the least weight of a leaf; most leaves and levels (None: no limit); the share of features a node
    chooses from; −1, 0, 1 for each feature (None: no constraint); groups of features that may stand on one path."""

    l2: float = 0.0
    min_weight: float = 20.0
    max_leaves: int | None = 31
    max_depth: int | None = None
    max_features: float = 1.0
    monotonic: np.ndarray | None = None
    groups: np.ndarray | None = None

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """As compiled growers take them; 0: no limit."""
        limits = self.max_leaves or 0, self.max_depth or 0
        return self.l2, self.min_weight, *limits, self.max_features, seed % 2**64, self.monotonic, self.groups


class Leaves(NamedTuple):
    """The leaves of a tree: their nodes, and where their rows stand in `order`."""

    node: np.ndarray
    first: np.ndarray
    size: np.ndarray


class HistogramGrower:
    """Grows trees on one set of binned rows (n, d) of bytes, which it keeps."""

    def __init__(
        self,
        bins: Bins,
        rows: np.ndarray,
        n_categories: np.ndarray | None = None,
        n_threads: int = 1,
        columns: bool = True,
    ) -> None:
        """`n_categories`: codes of each column of categories; `columns`: keep a copy column by column, for speed."""
        self.bins = bins
        counts = bin_counts(bins, n_categories)
        self.n_rows = len(rows)
        self.rows = _native.HistogramRows(rows, counts, bins.is_categorical.astype(np.uint8), n_threads, columns)

    def take(
        self,
        gradient: np.ndarray,
        hessian: np.ndarray | None,
        weight: np.ndarray | None,
        total: float | None = None,
    ) -> None:
        """The gradients and second derivatives of a round (None: all one), and what each row counts (None: once).

        `total`: the sum of the weights, where it is known.
        """
        if total is None:
            total = float(len(gradient) if weight is None else weight.sum())
        self.rows.take(gradient, hessian, weight, total, len(gradient), None)

    def grow(self, options: GrowthOptions, rate: float, seed: int = 0) -> tuple[Tree, Leaves]:
        """A tree for the gradients taken; its values are `rate` times the steps."""
        grown = self.rows.grow(*options.arguments(seed))
        leaf = np.flatnonzero(grown["left"] == NO_CHILD)
        return tree_from(self.bins, grown, rate), Leaves(leaf, grown["first_row"][leaf], grown["n_rows"][leaf])

    def add_steps(self, leaves: Leaves, values: np.ndarray, raw: np.ndarray) -> None:
        """raw[row] += the value of its leaf in the tree grown last."""
        self.rows.add_steps(leaves.first, leaves.size, np.ascontiguousarray(values), raw)

    def leaf_numbers(self, leaves: Leaves) -> np.ndarray:
        """For every row which of the leaves it is in."""
        number = np.empty(self.n_rows, dtype=np.intp)
        place = np.argsort(leaves.first, kind="stable")
        number[self.rows.order()] = np.repeat(place, leaves.size[place])
        return number


def bin_counts(bins: Bins, n_categories: np.ndarray | None) -> np.ndarray:
    """How many bins each column has, that of missing values aside."""
    counts = np.array([len(t) + 1 for t in bins.thresholds], dtype=np.int64)
    if n_categories is None:
        return counts
    return np.where(bins.is_categorical, np.maximum(n_categories, 1), counts).astype(np.int64)


def tree_from(bins: Bins, grown: dict[str, np.ndarray], rate: float) -> Tree:
    """The tree that was grown on bins; its values are `rate` times the steps."""
    inner, by_set = grown["left"] != NO_CHILD, grown["categorical"] != 0
    threshold = np.full(len(inner), -2.0)
    for node in np.flatnonzero(inner & ~by_set):
        cuts = bins.thresholds[grown["feature"][node]]
        place = grown["bin"][node]
        threshold[node] = cuts[place] if place < len(cuts) else np.inf
    row = np.full(len(inner), -1)
    row[by_set] = np.arange(np.count_nonzero(by_set))
    value = rate * grown["value"] if inner[0] else np.zeros(1)
    return Tree(
        n_features=len(bins.thresholds),
        n_classes=np.array([1]),
        children_left=grown["left"],
        children_right=grown["right"],
        feature=grown["feature"],
        threshold=threshold,
        missing_go_to_left=grown["missing_left"],
        value=value.reshape(-1, 1, 1),
        impurity=-grown["score"] / grown["weight"],
        n_node_samples=grown["n_rows"],
        weighted_n_node_samples=grown["weight"],
        category_row=row,
        categories=grown["sets"][by_set],
    )


def constant_tree(value: float, n_features: int) -> Tree:
    """One leaf."""
    one, none = np.zeros(1), np.full(1, -1)
    return Tree(
        n_features=n_features,
        n_classes=np.array([1]),
        children_left=none,
        children_right=none,
        feature=none - 1,
        threshold=one - 2,
        missing_go_to_left=one,
        value=np.full((1, 1, 1), value),
        impurity=one,
        n_node_samples=one,
        weighted_n_node_samples=one,
        category_row=none,
        categories=np.empty((0, 4)),
    )


def on_bins(tree: Tree, bins: Bins) -> Tree:
    """The same tree for rows of bins (`bin_values`) in the place of numbers."""
    threshold = tree.threshold.copy()
    for node in np.flatnonzero((tree.children_left != NO_CHILD) & (tree.category_row < 0)):
        threshold[node] = np.searchsorted(bins.thresholds[tree.feature[node]], tree.threshold[node])
    fields = {**tree.__getstate__(), "threshold": threshold}
    return Tree(**fields)


def bin_values(rows: np.ndarray) -> np.ndarray:
    """Bins as float32 numbers, the bin of missing values as NaN."""
    values = rows.astype(np.float32)
    values[rows == 255] = np.nan
    return values
