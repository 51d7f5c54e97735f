"""The search of neighbors against every distance computed: long double, exact fractions, ties, wicked rows."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from surefit._core.config import config
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.search import build_index, resolve_metric
from surefit.search.blocked import BlockedIndex
from surefit.search.selection import smallest
from surefit.search.sparse import SparseIndex
from tests.reference import neighbors as reference

ALGORITHMS = ("brute", "kd_tree")
METRICS = [("euclidean", 2), ("manhattan", 1), ("chebyshev", math.inf), ("minkowski", 3)]


def rows(n, d, seed=0, offset=0.0, dtype=np.float64):
    return (np.random.default_rng(seed).normal(size=(n, d)) + offset).astype(dtype)


def radius_lists(index, Q, radius, **options):
    """Indices and distances of every row, from the stream."""
    lists, distances = [], []
    for block, indptr, indices, values in index.radius_blocks(Q, radius, **options):
        assert block.start == len(lists) and len(indptr) == block.stop - block.start + 1
        lists += np.split(indices, indptr[1:-1])
        distances += np.split(values, indptr[1:-1])
    return lists, distances


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("name", "p"), METRICS)
@pytest.mark.parametrize(
    ("d", "dtype", "offset"),
    [(1, np.float64, 0), (3, np.float64, 1e8), (5, np.float32, 1e4), (20, np.float64, 0), (40, np.float32, 0)],
)
def test_the_neighbors_are_those_of_long_double(algorithm, name, p, d, dtype, offset):
    X, Q = rows(300, d, 1, offset, dtype), rows(40, d, 2, offset, dtype)
    index = build_index(X, resolve_metric(name, p=p), algorithm=algorithm)
    exact = reference.long_distances(Q, X, p)
    distances, indices = index.query(Q, 7)
    assert distances.dtype == np.float64 and indices.dtype == np.int64
    rounding = 40 * np.finfo(np.float64).eps
    expected = np.sort(exact, axis=1)[:, :7]
    np.testing.assert_allclose(distances, expected.astype(np.float64), rtol=rounding)
    np.testing.assert_allclose(np.take_along_axis(exact, indices, axis=1).astype(np.float64), distances, rtol=rounding)
    radius = float(np.median(exact))
    lists, values = radius_lists(index, Q, radius, max_bytes=20_000)
    for i, (js, ds) in enumerate(zip(lists, values, strict=True)):
        sure, possible = (set(np.flatnonzero(exact[i] <= radius * (1 + s * rounding))) for s in (-1, 1))
        assert sure <= set(js) <= possible and (np.diff(js) > 0).all()
        np.testing.assert_allclose(ds, exact[i, js].astype(np.float64), rtol=rounding)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("d", [2, 3, 12, 30])
def test_ties_go_to_the_lower_index_exactly(algorithm, d):
    """Small whole numbers: distances are exact, and most are shared by many rows."""
    rng = np.random.default_rng(d)
    X = rng.integers(0, 3, size=(120, d)).astype(np.float64)
    Q = rng.integers(0, 3, size=(15, d)).astype(np.float64)
    index = build_index(X, resolve_metric("euclidean"), algorithm=algorithm)
    squares = np.array([[int(v) for v in row] for row in reference.exact_squares(Q, X)])
    for k in (1, 5, 50, 120):
        distances, indices = index.query(Q, k)
        expected, places = reference.nearest(squares, k)
        np.testing.assert_array_equal(indices, places)
        np.testing.assert_array_equal(distances, np.sqrt(expected))
    radius = math.sqrt(np.sort(squares.ravel())[squares.size // 5])
    lists, _ = radius_lists(index, Q, radius)
    for got, wanted in zip(lists, reference.within(squares, round(radius**2)), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("d", [2, 25])
def test_without_itself_is_by_index(algorithm, d):
    X = np.random.default_rng(3).integers(0, 2, size=(90, d)).astype(np.float32)
    X[10:60] = X[0]
    index = build_index(X, resolve_metric("manhattan"), algorithm=algorithm)
    D = cdist(X, X, "cityblock")
    for k in (1, 4, 89):
        distances, indices = index.query(None, k, exclude_self=True)
        expected, places = reference.nearest(D, k, exclude_self=True)
        np.testing.assert_array_equal(indices, places)
        np.testing.assert_array_equal(distances, expected)
    np.testing.assert_array_equal(index.query(None, 4)[1], reference.nearest(D, 4)[1])
    for exclude in (False, True):
        lists, _ = radius_lists(index, None, 1.0, exclude_self=exclude, max_bytes=4000)
        for got, wanted in zip(lists, reference.within(D, 1.0, exclude), strict=True):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    "name", ["cosine", "correlation", "haversine", "jaccard", "hamming", "sqeuclidean", "canberra"]
)
def test_other_metrics(name):
    d = 2 if name == "haversine" else 6
    X, Q = rows(70, d, 4).round(1), rows(11, d, 5).round(1)
    metric = resolve_metric(name)
    index = build_index(X, metric)
    distances, indices = index.query(Q, 6)
    expected, places = reference.nearest(metric.pairwise(Q, X), 6)
    np.testing.assert_array_equal(indices, places)
    np.testing.assert_array_equal(distances, expected)


def test_wicked_rows():
    metric = resolve_metric("euclidean")
    for d in (2, 30):
        equal = np.full((3000, d), 0.1)
        for algorithm in ALGORITHMS:
            index = build_index(equal, metric, algorithm=algorithm)
            distances, indices = index.query(equal[:3], 5)
            assert not distances.any() and indices.tolist() == [[0, 1, 2, 3, 4]] * 3
            assert (index.radius_counts(equal[:2], 0.0) == 3000).all()
            one = build_index(equal[:1], metric, algorithm=algorithm)
            assert one.query(equal[:2], 1)[1].tolist() == [[0], [0]]
            tiny = np.zeros((50, d))
            tiny[:, 0] = np.arange(50) * 5e-324
            np.testing.assert_array_equal(
                build_index(tiny, metric, algorithm=algorithm).query(tiny[:4], 3)[1], [[0, 1, 2]] * 4
            )
            assert build_index(tiny, resolve_metric("manhattan"), algorithm=algorithm).query(tiny[7:8], 3)[
                1
            ].tolist() == [[7, 6, 8]]
            huge = np.vstack([tiny[:3], np.full((2, d), 1e300)])
            far, places = build_index(huge, metric, algorithm=algorithm).query(huge[:1], 5)
            assert places.tolist() == [[0, 1, 2, 3, 4]] and np.isinf(far[0, 3:]).all()


def test_radius_zero_and_infinite():
    X = rows(60, 3, 6)
    X[30] = X[7]
    for algorithm in ALGORITHMS:
        index = build_index(X, resolve_metric("euclidean"), algorithm=algorithm)
        lists, _ = radius_lists(index, None, 0.0)
        assert lists[7].tolist() == lists[30].tolist() == [7, 30] and lists[1].tolist() == [1]
        lists, _ = radius_lists(index, None, 0.0, exclude_self=True)
        assert lists[7].tolist() == [30] and lists[1].tolist() == []
        assert all(len(js) == 60 for js in radius_lists(index, None, math.inf)[0])


def test_order_of_a_radius_and_weighted_counts():
    X, w = rows(200, 2, 7).round(1), np.random.default_rng(8).random(200)
    D = cdist(X, X)
    index = build_index(X, resolve_metric("euclidean"))
    lists, distances = radius_lists(index, None, 0.7, sort=True)
    for i, (js, ds) in enumerate(zip(lists, distances, strict=True)):
        expected, places = reference.nearest(D[i : i + 1], len(js))
        np.testing.assert_array_equal(js, places[0])
        np.testing.assert_array_equal(ds, expected[0])
    np.testing.assert_array_equal(index.radius_counts(None, 0.7), (D <= 0.7).sum(axis=1))
    np.testing.assert_allclose(index.radius_counts(None, 0.7, w), (D <= 0.7) @ w, rtol=1e-13)


def test_blocks_of_any_size_and_any_number_of_threads_give_the_same_bits():
    for d in (3, 30):
        X = rows(500, d, 9, 1e3, np.float32)
        answers = []
        for algorithm in ALGORITHMS:
            for threads in (1, 2):
                with config(n_threads=threads):
                    index = build_index(X, resolve_metric("euclidean"), algorithm=algorithm)
                    for max_bytes in (1, 50_000, 2**26):
                        blocks = list(index.query_blocks(None, 5, exclude_self=True, max_bytes=max_bytes))
                        assert [b[0].stop for b in blocks][-1] == 500
                        answers.append((np.vstack([b[1] for b in blocks]), np.vstack([b[2] for b in blocks])))
        for distances, indices in answers[1:]:
            np.testing.assert_array_equal(distances, answers[0][0])
            np.testing.assert_array_equal(indices, answers[0][1])


def test_compressed_rows_as_dense_ones():
    X = rows(80, 9, 10)
    X[np.abs(X) < 1] = 0
    for name in ("euclidean", "manhattan", "cosine"):
        index, dense = (build_index(Z, resolve_metric(name)) for Z in (sp.csr_array(X), X))
        for Q in (None, sp.csr_array(X[:9]), X[:9]):
            for got, wanted in zip(index.query(Q, 4), dense.query(Q if Q is None else X[:9], 4), strict=True):
                np.testing.assert_array_equal(got, wanted)


def test_compressed_rows_by_products_and_in_blocks():
    rng = np.random.default_rng(13)
    X = sp.random_array((150, 40), density=0.1, rng=rng, format="csr")
    X = sp.csr_array(sp.vstack([X, X[:20], sp.csr_array((3, 40))]))  # equal rows, and rows of zeros
    dense = X.toarray()
    for name in ("euclidean", "sqeuclidean", "cosine", "manhattan"):
        metric = resolve_metric(name)
        index = (BlockedIndex if name == "manhattan" else SparseIndex)(X, metric)
        D = metric.pairwise(dense, dense)
        for exclude in (False, True):
            distances, indices = index.query(None, 6, exclude_self=exclude)
            expected, places = reference.nearest(D, 6, exclude)
            np.testing.assert_array_equal(indices, places)
            np.testing.assert_array_equal(distances, expected)
            radius = float(np.median(D))
            lists, values = radius_lists(index, None, radius, exclude_self=exclude, max_bytes=100_000)
            for i, wanted in enumerate(reference.within(D, radius, exclude)):
                np.testing.assert_array_equal(lists[i], wanted)
                np.testing.assert_array_equal(values[i], D[i, wanted])
        ordered, values = radius_lists(index, dense[:9], radius, sort=True)
        for i in range(9):
            np.testing.assert_array_equal(ordered[i], reference.nearest(D[i : i + 1], len(ordered[i]))[1][0])
    assert isinstance(build_index(sp.csr_array((100, 10**6)), resolve_metric("euclidean")), SparseIndex)


def test_precomputed_distances_dense_and_as_a_graph():
    X = rows(40, 2, 11).round(1)
    D = cdist(X, X)
    metric = resolve_metric("precomputed")
    places = reference.nearest(D, 5, exclude_self=True)[1]
    dense = build_index(D, metric)
    np.testing.assert_array_equal(dense.query(None, 5, exclude_self=True)[1], places)
    graph = sp.csr_array(np.where(D <= np.sort(D, axis=1)[:, 12:13], D, 0.0))
    index = build_index(graph, metric)
    got = index.query(None, 5, exclude_self=True)
    stored = np.where(graph.toarray() > 0, D, np.inf)
    wanted = reference.nearest(stored, 5, exclude_self=True)
    np.testing.assert_array_equal(got[0], wanted[0])
    np.testing.assert_array_equal(got[1], wanted[1])
    lists, _ = radius_lists(dense, D[:6], 0.5)
    for js, expected_js in zip(lists, reference.within(D[:6], 0.5), strict=True):
        np.testing.assert_array_equal(js, expected_js)
    lists, _ = radius_lists(index, None, 0.3)
    for js, expected_js in zip(lists, reference.within(stored, 0.3), strict=True):
        np.testing.assert_array_equal(js, expected_js)
    with pytest.raises(InvalidData, match="neighbors are required"):
        index.query(None, 30)
    with pytest.raises(InvalidData, match="square"):
        build_index(D[:5], metric)
    with pytest.raises(InvalidData, match="≥ 0"):
        build_index(-D, metric)


def test_an_index_is_kept_by_pickle():
    for d, algorithm in ((3, "kd_tree"), (30, "brute")):
        X = rows(60, d, 14)
        index = build_index(X, resolve_metric("euclidean"), algorithm=algorithm)
        again = pickle.loads(pickle.dumps(index))
        for got, wanted in zip(again.query(X[:5], 4), reference.nearest(cdist(X[:5], X), 4), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_spreads_beyond_single_precision_are_searched_by_the_tree():
    for scale in (1e-120, 1e120):
        X = rows(80, 20, 15) * scale
        index = build_index(X, resolve_metric("euclidean"), algorithm="brute")
        np.testing.assert_array_equal(index.query(X[:9], 5)[1], reference.nearest(cdist(X[:9], X), 5)[1])


def test_selection_of_the_smallest_with_many_ties():
    D = np.random.default_rng(12).integers(0, 4, size=(30, 50)).astype(np.float64)
    for k in (1, 7, 50):
        for got, wanted in zip(smallest(D, k), reference.nearest(D, k), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_bad_requests_are_refused():
    X = rows(10, 3)
    index = build_index(X, resolve_metric("euclidean"))
    requests = [
        lambda: index.query(X, 0),
        lambda: index.query(X, 11),
        lambda: index.query(X, 2, exclude_self=True),
        lambda: index.query(None, 10, exclude_self=True),
        lambda: index.radius_blocks(X, -1.0),
        lambda: index.radius_blocks(X, math.nan),
        lambda: build_index(X, resolve_metric(), algorithm="guess"),
    ]
    for request in requests:
        with pytest.raises(InvalidParameter):
            request()
    with pytest.raises(InvalidData, match="3 columns"):
        index.query(X[:, :2], 1)
    with pytest.raises(InvalidData, match="at least one row"):
        build_index(X[:0], resolve_metric())
    with config(memory_limit=1000), pytest.raises(MemoryError, match="query_blocks"):
        index.query(None, 9)
    never = build_index(X, resolve_metric(lambda a, b: math.nan))
    assert isinstance(never, BlockedIndex)
    with pytest.raises(InvalidData, match="NaN"):
        never.query(X, 1)
