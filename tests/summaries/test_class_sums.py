"""Sums of every class, compiled, against plain NumPy; sums of quarters are exact."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.engine.sources.block import Block
from surefit.summaries.class_sums import ClassSumsStep
from tests.reference.summaries import class_sums_reference

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


def test_codes_and_columns_that_do_not_fit_are_refused():
    X, y, _ = rows()
    with pytest.raises(ValueError, match="class 5"):
        ClassSumsStep(C).map(None, block(X, y + 3), 1)
    with pytest.raises(ValueError, match="column"):
        bad = sp.csr_array(X)
        _native.class_sums_csr(bad.data, bad.indices + 3, bad.indptr, D, y.astype(np.int32), C, None, None, LEAF, 1)
