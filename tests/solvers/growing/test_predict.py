"""Rows through several trees: scikit-learn's forests and boosted trees are the reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor

from surefit.solvers.growing.predict import apply_all, sum_of_trees
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
