"""Stumps with any split, all their numbers right: the gap that is printed bounds the one in exact fractions."""

from __future__ import annotations

import warnings
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.registry import check

TOL = 1e-6


def exact_loss(y: np.ndarray, w: np.ndarray, classes: bool) -> Fraction:
    Y, W = [Fraction(float(v)) for v in y], [Fraction(float(v)) for v in w]
    total = sum(W, Fraction(0))
    if classes:
        shares = [sum((b for a, b in zip(Y, W, strict=True) if a == k), Fraction(0)) for k in set(Y)]
        return total - sum((s * s for s in shares), Fraction(0)) / total
    first, second = (sum((b * a**p for a, b in zip(Y, W, strict=True)), Fraction(0)) for p in (1, 2))
    return second - first * first / total


def stump(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray, j: int, t: float, K: int) -> Any:
    """The arrays of the tree with one split by x_j ≤ t."""
    left = X[:, j] <= t
    sides = [np.ones(len(y), dtype=bool), left, ~left]
    value, impurity = [], []
    for s in sides:
        if K:
            share = np.bincount(y[s].astype(int), weights=w[s], minlength=K) / w[s].sum()
            value.append([share])
            impurity.append(1 - (share**2).sum())
        else:
            mean = w[s] @ y[s] / w[s].sum()
            value.append([[mean]])
            impurity.append(w[s] @ (y[s] - mean) ** 2 / w[s].sum())
    model.tree_ = SimpleNamespace(
        children_left=np.array([1, -1, -1]), children_right=np.array([2, -1, -1]), feature=np.array([j, -2, -2]),
        threshold=np.array([t, -2.0, -2.0]), impurity=np.array(impurity), value=np.array(value),
        n_node_samples=np.array([s.sum() for s in sides]),
        missing_go_to_left=np.array([left.sum() > (~left).sum(), 0, 0]),
        weighted_n_node_samples=np.array([w[s].sum() for s in sides]),
    )  # fmt: skip
    return model


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("offset", [0.0, 30.0, 3000.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_printed_gap_bounds_the_exact_one(classes: bool, offset: float, weighted: bool) -> None:
    rng = np.random.default_rng(int(offset) + 2 * classes + weighted)
    told = refused = 0
    for _ in range(6):
        n = int(rng.integers(5, 16))
        X = np.round(rng.normal(size=(n, 2)) * 8) / 8 + offset
        size = 10.0 ** rng.integers(-7, 1)
        y = (
            rng.integers(0, 3, n).astype(float)
            if classes
            else np.sign(X[:, 0] - offset) + size * rng.normal(size=n) + offset
        )
        w = rng.random(n) + 0.1 if weighted else np.ones(n)
        K, cls = (3, DecisionTreeClassifier) if classes else (0, DecisionTreeRegressor)
        if classes:
            y[:3] = [0, 1, 2]
        model = cls(max_depth=1).fit(X, y, w)
        whole = exact_loss(y, w, classes)
        values = [np.unique(X[:, j]) for j in range(2)]
        cuts = [(j, float(t)) for j in range(2) for t in values[j][:-1] / 2 + values[j][1:] / 2]
        gains = [whole - sum(exact_loss(y[s], w[s], classes) for s in (X[:, j] <= t, X[:, j] > t)) for j, t in cuts]
        for (j, t), gain in zip(cuts, gains, strict=True):
            true = float((max(gains) - gain) / whole) if whole else 0.0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                claim = check(stump(model, X, y, w, j, t, K), ArrayBlocks(X, y, w), TOL)["splits"]
            assert claim.value is not None
            assert claim.value >= true
            told += true > TOL + claim.excuse
            refused += (true > TOL + claim.excuse) and not claim.holds
    assert told == refused
    assert told > 10


def test_parameters_that_no_fit_would_take_are_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 3)), rng.normal(size=24)
    for name in ("min_samples_leaf", "min_samples_split", "max_features", "monotonic_cst", "criterion", "splitter"):
        for value in ("x", [[1, 2], [3]], np.zeros(0), -np.inf, float("nan"), object()):
            model = DecisionTreeRegressor(random_state=0).fit(X, y)
            setattr(model, name, value)
            assert not check(model, ArrayBlocks(X, y), TOL).holds, (name, value)
