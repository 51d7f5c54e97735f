"""Classical scaling: principal components, scikit-learn's places, landmarks, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.manifold
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

import surefit
from surefit._core.errors import TooMuchMemory
from surefit.manifold import ClassicalMDS

IRIS = load_iris().data


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("n", [150, 900])
def test_euclidean_distances_give_principal_components(offset, n):
    X = np.random.default_rng(0).normal(size=(n, 5)) * [5, 4, 3, 2, 1]
    model, pca = ClassicalMDS(n_components=3).fit(X + offset), PCA(n_components=3).fit(X)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(pca.transform(X)), atol=1e-8)
    np.testing.assert_allclose(np.sqrt(model.eigenvalues_), pca.singular_values_, rtol=1e-9)
    assert model.negative_share_ == 0


@pytest.mark.parametrize("n", [150, 300])
def test_places_are_scikit_learns(n):
    X = np.random.default_rng(1).normal(size=(n, 4)) * [4, 3, 2, 1]
    D = cdist(X, X, "cityblock")
    for ours, theirs, rows in [
        (ClassicalMDS(metric="precomputed"), sklearn.manifold.ClassicalMDS(metric="precomputed"), D),
        (ClassicalMDS(metric="manhattan"), sklearn.manifold.ClassicalMDS(metric="manhattan"), X),
    ]:
        np.testing.assert_allclose(ours.fit(rows).embedding_, theirs.fit(rows).embedding_, atol=1e-8)
        np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    values = np.linalg.eigvalsh(-0.5 * (D**2 - (D**2).mean(0) - (D**2).mean(1)[:, None] + (D**2).mean()))
    np.testing.assert_allclose(
        ClassicalMDS(metric="precomputed").fit(D).negative_share_,
        -values[values < 0].sum() / np.abs(values).sum(),
        rtol=1e-8,
    )


def test_landmarks():
    """In the plane the distances to twenty rows place all of them; no matrix of all pairs is formed."""
    X = np.random.default_rng(0).normal(size=(3000, 2))
    with surefit.config(memory_limit=2**22):
        model = ClassicalMDS(landmarks=20).fit(X)
    assert model.dissimilarity_matrix_.shape == (20, 3000)
    np.testing.assert_allclose(pdist(model.embedding_[:200]), pdist(X[:200]), atol=1e-8)


def test_distances_that_no_space_has():
    """A star with arms of one: its center has distance 1 to all, the tips 2 to each other; three tips need no line."""
    D = np.full((4, 4), 2.0)
    D[0] = D[:, 0] = 1.0
    np.fill_diagonal(D, 0.0)
    with pytest.warns(UserWarning, match="not Euclidean"):
        model = ClassicalMDS(n_components=4, metric="precomputed").fit(D)
    # −½ J D² J has the eigenvalues 2, 2, 0 and −¼
    np.testing.assert_allclose(model.eigenvalues_, [2, 2, 0, 0], atol=1e-12)
    np.testing.assert_allclose(model.negative_share_, 0.25 / 4.25, rtol=1e-12)
    assert np.isfinite(model.embedding_).all()


def test_more_dimensions_than_rows():
    assert ClassicalMDS(n_components=9).fit(IRIS[:4]).embedding_.shape == (4, 4)


@pytest.mark.parametrize(
    ("D", "words"),
    [
        (np.array([[0.0, 1], [2, 0]]), "symmetric"),
        (np.array([[0.0, np.nan], [np.nan, 0]]), "NaN"),
        (np.array([[0.0, -1], [-1, 0]]), "≥ 0"),
    ],
)
def test_bad_distances(D, words):
    with pytest.raises(ValueError, match=words):
        ClassicalMDS(metric="precomputed").fit(D)


def test_memory_is_refused_before_it_is_allocated():
    with surefit.config(memory_limit=2**20), pytest.raises(TooMuchMemory, match="landmarks"):
        ClassicalMDS().fit(np.random.default_rng(0).normal(size=(1000, 2)))
