"""MDS and smacof: scikit-learn's stress or less, weights, starts, bad input."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.manifold
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import surefit
from surefit._core.errors import TooMuchMemory
from surefit.manifold import MDS, smacof

IRIS = load_iris().data


def test_one_step_is_borg_and_groenens():
    """Modern Multidimensional Scaling, page 154."""
    D = np.array([[0, 5, 3, 4], [5, 0, 2, 2], [3, 2, 0, 1], [4, 2, 1, 0]])
    start = np.array([[-0.266, -0.539], [0.451, 0.252], [0.016, -0.238], [-0.200, 0.524]])
    X, _ = smacof(D, init=start, max_iter=1)
    np.testing.assert_allclose(X, [[-1.415, -2.471], [1.633, 1.107], [0.249, -0.067], [-0.468, 1.431]], atol=1e-3)


@pytest.mark.parametrize("metric", [True, False])
def test_stress_is_not_above_scikit_learns_and_never_rises(metric):
    how = {"init": "classical_mds", "metric_mds": metric, "eps": 1e-8, "max_iter": 500}
    ours, theirs = MDS(**how).fit(IRIS), sklearn.manifold.MDS(**how).fit(IRIS)
    assert ours.stress_ <= theirs.stress_ * (1 + 1e-6)
    assert (np.diff(ours.history_) <= 0).all() and len(ours.history_) == ours.n_iter_ + 1


@pytest.mark.parametrize("normalized", [True, False])
def test_stress_is_that_of_the_points(normalized):
    model = MDS(init="random", random_state=0, normalized_stress=normalized).fit(IRIS)
    d, delta = pdist(model.embedding_), pdist(IRIS)
    stress = ((d - delta) ** 2).sum()
    np.testing.assert_allclose(model.stress_, np.sqrt(stress / (d @ d)) if normalized else stress, rtol=1e-12)


def test_the_best_of_several_starts():
    D = squareform(pdist(np.random.default_rng(0).normal(size=(40, 5))))
    several = smacof(D, n_init=6, random_state=3)[1]
    stream_seeds = [smacof(D, n_init=k, random_state=3)[1] for k in (1, 3)]
    assert several <= min(stream_seeds)


def test_a_weight_of_zero_is_a_missing_dissimilarity():
    """Distances in the plane, some of them wrong and without weight: the plane is found again."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    D = squareform(pdist(X))
    W = np.ones((30, 30))
    for i in range(10):
        D[i, i + 15] = D[i + 15, i] = 100.0
        W[i, i + 15] = W[i + 15, i] = 0.0
    start = X + 0.1 * np.random.default_rng(1).normal(size=X.shape)
    model = MDS(metric="precomputed", eps=1e-16, max_iter=3000).fit(D, init=start, weights=W)
    np.testing.assert_allclose(pdist(model.embedding_), pdist(X), atol=1e-5)
    assert (model.weights_ == W - np.diag(np.diag(W))).all()


def test_duplicates_lie_on_each_other():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 2, axis=0)
    model = MDS(init="classical_mds", eps=1e-14).fit(X)
    assert model.stress_ < 1e-10
    np.testing.assert_allclose(model.embedding_[::2], model.embedding_[1::2], atol=1e-6)


def test_all_rows_equal():
    model = MDS(init="classical_mds").fit(np.ones((5, 3)))
    assert model.stress_ == 0 and not model.embedding_.any()


@pytest.mark.parametrize(
    ("D", "words"),
    [
        (np.array([[0.0, 1, 2], [1, 0, 3], [2, 4, 0]]), "symmetric"),
        (np.array([[0.0, 1, np.nan], [1, 0, 3], [np.nan, 3, 0]]), "NaN"),
        (np.array([[0.0, -1, 2], [-1, 0, 3], [2, 3, 0]]), "≥ 0"),
        (np.ones((2, 3)), "square"),
    ],
)
def test_bad_dissimilarities(D, words):
    with pytest.raises(ValueError, match=words):
        smacof(D)
    with pytest.raises(ValueError, match=words):
        MDS(metric="precomputed", init="random").fit(D)


def test_more_dimensions_than_rows():
    model = MDS(n_components=6, init="classical_mds").fit(IRIS[:4])
    assert model.embedding_.shape == (4, 6) and model.stress_ < 1e-20


def test_stopping_early_says_how_much_is_missing():
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        MDS(init="random", random_state=0, max_iter=3).fit(IRIS)


def test_memory_is_refused_before_it_is_allocated():
    with surefit.config(memory_limit=2**20), pytest.raises(TooMuchMemory, match="landmarks"):
        MDS(init="random").fit(np.random.default_rng(0).normal(size=(1000, 2)))
