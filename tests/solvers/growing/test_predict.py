"""Rows through several trees: scikit-learn's forests and boosted trees are the reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor

from surefit.solvers.growing.predict import apply_all, sum_of_trees
from surefit.solvers.growing.tree import Tree
from tests.reference.tree_walk import leaves_of
from tests.solvers.growing.test_tree import same_tree, stump


def forest(model, X, y):
    model.fit(X.astype(np.float32), y)
    return model, [same_tree(tree) for tree in model.estimators_]


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.csr_array], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_as_scikit_learns_forest(kind, form, n_threads):
    X, y = load_digits(return_X_y=True)
    model, trees = forest(RandomForestClassifier(7, max_depth=9, random_state=0), X[:500], y[:500])
    rows = form(X.astype(kind))
    assert np.array_equal(apply_all(trees, rows, n_threads), model.apply(X))
    assert np.allclose(sum_of_trees(trees, rows, n_threads) / 7, model.predict_proba(X), rtol=0, atol=1e-14)


def test_several_outputs_side_by_side():
    X = load_iris().data
    model, trees = forest(RandomForestRegressor(5, random_state=0), X[:, :2], X[:, 2:])
    rows = X[:, :2].astype(np.float32)
    assert np.allclose(sum_of_trees(trees, rows, 1) / 5, model.predict(X[:, :2]), rtol=1e-14)


def test_as_scikit_learns_boosted_trees():
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y)
    trees = [same_tree(tree) for tree in model.estimators_[:, 0]]
    predicted = y.mean() + 0.1 * sum_of_trees(trees, X, 2)[:, 0]
    assert np.allclose(predicted, model.predict(X), rtol=1e-12)


def test_one_row_and_none():
    tree = stump(threshold=1.5)
    assert apply_all([tree, tree], np.array([[0, 1.0]]), 4).tolist() == [[1, 1]]
    assert sum_of_trees([tree, tree], np.array([[0, 2.0]]), 4).tolist() == [[40.0]]
    assert apply_all([tree], np.empty((0, 2)), 1).shape == (0, 1)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_thresholds_between_neighboring_floats(kind):
    low = kind(1)
    high = np.nextafter(low, kind(2))
    tree = stump(threshold=float(low) / 2 + float(high) / 2 if kind is np.float32 else float(low))
    rows = np.array([[0, low], [0, high]] * 40, dtype=kind)
    assert apply_all([tree], rows, 1)[:, 0].tolist() == [1, 2] * 40


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
def test_categories_and_missing_values(form):
    codes = np.array([0, 1, 63, 64, 65, 255, 254, np.nan, -1, 256] * 30)
    rows = form(np.column_stack([np.ones(len(codes)), codes]))
    by_set, by_threshold = stump(categories=(0, 63, 64, 255)), stump(threshold=64, missing_go_to_left=True)
    wanted = np.column_stack([[1, 2, 1, 1, 2, 1, 2, 2, 2, 2] * 30, [1, 1, 1, 1, 2, 2, 2, 1, 1, 2] * 30])
    assert np.array_equal(apply_all([by_set, by_threshold], rows, 2), wanted)


def mixed_tree(rng: np.random.Generator, d: int, n_splits: int) -> Tree:
    """Random thresholds, sets of categories and places of missing values; values say which node it is."""
    left, right, depth = [-1], [-1], [0]
    for _ in range(n_splits):
        leaf = int(rng.choice(np.flatnonzero(np.array(left) < 0)))
        left[leaf], right[leaf] = len(left), len(left) + 1
        left, right, depth = [*left, -1, -1], [*right, -1, -1], [*depth, depth[leaf] + 1, depth[leaf] + 1]
    n = len(left)
    inner = np.array(left) >= 0
    by_set = inner & (rng.random(n) < 0.3)
    return Tree(
        n_features=d,
        n_classes=[1],
        children_left=left,
        children_right=right,
        feature=np.where(inner, rng.integers(0, d, n), -2),
        threshold=np.where(inner, rng.integers(0, 300, n), -2),
        missing_go_to_left=rng.random(n) < 0.5,
        value=np.arange(n, dtype=float).reshape(n, 1, 1),
        impurity=np.zeros(n),
        n_node_samples=np.ones(n),
        weighted_n_node_samples=np.ones(n),
        category_row=np.where(by_set, np.cumsum(by_set) - 1, -1),
        categories=rng.integers(0, 2**63, (by_set.sum(), 4)).astype(np.uint64) * np.uint64(2),
    )


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [1, 3, 100, 1000])
def test_as_the_reference_node_by_node(kind, n_rows):
    """Few rows walk through the arrays, many through packed nodes; both as plain NumPy."""
    rng = np.random.default_rng(n_rows)
    trees = [mixed_tree(rng, 5, n_splits) for n_splits in (0, 1, 40, 400)]
    X = rng.integers(-3, 300, (n_rows, 5)).astype(kind)
    X[rng.random(X.shape) < 0.2] = np.nan
    wanted = np.column_stack([leaves_of(tree, X) for tree in trees])
    for rows in (X, sp.csr_matrix(X)):
        assert np.array_equal(apply_all(trees, rows, 2), wanted)
        assert np.array_equal(sum_of_trees(trees, rows, 2)[:, 0], wanted.sum(axis=1))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_rows", [63, 64, 65, 1000])
def test_many_trees_small_and_large(kind, missing, n_rows):
    """Trees of at most 32 leaves are asked for all rows at once; others are walked through."""
    rng = np.random.default_rng(n_rows)
    trees = [mixed_tree(rng, 5, n_splits) for n_splits in [0, 1, 2, 7, 30, 31, 32, 90] * 5]
    trees = [replace(tree, category_row=np.full(tree.node_count, -1)) for tree in trees]
    X = rng.integers(-3, 300, (n_rows, 5)).astype(kind)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    wanted = np.column_stack([leaves_of(tree, X) for tree in trees])
    for rows in (X, sp.csr_matrix(X)):
        assert np.array_equal(apply_all(trees, rows, 2), wanted)
        assert np.array_equal(apply_all(trees[:6] * 4, rows, 1), np.tile(wanted[:, :6], 4))
        assert np.array_equal(sum_of_trees(trees, rows, 2)[:, 0], wanted.sum(axis=1))


@pytest.mark.parametrize("n_rows", [1, 50])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("children_left", 0),
        ("children_left", 99),
        ("children_right", -1),
        ("feature", 2),
        ("feature", -2),
        ("category_row", 3),
    ],
)
def test_a_broken_tree_is_refused(name, value, n_rows):
    tree = stump()
    getattr(tree, name)[0] = value
    with pytest.raises(ValueError, match="broken"):
        apply_all([tree], np.zeros((n_rows, 2)), 1)


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match="columns"):
        apply_all([stump()], np.zeros((1, 3)), 1)


def test_changes_of_the_arrays_are_seen():
    tree = stump()
    assert sum_of_trees([tree], np.zeros((1, 2)), 1)[0, 0] == 10
    tree.value[1] = 7
    assert sum_of_trees([tree], np.zeros((1, 2)), 1)[0, 0] == 7
