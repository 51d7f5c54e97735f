"""The theorems of trees against brute force: exact fractions, medians of lists, all thresholds one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit.certificates.blocks import BadData
from surefit.certificates.theorems.trees.nodes import Nodes
from tests.certificates.tree.offered import best_decrease, node_of

CRITERIA = ("squared_error", "gini", "entropy")


def exact_loss(criterion: str, y: list[float], w: list[float]) -> float:
    """W times the impurity: exact fractions where the criterion is rational, long double where it has logarithms."""
    Y, W = [Fraction(v) for v in y], [Fraction(v) for v in w]
    total = sum(W, Fraction(0))
    if criterion == "squared_error":
        mean = sum((a * b for a, b in zip(W, Y, strict=True)), Fraction(0)) / total
        return float(sum((a * (b - mean) ** 2 for a, b in zip(W, Y, strict=True)), Fraction(0)))
    shares = [sum((a for a, b in zip(W, Y, strict=True) if b == k), Fraction(0)) / total for k in set(Y)]
    if criterion == "gini":
        return float(total * (1 - sum(s * s for s in shares)))
    return float(-sum(np.longdouble(float(s * total)) * np.log2(np.longdouble(float(s))) for s in shares))


def best_by_hand(criterion: str, X: np.ndarray, y: np.ndarray, w: np.ndarray, least: int) -> float:
    best, whole = -np.inf, exact_loss(criterion, y.tolist(), w.tolist())
    for j in range(X.shape[1]):
        for t in [*np.unique(X[~np.isnan(X[:, j]), j]).tolist(), np.inf]:
            for missing in (False, True):
                left = np.where(np.isnan(X[:, j]), missing, X[:, j] <= t)
                if min(left.sum(), (~left).sum()) >= max(least, 1):
                    sides = [exact_loss(criterion, y[s].tolist(), w[s].tolist()) for s in (left, ~left)]
                    best = max(best, whole - sum(sides))
    return best


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
def test_best_decrease_is_that_of_brute_force(criterion: str, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    for trial in range(12):
        n, least = int(rng.integers(2, 14)), int(rng.integers(1, 3))
        X = np.round(rng.normal(size=(n, 3)), 1)
        X[rng.random(X.shape) < (0.2 if trial % 2 else 0.0)] = np.nan
        classes = criterion in ("gini", "entropy")
        y = rng.integers(0, 3, n).astype(float) if classes else np.round(np.abs(rng.normal(size=n)), 1) + 1e6
        w = rng.random(n) + 0.1 if weighted else np.ones(n)
        node = node_of(criterion, y, w, 3 if classes else 0)
        assert abs(node.loss - exact_loss(criterion, y.tolist(), w.tolist())) <= node.noise + 1e-15 * node.loss
        found = best_decrease(node, X, min_rows=least)
        wanted = best_by_hand(criterion, X, y, w, least)
        assert found == wanted or abs(found - wanted) <= node.noise + 1e-15 * node.loss


def test_steps_and_missing_values() -> None:
    X, y, w = np.array([[0.0], [1e-8], [1.0]]), np.array([0.0, 5.0, 5.0]), np.array([1.0, 1.0, 2.0])
    node = node_of("squared_error", y, w)
    assert best_decrease(node, X) == pytest.approx(18.75)
    assert best_decrease(node, X, theirs=True) == pytest.approx(6.25)
    assert best_decrease(node, X, min_rows=2) == -np.inf
    gaps = np.array([[1.0, np.nan, np.nan], [1.0, np.nan, 2.0]])
    assert best_decrease(node_of("squared_error", y[:2], w[:2]), gaps[:, :2]) == -np.inf
    assert best_decrease(node_of("squared_error", y[:2], w[:2]), gaps) == pytest.approx(12.5)


def leaves(nodes: Nodes, X: np.ndarray) -> np.ndarray:
    """The last node that each row comes to."""
    at = np.zeros(len(X), dtype=np.intp)
    for i, rows in enumerate(nodes.rows(X)):
        at[rows] = i
    return at


def test_rows_go_where_scikit_learn_sends_them() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).astype(np.float32).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    tree = DecisionTreeRegressor(random_state=0).fit(X, rng.normal(size=200))
    nodes = Nodes(tree.tree_, 4)
    assert isinstance(nodes, Nodes)
    np.testing.assert_array_equal(leaves(nodes, X), tree.apply(X))


class Lie:
    """The arrays of a tree, some of them replaced."""

    def __init__(self, tree, **changes) -> None:
        self.__dict__.update(
            {name: np.array(getattr(tree, name)) for name in ("children_left", "children_right", "feature", "threshold",
             "impurity", "n_node_samples", "weighted_n_node_samples", "value", "missing_go_to_left")}, **changes
        )  # fmt: skip


def test_what_is_no_tree_is_a_reason() -> None:
    X = np.arange(8.0)[:, None]
    tree = DecisionTreeClassifier().fit(X, [0, 1] * 4).tree_
    assert isinstance(Nodes(Lie(tree), 1), Nodes)
    loop, far = tree.children_left.copy(), tree.feature.copy()
    loop[2], far[0] = 0, 1
    for change in ({"children_left": loop}, {"children_right": tree.children_left}, {"feature": far},
                   {"value": None}, {"value": tree.value[:2]}, {"threshold": np.full(len(loop), np.nan)},
                   {"impurity": "x"}, {"children_left": tree.children_left.astype(float)},
                   {"missing_go_to_left": np.zeros(2)}, {"value": np.full_like(tree.value, np.nan)}):  # fmt: skip
        with pytest.raises((BadData, TypeError, ValueError)):
            Nodes(Lie(tree, **change), 1)
    with pytest.raises(AttributeError):
        Nodes(object(), 1)


def test_sets_of_categories() -> None:
    words = np.zeros((1, 4), dtype=np.uint64)
    words[0, 0], words[0, 3] = np.uint64(0b101), np.uint64(1) << np.uint64(63)
    arrays = {"children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
              "threshold": [0.0] * 3, "impurity": [0.5, 0, 0], "n_node_samples": [2, 1, 1],
              "weighted_n_node_samples": [2.0, 1, 1],
              "value": np.zeros((3, 1, 1)), "missing_go_to_left": [1, 0, 0],
              "category_row": [0, -1, -1], "categories": words}  # fmt: skip
    nodes = Nodes(type("Tree", (), arrays)(), 1)
    assert isinstance(nodes, Nodes)
    column = np.array([0.0, 1.0, 2.0, 255.0, 256.0, -1.0, np.nan])
    assert nodes.goes_left(0, column).tolist() == [True, False, True, True, True, True, True]
    assert leaves(nodes, column[:, None]).tolist() == [1, 2, 1, 1, 1, 1, 1]


def test_equal_targets_have_no_loss() -> None:
    node = node_of("squared_error", np.full((5, 2), 0.1), np.full(5, 0.3))
    assert node.loss == 0.0
    np.testing.assert_array_equal(node.mean, np.full(2, 0.1))
