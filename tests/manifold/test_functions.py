"""Embeddings as functions, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.manifold
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from surefit.manifold import locally_linear_embedding, spectral_embedding
from surefit.neighbors import NearestNeighbors

ROLL = make_swiss_roll(120, random_state=0)[0]
W = kneighbors_graph(ROLL, 9)
W = (0.5 * (W + W.T)).toarray()


@pytest.mark.parametrize("normed", [True, False])
@pytest.mark.parametrize("drop_first", [True, False])
def test_spectral_embedding(normed, drop_first):
    given = dict(n_components=3, norm_laplacian=normed, drop_first=drop_first)
    found = spectral_embedding(W, **given)
    expected = sklearn.manifold.spectral_embedding(W, random_state=0, eigen_tol=1e-12, **given)
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected * signs, atol=1e-5 * np.abs(expected).max())
    if not drop_first:
        one = spectral_embedding(W, n_components=1, norm_laplacian=normed, drop_first=False)
        np.testing.assert_allclose(one, found[:, :1])


@pytest.mark.parametrize("method", ["standard", "modified", "ltsa"])
def test_locally_linear_embedding(method):
    given = dict(n_neighbors=9, n_components=2, method=method, eigen_solver="dense")
    points, error = locally_linear_embedding(ROLL, **given)
    expected, their_error = sklearn.manifold.locally_linear_embedding(ROLL, **given)
    signs = np.sign((points * expected).sum(axis=0))
    np.testing.assert_allclose(points, expected * signs, atol=1e-5)
    assert error == pytest.approx(their_error, rel=1e-3, abs=1e-10)
    again, _ = locally_linear_embedding(NearestNeighbors().fit(ROLL), **given)
    np.testing.assert_array_equal(again, points)
