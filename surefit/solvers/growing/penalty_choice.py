"""The penalty of cost-complexity pruning, chosen by cross-validation: one tree a fold answers for all penalties.

Candidates are the geometric means of neighboring steps of the full tree's path, one for each of its subtrees (CART,
section 3.4). The tree grown without a fold is pruned along its own path; the loss of the fold's rows at every node is
counted once, and each step of the path replaces the losses of the leaves that go by that of the node that becomes one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefit.solvers.growing.exact import CLASS_CRITERIA, Columns
from surefit.solvers.growing.pruning import PruningPath, pruning_path
from surefit.solvers.growing.tree import NO_CHILD, Tree

FOLDS = 5
EQUAL = 1e-10
"""Mean losses that differ by a relative 1e-10 are equal: the larger penalty is taken."""


class Choice(NamedTuple):
    best: float
    penalties: np.ndarray
    scores: np.ndarray


def choose_penalty(
    tree: Tree,
    columns: Columns,
    y: np.ndarray,
    w: np.ndarray,
    folds: np.ndarray,
    criterion: str,
    grow: Callable[[np.ndarray], Tree],
) -> Choice:
    """in: the full tree, targets (rows, outputs), weights, the fold of every row, `grow(weights)`.

    The score of a penalty is minus the mean loss of all rows, each left out once; for classes the share that is right.
    """
    penalties = candidates(pruning_path(tree))
    total = np.zeros(len(penalties))
    left_out = 0.0
    for fold in range(int(folds.max(initial=-1)) + 1):
        out = (folds == fold) & (w > 0)
        inside = np.where(out, 0.0, w)
        if not out.any() or not inside.any():
            continue
        part = grow(inside)
        losses = loss_at_nodes(part, columns.X[out], y[out], w[out], criterion)
        path = pruning_path(part)
        curve = loss_along_path(part, path, losses)
        total += curve[np.searchsorted(path.alphas, penalties, side="right")]
        left_out += w[out].sum()
    if not left_out:
        return Choice(0.0, penalties, np.full(len(penalties), np.nan))
    mean = total / left_out
    best = np.flatnonzero(mean <= mean.min() * (1 + EQUAL))[-1]
    scores = 1 - mean if criterion in CLASS_CRITERIA else -mean
    return Choice(float(penalties[best]), penalties, scores)


def candidates(path: PruningPath) -> np.ndarray:
    """0 (no pruning), then for each subtree on the path a penalty for which it is the best one."""
    steps = np.unique(path.alphas[path.alphas > 0])
    if not len(steps):
        return np.zeros(1)
    return np.concatenate([[0.0], np.sqrt(steps[:-1]) * np.sqrt(steps[1:]), steps[-1:]])


def loss_at_nodes(tree: Tree, X: np.ndarray, y: np.ndarray, w: np.ndarray, criterion: str) -> np.ndarray:
    """For every node the summed loss of the rows that pass through it, if it were a leaf; outputs are averaged."""
    paths = tree.paths_to(tree.apply(X))
    rows = np.repeat(np.arange(len(y)), np.diff(paths.indptr))
    nodes = paths.indices
    loss = np.zeros(len(nodes))
    for output in range(tree.n_outputs):
        loss += _loss(tree.value[:, output], nodes, y[rows, output], criterion)
    return np.bincount(nodes, weights=loss * w[rows] / tree.n_outputs, minlength=tree.node_count)


def _loss(value: np.ndarray, nodes: np.ndarray, y: np.ndarray, criterion: str) -> np.ndarray:
    if criterion in CLASS_CRITERIA:
        return (value.argmax(axis=1)[nodes] != y).astype(np.float64)
    predicted = value[nodes, 0]
    if criterion == "absolute_error":
        return np.abs(y - predicted)
    if criterion == "poisson":
        ratio = np.where(y > 0, y, 1.0) / predicted
        return 2 * (np.where(y > 0, y * np.log(ratio), 0.0) - y + predicted)
    return (y - predicted) ** 2


def loss_along_path(tree: Tree, path: PruningPath, losses: np.ndarray) -> np.ndarray:
    """The summed loss of the full tree and after each step of the path.

    When node t becomes a leaf, what changes below t, with all earlier steps there, adds up to losses[t] − losses of its
    leaves. So each step's own change is that sum minus the changes of the steps below it.
    """
    leaf_loss = np.where(tree.children_left == NO_CHILD, losses, 0.0)
    is_step = np.zeros(tree.node_count, dtype=bool)
    is_step[path.nodes] = True
    changed = np.zeros(tree.node_count)  # by all steps in the subtree
    own = np.zeros(tree.node_count)
    for inner in _levels_upward(tree):
        left, right = tree.children_left[inner], tree.children_right[inner]
        leaf_loss[inner] = leaf_loss[left] + leaf_loss[right]
        below = changed[left] + changed[right]
        changed[inner] = np.where(is_step[inner], losses[inner] - leaf_loss[inner], below)
        own[inner] = changed[inner] - below
    return np.cumsum(np.concatenate([leaf_loss[:1], own[path.nodes]]))


def _levels_upward(tree: Tree) -> list[np.ndarray]:
    """The inner nodes of each level, the lowest level first."""
    levels = []
    level = np.zeros(1, dtype=np.intp)
    while len(level):
        inner = level[tree.children_left[level] != NO_CHILD]
        levels.append(inner)
        level = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    return levels[::-1]
