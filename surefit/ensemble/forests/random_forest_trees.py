"""The trees of a forest: bags drawn from seeds, trees grown in batches, leaves of what is out of the bag."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.ensemble.forests.random_forest_examples import ForestExamples
from surefit.solvers.growing.exact import grow_exact
from surefit.solvers.growing.forest import TreeRules, grow_binned
from surefit.solvers.growing.pruning import pruned_to_penalty
from surefit.solvers.growing.tree import Tree
from surefit.summaries.resample import bootstrap_counts

BATCH_NUMBERS = 2**24
"""Draws of at most so many examples are held at a time."""


@dataclass(frozen=True)
class ForestPlan:
    """How every tree is grown. `n_draws` None: no bootstrap, each tree sees all examples.

    `chances`: weights by which examples are drawn (or count, without bootstrap). `balance`: the classes of each bag get
    weights that make them equally heavy. `n_classes`: one number for each output, None for numbers.
    """

    rules: TreeRules
    n_draws: int | None
    chances: np.ndarray
    balance: bool
    n_classes: np.ndarray | None
    max_leaf_nodes: int | None = None
    monotonic: np.ndarray | None = None
    ccp_alpha: float = 0.0


class OutOfBag:
    """Sums of what trees say about the units outside their bags, in the order of the trees."""

    def __init__(self, n_units: int, width: int) -> None:
        self.sums = np.zeros((n_units, width))
        self.n_trees = np.zeros(n_units, dtype=np.int64)

    def add(self, tree: Tree, leaves: np.ndarray) -> None:
        """`leaves`: the leaf of each unit, −1 for those inside the bag."""
        outside = np.flatnonzero(leaves >= 0)
        self.sums[outside] += tree.value.reshape(tree.node_count, -1)[leaves[outside]]
        self.n_trees[outside] += 1

    def means(self) -> np.ndarray:
        """NaN where no tree has a say."""
        with np.errstate(invalid="ignore"):
            return self.sums / self.n_trees[:, None]


def grow_trees(
    source: ForestExamples, plan: ForestPlan, seeds: np.ndarray, n_threads: int, outside: OutOfBag | None
) -> Iterator[Tree]:
    """One tree for each seed, in their order."""
    batch = max(1, BATCH_NUMBERS // max(1, len(source.owner)))
    batch = min(64, max(n_threads, batch // n_threads * n_threads))
    grow: Callable[..., Any] = _grow_binned if source.binned is not None else _grow_exact
    for first in range(0, len(seeds), batch):
        some = seeds[first : first + batch]
        for tree, leaves in grow(source, plan, some, n_threads, outside is not None):
            if outside is not None:
                outside.add(tree, leaves)
            yield finished(tree, source.seen, plan)


def finished(tree: Tree, seen: np.ndarray | None, plan: ForestPlan) -> Tree:
    """A tree that was grown, pruned where that is asked for; `seen`: the categories there are."""
    tree = tree.with_unseen(seen)
    return pruned_to_penalty(tree, plan.ccp_alpha) if plan.ccp_alpha > 0 else tree


def unit_counts(source: ForestExamples, plan: ForestPlan, seed: int) -> np.ndarray:
    """How often each unit was drawn."""
    assert plan.n_draws is not None, "without bootstrap nothing is drawn"
    return source.drawn(bootstrap_counts(int(seed), plan.chances, plan.n_draws))


def _grow_binned(
    source: ForestExamples, plan: ForestPlan, seeds: np.ndarray, n_threads: int, outside: bool
) -> Iterator[tuple[Tree, Any]]:
    assert source.binned is not None, "examples in bins"
    counts = weights = factors = None
    if plan.n_draws is None:
        weights = np.append(plan.chances, 0.0)[source.owner]
        weights = None if (weights == 1).all() else weights
    else:
        counts = np.empty((len(seeds), len(source.owner)), dtype=np.int32)
        with ThreadPoolExecutor(n_threads) as pool:
            for row, drawn in zip(counts, pool.map(lambda s: unit_counts(source, plan, s), seeds), strict=True):
                row[:] = drawn
        if plan.balance:
            factors = np.stack([balancing(source.y[:, 0], row, source.binned.n_classes) for row in counts])
    trees, leaves = grow_binned(
        source.binned, plan.rules, seeds, counts, weights, factors, outside=outside, n_threads=n_threads
    )
    yield from zip(trees, leaves if leaves is not None else [None] * len(trees), strict=True)


def _grow_exact(
    source: ForestExamples, plan: ForestPlan, seeds: np.ndarray, n_threads: int, outside: bool
) -> Iterator[tuple[Tree, Any]]:
    columns, rules = source.columns, plan.rules
    assert columns is not None, "columns that are sorted"
    by_class = plan.n_classes is not None

    def one(seed: int) -> tuple[Tree, Any]:
        if plan.n_draws is None:
            w = np.append(plan.chances, 0.0)[source.owner] / source.copies
        else:
            w = unit_counts(source, plan, seed).astype(np.float64)
        drawn = w > 0
        if plan.balance and plan.n_classes is not None:
            for output, n_classes in zip(source.y.T, plan.n_classes, strict=True):
                w = w * balancing(output, w, n_classes)[output.astype(np.intp)]
        tree = grow_exact(
            columns,
            source.y.astype(np.intp) if by_class else source.y,
            w,
            criterion=rules.criterion,
            n_classes=plan.n_classes,
            max_depth=rules.max_depth,
            min_samples_split=rules.min_samples_split,
            min_samples_leaf=rules.min_samples_leaf,
            min_weight_leaf=rules.min_weight_fraction_leaf * w.sum(),
            max_features=rules.max_features,
            max_leaf_nodes=plan.max_leaf_nodes,
            min_impurity_decrease=rules.min_impurity_decrease,
            monotonic=plan.monotonic,
            seed=int(seed),
        )
        leaves = None
        if outside:
            bag = np.zeros(len(source.examples.weights) + 1, dtype=bool)
            bag[source.owner[drawn]] = True
            leaves = np.where(bag[source.owner], -1, tree.apply(columns.X))
        return tree, leaves

    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(one, seeds)


def balancing(y: np.ndarray, w: np.ndarray, n_classes: int) -> np.ndarray:
    return balanced(np.bincount(y.astype(np.intp), w, n_classes))


def balanced(of_class: np.ndarray) -> np.ndarray:
    """Σw / (present classes × the weight of the class), for each class; one for those that are not there."""
    present = of_class > 0
    return np.where(present, of_class.sum() / (present.sum() * np.where(present, of_class, 1)), 1.0)
