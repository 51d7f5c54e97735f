"""NearestNeighbors: exact answers, ties, graphs, metrics, and rows of every kind."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from scipy.spatial.distance import cdist

from surefit.neighbors import NearestNeighbors


def by_sorting(D, k):
    """The k nearest by (distance, index), from all distances."""
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, axis=1), order


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
def test_equal_distances_go_to_the_lower_index(algorithm):
    rng = np.random.default_rng(0)
    X, Q = rng.integers(0, 4, (300, 2)).astype(float), rng.integers(0, 4, (50, 2)).astype(float)
    distances, indices = NearestNeighbors(n_neighbors=20, algorithm=algorithm).fit(X).kneighbors(Q)
    exact, order = by_sorting(cdist(Q, X), 20)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_allclose(distances, exact, rtol=1e-15)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "cosine", "canberra", "braycurtis", "correlation"])
def test_metrics_are_those_of_scipy(metric):
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(80, 3)), rng.normal(size=(20, 3))
    distances, indices = NearestNeighbors(metric=metric).fit(X).kneighbors(Q)
    exact, order = by_sorting(cdist(Q, X, "cityblock" if metric == "manhattan" else metric), 5)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_allclose(distances, exact, rtol=1e-12, atol=1e-15)


def test_minkowski_is_named_in_simplest_words():
    X = np.eye(3)
    for p, name in [(1, "manhattan"), (2, "euclidean"), (np.inf, "chebyshev")]:
        model = NearestNeighbors(p=p).fit(X)
        assert (model.effective_metric_, model.effective_metric_params_) == (name, {})
    model = NearestNeighbors(p=3, metric_params={"w": np.array([1.0, 2.0, 3.0])}).fit(X)
    assert model.effective_metric_ == "minkowski" and model.effective_metric_params_["p"] == 3


def test_a_function_of_two_rows():
    rng = np.random.default_rng(2)
    X, Q = rng.normal(size=(40, 3)), rng.normal(size=(10, 3))
    ours = NearestNeighbors(metric=lambda a, b: float(np.abs(a - b).sum())).fit(X).kneighbors(Q)
    exact, order = by_sorting(cdist(Q, X, "cityblock"), 5)
    np.testing.assert_array_equal(ours[1], order)
    np.testing.assert_allclose(ours[0], exact, rtol=1e-14)


def test_rows_fitted_are_not_their_own_neighbors():
    X = np.array([[0.0], [0.0], [0.0], [5.0]])
    distances, indices = NearestNeighbors(n_neighbors=2).fit(X).kneighbors()
    np.testing.assert_array_equal(indices, [[1, 2], [0, 2], [0, 1], [0, 1]])
    np.testing.assert_array_equal(distances, [[0, 0], [0, 0], [0, 0], [5, 5]])


def test_radius_is_inclusive_and_by_index_or_distance():
    X = np.array([[3.0], [0.0], [1.0], [5.0]])
    model = NearestNeighbors(radius=3.0).fit(X)
    distances, indices = model.radius_neighbors([[0.0], [9.0]])
    assert [list(found) for found in indices] == [[0, 1, 2], []]
    distances, indices = model.radius_neighbors([[0.0]], sort_results=True)
    assert list(indices[0]) == [1, 2, 0] and list(distances[0]) == [0, 1, 3]
    _, own = model.radius_neighbors([[0.0], [0.0]], radius=[1.0, 0.5])
    assert [list(found) for found in own] == [[1, 2], [1]]
    _, others = model.radius_neighbors(None, radius=1.0)
    assert [list(found) for found in others] == [[], [2], [1], []]


def test_graphs_store_zeros():
    X = np.array([[0.0], [0.0], [2.0]])
    model = NearestNeighbors(n_neighbors=1, radius=2.0).fit(X)
    graph = model.kneighbors_graph(mode="distance")
    assert graph.nnz == 3 and list(graph.indices) == [1, 0, 0] and list(graph.data) == [0, 0, 2]
    graph = model.radius_neighbors_graph(X, mode="distance")
    np.testing.assert_array_equal(graph.toarray(), cdist(X, X))
    assert graph.nnz == 9
    np.testing.assert_array_equal(model.radius_neighbors_graph(X).toarray(), np.ones((3, 3)))


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_rows(container):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((60, 8)) < 0.3, rng.normal(size=(60, 8)), 0.0)
    dense = NearestNeighbors().fit(X).kneighbors(X[:9])
    for rows, asked in [(container(X), X[:9]), (container(X), container(X[:9])), (X, container(X[:9]))]:
        distances, indices = NearestNeighbors().fit(rows).kneighbors(asked)
        np.testing.assert_array_equal(indices, dense[1])
        np.testing.assert_allclose(distances, dense[0], rtol=1e-14)


def test_precomputed_distances_dense_and_sparse():
    rng = np.random.default_rng(4)
    X, Q = rng.normal(size=(40, 3)), rng.normal(size=(9, 3))
    rows = NearestNeighbors(n_neighbors=4).fit(X)
    given = NearestNeighbors(n_neighbors=4, metric="precomputed").fit(cdist(X, X))
    graph = NearestNeighbors(n_neighbors=4, metric="precomputed").fit(rows.kneighbors_graph(X, 6, mode="distance"))
    np.testing.assert_array_equal(given.kneighbors(cdist(Q, X))[1], rows.kneighbors(Q)[1])
    np.testing.assert_array_equal(given.kneighbors()[1], rows.kneighbors()[1])
    np.testing.assert_array_equal(graph.kneighbors()[1], rows.kneighbors()[1])
    with pytest.raises(ValueError, match="Negative values"):
        given.kneighbors(-cdist(Q, X))
    with pytest.raises(ValueError, match="must be square"):
        NearestNeighbors(metric="precomputed").fit(cdist(Q, X))
    with pytest.raises(TypeError, match="explicit zeros"):
        given.fit(sp.dok_array(cdist(X, X)))


def test_fitted_on_another_model_or_tree():
    X = np.random.default_rng(5).normal(size=(30, 3))
    expected = NearestNeighbors().fit(X).kneighbors(X)[1]
    for data in (NearestNeighbors(metric="cosine").fit(X), sklearn.neighbors.KDTree(X), sklearn.neighbors.BallTree(X)):
        np.testing.assert_array_equal(NearestNeighbors().fit(data).kneighbors(X)[1], expected)


def test_the_index_is_not_saved_and_follows_the_rows():
    X = np.random.default_rng(6).normal(size=(500, 3))
    model = NearestNeighbors().fit(X)
    assert len(pickle.dumps(model)) < X.nbytes + 5000
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.kneighbors(X)[1], model.kneighbors(X)[1])
    model.X_fit_ = X[::-1]
    np.testing.assert_array_equal(model.kneighbors(X[:1], 1)[1], [[499]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_neighbors": 7}, "n_neighbors <= n_samples_fit"),
        ({"n_neighbors": 0}, "n_neighbors > 0"),
        ({"n_neighbors": 2.5}, "enter integer value"),
    ],
)
def test_numbers_of_neighbors_that_cannot_be(arguments, words):
    model = NearestNeighbors().fit(np.eye(6))
    with pytest.raises(ValueError, match=words):
        model.kneighbors(np.eye(6), **arguments)


def test_a_tree_does_not_take_every_metric():
    for settings in ({"metric": "cosine"}, {"p": 0.5}, {"metric": lambda a, b: 0.0}):
        with pytest.raises(ValueError, match="kd_tree"):
            NearestNeighbors(algorithm="kd_tree", **settings).fit(np.eye(6))
    with pytest.warns(UserWarning, match="not distance metrics"):
        NearestNeighbors(p=0.5).fit(np.eye(6))
    with pytest.warns(SyntaxWarning, match="metric_params"):
        NearestNeighbors(metric_params={"p": 3}).fit(np.eye(6))


def test_threads_and_the_search_behind():
    X = np.random.default_rng(7).normal(size=(300, 3))
    one, two = NearestNeighbors(n_jobs=1).fit(X), NearestNeighbors(n_jobs=2).fit(X)
    assert (one._index.n_jobs, two._index.n_jobs) == (1, 2)
    np.testing.assert_array_equal(one.kneighbors()[0], two.kneighbors()[0])
    assert one._fit_method == "kd_tree"
    assert NearestNeighbors(algorithm="brute").fit(X)._fit_method == "brute"
    assert NearestNeighbors(metric="precomputed").fit(cdist(X, X))._fit_method == "brute"
