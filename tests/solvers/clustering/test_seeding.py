"""k-means++: the compiled rounds against their reference; hashes, canonical order and samples."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from scipy.stats import chisquare

from surefit import _native
from surefit.cluster import kmeans_plusplus
from surefit.engine.leaves import merge_in_order
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import MemorySource
from surefit.solvers.clustering import seeding
from surefit.solvers.clustering.seeding import SketchStep, canonical_sample, choose, rows_at
from surefit.summaries.canonical import Canonical, canonical_rows, row_hashes
from tests.reference.kmeans import plus_plus_reference


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d", "k", "trials"), [(1, 1, 1, 1), (30, 2, 5, 3), (500, 7, 12, 4), (300, 20, 30, 9)])
def test_rounds_are_the_reference(n, d, k, trials, dtype):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n, d)).astype(dtype), rng.integers(1, 5, n).astype(float)
    uniform = rng.random(1 + (k - 1) * trials)
    order = np.arange(n)
    expected, potential = plus_plus_reference(X.astype(float), w, k, trials, uniform)
    chosen, got = _native.kmeans_seed(X, order, w, k, trials, uniform, 1.0, False, 64, 1)
    assert chosen.tolist() == expected
    assert got == pytest.approx(potential, rel=1e-5 if dtype == np.float32 else 1e-12)
    rows = sp.csr_array(X)
    sparse, _ = _native.kmeans_seed_csr(
        rows.data, rows.indices, rows.indptr, d, order, w, k, trials, uniform, 1.0, False, 64, 1
    )
    assert sparse.tolist() == expected


def test_threads_change_no_choice():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20000, 9))
    uniform, order = rng.random(1 + 24 * 5), rng.permutation(20000)
    runs = [_native.kmeans_seed(X, order, None, 25, 5, uniform, 1.0, False, 4096, t) for t in (1, 2, 3)]
    for chosen, potential in runs[1:]:
        assert chosen.tobytes() == runs[0][0].tobytes()
        assert potential == runs[0][1]


def test_large_double_data():
    """Rounds in single precision leave the potential they claim; rows 1e-9 apart are still told apart."""
    rng = np.random.default_rng(5)
    X, uniform = rng.normal(size=(40000, 32)) + 1e3, rng.random(1 + 19 * 4)
    chosen, potential = _native.kmeans_seed(X, np.arange(40000), None, 20, 4, uniform, 1.0, False, 4096, 2)
    sq_dist = np.min([((X - X[c]) ** 2).sum(axis=1) for c in chosen], axis=0)
    assert potential == pytest.approx(sq_dist.sum(), rel=1e-6)
    Y = np.repeat(rng.normal(size=(2, 32)), 20000, axis=0)
    Y[:, 0] += np.tile(np.arange(10), 4000) * 1e-9
    chosen, potential = _native.kmeans_seed(Y, np.arange(40000), None, 20, 4, uniform, 1.0, False, 4096, 2)
    assert len(np.unique(Y[chosen], axis=0)) == 20
    assert potential == 0.0


def test_draws_follow_squared_distances():
    """The second row is drawn with chances ω·d²: counted over many seeds against the closed form."""
    X, w = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([1e9, 4.0, 1.0, 1.0])
    counts = np.zeros(4)
    for seed in range(2000):
        uniform = np.random.default_rng(seed).random(2)
        chosen, _ = _native.kmeans_seed(X, np.arange(4), w, 2, 1, uniform, 1.0, False, 64, 1)
        if chosen[0] == 0:
            counts[chosen[1]] += 1
    expected = np.array([4 * 1.0, 1 * 4.0, 1 * 16.0])
    assert counts[0] == 0
    assert chisquare(counts[1:], expected / expected.sum() * counts.sum()).pvalue > 1e-3


def test_potential_is_as_good_as_scikit_learns():
    X = np.random.default_rng(0).normal(size=(2000, 8)) + 5 * np.random.default_rng(1).integers(0, 3, size=(2000, 8))

    def potential(centers):
        return ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()

    ours = np.mean([potential(kmeans_plusplus(X, 20, random_state=seed)[0]) for seed in range(10)])
    theirs = np.mean([potential(sklearn.cluster.kmeans_plusplus(X, 20, random_state=seed)[0]) for seed in range(10)])
    assert ours < 1.03 * theirs


def test_rows_and_places_agree():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, size=(200, 3)).astype(np.float32)
    centers, indices = kmeans_plusplus(X, 10, random_state=0)
    assert centers.dtype == np.float32
    assert np.array_equal(X[indices], centers)
    assert len(np.unique(centers, axis=0)) == 10
    sparse, where = kmeans_plusplus(sp.csr_matrix(X), 10, random_state=0)
    assert np.array_equal(where, indices)
    assert np.array_equal(sparse, centers)


def test_order_and_repetition_do_not_matter():
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(100, 4)), rng.integers(0, 3, 100)
    shuffled = rng.permutation(np.repeat(np.arange(100), w))
    a, _ = kmeans_plusplus(X, 8, sample_weight=w, random_state=1)
    b, _ = kmeans_plusplus(X[shuffled], 8, random_state=1)
    assert np.array_equal(a, b)


def test_bad_calls():
    X = np.eye(3)
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        kmeans_plusplus(X, 4)
    with pytest.raises(ValueError, match="must be a whole number"):
        kmeans_plusplus(X, 0)
    with pytest.raises(ValueError, match="length of x_squared_norms 2"):
        kmeans_plusplus(X, 2, x_squared_norms=[1.0, 1.0])
    with pytest.raises(ValueError, match="row number is out of range"):
        _native.kmeans_seed(X, np.array([0, 7]), None, 1, 1, np.zeros(1), 1.0, False, 64, 1)


def test_hashes():
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, size=(400, 12)) * 1.0
    hashes = row_hashes(X)
    assert np.array_equal(hashes, row_hashes(sp.csr_array(X)))
    assert np.array_equal(hashes, row_hashes(np.where(X == 0, -0.0, X)))
    assert np.array_equal(hashes, row_hashes(X, n_threads=3))
    assert len(np.unique(hashes)) == len(np.unique(X, axis=0))
    assert len(np.unique(row_hashes(rng.permuted(np.tile(np.arange(20.0), (3000, 1)), axis=1)))) == 3000


@pytest.mark.parametrize("n", [0, 1, 5, 1000, 30000])
def test_order_by_hash(n):
    hashes = np.random.default_rng(n).integers(0, 2**63, n).astype(np.uint64)
    hashes[n // 2 :] = hashes[: n - n // 2]
    assert np.array_equal(_native.order_by_hash(hashes), np.lexsort((np.arange(n), hashes)))


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_of_equal_hash_are_told_apart_by_contents(sparse):
    X = np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0], [0.0, 4.0], [1.0, 2.0]])
    hashes = np.array([9, 9, 9, 9, 1], dtype=np.uint64)
    hashes[4] = 9
    got = canonical_rows(sp.csr_array(X) if sparse else X, np.array([1.0, 2.0, 3.0, 4.0, 0.0]), hashes)
    assert rows_at(got, np.arange(3)).tolist() == [[0.0, 4.0], [0.0, 5.0], [1.0, 2.0]]
    assert got.w.tolist() == [4.0, 2.0, 4.0]


@pytest.mark.parametrize("sparse", [False, True])
def test_sample_of_parts_is_the_sample_of_the_whole(sparse):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, size=(2000, 2)).astype(float)
    w = rng.integers(0, 3, 2000).astype(float)
    rows = sp.csr_array(X) if sparse else X
    step = SketchStep(100)
    whole = step.map(None, Block(rows, None, w, 0, 256), 1)
    parts = [
        step.map(None, Block(rows[lo : lo + 256], None, w[lo : lo + 256], lo, 256), 1) for lo in range(0, 2000, 256)
    ]
    merged = merge_in_order(parts, step.combine)
    assert np.array_equal(whole.hash, merged.hash)
    assert np.array_equal(whole.weight, merged.weight)
    distinct, inverse = np.unique(X[w > 0], axis=0, return_inverse=True)
    totals = np.bincount(inverse.ravel(), w[w > 0])
    order = np.argsort(row_hashes(distinct))[:100]
    dense = whole.rows.toarray() if sparse else whole.rows
    assert np.array_equal(dense, distinct[order])
    assert np.array_equal(whole.weight, totals[order])


def test_large_data_is_seeded_from_a_sample(monkeypatch):
    monkeypatch.setattr(seeding, "SAMPLE_BYTES", 8 * 3 * 200)
    X = np.random.default_rng(0).normal(size=(5000, 3))
    sample = canonical_sample(MemorySource(X), 3)
    assert sample.n_rows == 200
    assert canonical_sample(MemorySource(X), 10).n_rows == 640
    shuffled = canonical_sample(MemorySource(X[::-1].copy()), 3)
    assert np.array_equal(sample.X, shuffled.X)


@pytest.mark.parametrize("distinct", [150, 250, 5000])
def test_the_sample_is_right_however_often_rows_repeat(monkeypatch, distinct):
    """All but the first are refused by their hashes unseen; where too few are left, all are looked at."""
    monkeypatch.setattr(seeding, "SAMPLE_BYTES", 8 * 3 * 200)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(distinct, 3))[rng.integers(0, distinct, 5000)]
    sample = canonical_sample(MemorySource(X), 3)
    rows, counts = np.unique(X, axis=0, return_counts=True)
    order = np.argsort(row_hashes(rows))[:200]
    assert np.array_equal(sample.X[sample.order], rows[order])
    assert np.array_equal(sample.w, counts[order])


def test_random_rows_are_distinct_and_follow_weights():
    X, w = np.arange(4.0)[:, None], np.array([1.0, 2.0, 3.0, 4.0])
    sample = Canonical(X, np.arange(4), w)
    firsts = np.zeros(4)
    for seed in range(2000):
        chosen, _ = choose(sample, 3, "random", np.random.default_rng(seed))
        assert len(set(chosen)) == 3
        firsts[chosen[0]] += 1
    assert chisquare(firsts, w / w.sum() * 2000).pvalue > 1e-3
    assert choose(sample, 6, "random", np.random.default_rng(0))[0].shape == (6,)
