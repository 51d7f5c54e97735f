"""Trees grown together from bins, against trees grown by their definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from surefit.solvers.growing.forest import BinnedExamples, TreeRules, grow_binned
from surefit.summaries.bins import find_bins
from tests.reference import forest as reference


def _examples(seed: int, criterion: str, missing: bool = False, n: int = 40):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.normal(size=n).round(1), rng.random(n) < 0.3])
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    signal = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) / 3
    if criterion in ("gini", "entropy"):
        n_classes = 2 + seed % 2
        y = np.digitize(signal + rng.normal(0, 0.5, n), np.linspace(0, 1, n_classes - 1)).astype(np.int32)
    else:
        n_classes = 0
        y = rng.poisson(np.exp(signal)).astype(float) if criterion == "poisson" else signal + rng.normal(0, 0.5, n)
    bins = find_bins(X)
    return BinnedExamples(bins.transform(X), bins, y, n_classes), rng.integers(0, 4, (3, n)).astype(np.int32)


def _same(tree, nodes, y, w, n_classes) -> None:
    np.testing.assert_array_equal(tree.feature, [node["feature"] for node in nodes])
    for i, node in enumerate(nodes):
        rows = node["rows"]
        assert tree.n_node_samples[i] == len(rows)
        assert tree.weighted_n_node_samples[i] == pytest.approx(w[rows].sum(), rel=1e-14)
        if n_classes:
            shares = np.bincount(y[rows], w[rows], n_classes) / w[rows].sum()
            np.testing.assert_allclose(tree.value[i, 0], shares, atol=1e-15)
        else:
            assert tree.value[i, 0, 0] == pytest.approx(np.average(y[rows], weights=w[rows]), abs=1e-13)
        if node["feature"] >= 0:
            assert tree.threshold[i] == node["threshold"]
            assert tree.missing_go_to_left[i] == node["missing_left"]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"min_samples_leaf": 4, "max_depth": 4},
        {"min_samples_split": 9, "min_weight_fraction_leaf": 0.05},
        {"min_impurity_decrease": 0.02},
    ],
)
def test_trees_are_those_of_the_definition(criterion, missing, limits):
    for seed in range(2):
        examples, counts = _examples(seed, criterion, missing)
        seeds = np.array([seed, seed + 17, 12345])
        for max_features in (2, 4):
            trees, _ = grow_binned(examples, TreeRules(criterion, max_features, **limits), seeds, counts, n_threads=2)
            for tree, w, s in zip(trees, counts.astype(float), seeds, strict=True):
                rules = dict(limits)
                least = rules.pop("min_weight_fraction_leaf", 0.0) * w.sum()
                nodes = reference.grow(
                    examples.matrix,
                    examples.bins.thresholds,
                    examples.y,
                    w,
                    criterion=criterion,
                    n_classes=examples.n_classes,
                    seed=int(s),
                    max_features=max_features,
                    min_weight_leaf=least,
                    min_decrease=rules.pop("min_impurity_decrease", 0.0),
                    **rules,
                )
                _same(tree, nodes, examples.y, w, examples.n_classes)


def test_weights_of_rows_and_classes():
    examples, _ = _examples(0, "gini")
    w = np.random.default_rng(1).random(40)
    factor = np.array([[1.0, 5.0]])
    (tree,), _ = grow_binned(examples, TreeRules("gini", 4), [3], weights=w, class_weight=factor)
    all_w = w * factor[0][examples.y]
    nodes = reference.grow(
        examples.matrix,
        examples.bins.thresholds,
        examples.y,
        all_w,
        criterion="gini",
        n_classes=2,
        seed=3,
        max_features=4,
    )
    _same(tree, nodes, examples.y, all_w, 2)


def test_examples_that_stand_for_several_rows_count_as_many():
    examples, counts = _examples(1, "squared_error")
    repeats = np.random.default_rng(0).integers(1, 4, 40).astype(np.int32)
    several = BinnedExamples(examples.matrix, examples.bins, examples.y, 0, repeats)
    trees, _ = grow_binned(several, TreeRules("squared_error", 4, min_samples_leaf=5), [0, 1, 2], counts)
    for tree, drawn in zip(trees, counts, strict=True):
        assert tree.n_node_samples[0] == np.minimum(drawn, repeats).sum()
        assert tree.n_node_samples[tree.children_left == -1].min() >= 5


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_leaves_of_the_examples_outside_a_bag(criterion):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(np.int32) if criterion == "gini" else X[:, 1:].sum(axis=1)
    y = np.nan_to_num(y)
    bins = find_bins(X)
    counts = rng.integers(0, 2, (4, 80)).astype(np.int32)
    examples = BinnedExamples(bins.transform(X), bins, y, 2 if criterion == "gini" else 0)
    trees, leaves = grow_binned(examples, TreeRules(criterion, 2), np.arange(4), counts, outside=True)
    for tree, drawn, leaf in zip(trees, counts, leaves, strict=True):
        np.testing.assert_array_equal(leaf, np.where(drawn > 0, -1, tree.apply(X)))


def test_any_number_of_threads_gives_the_same_trees():
    examples, counts = _examples(2, "squared_error", n=300)
    one, _ = grow_binned(examples, TreeRules("squared_error", 2), [5, 6, 7], counts, n_threads=1)
    many, _ = grow_binned(examples, TreeRules("squared_error", 2), [5, 6, 7], counts, n_threads=4)
    for left, right in zip(one, many, strict=True):
        for name in ("feature", "threshold", "value", "impurity", "children_left"):
            np.testing.assert_array_equal(getattr(left, name), getattr(right, name))


@pytest.mark.parametrize("case", ["near zero", "far from zero", "an outlier", "poisson"])
def test_sums_of_large_nodes_are_near_exact_and_have_no_order(case):
    rng = np.random.default_rng(4)
    n = 12_000
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + rng.normal(size=n)
    y = {"near zero": y, "far from zero": y + 2.0**30, "an outlier": np.where(np.arange(n) == 5, 1e12, y)}.get(
        case, np.exp(y)
    )
    criterion = "poisson" if case == "poisson" else "squared_error"
    counts = rng.integers(1, 4, n).astype(np.int32)
    bins = find_bins(X)

    def grown(order):
        examples = BinnedExamples(bins.transform(X)[order], bins, y[order], 0)
        return grow_binned(examples, TreeRules(criterion, 3, max_depth=1), [0], counts[None, order])[0][0]

    tree, other = grown(np.arange(n)), grown(rng.permutation(n))
    for name in ("feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name))
    assert (tree.value[0], tree.impurity[0]) == (other.value[0], other.impurity[0])
    total = int(counts.sum())
    mean = sum(int(c) * Fraction(v) for c, v in zip(counts, y, strict=True)) / total
    assert tree.value[0, 0, 0] == pytest.approx(float(mean), rel=1e-15)
    if criterion == "squared_error":
        spread = sum(int(c) * (Fraction(v) - mean) ** 2 for c, v in zip(counts, y, strict=True)) / total
        assert tree.impurity[0] == pytest.approx(float(spread), rel=1e-12)
    else:
        deviance = math.fsum(c * v * math.log(v / float(mean)) for c, v in zip(counts, y, strict=True)) / total
        assert tree.impurity[0] == pytest.approx(deviance, rel=1e-12)


def test_wrong_arrays_are_refused():
    examples, counts = _examples(0, "gini")
    with pytest.raises(ValueError, match="counts"):
        grow_binned(examples, TreeRules("gini", 2), [0], counts)
    with pytest.raises(ValueError, match="bag"):
        grow_binned(examples, TreeRules("gini", 2), [0, 1, 2], np.zeros_like(counts))
    wrong = BinnedExamples(np.full_like(examples.matrix, 200), examples.bins, examples.y, 2)
    with pytest.raises(ValueError, match="threshold"):
        grow_binned(wrong, TreeRules("gini", 2), [0, 1, 2], counts)
