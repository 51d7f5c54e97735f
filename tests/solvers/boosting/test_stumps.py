"""Stumps: the split that exact arithmetic finds, the tree that the exact grower grows, the same for any threads."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.boosting.stumps import Stumps, midpoint
from surefit.solvers.growing.exact import grow_exact, presort
from tests.reference.stumps import best_split


def problem(seed, n=25, d=3, n_classes=2, values=6, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, d)).astype(dtype)
    return X, rng.integers(0, n_classes, n), rng.integers(1, 9, n) / 8.0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_split_is_the_best_in_exact_arithmetic(n_classes, dtype):
    for seed in range(40):
        X, codes, w = problem(seed, n_classes=n_classes, dtype=dtype)
        tree, said = Stumps(X, codes, n_classes, np.ones(len(w))).fit(w)
        found = best_split(X, codes, w, n_classes)
        j, lower, upper = found
        assert tree.feature[0] == j
        assert tree.threshold[0] == (lower + upper) / 2
        for side, node in ((X[:, j] <= tree.threshold[0], 1), (X[:, j] > tree.threshold[0], 2)):
            weights = np.bincount(codes[side], weights=w[side], minlength=n_classes)
            np.testing.assert_allclose(tree.value[node, 0], weights / weights.sum(), rtol=1e-14)
            assert (said[side] == weights.argmax()).all()
            assert tree.n_node_samples[node] == side.sum()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_tree_is_the_exact_growers(n_classes):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, w = rng.normal(size=(300, 4)), rng.random(300)
        codes = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], np.linspace(-1, 1, n_classes - 1))
        ours, _ = Stumps(X, codes, n_classes, np.ones(300), 2).fit(w)
        theirs = grow_exact(
            presort(X, n_threads=1),
            codes.astype(float),
            w,
            criterion="gini",
            n_classes=np.array([n_classes]),
            max_depth=1,
        )
        for name in ("feature", "threshold", "children_left", "children_right", "n_node_samples", "missing_go_to_left"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
        for name in ("value", "impurity", "weighted_n_node_samples"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-12, atol=1e-14, err_msg=name)


def test_equally_good_splits_go_to_the_first_column_and_the_lowest_threshold():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    tree, _ = Stumps(X, np.array([0, 1, 1, 0]), 2, np.ones(4)).fit(np.full(4, 0.25))
    assert (tree.feature[0], tree.threshold[0]) == (0, 0.5)


def test_no_split_is_a_leaf():
    for X, codes in ((np.zeros((3, 2)), [0, 1, 1]), (np.eye(3), [1, 1, 1])):
        tree, said = Stumps(X, np.array(codes), 2, np.ones(3)).fit(np.full(3, 1 / 3))
        assert tree.node_count == 1
        assert (said == 1).all()


def test_rows_of_a_weight_that_rounding_hides():
    """A side whose weight is lost in the rounding of the total is no reason to divide by zero."""
    X, codes = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 0, 1])
    tree, said = Stumps(X, codes, 2, np.ones(6)).fit(np.array([1e-18, 1.0, 1.0, 1.0, 1e-18, 1e-30]))
    assert tree.threshold[0] == 1.5
    np.testing.assert_array_equal(said, [0, 0, 1, 1, 1, 1])


def test_midpoint_lies_between():
    tiny = np.nextafter(1.0, 2.0)
    assert midpoint(1.0, tiny) == 1.0
    assert midpoint(1e308, 1.7e308) == 1.35e308
    assert midpoint(-1.0, 1.0) == 0.0
