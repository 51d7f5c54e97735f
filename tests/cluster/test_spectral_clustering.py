"""Spectral clustering against scikit-learn, closed forms and exhaustive search."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import surefit
from surefit.cluster.spectral_clustering import SpectralClustering, spectral_clustering
from surefit.graphs import cut_value, laplacian, normalized_cut, ratio_cut

LAPLACIANS = ("random_walk", "symmetric", "unnormalized")
ASSIGN = ("kmeans", "discretize", "cluster_qr")
MOONS, MOON = make_moons(300, noise=0.05, random_state=0)
NOT_CONNECTED = pytest.mark.filterwarnings("ignore:Graph is not fully connected")


@NOT_CONNECTED
@pytest.mark.parametrize("laplacian_kind", LAPLACIANS)
@pytest.mark.parametrize("assign", ASSIGN)
def test_two_moons(laplacian_kind, assign):
    model = SpectralClustering(2, affinity="nearest_neighbors", laplacian=laplacian_kind, assign_labels=assign)
    assert adjusted_rand_score(model.fit_predict(MOONS), MOON) == 1
    assert model.n_components_graph_ == 2 and model.cut_ == 0
    assert (model.eigenvalues_[:2] == 0).all() and model.eigenvalues_[2] > 0


@NOT_CONNECTED
@pytest.mark.parametrize(
    ("affinity", "more"),
    [
        ("nearest_neighbors", {"n_neighbors": 12}),
        ("epsilon", {"radius": 0.3}),
        ("rbf", {"gamma": 30.0}),
        ("laplacian", {"gamma": 20.0}),
    ],
)
def test_graphs_by_name(affinity, more):
    model = SpectralClustering(2, affinity=affinity, **more).fit(MOONS)
    assert adjusted_rand_score(model.labels_, MOON) == 1
    again = SpectralClustering(2, affinity="precomputed").fit(model.affinity_matrix_)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_mutual_neighbors_are_in_the_lists_of_each_other():
    model = SpectralClustering(2, affinity="mutual_neighbors", n_neighbors=30).fit(MOONS)
    D = np.linalg.norm(MOONS[:, None] - MOONS, axis=2)
    near = D <= np.sort(D, axis=1)[:, [29]]
    np.fill_diagonal(near, False)
    np.testing.assert_array_equal(model.affinity_matrix_.toarray(), near & near.T)


@NOT_CONNECTED
@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_the_same_groups_as_scikit_learn(affinity):
    X = load_iris().data
    X = X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape)  # no ties
    ours = SpectralClustering(3, affinity=affinity, random_state=0).fit(X)
    theirs = Theirs(3, affinity=affinity, random_state=0).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    dense = [W.toarray() if sp.issparse(W) else np.array(W) for W in (ours.affinity_matrix_, theirs.affinity_matrix_)]
    for W in dense:
        np.fill_diagonal(W, 0)
    np.testing.assert_allclose(*dense, rtol=1e-12)


@pytest.mark.parametrize("kind", LAPLACIANS)
def test_eigenvalues_are_lapacks_and_below_every_cut(kind):
    X = make_blobs(600, 3, centers=4, cluster_std=3.0, random_state=0)[0]
    model = SpectralClustering(4, affinity="nearest_neighbors", n_neighbors=15, laplacian=kind).fit(X)
    W = model.affinity_matrix_
    symmetric = "unnormalized" if kind == "unnormalized" else "symmetric"
    expected = np.linalg.eigvalsh(laplacian(W, symmetric).toarray())[:5]
    np.testing.assert_allclose(model.eigenvalues_, expected, rtol=1e-8, atol=1e-13)
    value = model.ratio_cut_ if kind == "unnormalized" else model.normalized_cut_
    assert value >= expected[:4].sum()
    assert model.cut_ == cut_value(W, model.labels_)
    assert model.ratio_cut_ == ratio_cut(W, model.labels_)
    assert model.normalized_cut_ == normalized_cut(W, model.labels_)


def test_the_embedding_is_what_its_laplacian_says():
    X = make_blobs(80, 3, centers=3, cluster_std=2.0, random_state=1)[0]
    walk, sym, plain = (SpectralClustering(3, gamma=0.1, laplacian=kind).fit(X) for kind in LAPLACIANS)
    W = walk.affinity_matrix_ - np.diag(walk.affinity_matrix_.diagonal())
    D = np.diag(W.sum(axis=1))
    V, lam = walk.embedding_, walk.eigenvalues_[:3]
    np.testing.assert_allclose((D - W) @ V, D @ V * lam, atol=1e-12)
    np.testing.assert_allclose(V.T @ D @ V, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(sym.embedding_, axis=1), 1.0, rtol=1e-14)
    V, lam = plain.embedding_, plain.eigenvalues_[:3]
    np.testing.assert_allclose((D - W) @ V, V * lam, atol=1e-12)


def test_the_least_normalized_cut_of_a_small_graph():
    """All 2¹⁰ two-way cuts of two cliques with a bridge: the best one is found."""
    W = np.zeros((10, 10))
    W[:5, :5] = W[5:, 5:] = 1.0
    W[4, 5] = W[5, 4] = 0.5
    best = min(normalized_cut(W, labels) for labels in product((0, 1), repeat=10) if len(set(labels)) == 2)
    model = SpectralClustering(2, affinity="precomputed").fit(W)
    assert model.normalized_cut_ == pytest.approx(best, rel=1e-14)


def test_number_of_groups_by_the_eigengap():
    for k in (2, 3, 5):
        angle = 2 * np.pi * np.arange(k) / k
        X, _ = make_blobs(60 * k, centers=10 * np.c_[np.cos(angle), np.sin(angle)], cluster_std=0.8, random_state=0)
        connected = SpectralClustering("eigengap", gamma=0.1).fit(X)
        assert connected.n_components_graph_ == 1 and connected.n_clusters_ == k
        assert len(connected.eigenvalues_) == 11
        with pytest.warns(UserWarning, match=f"it has {k} components"):
            assert SpectralClustering("eigengap", affinity="epsilon", radius=1.5).fit(X).n_clusters_ == k


def test_more_components_than_groups():
    X = np.repeat(np.arange(5.0), 6)[:, None] * 100 + np.tile(np.arange(6.0), 5)[:, None]
    with pytest.warns(UserWarning, match="5 components, and 3 groups join some of them at no cost"):
        model = SpectralClustering(3, affinity="epsilon", radius=2.0).fit(X)
    assert model.cut_ == 0 and len(np.unique(model.labels_)) == 3
    for start in range(0, 30, 6):
        assert len(set(model.labels_[start : start + 6])) == 1


@NOT_CONNECTED
def test_vertices_without_edges():
    W = sp.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(4, 4))
    labels = SpectralClustering(3, affinity="precomputed").fit(W).labels_
    assert labels[0] == labels[1] and len(set(labels)) == 3


@NOT_CONNECTED
def test_sparse_rows_and_single_precision():
    X = make_blobs(200, 5, centers=3, random_state=0)[0]
    X[np.abs(X) < 2] = 0
    dense = SpectralClustering(3, affinity="nearest_neighbors").fit(X)
    assert adjusted_rand_score(SpectralClustering(3, affinity="nearest_neighbors").fit(sp.csr_array(X)).labels_,
                               dense.labels_) == 1  # fmt: skip
    single = SpectralClustering(3, affinity="nearest_neighbors").fit(X.astype(np.float32))
    assert adjusted_rand_score(single.labels_, dense.labels_) == 1


def test_function():
    W = SpectralClustering(2, gamma=20.0).fit(MOONS).affinity_matrix_
    labels = spectral_clustering(W, n_clusters=2, random_state=0)
    assert adjusted_rand_score(labels, Theirs(2, affinity="precomputed", random_state=0).fit(W).labels_) == 1


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SpectralClustering(400), "should be >= n_clusters"),
        (SpectralClustering(2, affinity="epsilon"), "give radius"),
        (SpectralClustering(2, affinity="precomputed"), "square matrix"),
        (SpectralClustering(2, affinity="linear"), "negative weight"),
        (SpectralClustering(2, laplacian="normalized"), "laplacian"),
    ],
)
def test_what_makes_no_sense_is_refused(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(MOONS)


def test_a_matrix_that_is_not_symmetric_is_averaged_with_a_warning():
    W = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    with pytest.warns(UserWarning, match="not symmetric"):
        model = SpectralClustering(2, affinity="precomputed").fit(W)
    np.testing.assert_array_equal(model.affinity_matrix_, (W + W.T) / 2)


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_the_eigengap_of_more_components_than_max_clusters():
    """29 vertices without edges: max_clusters groups, which the certificate counts too."""
    for most in (2, 10, 40):
        model = SpectralClustering("eigengap", affinity="precomputed", max_clusters=most).fit(np.zeros((29, 29)))
        assert model.n_clusters_ == min(29, most) == len(np.unique(model.labels_))
        certificate = surefit.certify(model, np.zeros((29, 29)))
        assert certificate["eigengap"].holds and certificate["clusters"].holds, f"\n{certificate}"
        model.max_clusters = 5
        assert not surefit.certify(model, np.zeros((29, 29)))["eigengap"].holds


@pytest.mark.parametrize("laplacian", ["random_walk", "symmetric", "unnormalized"])
@pytest.mark.parametrize("weak", [1e-6, 1e-9, 1e-12, 1e-15, 1e-18, 1e-30])
def test_the_eigengap_of_eigenvalues_at_the_rounding(weak, laplacian):
    """Three cliques of four with bridges of weight `weak`: λ₂ and λ₃ are below 4 weak, λ₄ is at least one."""
    W = np.kron(np.eye(3), np.ones((4, 4))) - np.eye(12)
    W[3, 4] = W[4, 3] = weak
    W[7, 8] = W[8, 7] = 3 * weak
    model = SpectralClustering("eigengap", affinity="precomputed", laplacian=laplacian).fit(W)
    assert model.n_components_graph_ == 1 and model.n_clusters_ == 3
    assert surefit.certify(model, W)["eigengap"].holds
    model.n_clusters_ = 2
    model.labels_ = np.minimum(model.labels_, 1)
    assert not surefit.certify(model, W)["eigengap"].holds
