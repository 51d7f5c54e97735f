"""Trees of a forest from examples that stay in parts elsewhere (spread_rows.py), with the bits of rows in memory.

All trees of a batch are grown together, level by level. A level takes two passes over the parts: the histograms of its
nodes (in several, where they would take more than `ROUND_BYTES`), then the sums of their children. A node of at most
`WIDE` examples is not counted any further: its examples are brought together on some worker, which grows all that is
below it as in memory. The driver sees sums, histograms and trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from surefit import _native
from surefit.engine.sources.dask_state import Parts
from surefit.solvers.growing.forest import TreeRules, columns_of, tree_of
from surefit.solvers.growing.spread_rows import ForestFacts
from surefit.solvers.growing.tree import Tree
from surefit.summaries.canonical import mixed

WIDE = _native.FOREST_WIDE
ROUND_BYTES = 2**26
"""Histograms that are on their way at a time."""
BUNDLE_BYTES = 2**24
BUNDLES = 16
"""Examples that are brought together to one worker, and how many such bundles are on their way at a time."""
GOLD = np.uint64(0x9E3779B97F4A7C15)


@dataclass
class OpenNode:
    """`number`: that of the parts; `totals`: what they have added up there; `arrays`: the node, or the tree below."""

    tree: int
    number: int
    depth: int
    key: np.uint64
    totals: tuple[Any, ...]
    arrays: tuple[Any, ...] = ()
    children: list[OpenNode] = field(default_factory=list)

    @property
    def size(self) -> int:
        return int(self.totals[0])


class SpreadForest:
    """Grows batches of trees on parts. `balanced`: (draws of classes) → the factor of each class in a tree, or None."""

    def __init__(self, parts: Parts, rules: TreeRules, balanced: Any = None) -> None:
        self.parts, self.facts, self.rules, self.balanced = parts, parts.facts, rules, balanced
        self.growth = growth_of(self.facts, rules)
        self.n_features = len(self.facts.bins.thresholds)
        self.counting = rules.min_samples_leaf > 1
        self.factors: np.ndarray | None = None
        self.root_weight = np.empty(0)

    def grow(self, seeds: np.ndarray) -> list[Tree]:
        parts, n = self.parts, len(seeds)
        parts.step("start_trees", np.asarray(seeds))
        self.factors = None
        if self.balanced is not None:
            self.factors = np.stack([self.balanced(row) for row in parts.ask("class_counts")])
        keys = mixed(np.asarray(seeds, dtype=np.uint64) + GOLD)
        totals = parts.ask("totals", 0)
        roots = [OpenNode(t, t, 0, keys[t], tuple(a[t] for a in totals)) for t in range(n)]
        self.root_weight = np.full(n, -1.0)
        self.root_weight, _ = self.growth.look(*self._asked(roots))
        small, level, n_nodes = [], roots, n
        while level:
            small += [node for node in level if node.size <= WIDE]
            split = self._split([node for node in level if node.size > WIDE])
            level = []
            if not split:
                break
            totals = parts.ask("totals", n_nodes)
            for place, (node, without_missing) in enumerate(split):
                level += self._children(node, n_nodes + 2 * place, [a[2 * place : 2 * place + 2] for a in totals])
                if without_missing:
                    left, right = node.children
                    node.arrays[4][0] = left.totals[1] > right.totals[1]
            n_nodes += 2 * len(split)
        self._below(small)
        return [self._tree(root) for root in roots]

    def done(self, seeds: np.ndarray, trees: list[Tree]) -> None:
        """After a batch: parts that lose their state need its trees only for what is out of the bag."""
        if not self.facts.outside:
            self.parts.round_done(None)
            return
        self.parts.step("add_outside", trees)
        self.parts.ask("nothing")
        self.parts.round_done((np.asarray(seeds), trees))

    def _children(self, node: OpenNode, number: int, totals: list[np.ndarray]) -> list[OpenNode]:
        keys = mixed(np.array([1, 2], dtype=np.uint64) * GOLD + node.key)  # modulo 2⁶⁴
        node.children = [
            OpenNode(node.tree, number + side, node.depth + 1, keys[side], tuple(a[side] for a in totals))
            for side in (0, 1)
        ]
        return node.children

    def _asked(self, nodes: list[OpenNode]) -> tuple[Any, ...]:
        """Nodes as the search of splits takes them."""
        tree = np.array([node.tree for node in nodes])
        totals = [np.ascontiguousarray([node.totals[k] for node in nodes]) for k in range(6)]
        depth = np.array([node.depth for node in nodes], dtype=np.int64)
        factors = None if self.factors is None else np.ascontiguousarray(self.factors[tree])
        return depth, totals[1], self.root_weight[tree], factors, *totals[2:]

    def _split(self, nodes: list[OpenNode]) -> list[tuple[OpenNode, bool]]:
        """Writes the nodes; those that are split, and whether no value was missing there."""
        if not nodes:
            return []
        _, may = self.growth.look(*self._asked(nodes))
        n_asked = np.where(may, min(self.rules.max_features, self.n_features), 0)
        open_ = np.arange(len(nodes))
        answers: list[dict[str, Any]] = [{}] * len(nodes)
        while len(open_):
            for some in self._rounds(n_asked[open_]):
                these = open_[some]
                for place, answer in zip(these, self._searched([nodes[i] for i in these], n_asked[these]), strict=True):
                    answers[place] = answer
            open_ = np.array([i for i in open_ if answers[i]["more"]], dtype=np.intp)
            n_asked[open_] = np.minimum(2 * n_asked[open_], self.n_features)
        split = []
        for node, answer in zip(nodes, answers, strict=True):
            node.arrays = self._written(node, answer)
            if answer["found"]:
                split.append((node, answer))
        if split:
            number = np.array([node.number for node, _ in split], dtype=np.int64)
            feature = np.array([answer["feature"] for _, answer in split], dtype=np.int64)
            self.parts.step("split", number, feature, np.stack([answer["goes_left"] for _, answer in split]))
        return [(node, bool(answer["without_missing"])) for node, answer in split]

    def _rounds(self, n_asked: np.ndarray) -> list[np.ndarray]:
        """Runs of nodes whose histograms are no larger than a round may be."""
        each = 256 * 8 * (max(2, self.facts.n_classes) + self.counting)
        run = np.cumsum(n_asked) * each // ROUND_BYTES
        return np.split(np.arange(len(n_asked)), np.flatnonzero(np.diff(run)) + 1)

    def _searched(self, nodes: list[OpenNode], n_asked: np.ndarray) -> list[dict[str, Any]]:
        """The best split of every node among the first few features of its own order."""
        asked = self._asked(nodes)
        features = [self._features(node, n) for node, n in zip(nodes, n_asked, strict=True)]
        ends, flat = np.cumsum(n_asked).astype(np.int64), np.concatenate(features).astype(np.int64)
        number = np.array([node.number for node in nodes], dtype=np.int64)
        cells, counts, spread, terms = self.parts.ask("histograms", number, ends, flat, *asked[4:], self.counting)
        found = self.growth.search(*asked, spread, terms, ends, flat, cells.ravel(), counts.ravel())
        return [{name: values[i] for name, values in found.items()} for i in range(len(nodes))]

    def _features(self, node: OpenNode, n: int) -> np.ndarray:
        if self.rules.max_features >= self.n_features:
            return np.arange(n)
        place = mixed(np.arange(3, self.n_features + 3, dtype=np.uint64) * GOLD + node.key)
        return np.argsort(place, kind="stable")[:n]

    def _written(self, node: OpenNode, answer: dict[str, Any]) -> tuple[Any, ...]:
        """The arrays of one node, its children aside."""
        found, by_set = bool(answer["found"]), bool(answer["found"] and answer["by_set"])
        weight = self.growth.look(*self._asked([node]))[0]
        return (
            np.full(1, -1, dtype=np.int32),
            np.full(1, -1, dtype=np.int32),
            np.array([answer["feature"] if found else -2], dtype=np.int32),
            np.array([answer["threshold"] if found else -2.0]),
            np.array([found and answer["missing_left"]], dtype=np.uint8),
            answer["value"],
            np.array([answer["impurity"]]),
            np.array([node.totals[1]], dtype=np.int64),
            weight,
            np.array([0 if by_set else -1], dtype=np.int32),
            answer["sets"][None] if by_set else np.empty((0, 4), dtype=np.uint64),
        )

    def _below(self, nodes: list[OpenNode]) -> None:
        """All that is below small nodes, grown on the workers."""
        bundles: list[list[OpenNode]] = []
        room = 0
        for node in nodes:
            size = node.size * (self.n_features + 24)
            if not bundles or size > room:
                bundles.append([])
                room = BUNDLE_BYTES
            bundles[-1].append(node)
            room -= size
        for first in range(0, len(bundles), BUNDLES):
            some = bundles[first : first + BUNDLES]
            questions = [("items", np.array([node.number for node in bundle], dtype=np.int64)) for bundle in some]
            grown = self.parts.ask_each(questions, [partial(grow_below, self._order_to(bundle)) for bundle in some])
            for bundle, trees in zip(some, grown, strict=True):
                for node, arrays in zip(bundle, trees, strict=True):
                    node.arrays = arrays

    def _order_to(self, nodes: list[OpenNode]) -> Below:
        tree = np.array([node.tree for node in nodes])
        return Below(
            self.facts,
            self.rules,
            np.array([node.depth for node in nodes], dtype=np.int64),
            np.array([node.key for node in nodes], dtype=np.uint64),
            self.root_weight[tree],
            None if self.factors is None else np.ascontiguousarray(self.factors[tree]),
        )

    def _tree(self, root: OpenNode) -> Tree:
        """Nodes in the order of growing depth first, left before right."""
        order, stack = [], [root]
        while stack:
            node = stack.pop()
            order.append(node)
            stack += node.children[::-1]
        offset = np.cumsum([0, *(len(node.arrays[0]) for node in order)])
        sets = np.cumsum([0, *(len(node.arrays[10]) for node in order)])
        place = {id(node): offset[i] for i, node in enumerate(order)}
        columns: list[list[np.ndarray]] = [[] for _ in range(11)]
        for i, node in enumerate(order):
            left, right, *others, row, own = node.arrays
            if node.children:
                left, right = (np.array([place[id(child)]], dtype=np.int32) for child in node.children)
            else:
                left, right = (np.where(side >= 0, side + offset[i], -1) for side in (left, right))
            row = np.where(row >= 0, row + sets[i], -1)
            for column, values in zip(columns, (left, right, *others, row, own), strict=True):
                column.append(values)
        return tree_of(tuple(map(np.concatenate, columns)), self.n_features, self.facts.n_classes)


@dataclass(frozen=True)
class Below:
    """How the trees below some nodes are grown."""

    facts: ForestFacts
    rules: TreeRules
    depth: np.ndarray
    key: np.ndarray
    root_weight: np.ndarray
    factors: np.ndarray | None


def growth_of(facts: ForestFacts, rules: TreeRules) -> Any:
    return _native.ForestGrowth(
        facts.n_classes,
        facts.y_exponent,
        *columns_of(facts.bins),
        facts.criterion,
        rules.max_features,
        **rules.limits(),
    )


def grow_below(below: Below, items: list[tuple[np.ndarray, ...]]) -> list[tuple[Any, ...]]:
    """The trees below nodes from what all parts have of them: rows by node, then in canonical order."""
    sizes = np.stack([part[0] for part in items])
    node = np.concatenate([np.repeat(np.arange(sizes.shape[1]), part[0]) for part in items])
    order = np.argsort(node, kind="stable")
    bins, target, weights, rows = (np.concatenate([part[k] for part in items])[order] for k in (1, 2, 3, 4))
    codes, numbers = (target, None) if below.facts.n_classes else (None, target)
    ends = np.cumsum(sizes.sum(axis=0)).astype(np.int64)
    return growth_of(below.facts, below.rules).subtrees(
        bins, codes, numbers, weights, rows, ends, below.depth, below.key, below.root_weight, below.factors, 1
    )
