"""Locally linear embedding: scikit-learn's spaces with every method, neighborhoods within a radius, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.manifold
from scipy.linalg import subspace_angles

from surefit.manifold.locally_linear_embedding import LocallyLinearEmbedding
from tests.solvers.embedding.test_neighborhoods import roll

METHODS = ["standard", "modified", "hessian", "ltsa"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("solver", ["auto", "dense"])
def test_spaces_are_scikit_learns(method, solver):
    X = roll(500)
    ours = LocallyLinearEmbedding(n_neighbors=12, method=method, eigen_solver=solver).fit(X)
    theirs = sklearn.manifold.LocallyLinearEmbedding(n_neighbors=12, method=method, eigen_solver="dense").fit(X)
    assert subspace_angles(ours.embedding_, theirs.embedding_).max() < 1e-5
    np.testing.assert_allclose(ours.reconstruction_error_, theirs.reconstruction_error_, rtol=1e-6)
    np.testing.assert_allclose(ours.embedding_.T @ ours.embedding_, np.eye(2), atol=1e-10)
    assert (np.abs(ours.embedding_).max(axis=0) == ours.embedding_.max(axis=0)).all()


def test_new_rows_are_rebuilt_from_their_neighbors():
    X = roll(400)
    ours = LocallyLinearEmbedding(n_neighbors=12).fit(X)
    theirs = sklearn.manifold.LocallyLinearEmbedding(n_neighbors=12, eigen_solver="dense").fit(X)
    new = X[:30] + 0.05
    np.testing.assert_allclose(np.abs(ours.transform(new)), np.abs(theirs.transform(new)), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_neighborhoods_within_a_radius(method):
    """A radius that gives every row of a ring its twelve nearest is n_neighbors=12."""
    t = np.arange(150) * 2 * np.pi / 150
    ring = np.column_stack([np.cos(t), np.sin(t), np.zeros(150)])
    radius = 2 * np.sin(6.5 * np.pi / 150)
    within = LocallyLinearEmbedding(n_neighbors=None, radius=radius, method=method).fit(ring)
    nearest = LocallyLinearEmbedding(n_neighbors=12, method=method).fit(ring)
    np.testing.assert_allclose(within.eigenvalues_, nearest.eigenvalues_, rtol=1e-6, atol=1e-10)


def test_weights_sum_to_one_and_the_error_is_theirs():
    X = roll(300)
    model = LocallyLinearEmbedding(n_neighbors=10).fit(X)
    np.testing.assert_allclose(model.weights_.sum(axis=1), 1.0, rtol=1e-12)
    left = model.embedding_ - model.weights_ @ model.embedding_
    np.testing.assert_allclose(model.reconstruction_error_, (left**2).sum(), rtol=1e-6)


def test_disconnected_graphs_are_explained():
    X = np.vstack([roll(60), roll(60) + 1e3])
    with pytest.warns(UserWarning, match="2 connected components"):
        model = LocallyLinearEmbedding(n_neighbors=10).fit(X)
    side = model.embedding_[:, 0]
    assert np.ptp(side[:60]) < 1e-6 and np.ptp(side[60:]) < 1e-6 and abs(side[0] - side[-1]) > 0.1


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_neighbors": 60}, "n_neighbors < n_samples"),
        ({"n_components": 4}, "output dimension"),
        ({"method": "hessian"}, "greater than"),
        ({"radius": 1.0}, "one of n_neighbors and radius"),
        ({"n_neighbors": None, "radius": 1e-9}, "no neighbor within radius"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        LocallyLinearEmbedding(**parameters).fit(roll(60))
