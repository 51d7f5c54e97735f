"""Exact CART against scikit-learn's trees and against a plain NumPy search of every split."""

import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit.solvers.growing.exact import CLASS_CRITERIA, grow_exact, presort


def decrease(tree, node):
    sums = tree.weighted_n_node_samples * tree.impurity
    return sums[node] - sums[tree.children_left[node]] - sums[tree.children_right[node]]


def assert_same_but_for_ties(ours, theirs):
    """Same splits and leaves; where splits differ their decreases are equal and ours comes first in the tie rule."""
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        assert ours.n_node_samples[a] == theirs.n_node_samples[b]
        np.testing.assert_allclose(ours.value[a], theirs.value[b], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(ours.impurity[a], theirs.impurity[b], rtol=1e-9, atol=1e-12)
        if ours.children_left[a] < 0:  # scikit-learn goes on where rounding makes a pure node impure
            assert theirs.children_left[b] < 0 or ours.impurity[a] == 0
            continue
        assert theirs.children_left[b] >= 0
        split, other = (ours.feature[a], ours.threshold[a]), (theirs.feature[b], theirs.threshold[b])
        if split == other or np.allclose(split, other, rtol=1e-14):
            pairs.append((ours.children_left[a], theirs.children_left[b]))
            pairs.append((ours.children_right[a], theirs.children_right[b]))
        else:
            np.testing.assert_allclose(decrease(ours, a), decrease(theirs, b), rtol=1e-9, atol=1e-12)
            assert split < other


def random_data(seed, criterion, missing=False):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(5, 60), rng.integers(1, 6)
    X = rng.standard_normal((n, d)).astype(np.float32)
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    w = rng.uniform(0.5, 2.0, n) if seed % 2 else None
    if criterion in CLASS_CRITERIA:
        y = np.unique(rng.integers(0, 2 + seed % 3, n), return_inverse=True)[1]
        return X, y, w, {"n_classes": y.max() + 1}
    return X, rng.standard_normal(n) + (seed % 3), w, {}


def sklearn_tree(X, y, w, criterion, **limits):
    kind = DecisionTreeClassifier if criterion in CLASS_CRITERIA else DecisionTreeRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # friedman_mse
        return kind(criterion=criterion, random_state=0, **limits).fit(X, y, w).tree_


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss", "squared_error", "friedman_mse"])
def test_the_tree_is_scikit_learns_where_ties_are_absent(criterion):
    for seed in range(60):
        X, y, w, classes = random_data(seed, criterion, missing=seed % 4 == 3)
        limits = {"min_samples_leaf": 1 + seed % 3, "max_depth": 3 if seed % 5 == 0 else None}
        ours, leaf = grow_exact(presort(X), y, w, criterion=criterion, return_leaves=True, **classes, **limits)
        assert_same_but_for_ties(ours, sklearn_tree(X, y, w, criterion, **limits))
        np.testing.assert_array_equal(leaf, ours.apply(X))
