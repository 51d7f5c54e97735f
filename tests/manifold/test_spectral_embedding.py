"""Laplacian eigenmaps against closed forms and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll
from sklearn.manifold import SpectralEmbedding as Theirs

from surefit.manifold.spectral_embedding import SpectralEmbedding

ROLL = make_swiss_roll(600, random_state=0)[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "settings",
    [
        {"affinity": "nearest_neighbors", "n_neighbors": 14},
        {"affinity": "rbf", "gamma": 0.1},
        {"affinity": "rbf"},
        {"affinity": lambda X: np.exp(-0.05 * np.square(X[:, None] - X).sum(axis=2))},
    ],
)
def test_the_same_coordinates_as_scikit_learn(settings, dtype):
    ours, theirs = SpectralEmbedding(3, **settings).fit(ROLL.astype(dtype)), Theirs(3, **settings).fit(ROLL)
    assert ours.embedding_.dtype == dtype
    size = np.abs(theirs.embedding_).max()
    np.testing.assert_allclose(ours.embedding_, theirs.embedding_, atol=(1e-7 if dtype == np.float64 else 1e-3) * size)


def test_the_path_has_the_known_eigenmaps():
    """The random walk on a path of n vertices: λ = 1 − cos(πj/(n − 1)), y = cos(πj i/(n − 1))."""
    n = 500
    W = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr")
    model = SpectralEmbedding(4, affinity="precomputed").fit(W)
    j = np.arange(1, 5)
    np.testing.assert_allclose(model.eigenvalues_, 1 - np.cos(np.pi * j / (n - 1)), rtol=1e-8)
    wave = np.cos(np.pi * j * np.arange(n)[:, None] / (n - 1))
    d = np.r_[1.0, np.full(n - 2, 2.0), 1.0]
    wave /= np.sqrt(d @ wave**2)
    np.testing.assert_allclose(np.abs(wave.T @ (d[:, None] * model.embedding_)), np.eye(4), atol=1e-7)
    np.testing.assert_allclose(d @ model.embedding_, 0, atol=1e-9)


@pytest.mark.parametrize("kind", ["symmetric", "random_walk", "unnormalized"])
def test_the_equations(kind):
    model = SpectralEmbedding(3, n_neighbors=10, laplacian=kind).fit(ROLL)
    W, Y = model.affinity_matrix_.toarray(), model.embedding_
    d = W.sum(axis=1)
    mass = np.ones(len(d)) if kind == "unnormalized" else d
    np.testing.assert_allclose(d[:, None] * Y - W @ Y, mass[:, None] * Y * model.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(Y.T @ (mass[:, None] * Y), np.eye(3), atol=1e-10)
    np.testing.assert_allclose(mass @ Y, 0, atol=1e-9)
    largest = np.abs(Y).argmax(axis=0)
    assert (Y[largest, np.arange(3)] > 0).all()


def test_a_graph_in_pieces_is_explained():
    X = np.r_[ROLL[:100], ROLL[:100] + 1000.0, ROLL[:100] - 1000.0]
    with pytest.warns(UserWarning, match="not fully connected: it has 3 components, and the first 2 coordinates"):
        model = SpectralEmbedding(3, n_neighbors=12).fit(X)
    assert (model.eigenvalues_[:2] == 0).all() and model.eigenvalues_[2] > 0
    pieces = model.embedding_[:, :2].reshape(3, 100, 2)
    np.testing.assert_allclose(pieces, pieces[:, :1].repeat(100, axis=1), atol=1e-12)
    assert len(np.unique(pieces[:, 0].round(6), axis=0)) == 3


def test_defaults_and_attributes():
    model = SpectralEmbedding().fit(ROLL[:200])
    assert model.n_neighbors_ == 20 and not hasattr(model, "gamma_")
    model = SpectralEmbedding(affinity="rbf").fit(ROLL[:200])
    assert model.gamma_ == 1 / 3 and not hasattr(model, "n_neighbors_")
    within = SpectralEmbedding(affinity="epsilon", radius=8.0).fit(ROLL[:200]).affinity_matrix_
    D = np.linalg.norm(ROLL[:200, None] - ROLL[:200], axis=2)
    np.testing.assert_array_equal(within.toarray(), (D <= 8.0) & ~np.eye(200, dtype=bool))


def test_more_coordinates_than_rows_allow_are_refused():
    with pytest.raises(ValueError, match="must be less than n_samples=3"):
        SpectralEmbedding(3, affinity="rbf").fit(ROLL[:3])
