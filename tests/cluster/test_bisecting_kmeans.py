"""Bisecting k-means: nested clusters, each cut a fixed point of 2-means, the largest cut first."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import BisectingKMeans as ScikitLearns
from sklearn.exceptions import ConvergenceWarning

from surefit.cluster.bisecting_kmeans import BisectingKMeans


def blobs(n=300, k=6, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return 8 * rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))


def rows_of_nodes(model, X):
    """The rows of every node, by going down from the root as the attributes say."""
    rows = {0: np.arange(len(X))}
    for t, node in enumerate(model.splits_):
        here = rows[int(node)]
        left, right = model.node_centers_[2 * t + 1], model.node_centers_[2 * t + 2]
        near = ((X[here] - left) ** 2).sum(axis=1) <= ((X[here] - right) ** 2).sum(axis=1)
        rows[2 * t + 1], rows[2 * t + 2] = here[near], here[~near]
    return rows


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_every_cut_is_a_fixed_point_of_the_cluster_that_was_due(strategy):
    X = blobs()
    model = BisectingKMeans(7, tol=0.0, random_state=0, bisecting_strategy=strategy).fit(X)
    rows = rows_of_nodes(model, X)
    means = {node: X[r].mean(axis=0) for node, r in rows.items()}
    inertia = {node: ((X[r] - means[node]) ** 2).sum() for node, r in rows.items()}
    np.testing.assert_allclose(model.node_centers_, [means[node] for node in range(13)], rtol=1e-12)
    waiting = [0]
    for t, node in enumerate(model.splits_):
        size = {m: inertia[m] if strategy == "biggest_inertia" else len(rows[m]) for m in waiting}
        assert size[int(node)] == max(size.values())
        waiting.remove(int(node))
        waiting += [2 * t + 1, 2 * t + 2]
        np.testing.assert_allclose(model.history_[t + 1], sum(inertia[m] for m in waiting), rtol=1e-12)
    assert model.inertia_ == pytest.approx(sum(inertia[m] for m in waiting), rel=1e-12)
    for label in range(7):
        members = np.flatnonzero(model.labels_ == label)
        np.testing.assert_allclose(model.cluster_centers_[label], X[members].mean(axis=0), rtol=1e-12)


def test_clusters_of_fewer_cuts_are_unions_of_clusters_of_more():
    X = blobs(seed=1)
    few, many = (BisectingKMeans(k, random_state=3).fit(X).labels_ for k in (4, 8))
    assert len(np.unique(few * 8 + many)) == 8


def test_new_rows_of_every_kind():
    X = blobs(seed=2)
    X[np.abs(X) < 2] = 0
    model = BisectingKMeans(5, random_state=0, tol=0.0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    sparse = BisectingKMeans(5, random_state=0, tol=0.0).fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.cluster_centers_, model.cluster_centers_, rtol=1e-10)
    np.testing.assert_array_equal(model.predict(sp.csr_array(X)), model.labels_)


def test_no_worse_than_scikit_learns():
    """Both cut greedily from random starts; over six data sets the sums are those of equals."""
    ours = [BisectingKMeans(6, random_state=s).fit(blobs(seed=s)).inertia_ for s in range(6)]
    theirs = [ScikitLearns(6, random_state=s).fit(blobs(seed=s)).inertia_ for s in range(6)]
    assert np.mean(ours) <= 1.05 * np.mean(theirs)


def test_repetitions_are_one_cluster():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="found smaller than n_clusters"):
        model = BisectingKMeans(4, random_state=0).fit(X)
    assert model.inertia_ == 0 and len(np.unique(model.labels_)) == 2


def test_too_many_clusters_are_refused():
    with pytest.raises(ValueError, match="should be >= n_clusters"):
        BisectingKMeans(4).fit(np.eye(3))


@pytest.mark.parametrize("unit", [2.0**600, 2.0**-600])
def test_units_do_not_matter(unit):
    X = blobs(60)
    ours = BisectingKMeans(4, random_state=0).fit(X * unit)
    np.testing.assert_array_equal(ours.labels_, BisectingKMeans(4, random_state=0).fit(X).labels_)


@pytest.mark.parametrize("init", ["random", "k-means++", "farthest"])
@pytest.mark.parametrize("repeated", [False, True])
def test_starts_are_those_of_the_set_of_rows(init, repeated):
    """Rows in any order, of either precision, given twice or of weight two: the same clusters."""
    X = np.round(blobs(seed=4), 2).astype(np.float32)
    X = np.repeat(X[:150], 2, axis=0) if repeated else X
    labels = BisectingKMeans(5, init=init, random_state=1).fit(X).labels_
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(BisectingKMeans(5, init=init, random_state=1).fit(X[order]).labels_, labels[order])
    double = BisectingKMeans(5, init=init, random_state=1).fit(X.astype(np.float64))
    np.testing.assert_array_equal(double.labels_, labels)
    if repeated:
        once = BisectingKMeans(5, init=init, random_state=1).fit(X[::2], sample_weight=np.full(150, 2.0))
        np.testing.assert_array_equal(np.repeat(once.labels_, 2), labels)


def test_a_function_may_keep_the_rows_it_is_given():
    kept = []

    def first_and_last(X, n_clusters, random_state):
        kept.append((X, X.copy()))
        return X[[0, -1]]

    BisectingKMeans(5, init=first_and_last).fit(blobs())
    assert len(kept) == 4
    for given, copy in kept:
        np.testing.assert_array_equal(given, copy)
