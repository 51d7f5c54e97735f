"""Trees of merges and k-means as functions, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
from sklearn.neighbors import kneighbors_graph

from surefit.cluster import k_means, linkage_tree, ward_tree

X = np.random.default_rng(0).normal(size=(50, 2))
GRAPH = kneighbors_graph(X, 6)


def same_tree(found, expected):
    np.testing.assert_array_equal(np.sort(found[0], axis=1), np.sort(expected[0], axis=1))
    assert found[1:3] == expected[1:3]
    if expected[3] is None:
        assert found[3] is None
    else:
        np.testing.assert_array_equal(found[3], expected[3])
    np.testing.assert_allclose(found[4], expected[4], rtol=1e-10)


@pytest.mark.parametrize("n_clusters", [None, 5])
def test_trees_on_a_graph(n_clusters):
    given = dict(connectivity=GRAPH, n_clusters=n_clusters, return_distance=True)
    same_tree(ward_tree(X, **given), sklearn.cluster.ward_tree(X, **given))
    for linkage in ("complete", "average", "single"):
        how = given | {"linkage": linkage, "n_clusters": None if linkage == "single" else n_clusters}
        same_tree(linkage_tree(X, **how), sklearn.cluster.linkage_tree(X, **how))


def test_trees_without_a_graph():
    same_tree(ward_tree(X, return_distance=True), sklearn.cluster.ward_tree(X, return_distance=True))
    for linkage in ("complete", "average", "single"):
        for metric in ("euclidean", "manhattan"):
            how = dict(linkage=linkage, affinity=metric, return_distance=True)
            same_tree(linkage_tree(X, **how), sklearn.cluster.linkage_tree(X, **how))
    assert len(ward_tree(X)) == 4
    with pytest.warns(UserWarning, match="built to its root"):
        assert len(ward_tree(X, n_clusters=3)[0]) == 49
    with pytest.raises(ValueError, match="linkage must be"):
        linkage_tree(X, linkage="ward")


def test_k_means():
    centers, labels, inertia, rounds = k_means(X, 3, init=X[:3], n_init=1, return_n_iter=True)
    expected = sklearn.cluster.k_means(X, 3, init=X[:3], n_init=1)
    np.testing.assert_allclose(centers, expected[0], rtol=1e-10)
    np.testing.assert_array_equal(labels, expected[1])
    assert inertia == pytest.approx(expected[2], rel=1e-12) and rounds >= 1
    weighted = k_means(X, 3, sample_weight=np.arange(50.0), random_state=0)
    assert len(weighted) == 3 and weighted[2] >= 0
