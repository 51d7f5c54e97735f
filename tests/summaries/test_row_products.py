"""Products of CSR rows against exact fractions, and their sums against the fixed tree spelt out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.engine.leaves import by_leaves, merge_in_order, tree_sum
from surefit.engine.sources.block import Block
from surefit.solvers.logistic.logistic_pass import LogisticStep, Point
from surefit.summaries.column_spread import ColumnSumsStep
from surefit.summaries.row_products import column_sums, normal_product, scores, with_short_indices
from tests.reference.logistic_pass import reference_pass


def rows_of(n, d, density, dtype=np.float64, index=np.int32, seed=0):
    X = sp.random(n, d, density=density, format="csr", random_state=seed, dtype=np.float64)
    X.data = np.random.default_rng(seed).standard_normal(X.nnz)
    X = sp.csr_array(X.astype(dtype))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [1, 3])
def test_products_are_those_of_fractions(dtype, index, m):
    X = rows_of(40, 7, 0.4, dtype, index)
    rng = np.random.default_rng(1)
    coef, b, R = rng.standard_normal((m, 7)), rng.standard_normal(m), rng.standard_normal((40, m))
    exact = [[Fraction(float(x)) for x in row] for row in X.toarray()]
    Z = scores(X, coef, b, 2)
    G = column_sums(Block(X, None, None, 0, 8), R, 2)
    for k in range(m):
        for i in range(40):
            want = Fraction(b[k]) + sum(x * Fraction(w) for x, w in zip(exact[i], coef[k], strict=True))
            assert Z[i, k] == pytest.approx(float(want), rel=1e-13, abs=1e-14)
        for j in range(7):
            want = sum(exact[i][j] * Fraction(R[i, k]) for i in range(40))
            assert G[k, j] == pytest.approx(float(want), rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("density", [0.0, 0.002, 0.05, 0.9])
@pytest.mark.parametrize("n", [1, 8, 9, 500])
def test_column_sums_are_added_in_the_fixed_tree(n, density):
    """Columns with many entries for each leaf and with hardly any are summed differently, to the same bits."""
    X, R = rows_of(n, 6, density, seed=n), np.random.default_rng(n).standard_normal((n, 2))

    def leaf(start):
        sums = np.zeros((2, 6))
        for i in range(start, min(n, start + 8)):
            for place in range(X.indptr[i], X.indptr[i + 1]):
                sums[:, X.indices[place]] += X.data[place] * R[i]
        return sums

    want = merge_in_order((leaf(start) for start in range(0, n, 8)), np.add)
    for n_threads in (1, 2, 3):
        assert column_sums(Block(X, None, None, 0, 8), R, n_threads).tobytes() == want.tobytes()


@pytest.mark.parametrize("n", [1, 4, 5, 23])
def test_tree_sum_is_the_fixed_tree(n):
    values = np.random.default_rng(n).standard_normal((n, 3))
    leaves = by_leaves(values, 4)
    assert leaves.shape == (-(-n // 4), 4, 3)
    sums = leaves.sum(axis=1)
    assert tree_sum(sums).tobytes() == merge_in_order(list(sums), np.add).tobytes()


def test_columns_are_kept_where_the_source_keeps_its_rows():
    X, R, scratch = rows_of(30, 5, 0.5), np.ones((30, 1)), {}
    first = column_sums(Block(X, None, None, 0, 8, scratch), R, 1)
    assert first.tobytes() == column_sums(Block(X, None, None, 0, 8, scratch), R, 1).tobytes()
    assert scratch["columns"].format == "csc"


@pytest.mark.parametrize("m", [1, 4])
def test_a_pass_over_csr_rows_is_its_reference(m):
    X, rng = rows_of(700, 9, 0.3), np.random.default_rng(3)
    y, w = rng.integers(0, max(m, 2), 700).astype(float), rng.integers(0, 3, 700).astype(float)
    at = Point(rng.standard_normal((m, 9)), rng.standard_normal(m), rng.uniform(0.5, 2, max(m, 2)))
    got = LogisticStep().map(at, Block(X, y, w, 0, 256), 2)
    want = reference_pass(X, y, w * at.class_weight[y.astype(int)], at)
    for mine, theirs in zip(got, want, strict=True):
        assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("density", [0.02, 0.5])
def test_both_ways_to_the_logistic_gradient_have_the_same_bits(density):
    X, rng = rows_of(700, 9, density), np.random.default_rng(6)
    y, w = rng.integers(0, 2, 700).astype(float), rng.integers(0, 3, 700).astype(float)
    parts, coef = (X.data, X.indices, X.indptr), rng.standard_normal(9)
    sums, slopes = _native.logistic_csr_rows(*parts, y, w, coef, 0.3, False, 256, 2)
    again, gradient = _native.logistic_csr_rows(*parts, y, w, coef, 0.3, True, 256, 1)
    assert sums == again
    np.testing.assert_array_equal(gradient, column_sums(Block(X, y, w, 0, 256), slopes[:, None], 2)[0])
    with pytest.raises(ValueError, match="no class, in row 0"):
        _native.logistic_csr_rows(*parts, y + 2, w, coef, 0.3, True, 256, 1)
    with pytest.raises(ValueError, match="out of range"):
        _native.logistic_csr_rows(X.data, X.indices + 4, X.indptr, y, w, coef, 0.3, True, 256, 1)


def test_bad_calls_are_refused():
    X = rows_of(10, 4, 0.5)
    w, b, R = np.zeros((4, 1)), np.zeros(1), np.zeros((1, 10))
    with pytest.raises(ValueError, match="out of range"):
        _native.csr_scores(X.data, X.indices + 4, X.indptr, w, b, 1)
    with pytest.raises(ValueError, match="b has length 2, expected 1"):
        _native.csr_scores(X.data, X.indices, X.indptr, w, np.zeros(2), 1)
    with pytest.raises(ValueError, match="start with 0"):
        _native.csr_scores(X.data, X.indices, X.indptr[::-1].copy(), w, b, 1)
    columns = X.tocsc()
    with pytest.raises(ValueError, match="power of two"):
        _native.csc_sums(columns.data, columns.indices, columns.indptr, R, 3, 1)
    with pytest.raises(ValueError, match="out of range"):
        _native.csc_sums(columns.data, columns.indices, columns.indptr, R[:, :2].copy(), 8, 1)


@pytest.mark.parametrize("wide", [False, True])
def test_products_with_the_normal_matrix(wide):
    X, rng = rows_of(300, 9, 0.3), np.random.default_rng(5)
    X = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape) if wide else X
    v, c, w = rng.normal(size=9), rng.normal(size=300), rng.uniform(size=300)
    z = X.toarray() @ v - 0.25 - c
    sums, total, squares = normal_product(X, v, 0.25, c, w, 2)
    np.testing.assert_allclose(sums, X.toarray().T @ (w * z), atol=1e-12)
    assert total == pytest.approx(w @ z) and squares == pytest.approx(w @ z**2)
    for n_threads in (1, 3):
        np.testing.assert_array_equal(normal_product(X, v, 0.25, c, w, n_threads)[0], sums)
    short = with_short_indices(X)
    assert short.indices.dtype == short.indptr.dtype == np.int32
    np.testing.assert_array_equal(short.toarray(), X.toarray())
    with pytest.raises(ValueError, match="out of range"):
        _native.csr_normal_product(X.data, X.indices + 4, X.indptr, v, 0.0, None, None, 1)


def test_sums_of_columns_and_of_their_squares():
    X, w = rows_of(50, 6, 0.4, np.float32), np.random.default_rng(4).integers(0, 3, 50).astype(float)
    y, factor = np.arange(50) % 2.0, np.array([0.5, 2.0])
    got = ColumnSumsStep().map(factor, Block(X, y, w, 0, 8), 2)
    weights, dense = w * factor[y.astype(int)], X.toarray().astype(np.float64)
    assert got.weight == weights.sum()
    np.testing.assert_allclose(got.sums, weights @ dense, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(got.squares, weights @ dense**2, rtol=1e-13)
