"""Trees from histograms, against their definition in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.growing.histogram import GrowthOptions, HistogramGrower, bin_values, constant_tree, on_bins
from surefit.summaries.bins import find_bins
from tests.reference import histogram_trees as reference


def problem(seed, n=60, d=4, missing=0.1):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, (n, d)) / 2.0
    X[rng.random(X.shape) < missing] = np.nan
    g = rng.integers(-200, 200, n) / 64.0
    h = rng.integers(1, 64, n) / 64.0
    w = rng.integers(1, 4, n).astype(float)
    return X, g, h, w


def grown(X, g, h, w, options, n_threads=1, rate=1.0):
    bins = find_bins(X)
    B = bins.transform(X)
    grower = HistogramGrower(bins, B, None, n_threads)
    grower.take(g, h, w)
    tree, leaves = grower.grow(options, rate)
    return bins, B, grower, tree, leaves


@pytest.mark.parametrize("form", ["h is one", "weights", "rows counted", "three sums"])
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"l2": 2.0, "min_weight": 4.0},
        {"max_leaves": 5},
        {"max_depth": 2},
        {"monotonic": [1, -1, 0, 0]},
        {"groups": [{0, 1}, {1, 2, 3}]},
    ],
)
def test_the_definition(form, limits):
    for seed in range(3):
        X, g, h, w = problem(seed)
        h, w = {"h is one": (None, None), "weights": (None, w), "rows counted": (h, None), "three sums": (h, w)}[form]
        groups = limits.get("groups")
        options = GrowthOptions(
            l2=limits.get("l2", 0.0),
            min_weight=limits.get("min_weight", 1.0),
            max_leaves=limits.get("max_leaves", 12),
            max_depth=limits.get("max_depth"),
            monotonic=np.array(limits["monotonic"], dtype=np.int8) if "monotonic" in limits else None,
            groups=None if groups is None else np.array([[j in group for j in range(4)] for group in groups], np.uint8),
        )
        bins, B, grower, tree, leaves = grown(X, g, h, w, options)
        c = np.ones(len(g)) if w is None else w
        n_bins = [len(t) + 1 for t in bins.thresholds]
        asked = {"min_weight": 1.0, "max_leaves": 12, **limits}
        splits, expected = reference.grow(B, n_bins, c * g, c if h is None else c * h, c, **asked)
        inner = np.flatnonzero(tree.children_left >= 0)
        assert len(inner) == len(splits)
        number = grower.leaf_numbers(leaves)
        found = sorted(
            (np.flatnonzero(number == k).tolist(), tree.value[leaf, 0, 0]) for k, leaf in enumerate(leaves.node)
        )
        wanted = sorted((rows.tolist(), step) for rows, step in expected)
        assert [rows for rows, _ in found] == [rows for rows, _ in wanted]
        np.testing.assert_allclose([v for _, v in found], [v for _, v in wanted], rtol=1e-13, atol=1e-15)


def test_rows_find_their_leaves():
    X, g, h, w = problem(7, n=500)
    bins, B, grower, tree, leaves = grown(X, g, h, w, GrowthOptions(min_weight=5.0), rate=0.25)
    number = grower.leaf_numbers(leaves)
    np.testing.assert_array_equal(tree.apply(X), leaves.node[number])
    np.testing.assert_array_equal(on_bins(tree, bins).apply(bin_values(B)), leaves.node[number])
    raw = np.zeros(500)
    grower.add_steps(leaves, tree.value[leaves.node, 0, 0], raw)
    np.testing.assert_array_equal(raw, tree.predict(X)[:, 0])
    np.testing.assert_array_equal(tree.n_node_samples[leaves.node], np.bincount(number))
    np.testing.assert_array_equal(tree.weighted_n_node_samples[leaves.node], np.bincount(number, w))


def test_same_bits_on_any_number_of_threads_and_in_any_order():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30_000, 5))
    g, h = rng.normal(size=30_000), rng.uniform(size=30_000)
    turn = rng.permutation(30_000)
    options = GrowthOptions(max_leaves=None, max_depth=6)
    one = grown(X, g, h, None, options)[3]
    for other in (
        grown(X, g, h, None, options, n_threads=3)[3],
        grown(X[turn], g[turn], h[turn], None, options, n_threads=2)[3],
    ):
        for name, array in one.__getstate__().items():
            np.testing.assert_array_equal(array, getattr(other, name), err_msg=name)


def test_categories_go_by_sets():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 6, 600)
    X = np.column_stack([codes, rng.normal(size=600)]).astype(float)
    bins = find_bins(X, categorical=[True, False])
    grower = HistogramGrower(bins, bins.transform(X), np.array([6, 0]))
    grower.take(np.where(codes % 2 == 0, -1.0, 1.0), None, None)
    tree, _ = grower.grow(GrowthOptions(max_leaves=2), 1.0)
    assert tree.category_row[0] == 0
    assert {int(b) for b in np.flatnonzero(np.unpackbits(tree.categories.view(np.uint8), bitorder="little"))} == {
        0,
        2,
        4,
    }
    np.testing.assert_array_equal(tree.predict(X)[:, 0], np.where(codes % 2 == 0, 1.0, -1.0))


def test_a_share_of_the_features_is_looked_at():
    X, g, h, w = problem(3, n=400, missing=0.0)
    used = [
        int(
            grown(X, g, h, w, GrowthOptions(max_leaves=2, max_features=0.25))[2]
            .grow(GrowthOptions(max_leaves=2, max_features=0.25), 1.0, seed)[0]
            .feature[0]
        )
        for seed in range(40)
    ]
    assert set(used) == {0, 1, 2, 3}


def test_a_root_that_is_not_split_takes_no_step():
    X, g, h, w = problem(4)
    tree = grown(X, g, h, w, GrowthOptions(min_weight=1e6))[3]
    assert tree.node_count == 1 and tree.value[0, 0, 0] == 0.0
    assert constant_tree(2.5, 4).predict(X).tolist() == [[2.5]] * len(X)
