"""KMeans: answers from closed forms, brute force and scikit-learn; starts free of the order of rows; every source."""

from __future__ import annotations

import re
import warnings
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import surefit
from surefit.cluster import KMeans
from surefit.engine.sources.source import MemorySource
from surefit.solvers.clustering.lloyd import measure_extent

IRIS = load_iris().data


def partition(labels):
    """Labels by first appearance: equal for equal partitions."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def test_iris_reaches_the_published_optimum():
    """78.8514 is the optimal sum of squares of iris for k = 3 (du Merle et al., SIAM J. Sci. Comput. 21, 1999)."""
    model = KMeans(3, n_init=10, random_state=0).fit(IRIS)
    assert model.inertia_ == pytest.approx(78.8514, abs=5e-5)
    assert (np.diff(model.history_) <= 1e-12).all()
    assert model.history_[-1] == model.inertia_
    assert model.n_iter_ >= 1


def test_small_problem_reaches_the_best_of_all_partitions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2))
    best = np.inf
    for labels in product(range(3), repeat=8):
        groups = [X[np.array(labels) == c] for c in range(3)]
        best = min(best, sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups if len(g)))
    model = KMeans(3, n_init=50, tol=0, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_same_iterations_as_scikit_learn(dtype, sparse):
    """From the same centers, with no tolerance, both must end in the same fixed point."""
    X, _ = make_blobs(600, 6, centers=9, random_state=1, cluster_std=3.0)
    X = X.astype(dtype)
    start = X[:9].copy()
    rows = sp.csr_matrix(X) if sparse else X
    ours = KMeans(9, init=start, tol=0, n_init=1).fit(rows)
    theirs = sklearn.cluster.KMeans(9, init=start, tol=0, n_init=1).fit(rows)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.cluster_centers_.dtype == dtype
    np.testing.assert_allclose(
        ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-5 if dtype == np.float32 else 1e-12
    )
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("init", ["k-means++", "random", "farthest"])
@pytest.mark.parametrize("sparse", [False, True])
def test_weights_are_repetitions_and_order_is_free(init, sparse):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 5)) + 4 * rng.integers(0, 3, size=(120, 1))
    w = rng.integers(0, 4, 120)
    shuffled = rng.permutation(np.repeat(np.arange(120), w))
    rows, repeated = (sp.csr_array(X), sp.csr_array(X[shuffled])) if sparse else (X, X[shuffled])
    a = KMeans(6, init=init, n_init=3, tol=0, random_state=7).fit(rows, sample_weight=w)
    b = KMeans(6, init=init, n_init=3, tol=0, random_state=7).fit(repeated)
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-12, atol=1e-12)
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-12)
    assert np.array_equal(a.labels_[shuffled], b.labels_)


def test_csr_finds_the_dense_clusters():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 30)) * (rng.random((300, 30)) < 0.2) + 3 * np.eye(30)[rng.integers(3, size=300)]
    dense, sparse = KMeans(3, random_state=0).fit(X), KMeans(3, random_state=0).fit(sp.csr_matrix(X))
    assert np.array_equal(dense.labels_, sparse.labels_)
    np.testing.assert_allclose(dense.cluster_centers_, sparse.cluster_centers_, atol=1e-12)
    np.testing.assert_allclose(dense.transform(X), sparse.transform(sp.csr_matrix(X)), rtol=1e-10, atol=1e-10)


def test_threads_change_no_bit():
    X, _ = make_blobs(30000, 10, centers=20, random_state=0, cluster_std=4.0)
    runs = []
    for n_threads in (1, 2, 3):
        with surefit.config(n_threads=n_threads):
            runs.append(KMeans(20, random_state=0).fit(X))
    for other in runs[1:]:
        assert runs[0].cluster_centers_.tobytes() == other.cluster_centers_.tobytes()
        assert runs[0].inertia_ == other.inertia_
        assert np.array_equal(runs[0].labels_, other.labels_)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_offsets_do_not_matter(offset):
    X = np.round(make_blobs(500, 4, centers=5, random_state=2)[0] * 64) / 64 + offset
    model = KMeans(5, init=X[:5], tol=0, n_init=1).fit(X)
    near = KMeans(5, init=X[:5] - offset, tol=0, n_init=1).fit(X - offset)
    assert np.array_equal(model.labels_, near.labels_)
    assert model.inertia_ == pytest.approx(near.inertia_, rel=1e-9)
    np.testing.assert_allclose(model.transform(X), near.transform(X - offset), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_labels_and_inertia_belong_to_the_centers(dtype):
    """Even where the run stops early, what is reported is what the centers give."""
    X = make_blobs(400, 3, centers=12, random_state=0, cluster_std=2.0)[0].astype(dtype)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations"):
        model = KMeans(12, max_iter=2, tol=0, random_state=0).fit(X)
    sq_dist = ((X[:, None].astype(float) - model.cluster_centers_.astype(float)) ** 2).sum(axis=2)
    assert np.array_equal(model.labels_, sq_dist.argmin(axis=1))
    assert model.inertia_ == pytest.approx(sq_dist.min(axis=1).sum(), rel=1e-12)
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.score(X) == pytest.approx(-model.inertia_, rel=1e-12)
    np.testing.assert_allclose(model.transform(X), np.sqrt(sq_dist), rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_one_cluster_is_the_mean():
    w = np.arange(150.0)
    model = KMeans(1).fit(IRIS, sample_weight=w)
    np.testing.assert_allclose(model.cluster_centers_[0], np.average(IRIS, axis=0, weights=w), rtol=1e-13)


def test_one_row():
    model = KMeans(1).fit([[1.5, -2.0]])
    assert model.cluster_centers_.tolist() == [[1.5, -2.0]]
    assert model.inertia_ == 0.0


@pytest.mark.parametrize("init", ["k-means++", "random", "farthest"])
def test_as_many_clusters_as_rows(init):
    X = np.unique(IRIS, axis=0)[:40]
    model = KMeans(40, init=init, n_init=1, random_state=0).fit(X)
    assert model.inertia_ == 0.0
    assert sorted(model.labels_) == list(range(40))


@pytest.mark.parametrize("init", ["k-means++", "random", "farthest"])
@pytest.mark.parametrize("sparse", [False, True])
def test_fewer_distinct_rows_than_clusters(init, sparse):
    X = np.array([[0.0, 1.0]] * 5 + [[2.0, 0.0]] * 5)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_clusters \(4\)"):
        model = KMeans(4, init=init, n_init=1, random_state=0).fit(sp.csr_array(X) if sparse else X)
    assert model.inertia_ == 0.0
    assert len(set(model.labels_)) == 2


def test_constant_columns_and_duplicates():
    X = np.column_stack([np.repeat([0.0, 5.0, 9.0], 20), np.full(60, 7.0)])
    model = KMeans(3, random_state=0).fit(X)
    assert sorted(model.cluster_centers_.tolist()) == [[0.0, 7.0], [5.0, 7.0], [9.0, 7.0]]
    assert model.inertia_ == 0.0


@pytest.mark.parametrize("sparse", [False, True])
def test_empty_clusters_move_to_the_farthest_rows(sparse):
    X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0]])
    start = np.array([[5.0], [1000.0], [2000.0]])
    model = KMeans(3, init=start, n_init=1, tol=0).fit(sp.csr_array(X) if sparse else X)
    assert sorted(model.cluster_centers_.ravel()) == [0.5, 10.5, 30.0]
    assert model.inertia_ == pytest.approx(1.0)


def test_a_row_that_starts_a_cluster_leaves_its_own():
    X = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [1.0, 1.0]])
    start = np.array([[0.5, 0.5], [3.0, 3.0]])
    ours = KMeans(2, init=start, n_init=1).fit(X)
    theirs = sklearn.cluster.KMeans(2, init=start, n_init=1).fit(X)
    assert ours.n_iter_ == theirs.n_iter_ == 3
    assert sorted(ours.cluster_centers_.tolist()) == [[0.25, 0.0], [0.75, 1.0]]
    weights = np.array([1.0, 2.0, 1.0, 3.0])
    weighted = KMeans(2, init=start, n_init=1).fit(X, sample_weight=weights)
    repeated = KMeans(2, init=start, n_init=1).fit(np.repeat(X, weights.astype(int), axis=0))
    assert (weighted.n_iter_, weighted.inertia_) == (repeated.n_iter_, pytest.approx(repeated.inertia_))
    alone = KMeans(2, init=np.array([[1.0], [50.0]]), n_init=1, max_iter=1).fit([[3.0], [3.0]])
    assert 3.0 in alone.cluster_centers_  # the only place there is: its cluster keeps it too


@pytest.mark.parametrize("size", [1e-310, 1e-160, 1e-30, 1e30, 1e150])
def test_any_magnitude(size):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [8.0, 8.0], [9.0, 9.0], [-20.0, 3.0]]) * size
    model = KMeans(3, init=X[[0, 2, 4]], n_init=1).fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1, 2]
    np.testing.assert_allclose(model.cluster_centers_ / size, [[0.5, 0.5], [8.5, 8.5], [-20.0, 3.0]], rtol=1e-9)


def test_float32_of_any_magnitude():
    for size in (1e-42, 1e-25, 1e25):
        X = (np.array([[0.0, 1.0], [1.0, 0.0], [8.0, 8.0], [9.0, 9.0]]) * size).astype(np.float32)
        model = KMeans(2, init=X[[0, 2]], n_init=1).fit(X)
        assert model.labels_.tolist() == [0, 0, 1, 1]


def test_starts():
    with pytest.warns(RuntimeWarning, match="performing only one init in KMeans instead of n_init=5"):
        KMeans(2, init=IRIS[:2], n_init=5).fit(IRIS)
    calls = []

    def start(X, n_clusters, random_state):
        calls.append(random_state.randint(1000))
        return X[:n_clusters]

    KMeans(2, init=start, n_init=3, random_state=0).fit(IRIS)
    assert len(set(calls)) == 3
    with pytest.raises(ValueError, match=r"initial centers \(3, 4\) does not match the number of clusters 2"):
        KMeans(2, init=IRIS[:3]).fit(IRIS)
    with pytest.raises(
        ValueError, match=r"initial centers \(2, 3\) does not match the number of features of the data 4"
    ):
        KMeans(2, init=IRIS[:2, :3]).fit(IRIS)
    with pytest.raises(ValueError, match="n_samples=150 should be >= n_clusters=151"):
        KMeans(151).fit(IRIS)


def test_farthest_points():
    """From any first row the farthest others follow: on a line, the two ends come first."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [50.0]])
    for seed in range(10):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(2, init="farthest", max_iter=1, random_state=seed).fit(X)
        assert adjusted_rand_score(model.labels_, [0, 0, 0, 0, 1]) == 1.0


@pytest.mark.parametrize(
    "random_state",
    [5, np.random.SeedSequence(5), lambda: np.random.RandomState(5), lambda: np.random.default_rng(5)],
    ids=["int", "SeedSequence", "RandomState", "Generator"],
)
def test_random_states(random_state):
    def make():
        return random_state() if callable(random_state) else random_state

    a, b = (KMeans(5, init="random", n_init=1, random_state=make()).fit(IRIS) for _ in range(2))
    assert np.array_equal(a.labels_, b.labels_)


def test_algorithms_are_one():
    a, b = (KMeans(6, algorithm=name, random_state=0).fit(IRIS) for name in ("lloyd", "elkan"))
    assert a.cluster_centers_.tobytes() == b.cluster_centers_.tobytes()


def test_tolerance_is_scikit_learns():
    X, _ = make_blobs(2000, 5, centers=8, random_state=3, cluster_std=5.0)
    for tol in (1e-1, 1e-3):
        ours = KMeans(8, init=X[:8], tol=tol, n_init=1).fit(X)
        theirs = sklearn.cluster.KMeans(8, init=X[:8], tol=tol, n_init=1).fit(X)
        assert ours.n_iter_ == theirs.n_iter_
    spread = measure_extent(MemorySource(X + 1e6))
    assert spread.variance == pytest.approx(np.mean(np.var(X, axis=0)), rel=1e-8)


def test_output_names_and_verbose(capsys):
    model = KMeans(3, random_state=0, verbose=1).fit(IRIS)
    assert model.get_feature_names_out().tolist() == ["kmeans0", "kmeans1", "kmeans2"]
    words = capsys.readouterr().out
    assert words.startswith(f"Initialization complete\nIteration 0, inertia {model.history_[0]}.\n")
    last = model.n_iter_ - 1
    assert words.endswith(f"inertia {model.inertia_}.\nConverged at iteration {last}: strict convergence.\n")
    KMeans(3, random_state=0, tol=0.5, verbose=1).fit(IRIS)
    assert re.search(r"Converged at iteration \d+: center shift \S+ within tolerance \S+\.\n$", capsys.readouterr().out)
    assert np.array_equal(KMeans(3, random_state=0).fit_predict(IRIS), model.labels_)
    np.testing.assert_array_equal(KMeans(3, random_state=0).fit_transform(IRIS), model.transform(IRIS))


def test_certificate_holds_and_fails():
    model = KMeans(3, n_init=10, random_state=0).fit(IRIS)
    assert model.certify(IRIS).holds
    model.cluster_centers_[0] += 0.1
    assert not model.certify(IRIS).holds


@pytest.mark.parametrize("init", ["k-means++", "random", "farthest"])
def test_parquet_and_dask_give_the_bits_of_memory(tmp_path, init):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    dask_array = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    X = make_blobs(20000, 6, centers=7, random_state=0, cluster_std=4.0)[0]
    X[100:140] = X[:40]
    w = rng.integers(0, 3, 20000).astype(float)
    frame = pandas.DataFrame(X, columns=[f"x{j}" for j in range(6)]).assign(w=w)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=3000)
    memory = KMeans(7, init=init, n_init=2, random_state=0).fit(X, sample_weight=w)
    parquet = KMeans(7, init=init, n_init=2, random_state=0).fit(str(tmp_path / "rows.parquet"), sample_weight="w")
    chunks = dask_array.from_array(X, chunks=(7000, 3))
    lazy = KMeans(7, init=init, n_init=2, random_state=0).fit(
        chunks, sample_weight=dask_array.from_array(w, chunks=5000)
    )
    for other in (parquet, lazy):
        assert other.cluster_centers_.tobytes() == memory.cluster_centers_.tobytes()
        assert (other.inertia_, other.n_iter_) == (memory.inertia_, memory.n_iter_)
        assert not hasattr(other, "labels_")
    assert np.array_equal(np.asarray(lazy.predict(chunks)), memory.labels_)
    source = surefit.scan(str(tmp_path / "rows.parquet"), columns=[f"x{j}" for j in range(6)], weight="w")
    assert parquet.score(source) == pytest.approx(-memory.inertia_, rel=1e-12)


def test_streams_move_empty_clusters_too(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X, _ = make_blobs(9000, 2, centers=4, random_state=1)
    pandas.DataFrame(X, columns=["a", "b"]).to_parquet(tmp_path / "rows.parquet")
    start = np.array([[0.0, 0.0], [1e6, 1e6], [2e6, 2e6], [3e6, 3e6]])
    stream = KMeans(4, init=start, n_init=1).fit(str(tmp_path / "rows.parquet"))
    memory = KMeans(4, init=start, n_init=1).fit(X)
    assert stream.cluster_centers_.tobytes() == memory.cluster_centers_.tobytes()
    assert np.abs(stream.cluster_centers_).max() < 1e3


def test_a_stop_by_tol_far_from_a_fixed_point_warns() -> None:
    """The saving in the warning is that of a step made by hand; a strict fit and the default one say nothing."""
    U = np.random.default_rng(3).random((600, 3))
    for X in (U, sp.csr_matrix(U)):
        with pytest.warns(ConvergenceWarning, match="still save") as caught:
            model = KMeans(9, init=U[:9], n_init=1, tol=1e6).fit(X)
        means = np.array([U[model.labels_ == j].mean(axis=0) for j in range(9)])
        share = ((means - model.cluster_centers_) ** 2).sum(axis=1) @ np.bincount(model.labels_) / model.inertia_
        assert f"save {share:.2g} of the inertia" in str(caught[0].message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            KMeans(9, init=U[:9], n_init=1, tol=0.0).fit(X)
            KMeans(9, init=U[:9], n_init=1).fit(X)
