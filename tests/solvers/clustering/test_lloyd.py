"""The compiled Lloyd pass against its NumPy reference, and against itself: cut, threaded, with and without bounds."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.engine.leaves import merge_in_order
from surefit.engine.sources.block import Block
from surefit.solvers.clustering.lloyd import FarStep, Frame, LloydState, LloydStep
from tests.reference.kmeans import lloyd_reference

TYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def sample(n, d, k, dtype=np.float64, seed=0, weighted=True):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) + 3 * rng.normal(size=(5, d))[rng.integers(5, size=n)]).astype(dtype)
    centers = (X[rng.choice(n, k, replace=k > n)] + 0.1 * rng.normal(size=(k, d))).astype(dtype).astype(np.float64)
    w = rng.integers(0, 4, n) * 0.5 if weighted else None
    return X, centers, w


def frame_of(X):
    return Frame(None if sp.issparse(X) else X.mean(axis=0).astype(X.dtype), 1.0)


def mapped(X, w, state, *, leaf_rows=64, n_threads=1, start=0):
    return LloydStep().map(state, Block(X, None, w, start, leaf_rows), n_threads)


def assert_same_bits(a, b):
    assert a.weight.tobytes() == b.weight.tobytes()
    assert a.sums.tobytes() == b.sums.tobytes()
    assert a.inertia == b.inertia
    assert a.fingerprint == b.fingerprint


@TYPES
@pytest.mark.parametrize(
    ("n", "d", "k"),
    [
        (1, 1, 1),
        (2, 1, 2),
        (7, 3, 2),
        (50, 2, 4),
        (100, 5, 9),
        (300, 17, 3),
        (301, 32, 2),
        (90, 150, 4),
        (333, 8, 16),
        (500, 33, 40),
        (60, 100, 70),
    ],
)
def test_pass_is_the_reference(n, d, k, dtype):
    X, centers, w = sample(n, d, k, dtype)
    labels, reference = lloyd_reference(X, w, centers)
    frame = frame_of(X)
    got = mapped(X, w, LloydState(centers, frame))
    assert np.array_equal(_native.kmeans_assign(X, centers, frame.shift, 1.0, 64, 1, False)[0], labels)
    np.testing.assert_allclose(got.weight, reference.weight, rtol=1e-14)
    np.testing.assert_allclose(got.sums, reference.sums, rtol=1e-12, atol=1e-11)
    assert got.inertia == pytest.approx(reference.inertia, rel=1e-13)


@TYPES
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (80, 6, 3), (200, 40, 20), (150, 9, 200)])
def test_csr_is_dense(n, d, k, index, dtype):
    rng = np.random.default_rng(1)
    dense = (rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)).astype(dtype)
    X = sp.csr_array(dense)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    centers = rng.normal(size=(k, d)).astype(dtype).astype(np.float64)
    w = rng.random(n)
    labels, reference = lloyd_reference(dense, w, centers)
    got = mapped(X, w, LloydState(centers, Frame(None, 1.0)))
    given, sq_dist = _native.kmeans_assign_csr(X.data, X.indices, X.indptr, d, centers, 1.0, 64, 1, True)
    assert np.array_equal(given, labels)
    np.testing.assert_allclose(sq_dist, ((dense - centers[labels]) ** 2).sum(axis=1), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(got.sums - got.weight[:, None] * centers, reference.sums, atol=1e-11)
    assert got.inertia == pytest.approx(reference.inertia, rel=1e-12)


@TYPES
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("n", "d", "k"), [(5000, 12, 30), (1999, 3, 5), (900, 40, 64), (3001, 33, 2), (1500, 17, 4)])
def test_threads_and_cuts_change_no_bit(n, d, k, sparse, dtype):
    X, centers, w = sample(n, d, k, dtype)
    X = sp.csr_array(X * (np.abs(X) > 2)) if sparse else X
    state = LloydState(centers, frame_of(X))
    whole = mapped(X, w, state, n_threads=1)
    for n_threads in (2, 3):
        assert_same_bits(mapped(X, w, state, n_threads=n_threads), whole)
    for rows in (64, 256, 1024):
        parts = [mapped(X[lo : lo + rows], w[lo : lo + rows], state, n_threads=2, start=lo) for lo in range(0, n, rows)]
        assert_same_bits(merge_in_order(parts, LloydStep().combine), whole)


@TYPES
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("shape", ["groups", "noise", "ties", "offset"])
def test_bounds_change_no_bit(shape, sparse, dtype):
    """The same iterations with what a resident block keeps between passes, and without: every statistic is equal."""
    rng = np.random.default_rng(2)
    n, d, k = 3000, 24, 20
    X = rng.normal(size=(n, d))
    if shape == "groups":
        X += 8 * rng.normal(size=(k, d))[rng.integers(k, size=n)]
    elif shape == "ties":
        X = rng.integers(0, 2, size=(n, d)).astype(float)
    elif shape == "offset":
        X += 1e5
    X = X.astype(dtype)
    w = rng.random(n)
    rows = sp.csr_array(X * (X > 0.5)) if sparse else X
    centers = (rows[:k].toarray() if sparse else rows[:k]).astype(np.float64)
    frame, assignment = frame_of(rows), _native.KMeansScratch()
    for _ in range(25):
        state = LloydState(centers, frame)
        plain = mapped(rows, w, state)
        assert_same_bits(mapped(rows, w, state._replace(assignment=assignment), n_threads=2), plain)
        mean = plain.sums / np.maximum(plain.weight, 1e-30)[:, None]
        centers = np.where(plain.weight[:, None] > 0, mean if sparse else centers + mean, centers)
        centers = centers.astype(dtype).astype(np.float64)


def test_an_assignment_follows_other_centers():
    """New starts, other numbers of centers and other frames on the same block: never a stale bound."""
    X, _, w = sample(2000, 20, 20)
    assignment = _native.KMeansScratch()
    for seed, k, shift in [(0, 20, 0.0), (1, 20, 0.0), (1, 20, 1.0), (2, 30, 1.0), (3, 13, 0.0)]:
        _, centers, _ = sample(2000, 20, k, seed=seed)
        for _ in range(4):
            state = LloydState(centers, Frame(X.mean(axis=0) + shift, 1.0))
            plain = mapped(X, w, state)
            assert_same_bits(mapped(X, w, state._replace(assignment=assignment)), plain)
            centers = centers + plain.sums / np.maximum(plain.weight, 1)[:, None]


@TYPES
def test_ties_go_to_the_first_center(dtype):
    X = np.array([[0.0], [1.0], [2.0], [3.0]], dtype=dtype)
    centers = np.array([[2.0], [0.0], [2.0], [0.0]])
    labels, _ = _native.kmeans_assign(X, centers, None, 1.0, 64, 1, False)
    assert labels.tolist() == [1, 0, 0, 0]


@TYPES
@pytest.mark.parametrize("d", [16, 19])
def test_ties_of_wide_rows_go_to_the_first_center(d, dtype):
    """Whole numbers: every product is exact, and half the rows lie in the middle between two of the centers."""
    rng = np.random.default_rng(5)
    X = rng.integers(-9, 9, size=(400, d)).astype(dtype)
    X[::2, 0] = 0
    at = np.zeros((4, d))
    at[:, 0] = [-3, 3, -3, 3]
    for centers in (at[:2], at[:3], at):
        labels, _ = _native.kmeans_assign(X, centers, None, 1.0, 64, 1, False)
        assert np.array_equal(labels, X[:, 0] > 0)


@TYPES
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_rows_on_either_side_of_two_close_centers(offset, dtype):
    """Two centers apart by little, far from the origin, whose middle is the shift: the sign of one product tells."""
    rng = np.random.default_rng(6)
    d, gap = 21, 2.0**-6
    middle = offset + rng.integers(-4, 4, size=d)
    step = gap * np.eye(d)[3]
    side = rng.choice([-1.0, 1.0], size=500)
    X = middle + rng.integers(-2, 3, size=(500, d)) * 1.0
    X[:, 3] = middle[3] + side * gap / 4
    labels, _ = _native.kmeans_assign(
        X.astype(dtype), np.stack([middle - step, middle + step]), middle.astype(dtype), 1.0, 64, 1, False
    )
    assert np.array_equal(labels, side > 0)


@TYPES
def test_what_lies_behind_a_row_does_not_count(dtype):
    """The next row is beyond the range once it is scaled: the row before it keeps its label."""
    big = np.finfo(dtype).max
    X = np.array([[1.0] * 17, [big] * 17, [-1.0] * 17, [-big] * 17], dtype=dtype)
    centers = np.stack([np.full(17, -1.0), np.full(17, 1.0)])
    labels, _ = _native.kmeans_assign(X, centers, None, 4.0, 64, 1, False)
    assert labels[0] == 1 and labels[2] == 0


@pytest.mark.parametrize("gap", [1e-2, 1e-3, 1e-5, 1e-12])
def test_double_rows_get_labels_of_double_precision(gap):
    """Centers in pairs so close that single precision cannot tell them apart, rows on either side of the middle."""
    rng = np.random.default_rng(4)
    k, d = 10, 9
    middle = 5 * rng.normal(size=(k, d))
    direction = rng.normal(size=(k, d))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    centers = np.concatenate([middle - gap * direction, middle + gap * direction])
    own = rng.integers(k, size=2000)
    side = rng.choice([-1.0, 1.0], size=2000)
    X = middle[own] + (side * gap * rng.uniform(0.5, 2, 2000))[:, None] * direction[own]
    labels, _ = _native.kmeans_assign(X, centers, X.mean(axis=0), 1.0, 64, 1, False)
    assert np.array_equal(labels % k, own)
    if gap >= 1e-5:  # below, double precision cannot tell the scores apart either: they differ by gap² of about 200
        assert np.array_equal(labels >= k, side > 0)
    nearest = np.linalg.norm(X - centers[labels], axis=1)
    other = np.linalg.norm(X - centers[(labels + k) % (2 * k)], axis=1)
    assert (nearest <= other + 1e-13 * 50 / np.maximum(nearest, 1e-7)).all()


def test_large_offsets_lose_nothing():
    """Whole numbers far from the origin: sums are exact, so they are the same as near it."""
    rng = np.random.default_rng(3)
    X = rng.integers(-50, 50, size=(400, 6)).astype(float)
    centers = X[:9] + 0.25
    near = mapped(X, None, LloydState(centers, frame_of(X)))
    far = mapped(X + 1e8, None, LloydState(centers + 1e8, Frame(X.mean(axis=0).round() + 1e8, 1.0)))
    assert_same_bits(near, far)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200])
def test_scale_keeps_squares_in_range(size):
    X, centers, _ = sample(200, 5, 6)
    X, centers = X * size, centers * size
    scale = float(2.0 ** -np.clip(np.frexp(size)[1], -1000, 1000))
    labels, _ = lloyd_reference(X * scale, None, centers * scale)
    got, _ = _native.kmeans_assign(X, centers, None, scale, 64, 1, False)
    assert np.array_equal(got, labels)


def test_no_weights_are_weights_of_one():
    X, centers, _ = sample(1000, 7, 5)
    state = LloydState(centers, frame_of(X))
    assert_same_bits(mapped(X, None, state), mapped(X, np.ones(1000), state))


def test_rows_without_weight_do_not_count():
    X, centers, w = sample(500, 4, 6)
    state = LloydState(centers, frame_of(X))
    got, kept = mapped(X, w, state), mapped(X[w > 0], w[w > 0], state)
    np.testing.assert_allclose(got.weight, kept.weight)
    np.testing.assert_allclose(got.sums, kept.sums, atol=1e-12)


def test_read_only_rows():
    X, centers, w = sample(100, 4, 3)
    for array in (X, centers, w):
        array.flags.writeable = False
    assert mapped(X, w, LloydState(centers, frame_of(X))).weight.sum() == w.sum()


def test_bad_sizes_are_refused():
    X, centers, w = sample(20, 4, 3)
    with pytest.raises(ValueError, match="columns of the centers has length 3, expected 4"):
        _native.kmeans_pass(X, w, centers[:, :3].copy(), None, 1.0, 0, 64, 1, None)
    with pytest.raises(ValueError, match="weights has length 19, expected 20"):
        _native.kmeans_pass(X, w[:19], centers, None, 1.0, 0, 64, 1, None)
    with pytest.raises(ValueError, match="power of two"):
        _native.kmeans_pass(X, w, centers, None, 1.0, 0, 63, 1, None)
    with pytest.raises(ValueError, match="at least one row"):
        _native.kmeans_pass(X[:0], None, centers, None, 1.0, 0, 64, 1, None)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 9], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [0, 1, 5]), ([0, 1], [1, 1, 2])],
)
def test_bad_csr_is_refused(indices, indptr):
    data = np.ones(2)
    indices, indptr = np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int32)
    centers = np.zeros((1, 3))
    with pytest.raises(ValueError, match="CSR"):
        _native.kmeans_pass_csr(data, indices, indptr, 3, None, centers, 1.0, 0, 64, 1, None)
    with pytest.raises(ValueError, match="CSR"):
        _native.hash_rows_csr(data, indices, indptr, 3, 1)


def test_statistic_travels():
    X, centers, w = sample(300, 4, 5)
    state = LloydState(centers, frame_of(X))
    step = pickle.loads(pickle.dumps(LloydStep()))
    assert_same_bits(
        pickle.loads(pickle.dumps(step.map(pickle.loads(pickle.dumps(state)), Block(X, None, w, 0, 64), 1))),
        mapped(X, w, state),
    )


def test_far_rows_merge():
    X, centers, w = sample(700, 3, 4)
    X[5] = X[11] = X[640] = 60.0  # one row three times counts once
    w[[5, 11, 640]] = 1.0
    w[20], X[20] = 0.0, 1e3  # no weight, no place
    state, step = LloydState(centers, frame_of(X)), FarStep(6)
    whole = step.map(state, Block(X, None, w, 0, 64), 1)
    parts = [step.map(state, Block(X[lo : lo + 64], None, w[lo : lo + 64], lo, 64), 1) for lo in range(0, 700, 64)]
    merged = merge_in_order(parts, step.combine)
    for one, other in zip(whole, merged, strict=True):
        assert one.tobytes() == other.tobytes()
    labels, _ = lloyd_reference(X, w, centers)
    assert whole.rows[0].tolist() == [60.0] * 3
    assert (whole.labels[0], whole.weight[0]) == (labels[5], 3.0)
    sq_dist = ((X - centers[labels]) ** 2).sum(axis=1)
    distinct = np.unique(X[(w > 0)], axis=0)
    labels, _ = lloyd_reference(distinct, None, centers)
    expected = np.sort(((distinct - centers[labels]) ** 2).sum(axis=1))[::-1][:6]
    np.testing.assert_allclose(whole.sq_dist, expected, rtol=1e-12)
    assert sq_dist[20] > expected[0]


LEVELS = """
import numpy as np
from surefit import _native
rng = np.random.default_rng(0)
for dtype in (np.float32, np.float64):
    for n, d, k in ((777, 11, 13), (90, 1, 2), (400, 64, 100), (501, 37, 2), (333, 32, 4)):
        X = rng.normal(size=(n, d)).astype(dtype)
        centers = X[:k].astype(np.float64)
        labels, sq_dist = _native.kmeans_assign(X, centers, X.mean(axis=0), 1.0, 64, 1, True)
        print(labels.tolist(), np.round(sq_dist, 9).sum().round(6))
"""


def test_every_vector_level_gives_the_same_labels():
    outputs = set()
    for level in ("baseline", "v3", "v4"):
        environment = {**os.environ, "SUREFIT_SIMD": level}
        run = subprocess.run(
            [sys.executable, "-c", LEVELS], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
