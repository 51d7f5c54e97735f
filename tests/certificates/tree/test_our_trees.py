"""Trees of surefit: the draws are seen, subsets of categories compared, ties decided by the stated rule."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from surefit import certify
from surefit.certificates import Grade
from surefit.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.certificates.tree.offered import best_decrease, decrease_of, node_of

PARAMETERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rows": {"min_samples_leaf": 5, "min_samples_split": 12},
    "best first": {"max_leaf_nodes": 8},
    "pruned": {"ccp_alpha": 0.02},
    "drawn features": {"max_features": 2, "random_state": 4},
}


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("weights", ["none", "any", "whole"])
def test_our_trees_hold(name: str, weights: str) -> None:
    rng = np.random.default_rng(0)
    for load, cls in ((load_wine, DecisionTreeClassifier), (load_diabetes, DecisionTreeRegressor)):
        X, y = (a[::3] for a in load(return_X_y=True))
        X[rng.random(X.shape) < 0.05] = np.nan
        w = {"none": None, "any": rng.random(len(y)) + 0.01, "whole": rng.integers(0, 4, len(y)).astype(float)}[weights]
        model = cls(**PARAMETERS[name]).fit(X, y, w)
        certificate = certify(model, X, y, w)
        assert certificate.holds, certificate
        assert certificate.grade == Grade.GREEDY
        assert ("cannot be seen" in certificate["splits"].sentence) == (name == "drawn features")


@pytest.mark.parametrize("name", ["splitter", "min_weight_fraction_leaf", "min_impurity_decrease", "min_samples_leaf"])
def test_what_is_not_replayed_is_said(name: str) -> None:
    X, y = load_wine(return_X_y=True)
    model = DecisionTreeClassifier(**{name: "random" if name == "splitter" else 0.01}).fit(X, y)
    certificate = certify(model, X, y)
    assert certificate.grade == Grade.UNPROVED
    assert "not replayed" in certificate.claims[0].sentence


def categories(seed: int, kind: str) -> tuple[Any, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 7, 120) * 3.0, rng.normal(size=120), rng.integers(0, 4, 120)])
    y: Any = np.sin(X[:, 0]) + 0.5 * rng.normal(size=120) + 0.3 * X[:, 1]
    if seed % 2:
        X[rng.random(X.shape) < 0.05] = np.nan
    cls: Any = DecisionTreeRegressor
    if kind in ("two classes", "three classes"):
        y, cls = np.digitize(y, [0.0] if kind == "two classes" else [-0.5, 0.5]), DecisionTreeClassifier
    return cls(categorical_features=[0, 2], max_depth=4, min_samples_leaf=2).fit(X, y), X, y


@pytest.mark.parametrize("kind", ["numbers", "two classes", "three classes"])
@pytest.mark.parametrize("seed", range(4))
def test_subsets_of_categories(kind: str, seed: int) -> None:
    model, X, y = categories(seed, kind)
    certificate = certify(model, X, y)
    assert certificate.holds, certificate
    assert "for one target or two classes only" in certificate["splits"].sentence
    tree, rng = model.tree_, np.random.default_rng(seed)
    for row in range(min(3, len(tree.categories))):
        lie, sets = copy.copy(model), tree.categories.copy()
        node = int(np.flatnonzero(tree.category_row == row)[0])
        code = int(rng.choice(np.unique(X[~np.isnan(X[:, tree.feature[node]]), tree.feature[node]])))
        rows = model.decision_path(X)[:, node].toarray().ravel() > 0
        if not (X[rows, tree.feature[node]] == code).any():
            continue
        sets[row, code // 64] ^= np.uint64(1) << np.uint64(code % 64)
        lie.tree_ = replace(tree, categories=sets)
        assert not certify(lie, X, y).holds


@pytest.mark.parametrize("kind", ["squared_error", "gini", "entropy"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_best_subsets_are_those_of_all_subsets(kind: str, missing: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        x, w = rng.integers(0, 6, 40).astype(float), rng.random(40) + 0.1
        K = {"gini": 2, "entropy": 2}.get(kind, 0)
        y = rng.integers(0, K, 40).astype(float) if K else np.abs(rng.normal(size=40))
        gaps = rng.random(40) < missing
        node, present = node_of(kind, y, w, K), np.unique(x[~gaps])
        found = best_decrease(node, np.where(gaps, np.nan, x)[:, None], categorical=np.array([True]))
        sides = (np.where(gaps, lost, np.isin(x, s)) for r in range(len(present) + 1)
                 for s in combinations(present, r) for lost in (False, True))  # fmt: skip
        best = max(decrease_of(node, left) for left in sides if left.any() and not left.all())
        assert abs(found - best) <= 2 * node.noise + 1e-15


def test_sets_for_several_classes_are_not_compared() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 40, 300), rng.normal(size=300)]).astype(float)
    y = rng.integers(0, 3, 300)
    certificate = certify(DecisionTreeClassifier(categorical_features=[0], max_depth=3).fit(X, y), X, y)
    assert certificate.holds, certificate
    assert "sets of categories for one target or two classes only" in certificate["splits"].sentence
    node = node_of("gini", y[:, None], np.ones(300), 3)
    assert best_decrease(node, X[:, :1], categorical=np.array([True])) == -np.inf


def test_the_stated_penalty_counts_only_where_it_was_chosen() -> None:
    """A tree that was pruned, whose penalty was then taken back, and stated as if it had been chosen."""
    X, y = load_wine(return_X_y=True)
    model = DecisionTreeClassifier(ccp_alpha=0.05).fit(X, y)
    model.ccp_alpha, model.ccp_alpha_ = 0.0, 0.05
    assert not certify(model, X, y).holds
    chosen = DecisionTreeClassifier(ccp_alpha="cv").fit(X, y)
    certificate = certify(chosen, X, y)
    assert certificate.holds, certificate
    assert "ccp_alpha_" in certificate.not_checked
