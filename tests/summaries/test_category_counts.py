"""Counts of categories, compiled, against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from surefit import _native
from surefit.engine.sources.block import Block
from surefit.summaries.category_counts import CategoryCountsStep
from tests.reference.summaries import category_counts_reference

N, D, C, LEAF = 1000, 5, 3, 128
TYPES = [np.float64, np.float32, np.int64, np.int32]


def rows(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(3, (N, D)).astype(dtype), rng.integers(0, C, N).astype(np.float64), rng.integers(0, 9, N) / 4


def block(X, y, w=None):
    return Block(X, y, w, 0, LEAF)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
def test_category_counts(dtype, weighted):
    X, y, w = rows(dtype)
    w = w if weighted else None
    got = CategoryCountsStep(C, np.full(D, 4)).map(None, block(X, y, w), 2)
    np.testing.assert_array_equal(got.n_categories, np.maximum(X.max(axis=0) + 1, 4))
    np.testing.assert_array_equal(got.counts, category_counts_reference(X, y.astype(int), C, w, got.n_categories))
    np.testing.assert_array_equal(got.of_features()[1].sum(axis=1), got.weights)


def test_tables_of_different_width_merge():
    X, y, w = rows()
    step = CategoryCountsStep(C, np.ones(D, int))
    parts = [step.map(None, block(X[lo:hi], y[lo:hi], w[lo:hi]), 1) for lo, hi in [(0, 3), (3, 400), (400, N)]]
    merged = step.combine(step.combine(parts[0], parts[1]), parts[2])
    np.testing.assert_array_equal(merged.counts, step.map(None, block(X, y, w), 1).counts)


def test_what_must_be_refused_is_seen():
    X, y, _ = rows()
    for value, negative, not_finite in [(-1.0, True, False), (np.nan, False, True), (np.inf, False, True)]:
        X[700, 2] = value
        counts = CategoryCountsStep(C, np.ones(D, int)).map(None, block(X, y), 1)
        assert (counts.negative, counts.not_finite) == (negative, not_finite)


def test_tables_that_do_not_fit_are_refused():
    X, y, _ = rows()
    with pytest.raises(ValueError, match="category"):
        _native.category_counts(X, y.astype(np.int32), C, None, np.arange(D + 1), LEAF, 1)
