"""The compiled moments against exact rational arithmetic, the NumPy reference, and themselves cut and merged."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.engine.leaves import merge_in_order
from surefit.engine.sources.block import Block
from surefit.summaries.moments import Moments, MomentsStep, combine
from tests.reference.summaries import moments_reference

EPS = np.finfo(np.float64).eps


def native(X, Y=None, w=None, leaf_rows=64, n_threads=1):
    return Moments(*_native.moments(X, Y, w, leaf_rows, n_threads), n_rows=len(X))


def native_csr(X, Y=None, w=None, leaf_rows=64, n_threads=1):
    triple = _native.moments_csr(X.data, X.indices, X.indptr, X.shape[1], Y, w, leaf_rows, n_threads)
    return Moments(*triple, n_rows=X.shape[0])


def exact(Z, w=None):
    """W, m and S in rational arithmetic, rounded once at the end."""
    rows = [[Fraction(float(v)) for v in row] for row in Z]
    w = [Fraction(float(v)) for v in w] if w is not None else [Fraction(1)] * len(rows)
    p, W = Z.shape[1], sum(w)
    m = [sum(wk * row[j] for wk, row in zip(w, rows, strict=True)) / W for j in range(p)]
    S = np.empty((p, p))
    for i in range(p):
        for j in range(i, p):
            s = sum(wk * (row[i] - m[i]) * (row[j] - m[j]) for wk, row in zip(w, rows, strict=True))
            S[i, j] = S[j, i] = float(s)
    return float(W), np.array([float(v) for v in m]), S


def assert_near_exact(got, Z, w=None):
    """Within the rounding of deviations and of stored means; raw squares would miss it by a factor |m| / σ."""
    W, m, S = exact(Z, w)
    spread, size = np.sqrt(np.diag(S)), np.abs(m)
    cross = np.sqrt(W) * np.outer(size, spread)
    relative = np.outer(spread, spread) + cross + cross.T + W * EPS * np.outer(size, size)
    underflow = 1000 * np.finfo(np.float64).smallest_subnormal
    assert got.weight == pytest.approx(W, rel=8 * EPS)
    assert np.all(np.abs(got.mean - m) <= 8 * EPS * (size + spread / np.sqrt(W)) + underflow)
    assert np.all(np.abs(got.products - S) <= 16 * EPS * relative + underflow)


def assert_same_bits(left, right):
    assert left.weight == right.weight
    assert left.mean.tobytes() == right.mean.tobytes()
    assert left.products.tobytes() == right.products.tobytes()


def assert_close(got, expected, rel=1e-12):
    scale = np.sqrt(np.outer(np.diag(expected.products), np.diag(expected.products)))
    assert got.weight == pytest.approx(expected.weight, rel=rel)
    np.testing.assert_allclose(
        got.mean, expected.mean, rtol=rel, atol=1e-300 + rel * np.abs(expected.mean).max(initial=0)
    )
    assert np.all(np.abs(got.products - expected.products) <= rel * scale + 1e-300)


def sample(n, d, *, seed=0, dtype=np.float64, t=0, weighted=False):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)).astype(dtype)
    Y = rng.normal(size=(n, t)) if t else None
    w = rng.exponential(size=n) * (rng.random(n) < 0.8) if weighted else None
    return X, Y, w


WICKED = {
    "one row": np.array([[3.0, -1.0, 7.0]]),
    "two rows": np.array([[3.0, -1.0, 7.0], [4.0, 1e-3, 7.0]]),
    "one column": np.arange(7.0)[:, None] ** 2,
    "constant columns": np.tile([0.1, 1e9 / 3, -7e-5], (50, 1)),
    "offset": 1e8 + np.random.default_rng(1).normal(size=(100, 4)),
    "offsets of all sizes": 10.0 ** np.arange(0, 12, 3) + np.random.default_rng(2).normal(size=(90, 4)),
    "ties": np.random.default_rng(3).integers(0, 2, size=(100, 5)).astype(float),
    "tiny": 1e-160 * np.random.default_rng(4).normal(size=(40, 3)),
    "denormals": 5e-324 * np.random.default_rng(5).integers(0, 9, size=(40, 3)),
    "first row far out": np.vstack([[1e6] * 3, np.random.default_rng(6).normal(size=(60, 3))]),
    "drift": np.arange(100.0)[:, None] * [1.0, 1e4] + np.random.default_rng(7).normal(size=(100, 2)),
}


@pytest.mark.parametrize("name", WICKED)
@pytest.mark.parametrize("leaf_rows", [16, 4096])
def test_exact_arithmetic(name, leaf_rows):
    Z = WICKED[name]
    assert_near_exact(native(Z, leaf_rows=leaf_rows), Z)
    assert_near_exact(native(Z[:, :-1].copy(), Z[:, -1:].copy(), leaf_rows=leaf_rows), Z)
    w = np.random.default_rng(9).integers(1, 9, size=len(Z)) / 4
    assert_near_exact(native(Z, w=w, leaf_rows=leaf_rows), Z, w)


@pytest.mark.parametrize(("offset", "limit"), [(1e4, 4e-16), (1e8, 4e-15), (1e10, 4e-12)])
def test_an_offset_costs_no_digits_of_the_steps_between_means(offset, limit):
    """Differences from the first row are exact; their moments in extended precision are the reference."""
    X = np.random.default_rng(3).normal(size=(50_000, 3)) + offset
    D = (X - X[0]).astype(np.longdouble)
    D -= D.mean(axis=0)
    want = (D.T @ D).astype(np.float64)
    for got in (native(X), native(X, leaf_rows=512), combine(native(X[:8192]), native(X[8192:]))):
        assert np.abs(got.products - want).max() <= limit * want.max()
        mean = X[0].astype(np.longdouble) + (X - X[0]).astype(np.longdouble).mean(axis=0)
        assert np.abs(got.mean.astype(np.longdouble) + got.low - mean).max() <= 1e-15


def test_constant_columns_have_no_spread_at_all():
    got = native(WICKED["constant columns"], leaf_rows=16)
    assert np.array_equal(got.products, np.zeros((3, 3)))
    assert np.array_equal(got.mean, WICKED["constant columns"][0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n", "d", "t"), [(3, 1, 0), (150, 4, 1), (700, 8, 0), (700, 15, 2), (600, 33, 1), (900, 50, 9)]
)
def test_reference(n, d, t, weighted, dtype):
    X, Y, w = sample(n, d, dtype=dtype, t=t, weighted=weighted)
    for leaf_rows in (64, 300, 4096):
        got = native(X, Y, w, leaf_rows)
        assert_close(got, moments_reference(X, Y, w))
        assert np.array_equal(got.products, got.products.T)


@pytest.mark.parametrize("level", ["baseline", "v3", "v4"])
def test_every_vector_level(level):
    script = (
        "import numpy as np; from surefit import _native\n"
        "from tests.reference.summaries import moments_reference as plain\n"
        "for n, d, dtype in [(5, 3, 'f8'), (600, 29, 'f4'), (600, 64, 'f8')]:\n"
        "    rng = np.random.default_rng(n); X = (rng.normal(size=(n, d)) + 3).astype(dtype); w = rng.random(n)\n"
        "    Y = rng.normal(size=(n, 2)); W, m, _, S = _native.moments(X, Y, w, 128, 2); T = plain(X, Y, w)\n"
        "    np.testing.assert_allclose(m, T.mean, rtol=1e-12, atol=1e-12)\n"
        "    np.testing.assert_allclose(S, T.products, rtol=1e-12, atol=1e-12 * T.weight)\n"
        "print('agrees')"
    )
    environment = {**os.environ, "SUREFIT_SIMD": level}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "agrees", run.stderr


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_empty(shape):
    got = native(np.zeros(shape))
    assert got.weight == shape[0]
    assert np.array_equal(got.mean, np.zeros(shape[1]))
    assert np.array_equal(got.products, np.zeros((shape[1], shape[1])))


def test_total_weight_zero():
    X, _, _ = sample(200, 5)
    for got in (native(X, w=np.zeros(200)), native_csr(sp.csr_array(X), w=np.zeros(200))):
        assert got.weight == 0
        assert not got.mean.any()
        assert not got.products.any()


def test_rows_of_weight_zero_are_not_read():
    X, Y, w = sample(400, 7, t=1, weighted=True)
    w[:70] = 0
    kept = moments_reference(X[w > 0], Y[w > 0], w[w > 0])
    X[w == 0], Y[w == 0] = np.nan, np.inf
    assert_close(native(X, Y, w), kept)
    assert_close(native_csr(sp.csr_array(X), Y, w), kept, rel=1e-10)


def test_weights_are_repetitions():
    X, Y, _ = sample(500, 12, t=1)
    counts = np.random.default_rng(3).integers(0, 4, size=500)
    repeated = native(np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0))
    assert_close(native(X, Y, counts.astype(float)), repeated, rel=1e-13)


def test_weight_one_is_no_weight_to_the_bit():
    X, Y, _ = sample(777, 19, t=1)
    assert_same_bits(native(X, Y, np.ones(777)), native(X, Y))


def test_non_finite_values_stay_visible():
    X, _, _ = sample(100, 4)
    X[3, 1], X[50, 2] = np.nan, np.inf
    got = native(X)
    assert np.isnan(got.mean[1])
    assert not np.isfinite(got.mean[2])
    assert np.isnan(got.products[1]).all()
    assert np.isfinite(got.products[np.ix_([0, 3], [0, 3])]).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [3, 70, 130])
def test_threads_do_not_change_a_bit(d, weighted):
    X, Y, w = sample(3000, d, t=1, weighted=weighted)
    sparse = sp.csr_array(X * (np.abs(X) > 1))
    for leaf_rows in (128, 4096):
        one, one_csr = native(X, Y, w, leaf_rows, 1), native_csr(sparse, Y, w, leaf_rows, 1)
        for n_threads in (2, 3, 16):
            assert_same_bits(native(X, Y, w, leaf_rows, n_threads), one)
            assert_same_bits(native_csr(sparse, Y, w, leaf_rows, n_threads), one_csr)


@pytest.mark.parametrize("n", [64, 65, 500, 1000, 1024])
@pytest.mark.parametrize("block_leaves", [1, 2, 4])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_blocks_merged_in_python_are_the_whole_to_the_bit(n, block_leaves, kind):
    X, Y, w = sample(n, 11, t=2, weighted=True)
    X, step, rows = kind(X), MomentsStep(with_target=True), 64 * block_leaves
    blocks = [Block(X[i : i + rows], Y[i : i + rows], w[i : i + rows], i, 64) for i in range(0, n, rows)]
    merged = merge_in_order((step.map(None, block, 1) for block in blocks), step.combine)
    whole = step.map(None, Block(X, Y, w, 0, 64), 2)
    assert merged.n_rows == whole.n_rows == n
    assert_same_bits(merged, whole)


def test_combine_with_nothing_is_the_identity():
    X, _, _ = sample(50, 3)
    some, nothing = native(X), moments_reference(X, w=np.zeros(50))
    for merged in (combine(some, nothing), combine(nothing, some)):
        assert_same_bits(merged, some)
        assert merged.n_rows == 100


def test_combine_leaves_its_arguments_alone():
    X, _, _ = sample(90, 4)
    left, right = native(X[:40]), native(X[40:])
    before = pickle.dumps((left, right))
    assert_close(combine(left, right), moments_reference(X))
    assert pickle.dumps((left, right)) == before


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_is_dense(dtype, index_type):
    rng = np.random.default_rng(8)
    X = (rng.normal(size=(600, 40)) * (rng.random((600, 40)) < 0.2)).astype(dtype)
    X[:, 5] = 0
    X[100:300] = 0
    Y, w = 1e8 + rng.normal(size=(600, 2)), rng.random(600)
    S = sp.csr_array(X)
    S.indices, S.indptr = S.indices.astype(index_type), S.indptr.astype(index_type)
    got, dense = native_csr(S, Y, w), native(X, Y, w)
    scale = np.sqrt(np.outer(np.diag(dense.products), np.diag(dense.products)))
    assert np.all(np.abs(got.products - dense.products) <= 1e-9 * scale)  # means near 1e8 are stored to 1e-8
    features = np.s_[:40, :40]
    assert np.all(np.abs(got.products - dense.products)[features] <= 1e-13 * (scale[features] + 1))
    np.testing.assert_allclose(got.mean, dense.mean, rtol=1e-13, atol=1e-15)
    assert np.array_equal(got.products, got.products.T)


def test_sparse_entries_in_any_order_and_repeated():
    rng = np.random.default_rng(11)
    indices = rng.integers(0, 9, size=500).astype(np.int32)
    indptr = np.sort(np.r_[0, rng.integers(0, 501, size=99), 500]).astype(np.int32)
    S = sp.csr_array((rng.normal(size=500), indices, indptr), shape=(100, 9))
    assert_close(native_csr(S), moments_reference(S.toarray()), rel=1e-11)


def test_step_takes_targets_of_any_shape():
    X, Y, _ = sample(100, 3, t=1)
    flat = MomentsStep(True).map(None, Block(X, Y[:, 0].astype(np.float32), None, 0, 64), 1)
    assert_close(flat, moments_reference(X, Y.astype(np.float32)))
    without = MomentsStep(False).map(None, Block(X, Y, None, 0, 64), 1)
    assert_same_bits(without, native(X))
    with pytest.raises(ValueError, match="the data has none"):
        MomentsStep(True).map(None, Block(X, None, None, 0, 64), 1)


def test_read_only_arrays():
    X, Y, w = sample(100, 3, t=1, weighted=True)
    expected = native(X, Y, w)
    for array in (X, Y, w):
        array.flags.writeable = False
    assert_same_bits(native(X, Y, w), expected)


def test_results_own_their_memory():
    got = native(np.arange(12.0).reshape(4, 3))
    got.products[0, 0] = -1
    assert got.products.flags.writeable
    assert np.array_equal(native(np.arange(12.0).reshape(4, 3)).products, np.full((3, 3), 45.0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Y": np.zeros((9, 1))}, "Y has length 9"),
        ({"w": np.ones(11)}, "w has length 11"),
        ({"leaf_rows": 0}, "leaf_rows"),
    ],
)
def test_sizes_that_do_not_fit(change, message):
    with pytest.raises(ValueError, match=message):
        native(np.zeros((10, 2)), **change)


@pytest.mark.parametrize(
    ("indices", "indptr", "message"),
    [
        ([0, 7, 1], [0, 1, 3], "column index 7 in row 1"),
        ([0, -1, 1], [0, 1, 3], "column index -1 in row 1"),
        ([0, 1, 1], [0, 1, 9], "beyond the 3 stored"),
        ([0, 1, 1], [0, 3, 1], "must not decrease"),
        ([0, 1, 1], [0, 2**30, 3], "must not decrease"),
        ([0, 1, 1], [-5, 1, 3], "start with 0"),
        ([0, 1, 1], [], "indptr is empty"),
        ([0, 1], [0, 1, 2], "indices has length 2, expected 3"),
    ],
)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_broken_csr_is_refused(indices, indptr, message, n_threads):
    args = np.ones(3), np.array(indices, np.int32), np.array(indptr, np.int32)
    with pytest.raises(ValueError, match=message):
        _native.moments_csr(*args, 5, None, None, 1, n_threads)
