"""Isomap: scikit-learn's places, landmarks, disconnected graphs, new rows, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.manifold
from scipy.spatial.distance import cdist, pdist

import surefit
from surefit._core.errors import TooMuchMemory
from surefit.manifold.isomap import Isomap
from tests.solvers.embedding.test_neighborhoods import roll


@pytest.mark.parametrize("how", [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 6.0}], ids=["k", "radius"])
@pytest.mark.parametrize("more", [{}, {"eigen_solver": "dense"}, {"eigen_solver": "arpack"}, {"path_method": "FW"}])
def test_places_are_scikit_learns(how, more):
    X = roll(400)
    ours, theirs = Isomap(**how, **more).fit(X), sklearn.manifold.Isomap(**how).fit(X)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-12)
    np.testing.assert_allclose(np.abs(ours.embedding_), np.abs(theirs.embedding_), atol=1e-7)
    np.testing.assert_allclose(ours.reconstruction_error(), theirs.reconstruction_error(), rtol=1e-9)
    np.testing.assert_allclose(np.abs(ours.transform(X + 0.01)), np.abs(theirs.transform(X + 0.01)), atol=1e-6)
    assert (np.abs(ours.embedding_).max(axis=0) == ours.embedding_.max(axis=0)).all()


def test_residual_variance_falls_with_the_dimension():
    X = roll(500)
    one, two = (Isomap(n_neighbors=8, n_components=k).fit(X) for k in (1, 2))
    r = np.corrcoef(two.dist_matrix_[np.triu_indices(500, 1)], pdist(two.embedding_))[0, 1]
    np.testing.assert_allclose(two.residual_variance_, 1 - r * r, rtol=1e-9)
    assert 2 * two.residual_variance_ < one.residual_variance_


def test_landmarks_place_a_flat_sheet():
    """Few paths, nearly the same picture; paths from the landmarks only are kept."""
    X = roll(600)
    full, few = Isomap(n_neighbors=8).fit(X), Isomap(n_neighbors=8, landmarks=60).fit(X)
    assert few.dist_matrix_.shape == (60, 600)
    np.testing.assert_array_equal(few.dist_matrix_, full.dist_matrix_[few.landmark_indices_])
    r = np.corrcoef(pdist(full.embedding_), pdist(few.embedding_))[0, 1]
    assert r > 0.999
    near = few.transform(X[:20] + 1e-9) - few.embedding_[:20]
    assert np.abs(near).max() < 1e-6


def test_disconnected_graphs_are_explained():
    X = np.array([[0.0], [1], [2], [50], [51], [52]])
    with pytest.warns(UserWarning, match=r"components of the neighbors graph is 2 > 1.*n_neighbors"):
        model = Isomap(n_neighbors=2, n_components=1).fit(X)
    np.testing.assert_allclose(cdist(model.embedding_, model.embedding_), cdist(X, X), atol=1e-9)


def test_duplicates_are_at_distance_zero():
    X = np.repeat(roll(60), 2, axis=0)
    model = Isomap(n_neighbors=9).fit(X)
    assert not model.dist_matrix_[np.arange(0, 120, 2), np.arange(1, 120, 2)].any()
    np.testing.assert_allclose(model.embedding_[::2], model.embedding_[1::2], atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_neighbors": 60}, "n_neighbors < n_samples"),
        ({"n_neighbors": 3, "radius": 1.0}, "Both n_neighbors and radius"),
        ({"n_neighbors": None}, "both are None"),
        ({"landmarks": 2}, "more than n_components"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        Isomap(**parameters).fit(roll(60))


def test_rows_far_from_all_cannot_be_placed_within_a_radius():
    model = Isomap(n_neighbors=None, radius=8.0).fit(roll(200))
    with pytest.raises(ValueError, match="no fitted row within radius"):
        model.transform(np.full((1, 3), 1e4))


def test_memory_is_refused_before_it_is_allocated():
    with surefit.config(memory_limit=2**20), pytest.raises(TooMuchMemory, match="landmarks"):
        Isomap().fit(roll(1000))
