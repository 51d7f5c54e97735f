"""The tree in memory against scikit-learn's, array by array, and its categories and missing values by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit.solvers.growing.tree import Tree


def same_tree(model) -> Tree:
    """scikit-learn's tree in our arrays."""
    theirs = model.tree_
    return Tree(
        n_features=theirs.n_features,
        n_classes=theirs.n_classes,
        children_left=theirs.children_left,
        children_right=theirs.children_right,
        feature=theirs.feature,
        threshold=theirs.threshold,
        missing_go_to_left=theirs.missing_go_to_left,
        value=theirs.value,
        impurity=theirs.impurity,
        n_node_samples=theirs.n_node_samples,
        weighted_n_node_samples=theirs.weighted_n_node_samples,
        category_row=np.full(theirs.node_count, -1),
        categories=np.empty((0, 4), dtype=np.uint64),
    )


def stump(*, threshold=0.0, missing_go_to_left=False, categories=()) -> Tree:
    """One split on the second of two columns; by a set of categories where some are given. Leaves say 10 and 20."""
    words = np.zeros((1, 4), dtype=np.uint64)
    for code in categories:
        words[0, code // 64] |= np.uint64(1) << np.uint64(code % 64)
    return Tree(
        n_features=2,
        n_classes=[1],
        children_left=[1, -1, -1],
        children_right=[2, -1, -1],
        feature=[1, -2, -2],
        threshold=[threshold, -2, -2],
        missing_go_to_left=[missing_go_to_left, 0, 0],
        value=[[[15.0]], [[10.0]], [[20.0]]],
        impurity=[25.0, 0, 0],
        n_node_samples=[2, 1, 1],
        weighted_n_node_samples=[2.0, 1, 1],
        category_row=[0 if categories else -1, -1, -1],
        categories=words if categories else np.empty((0, 4)),
    )


MODELS = [
    DecisionTreeClassifier(random_state=0).fit(*load_iris(return_X_y=True)),
    DecisionTreeClassifier(random_state=0, max_leaf_nodes=7).fit(*load_iris(return_X_y=True)),
    DecisionTreeRegressor(random_state=0).fit(*load_diabetes(return_X_y=True)),
    DecisionTreeRegressor(random_state=0, max_depth=5).fit(load_iris().data[:, :2], load_iris().data[:, 2:]),
    DecisionTreeRegressor(max_depth=1).fit(np.ones((3, 1)), [1, 2, 3]),
]


@pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))
def test_as_scikit_learns(model):
    tree, theirs = same_tree(model), model.tree_
    rows = np.random.default_rng(0).normal(size=(200, tree.n_features)).astype(np.float32) * 3
    assert np.array_equal(tree.apply(rows), theirs.apply(rows))
    assert np.array_equal(tree.predict(rows), theirs.predict(rows))
    assert (tree.decision_path(rows) != theirs.decision_path(rows)).nnz == 0
    assert np.array_equal(tree.depth + 1, theirs.compute_node_depths())
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (theirs.node_count, theirs.n_leaves, theirs.max_depth)
    assert (tree.n_outputs, tree.max_n_classes) == (theirs.n_outputs, theirs.max_n_classes)
    for normalize in (True, False):
        wanted = theirs.compute_feature_importances(normalize=normalize)
        assert np.allclose(tree.compute_feature_importances(normalize=normalize), wanted, atol=1e-14)


def test_importances_of_a_tree_without_splits_are_zero():
    assert same_tree(MODELS[-1]).compute_feature_importances().tolist() == [0.0]


@pytest.mark.parametrize("left", [False, True])
def test_missing_values_go_where_the_node_says(left):
    tree = stump(threshold=1.5, missing_go_to_left=left)
    rows = np.array([[0, 1.5], [0, np.nextafter(1.5, 2)], [0, np.nan], [np.nan, 1.0]])
    assert tree.apply(rows).tolist() == [1, 2, 1 if left else 2, 1]


@pytest.mark.parametrize("left", [False, True])
def test_categories(left):
    tree = stump(categories=(0, 63, 64, 255), missing_go_to_left=left)
    codes = [0, 1, 63, 64, 65, 255, 254, np.nan, -1, 256]
    other = 1 if left else 2
    wanted = [1, 2, 1, 1, 2, 1, 2, other, other, other]
    assert tree.apply(np.column_stack([np.zeros(len(codes)), codes])).tolist() == wanted


def test_pickles_are_small():
    model = MODELS[2]
    tree = same_tree(model)
    bytes_a_node = len(pickle.dumps(tree)) / tree.node_count
    assert bytes_a_node < 60
    rows = load_diabetes().data
    assert np.array_equal(pickle.loads(pickle.dumps(tree)).apply(rows), tree.apply(rows))
