"""The compiled passes against their plain references and against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.engine.block import Block
from surefit.summaries.category_counts import CategoryCountsStep
from surefit.summaries.class_spread import ClassSpreadStep, pooled_variance
from surefit.summaries.class_sums import ClassSumsStep
from tests.reference.summaries import category_counts_reference, class_spread_reference, class_sums_reference

N, D, C, LEAF = 1000, 5, 3, 128
TYPES = [np.float64, np.float32, np.int64, np.int32]


def rows(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(3, (N, D)).astype(dtype), rng.integers(0, C, N).astype(np.float64), rng.integers(0, 9, N) / 4


def block(X, y, w=None):
    return Block(X, y, w, 0, LEAF)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
def test_class_sums(dtype, weighted):
    X, y, w = rows(dtype)
    w = w if weighted else None
    for threshold in (None, 2.0):
        got = ClassSumsStep(C, threshold).map(None, block(X, y, w), 2)
        want = class_sums_reference(X, y.astype(int), C, w, threshold)
        np.testing.assert_array_equal(got.weights, want.weights)  # quarters: sums are exact
        np.testing.assert_array_equal(got.sums, want.sums)
        assert (got.negative, got.not_finite) == (False, False)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_class_sums_of_sparse_rows(dtype, index):
    X, y, w = rows(dtype)
    csr = sp.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    for threshold in (None, 2.0):
        got = ClassSumsStep(C, threshold).map(None, block(csr, y, w), 2)
        np.testing.assert_array_equal(got.sums, class_sums_reference(X, y.astype(int), C, w, threshold).sums)


def test_what_must_be_refused_is_seen():
    X, y, _ = rows()
    for value, negative, not_finite in [(-1.0, True, False), (np.nan, False, True), (np.inf, False, True)]:
        X[700, 2] = value
        got = ClassSumsStep(C).map(None, block(X, y), 1)
        assert (got.negative, got.not_finite) == (negative, not_finite)
        assert ClassSumsStep(C, 0.0).map(None, block(X, y), 1).not_finite == not_finite
        counts = CategoryCountsStep(C, np.ones(D, int)).map(None, block(X, y), 1)
        assert (counts.negative, counts.not_finite) == (negative, not_finite)


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


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_class_spread(dtype, weighted, missing):
    X, y, w = rows(dtype)
    X = X * np.array([1e-3, 1, 1e3, 1, 1], dtype) + np.array([0, 1e4, 0, 0, 7], dtype)
    w = w if weighted else None
    if missing:
        X[np.random.default_rng(3).random(X.shape) < 0.2] = np.nan
        X[y == 1, 4] = np.nan
    got = ClassSpreadStep(C, missing).map(None, block(X, y, w), 2)
    want = class_spread_reference(X, y.astype(int), C, w, missing)
    np.testing.assert_allclose(got.cell_weights, want.cell_weights, rtol=1e-14)
    np.testing.assert_allclose(got.means, want.means, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(got.squares, want.squares, rtol=1e-11, atol=1e-11)
    assert not missing or (got.feature_weights[1, 4] == 0 and got.means[1, 4] == 0)


def test_spread_far_from_zero_against_fractions():
    """Mean 1e9, spread of about one, five leaves: the steps between their means lose nothing."""
    rng = np.random.default_rng(1)
    x = 1e9 + np.round(rng.normal(size=300) * 2**20) / 2**20
    got = ClassSpreadStep(1).map(None, Block(x[:, None], np.zeros(300), None, 0, 64), 1)
    exact = [Fraction(float(v)) for v in x]
    mean = sum(exact) / 300
    assert abs(Fraction(float(got.means[0, 0])) - mean) <= Fraction(1e-16) * mean * 2
    squares = sum((v - mean) ** 2 for v in exact)
    assert abs(Fraction(float(got.squares[0, 0])) / squares - 1) < Fraction(1, 10**14)


def test_pooled_variance_is_that_of_all_rows():
    X, y, w = rows()
    spread = ClassSpreadStep(C).map(None, block(X, y, w), 1)
    mean = np.average(X, axis=0, weights=w)
    np.testing.assert_allclose(pooled_variance(spread), np.average((X - mean) ** 2, axis=0, weights=w), rtol=1e-13)


def test_codes_and_tables_that_do_not_fit_are_refused():
    X, y, _ = rows()
    with pytest.raises(ValueError, match="class 5"):
        ClassSumsStep(C).map(None, block(X, y + 3), 1)
    with pytest.raises(ValueError, match="category"):
        _native.category_counts(X, y.astype(np.int32), C, None, np.arange(D + 1), LEAF, 1)
    with pytest.raises(ValueError, match="column"):
        bad = sp.csr_array(X)
        _native.class_sums_csr(bad.data, bad.indices + 3, bad.indptr, D, y.astype(np.int32), C, None, None, LEAF, 1)
