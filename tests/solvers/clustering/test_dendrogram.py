"""Cuts of trees."""

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from surefit.solvers.clustering.dendrogram import cut, cut_forest, merges_at_threshold, sizes
from surefit.solvers.clustering.pair_distances import PairDistances

CHILDREN = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])  # five leaves


def test_cuts_by_hand():
    np.testing.assert_array_equal(cut(CHILDREN, 5, 1), [0, 0, 0, 0, 0])
    labels = cut(CHILDREN, 5, 3)  # {0, 1}, {2, 3}, {4}
    assert labels[0] == labels[1] and labels[2] == labels[3] and len(set(labels)) == 3
    assert sorted(cut(CHILDREN, 5, 5)) == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(cut_forest(CHILDREN[:2], 5), [1, 1, 2, 2, 0])
    np.testing.assert_array_equal(sizes(CHILDREN, 5), [2, 2, 3, 5])


def test_a_height_at_the_threshold_is_not_merged():
    assert merges_at_threshold(np.array([1.0, 2.0, 2.0, 3.0]), 2.0) == 3


def test_cuts_are_scipys():
    X = np.random.default_rng(0).normal(size=(80, 3))
    Z = hierarchy.linkage(X, method="average")
    for k in (1, 2, 7, 80):
        theirs = hierarchy.cut_tree(Z, n_clusters=k).ravel()
        ours = cut(Z[:, :2].astype(int), 80, k)
        assert len(set(zip(ours, theirs, strict=True))) == k == len(set(ours))


def test_pairs_in_scipys_order():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for metric in ("euclidean", "cityblock", "cosine", "chebyshev"):
        distances = PairDistances(X, metric)
        half, scale = distances.half_matrix()
        np.testing.assert_allclose(half / scale, pdist(X, metric), rtol=1e-12)
        i, j = np.triu_indices(40, 1)
        np.testing.assert_allclose(distances.paired(i, j), pdist(X, metric), rtol=1e-12)
