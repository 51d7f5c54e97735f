"""Clusterings that choose their own setting."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
import sklearn.mixture
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

from surefit.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from surefit.mixture import GaussianMixture
from surefit.model_selection.clusterings.search import ClusterSearch, _Tree
from surefit.solvers.clustering.k_distance import knee_radius

IRIS = load_iris().data
BLOBS, TRUTH = make_blobs(300, centers=4, cluster_std=0.6, random_state=3)
COUNTS = tuple({"n_clusters": k} for k in range(2, 8))
MIXTURES = tuple({"n_components": k, "covariance_type": c} for c in ("full", "tied", "diag") for k in range(1, 6))


@pytest.mark.parametrize("linkage", ["ward", "average", "complete", "single"])
def test_a_tree_is_cut_as_scikit_learn_cuts_it(linkage):
    X = np.random.default_rng(0).normal(size=(60, 3))
    tree = _Tree(AgglomerativeClustering(linkage=linkage), X)
    for k in (1, 2, 3, 7, 59, 60):
        expected = sklearn.cluster.AgglomerativeClustering(k, linkage=linkage).fit(X).labels_
        assert adjusted_rand_score(tree.cut(k), expected) == 1.0
    with pytest.raises(ValueError, match="61 clusters of 60 rows"):
        tree.cut(61)


@pytest.mark.parametrize("estimator", [KMeans(random_state=0, n_init=5), AgglomerativeClustering()])
def test_silhouettes_are_scikit_learns_and_the_highest_is_taken(estimator):
    found = ClusterSearch(estimator, COUNTS).fit(IRIS)
    fits = [clone(estimator).set_params(**one).fit(IRIS) for one in COUNTS]
    expected = [silhouette_score(IRIS, one.labels_) for one in fits]
    np.testing.assert_allclose(found.criteria_, expected, rtol=1e-10)
    assert found.best_params_ == COUNTS[int(np.argmax(expected))] and found.n_search_rows_ == 150
    np.testing.assert_array_equal(found.labels_, fits[int(np.argmax(expected))].labels_)


def test_mixtures_are_chosen_by_bic():
    found = ClusterSearch(GaussianMixture(random_state=0), MIXTURES, "bic").fit(BLOBS)
    theirs = [
        sklearn.mixture.GaussianMixture(random_state=0, n_init=3, **one).fit(BLOBS).bic(BLOBS) for one in MIXTURES
    ]
    assert found.best_params_["n_components"] == MIXTURES[int(np.argmin(theirs))]["n_components"] == 4
    assert adjusted_rand_score(found.labels_, TRUTH) == 1.0
    one = ClusterSearch(GaussianMixture(random_state=0), MIXTURES, "bic").fit(
        np.random.default_rng(0).normal(size=(200, 2))
    )
    assert one.best_params_["n_components"] == 1


def test_components_on_a_point_do_not_count():
    X = np.concatenate([np.repeat([[1.0, 2.0]], 40, axis=0), np.random.default_rng(0).normal(size=(60, 2))])
    found = ClusterSearch(GaussianMixture(random_state=0), MIXTURES, "bic").fit(X)
    taken = MIXTURES.index(found.best_params_)
    assert np.isnan(found.criteria_).any() and not np.isnan(found.criteria_[taken])


def test_the_eigengap_counts_separate_parts():
    for k in (2, 3, 5):
        X = np.random.default_rng(k).normal(size=(40 * k, 2)) + 100.0 * np.repeat(np.arange(k), 40)[:, None]
        model = SpectralClustering(affinity="nearest_neighbors", random_state=0)
        with pytest.warns(UserWarning, match=f"it has {k} components"):
            assert ClusterSearch(model, COUNTS, "eigengap").fit(X).best_params_ == {"n_clusters": k}


def test_the_radius_is_at_the_knee():
    found = ClusterSearch(DBSCAN(), ({"min_samples": 5},)).fit(BLOBS)
    assert found.best_params_ == {"min_samples": 5, "eps": pytest.approx(knee_radius(BLOBS, 5), rel=5e-3)}
    assert found.best_estimator_.eps == found.best_params_["eps"]
    assert ClusterSearch(DBSCAN(), ({"min_samples": 5, "eps": 0.25},)).fit(BLOBS).best_estimator_.eps == 0.25


def test_many_rows_are_searched_by_some():
    found = ClusterSearch(KMeans(random_state=0), COUNTS, max_rows=100).fit(BLOBS)
    assert found.n_search_rows_ == 100 and found.labels_.shape == (300,) and found.best_params_ == {"n_clusters": 4}


def test_settings_that_cannot_be_fitted_are_passed_by():
    found = ClusterSearch(KMeans(random_state=0), COUNTS).fit(BLOBS[:4])
    assert np.isnan(found.criteria_[3:]).all() and found.best_params_["n_clusters"] <= 3
    with pytest.raises(ValueError, match="n_clusters"):
        ClusterSearch(KMeans(random_state=0), ({"n_clusters": 9},)).fit(BLOBS[:4])
    with pytest.raises(ValueError, match="criterion must be"):
        ClusterSearch(KMeans(), COUNTS, "elbow").fit(BLOBS)


def test_sparse_rows():
    found = ClusterSearch(KMeans(random_state=0), COUNTS).fit(sp.csr_array(BLOBS))
    assert found.best_params_ == {"n_clusters": 4}
