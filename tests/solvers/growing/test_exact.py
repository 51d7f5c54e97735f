"""Exact CART against scikit-learn's trees and against a plain NumPy search of every split."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit.solvers.growing.exact import CLASS_CRITERIA, grow_exact, presort
from surefit.solvers.growing.tree import KINDS
from tests.reference.cart import Rules
from tests.solvers.growing.replay import replay


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
    if criterion == "poisson":
        return X, rng.exponential(1.0, n), w, {}
    return X, rng.standard_normal(n) + (seed % 3), w, {}


def sklearn_tree(X, y, w, criterion, **limits):
    kind = DecisionTreeClassifier if criterion in CLASS_CRITERIA else DecisionTreeRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # friedman_mse
        return kind(criterion=criterion, random_state=0, **limits).fit(X, y, w).tree_


@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "log_loss", "squared_error", "friedman_mse", "absolute_error", "poisson"]
)
def test_the_tree_is_scikit_learns_where_ties_are_absent(criterion):
    for seed in range(60):
        X, y, w, classes = random_data(seed, criterion, missing=seed % 4 == 3 and criterion != "absolute_error")
        limits = {"min_samples_leaf": 1 + seed % 3, "max_depth": 3 if seed % 5 == 0 else None}
        ours, leaf = grow_exact(presort(X), y, w, criterion=criterion, return_leaves=True, **classes, **limits)
        assert_same_but_for_ties(ours, sklearn_tree(X, y, w, criterion, **limits))
        np.testing.assert_array_equal(leaf, ours.apply(X))


def plain_data(seed, criterion, n=24, d=3, grid=4, outputs=1):
    """Small whole numbers, so that ties abound; some weights, some missing values."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, grid, (n, d)).astype(np.float64 if seed % 2 else np.float32)
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.2] = np.nan
    w = rng.integers(0, 4, n).astype(float) if seed % 4 == 1 else rng.uniform(0.1, 2, n) if seed % 4 == 2 else None
    if criterion in CLASS_CRITERIA:
        k = 2 + seed % 3
        return X, rng.integers(0, k, (n, outputs)), w, [k] * outputs
    y = rng.poisson(1.0, (n, outputs)).astype(float)
    return X, y + (0 if criterion == "poisson" else rng.standard_normal(y.shape).round(1) * (seed % 2)), w, None


CRITERIA = ["gini", "entropy", "squared_error", "absolute_error", "poisson"]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_split_is_the_best_by_the_tie_rule(criterion):
    for seed in range(12):
        X, y, w, classes = plain_data(seed, criterion, outputs=1 + (seed % 5 == 4))
        leaf, weight = 1 + seed % 3, 0.9 * (seed % 2)
        tree = grow_exact(
            presort(X), y, w, criterion=criterion, n_classes=classes, min_samples_leaf=leaf, min_weight_leaf=weight
        )
        replay(tree, X, y, w, Rules(criterion, classes, min_samples_leaf=leaf, min_weight_leaf=weight))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_random_choices_are_those_drawn(criterion, splitter):
    for seed in range(6):
        X, y, w, classes = plain_data(seed, criterion, d=4)
        tree = grow_exact(
            presort(X), y, w, criterion=criterion, n_classes=classes, max_features=2, splitter=splitter, seed=seed
        )
        replay(tree, X, y, w, Rules(criterion, classes, max_features=2, random=splitter == "random"), seed=seed)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_no_subset_of_categories_is_better(criterion):
    for seed in range(8):
        X, y, w, classes = plain_data(seed, criterion, n=40, grid=6, outputs=1 + (seed % 4 == 3))
        y = y + 0.5 if criterion == "poisson" else y  # else sides without a positive target are not on offer
        tree = grow_exact(presort(X, categorical=np.array([1, 0, 1])), y, w, criterion=criterion, n_classes=classes)
        assert (tree.category_row >= 0).any()
        replay(tree, X, y, w, Rules(criterion, classes, categorical=[0, 2]))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_monotonic_constraints_are_scikit_learns(criterion):
    for seed in range(8):
        X, y, w, classes = plain_data(seed * 3, criterion, n=30, grid=8)
        y = y[:, 0] if classes is None else (y[:, 0] > 0).astype(int)
        classes = classes and [2]
        signs = np.array([1, 0, -1]) if seed % 2 else np.array([-1, -1, 1])
        tree = grow_exact(presort(X), y, w, criterion=criterion, n_classes=classes, monotonic=signs)
        replay(tree, X, y, w, Rules(criterion, classes, monotonic=signs))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_best_first_is_scikit_learns(criterion):
    for seed in range(20):
        X, y, w, classes = random_data(seed, criterion)
        limits = {"max_leaf_nodes": 2 + seed % 7, "min_impurity_decrease": 0.01 * (seed % 2)}
        ours, leaf = grow_exact(presort(X), y, w, criterion=criterion, return_leaves=True, **classes, **limits)
        theirs = sklearn_tree(X, y, w, criterion, **limits)
        assert_same_but_for_ties(ours, theirs)
        np.testing.assert_array_equal(leaf, ours.apply(X))
        parent = np.zeros(ours.node_count, dtype=int)
        inner = np.flatnonzero(ours.children_left >= 0)
        parent[ours.children_left[inner]] = parent[ours.children_right[inner]] = inner
        assert np.all(parent[1:] < np.arange(1, ours.node_count))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 300}, {"max_features": 2, "splitter": "random"}])
def test_same_bits_for_any_number_of_threads(criterion, limits):
    rng = np.random.default_rng(0)
    n = 2000 if criterion == "absolute_error" else 20_000
    X = rng.standard_normal((n, 4)).astype(np.float32)
    X[:, 1] = rng.integers(0, 9, n)
    X[rng.random(X.shape) < 0.01] = np.nan
    y = rng.poisson(np.exp(np.nan_to_num(X[:, 0]))).clip(0, 3)
    columns = presort(X, categorical=np.array([0, 1, 0, 0]))
    limits = {"max_depth": 12, "n_classes": 4, "seed": 3, **limits}
    first, leaf = grow_exact(columns, y, criterion=criterion, return_leaves=True, **limits)
    np.testing.assert_array_equal(leaf, first.apply(X))
    for n_threads in (2, 3):
        again = presort(X, categorical=np.array([0, 1, 0, 0]), n_threads=n_threads)
        tree, leaf_again = grow_exact(again, y, criterion=criterion, n_threads=n_threads, return_leaves=True, **limits)
        np.testing.assert_array_equal(leaf, leaf_again)
        for name in KINDS:
            np.testing.assert_array_equal(getattr(first, name), getattr(tree, name))


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_subtrees_of_one_thread_are_those_of_many(criterion):
    """One thread takes over nodes of 18 750 rows, three threads those of 8192: same bits."""
    rng = np.random.default_rng(1)
    n = 150_000
    X = rng.standard_normal((n, 3)).astype(np.float32)
    X[:, 1] = rng.integers(0, 9, n)
    X[rng.random(X.shape) < 0.01] = np.nan
    y = rng.poisson(np.exp(np.nan_to_num(X[:, 0]))).clip(0, 3)
    w = rng.integers(0, 3, n).astype(float)
    columns = presort(X, categorical=np.array([0, 1, 0]))
    limits = {"max_depth": 14, "n_classes": 4, "criterion": criterion, "return_leaves": True}
    one, leaf = grow_exact(columns, y, w, n_threads=1, **limits)
    three, leaf_of_three = grow_exact(columns, y, w, n_threads=3, **limits)
    np.testing.assert_array_equal(leaf, np.where(w > 0, one.apply(X), -1))
    np.testing.assert_array_equal(leaf, leaf_of_three)
    for name in KINDS:
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


def test_large_nodes_are_scikit_learns():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((150_000, 2)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + rng.standard_normal(len(X))
    limits = {"max_depth": 7, "min_samples_leaf": 100}
    ours = grow_exact(presort(X), y, criterion="squared_error", **limits)
    assert_same_but_for_ties(ours, sklearn_tree(X, y, None, "squared_error", **limits))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_are_repetition_and_the_order_of_rows_is_nothing(criterion):
    for seed in range(6):
        X, y, _, classes = plain_data(seed, criterion, n=40, d=4)
        rng = np.random.default_rng(seed)
        w = rng.integers(0, 4, len(y)).astype(float)
        rows = rng.permutation(np.repeat(np.arange(len(y)), w.astype(int)))
        weighted = grow_exact(presort(X), y, w, criterion=criterion, n_classes=classes)
        repeated = grow_exact(presort(X[rows]), y[rows], criterion=criterion, n_classes=classes)
        for name in ("children_left", "children_right", "feature", "threshold", "weighted_n_node_samples"):
            np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))
        np.testing.assert_allclose(weighted.value, repeated.value, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array])
def test_sparse_columns_are_dense_columns(kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 5)).astype(np.float32) * (rng.random((80, 5)) < 0.4)
    y = rng.standard_normal(80)
    dense, sparse = (grow_exact(presort(Z), y, criterion="squared_error") for Z in (X, kind(X)))
    np.testing.assert_array_equal(dense.feature, sparse.feature)
    np.testing.assert_array_equal(dense.threshold, sparse.threshold)
    np.testing.assert_array_equal(dense.value, sparse.value)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_targets_far_from_zero_give_the_same_splits(offset):
    """Targets are multiples of 1/4, so that adding 1e8 is exact."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 4))
    y = np.round(4 * (X[:, 0] + rng.standard_normal(300))) / 4
    near = grow_exact(presort(X), y, criterion="squared_error")
    far, leaf = grow_exact(presort(X), y + offset, criterion="squared_error", return_leaves=True)
    np.testing.assert_array_equal(near.feature, far.feature)
    np.testing.assert_array_equal(near.threshold, far.threshold)
    np.testing.assert_array_equal(far.value[leaf, 0, 0], y + offset)


def test_categories_must_be_small_whole_numbers():
    X = np.array([[0.0], [1.5], [2.0]])
    with pytest.raises(ValueError, match=r"Column 0 is categorical.*0\.0 and 2\.0"):
        presort(X, categorical=np.array([True]))


def test_rows_without_weight_are_not_there():
    X = np.arange(6.0).reshape(-1, 1)
    y, w = np.array([0.0, 0, 9, 9, 1, 1]), np.array([1.0, 1, 0, 0, 1, 1])
    tree, leaf = grow_exact(presort(X), y, w, criterion="squared_error", return_leaves=True)
    assert tree.node_count == 3 and tree.threshold[0] == 2.5  # (1 + 4) / 2
    np.testing.assert_array_equal(leaf, [1, 1, -1, -1, 2, 2])


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_a_side_lighter_than_rounding_is_not_on_offer(criterion):
    X, y, w = np.arange(3.0).reshape(-1, 1), np.array([1.0, 2.0, 5.0]), np.array([1.0, 1.0, 1e-30])
    tree = grow_exact(presort(X), y, w, criterion=criterion)
    assert tree.node_count == 3 and tree.threshold[0] == 0.5
    np.testing.assert_allclose(tree.value[:, 0, 0], [1.5, 1, 2], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_longer_than_the_cache_are_sorted_as_numpy_sorts_them(dtype):
    """Ties, signs, wide ranges, numbers that agree in their leading bits, NaN: numpy's stable order of each column."""
    n, rng = 70_001, np.random.default_rng(0)
    noise = rng.normal(size=n)
    cluster = np.where(rng.random(n) < 0.5, 1 + noise * np.finfo(dtype).eps * 50, noise * 1e30)
    X = np.column_stack([noise, noise.round(1), np.exp(15 * noise), cluster, noise > 0, np.zeros(n), noise]).astype(
        dtype
    )
    X[rng.random(n) < 0.3, 6] = np.nan
    X[rng.random(n) < 0.1, 1] = -0.0
    columns = presort(X, n_threads=2)
    rows = columns.lists & np.uint32(2**31 - 1)
    np.testing.assert_array_equal(rows, np.argsort(X, axis=0, kind="stable").T)
    values = np.take_along_axis(X.T, rows.astype(np.intp), axis=1)
    same = (values[:, 1:] == values[:, :-1]) | (np.isnan(values[:, 1:]) & np.isnan(values[:, :-1]))
    np.testing.assert_array_equal(columns.lists[:, 1:] >> 31, ~same)
    np.testing.assert_array_equal(columns.has_missing, np.isnan(X).any(axis=0))
