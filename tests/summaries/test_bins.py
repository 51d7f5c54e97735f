"""Bins: the stated rule, recomputed value by value; and what does not change them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.source import MemorySource
from surefit.summaries.bins import MISSING, SketchRowsStep, bin_matrix, column_thresholds, find_bins, midpoints


def thresholds_by_hand(x, w, max_bins):
    """The rule of the module in exact fractions."""
    weight = {}
    for value, one in zip(x.tolist(), w.tolist(), strict=True):
        if value == value and one > 0:
            weight[value] = weight.get(value, Fraction(0)) + Fraction(one)
    v = sorted(weight)
    after = set(range(len(v) - 1))
    if len(v) > max_bins:
        C, total = [], Fraction(0)
        for value in v:
            total += weight[value]
            C.append(total)
        firsts = {next(i for i, c in enumerate(C) if c >= total * k / max_bins) for k in range(1, max_bins)}
        after = firsts - {len(v) - 1}
    return [v[i] / 2 + v[i + 1] / 2 for i in sorted(after)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("spread", "max_bins"), [(8, 255), (300, 16), (300, 255), (3000, 255)])
def test_the_stated_rule(spread, max_bins, dtype):
    rng = np.random.default_rng(spread + max_bins)
    X = (rng.integers(0, spread, (700, 3)) / 4).astype(dtype)
    X[rng.random(X.shape) < 0.1] = np.nan
    w = rng.integers(0, 4, 700).astype(float)
    bins = find_bins(X, w, max_bins=max_bins)
    for j in range(3):
        np.testing.assert_array_equal(bins.thresholds[j], thresholds_by_hand(X[:, j], w, max_bins))


def test_weights_are_repetitions_and_order_does_not_matter():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 4)).round(2)
    w = rng.integers(0, 3, 900).astype(float)
    turn = rng.permutation(900)
    one = find_bins(X, w, max_bins=20)
    for other in (
        find_bins(np.repeat(X, w.astype(int), axis=0), max_bins=20),
        find_bins(X[turn], w[turn], max_bins=20),
        find_bins(sp.csr_array(X), w, max_bins=20),
    ):
        for left, right in zip(one.thresholds, other.thresholds, strict=True):
            np.testing.assert_array_equal(left, right)


def test_the_sketch_holds_the_rows_with_the_smallest_hashes():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 5, (3000, 3)).astype(float)
    w = rng.uniform(size=3000)
    full = MemorySource(X, None, w).fold(SketchRowsStep())
    few = MemorySource(X, None, w).fold(SketchRowsStep(40))
    assert len(full.hashes) == len(np.unique(X, axis=0))
    assert full.w.sum() == pytest.approx(w.sum(), rel=1e-13)
    for left, right in zip(few, full, strict=True):
        np.testing.assert_array_equal(left, right[:40])


def test_bins_count_the_thresholds_below():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 3))
    X[5] = np.nan
    X[6], X[7] = np.inf, -np.inf
    X[:, 2] = rng.integers(-1, 300, 3000)
    bins = find_bins(X, categorical=[False, False, True])
    X[8, :2] = bins.thresholds[0][3], bins.thresholds[1][4]
    expected = np.stack([(X[:, [j]] > bins.thresholds[j]).sum(axis=1) for j in range(2)], axis=1)
    expected[5] = MISSING
    for rows in (X, np.asfortranarray(X), X[::-1][::-1]):
        found = bins.transform(rows, 2)
        np.testing.assert_array_equal(found[:, :2], expected)
        outside = ~((X[:, 2] >= 0) & (X[:, 2] < 255))
        np.testing.assert_array_equal(found[:, 2], np.where(outside, MISSING, X[:, 2]))
    np.testing.assert_array_equal(bin_matrix(bins, MemorySource(X)), bins.transform(X))


def test_middles_lie_between():
    tiny = np.nextafter(1.0, 2.0)
    low = np.array([1.0, -np.inf, -np.inf, 1.0, -1.7e308])
    high = np.array([tiny, np.inf, 0.0, np.inf, 1.7e308])
    middle = midpoints(low, high)
    assert (low <= middle).all() and (middle < high).all()
    assert len(column_thresholds(np.full(9, np.nan), None, 255)) == 0
    assert len(column_thresholds(np.ones(9), None, 255)) == 0
