"""Pruning against the definition in exact fractions (dynamic program over all subtrees) and against scikit-learn."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit.solvers.growing.pruning import penalty_for_leaves, pruned, pruned_to_penalty, pruning_path
from surefit.solvers.growing.tree import Tree
from tests.solvers.growing.test_tree import same_tree, stump


def random_tree(rng: np.random.Generator, n_splits: int) -> Tree:
    """Random splits; weight · impurity is a whole number that never rises, and ties are common."""
    left, right, weight, cost = [-1], [-1], [64], [int(rng.integers(20, 400))]
    for _ in range(n_splits):
        leaf = int(rng.choice([t for t in range(len(left)) if left[t] < 0 and weight[t] > 1] or [-1]))
        if leaf < 0:
            break
        left[leaf], right[leaf] = len(left), len(left) + 1
        remaining = int(rng.integers(0, cost[leaf] + 1)) if rng.random() < 0.9 else cost[leaf]
        part = int(rng.integers(0, remaining + 1))
        half = weight[leaf] // 2
        for share, child_cost in ((half, part), (weight[leaf] - half, remaining - part)):
            left.append(-1), right.append(-1), weight.append(share), cost.append(child_cost)
    n = len(left)
    inner = np.array(left) >= 0
    return Tree(
        n_features=1,
        n_classes=[1],
        children_left=left,
        children_right=right,
        feature=np.where(inner, 0, -2),
        threshold=np.where(inner, 0.5, -2),
        missing_go_to_left=np.zeros(n),
        value=np.zeros((n, 1, 1)),
        impurity=np.array(cost) / np.array(weight),
        n_node_samples=weight,
        weighted_n_node_samples=weight,
        category_row=np.full(n, -1),
        categories=np.empty((0, 4)),
    )


def least(tree: Tree, alpha: Fraction, node: int = 0) -> tuple[Fraction, int]:
    """(cost, leaves) of the smallest subtree of least cost below a node, by the definition."""
    whole = Fraction(round(tree.impurity[node] * tree.weighted_n_node_samples[node]), 64)
    if tree.children_left[node] < 0:
        return whole + alpha, 1
    parts = [least(tree, alpha, int(child[node])) for child in (tree.children_left, tree.children_right)]
    cost = parts[0][0] + parts[1][0]
    return (whole + alpha, 1) if whole + alpha <= cost else (cost, parts[0][1] + parts[1][1])


@pytest.mark.parametrize("seed", range(60))
def test_every_subtree_of_the_path_is_the_best_for_its_penalty(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, int(rng.integers(1, 40)))
    path = pruning_path(tree)
    assert path.n_leaves[0] == tree.n_leaves and path.n_leaves[-1] == 1
    assert (np.diff(path.alphas) >= 0).all()
    exact = [Fraction(a).limit_denominator(64 * 64) for a in path.alphas]
    between = [(a + b) / 2 for a, b in itertools.pairwise(exact)]
    for alpha in {*exact, *between, exact[-1] + 1}:
        cost, leaves = least(tree, alpha)
        smaller = pruned_to_penalty(tree, float(alpha) * (1 + 1e-11))
        steps = int(np.searchsorted(path.alphas, float(alpha) * (1 + 1e-11), side="right"))
        assert smaller.n_leaves == leaves == path.n_leaves[steps]
        assert path.costs[steps] + float(alpha) * leaves == pytest.approx(float(cost), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_path_is_scikit_learns(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    model = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y)
    theirs = model.cost_complexity_pruning_path(X, y)
    ours = pruning_path(same_tree(model))
    assert np.allclose(np.unique(ours.alphas.round(12)), np.unique(theirs.ccp_alphas[1:].round(12)), atol=1e-12)
    assert ours.costs[-1] == pytest.approx(theirs.impurities[-1])
    for alpha in theirs.ccp_alphas[1:] * (1 + 1e-9):
        wanted = DecisionTreeClassifier(criterion=criterion, random_state=0, ccp_alpha=alpha).fit(X, y)
        found = pruned_to_penalty(same_tree(model), alpha)
        assert np.array_equal(found.threshold, wanted.tree_.threshold)
        assert np.array_equal(found.predict(X), wanted.tree_.predict(X))


def test_the_path_of_a_deep_regression_tree_is_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(random_state=0).fit(X.astype(np.float32), y)
    theirs = model.cost_complexity_pruning_path(X.astype(np.float32), y)
    ours = pruning_path(same_tree(model))
    assert len(ours.nodes) == len(theirs.ccp_alphas) - 1
    assert np.allclose(ours.alphas, theirs.ccp_alphas[1:], rtol=1e-9, atol=1e-12)
    assert np.allclose(ours.costs, theirs.impurities, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5, 17, 10**6])
def test_pruned_to_a_number_of_leaves(k):
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(random_state=0, max_depth=7).fit(X.astype(np.float32), y)
    tree = same_tree(model)
    alpha, path = penalty_for_leaves(tree, k), pruning_path(tree)
    smaller = pruned_to_penalty(tree, alpha) if alpha else tree
    assert smaller.n_leaves == path.n_leaves[path.n_leaves <= k].max()
    assert alpha == 0 or pruned_to_penalty(tree, np.nextafter(alpha, 0)).n_leaves > k


def test_a_chain_of_splits_costs_no_square():
    """A tree as deep as it has splits: with a quadratic method this would take minutes."""
    n = 200_000
    left, right = np.full(2 * n + 1, -1), np.full(2 * n + 1, -1)
    left[: 2 * n : 2], right[: 2 * n : 2] = np.arange(1, 2 * n, 2), np.arange(2, 2 * n + 1, 2)
    cost = np.zeros(2 * n + 1)
    cost[::2] = np.arange(n, -1, -1) ** 1.5
    tree = random_tree(np.random.default_rng(0), 1)
    weight = np.ones(2 * n + 1)
    chain = Tree(**{
        **{name: np.zeros(2 * n + 1) for name in ("feature", "threshold", "missing_go_to_left", "n_node_samples")},
        "n_features": 1, "n_classes": tree.n_classes, "children_left": left, "children_right": right,
        "value": np.zeros((2 * n + 1, 1, 1)), "impurity": cost, "weighted_n_node_samples": weight,
        "category_row": np.full(2 * n + 1, -1), "categories": tree.categories,
    })  # fmt: skip
    path = pruning_path(chain)
    # R(t) = k^1.5 is convex in the k splits below, so the steps from below are the cheapest and go one at a time
    assert len(path.nodes) == n
    assert np.allclose(path.alphas, np.diff(np.arange(n + 1) ** 1.5), rtol=1e-6)


def test_sets_of_categories_that_stay_are_renumbered():
    tree = stump(categories=(1, 3))
    assert pruned(tree, np.array([0])).categories.shape == (0, 4)
    assert pruned(tree, np.array([], dtype=int)) is tree
