"""Pruning: the nested subtrees that are best for their penalty, and the tree cut back to one of them.

The cost of a subtree with leaves L at penalty α is Σ_{t ∈ L} R(t) + α |L|, R(t) = the share of the weight in t times
its impurity. The smallest subtree of least cost shrinks as α grows: one inner node after the other becomes a leaf, each
at an α of its own (Breiman, Friedman, Olshen, Stone: CART, chapter 3). All of them are found in O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit import _native
from surefit.solvers.growing.tree import NO_CHILD, NO_FEATURE, Tree


@dataclass(frozen=True)
class PruningPath:
    """The steps in their order: at `alphas[i]` node `nodes[i]` becomes a leaf.

    `costs` (Σ R of the leaves) and `n_leaves` start with the full tree: one entry more than steps. Equal α: the lower
    node number first.
    """

    nodes: np.ndarray
    alphas: np.ndarray
    costs: np.ndarray
    n_leaves: np.ndarray


def node_costs(tree: Tree) -> np.ndarray:
    """R of every node."""
    return tree.weighted_n_node_samples * tree.impurity / tree.weighted_n_node_samples[0]


def pruning_path(tree: Tree) -> PruningPath:
    """All subtrees that are best for some penalty, from the full tree to the root alone."""
    cost = node_costs(tree)
    alpha, rise, fall = _native.pruning_steps(tree.children_left, tree.children_right, cost)
    nodes = np.flatnonzero(np.isfinite(alpha))
    nodes = nodes[np.argsort(alpha[nodes], kind="stable")]
    leaves = np.flatnonzero(tree.children_left == NO_CHILD)
    costs = np.cumsum(np.concatenate([[cost[leaves].sum()], rise[nodes]]))
    n_leaves = len(leaves) - np.concatenate([[0], np.cumsum(fall[nodes])])
    return PruningPath(nodes, alpha[nodes], costs, n_leaves)


def pruned_to_penalty(tree: Tree, alpha: float) -> Tree:
    """The smallest subtree of least cost at penalty `alpha`."""
    path = pruning_path(tree)
    return pruned(tree, path.nodes[: np.searchsorted(path.alphas, alpha, side="right")])


def penalty_for_leaves(tree: Tree, n_leaves: int) -> float:
    """The least penalty > 0 whose subtree has at most `n_leaves` leaves; 0 if the tree has no more.

    No subtree with as many leaves as that one has a lower cost.
    """
    path = pruning_path(tree)
    steps = int(np.argmax(path.n_leaves <= n_leaves))
    return max(float(path.alphas[steps - 1]), np.finfo(np.float64).tiny) if steps else 0.0


def pruned(tree: Tree, new_leaves: np.ndarray) -> Tree:
    """The tree in which these nodes are leaves; the nodes that stay keep their order."""
    if not len(new_leaves):
        return tree
    left, right = tree.children_left.copy(), tree.children_right.copy()
    left[new_leaves] = right[new_leaves] = NO_CHILD
    stays = _below_root(left, right)
    number = np.cumsum(stays) - 1
    left, right = left[stays], right[stays]
    inner = left != NO_CHILD
    left[inner], right[inner] = number[left[inner]], number[right[inner]]
    rows = np.where(inner, tree.category_row[stays], -1)
    by_set = rows >= 0
    return Tree(
        n_features=tree.n_features,
        n_classes=tree.n_classes,
        children_left=left,
        children_right=right,
        feature=np.where(inner, tree.feature[stays], NO_FEATURE),
        threshold=np.where(inner, tree.threshold[stays], NO_FEATURE),
        missing_go_to_left=np.where(inner, tree.missing_go_to_left[stays], 0),
        value=tree.value[stays],
        impurity=tree.impurity[stays],
        n_node_samples=tree.n_node_samples[stays],
        weighted_n_node_samples=tree.weighted_n_node_samples[stays],
        category_row=np.where(by_set, np.cumsum(by_set) - 1, -1),
        categories=tree.categories[rows[by_set]],
    )


def _below_root(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """True for the nodes that can still be reached from the root."""
    found = np.zeros(len(left), dtype=bool)
    level = np.zeros(1, dtype=np.intp)
    while len(level):
        found[level] = True
        inner = level[left[level] != NO_CHILD]
        level = np.concatenate([left[inner], right[inner]])
    return found
