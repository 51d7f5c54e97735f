"""Sums over pairs of clusters, and names after merges."""

import numpy as np

from surefit.solvers.clustering.stepwise import WithinCost, agglomerate, names_after, pair_sums


def test_sums_over_pairs_of_clusters():
    D = np.random.default_rng(0).uniform(size=(9, 9))
    D += D.T
    codes = np.array([0, 2, 1, 1, 0, 2, 2, 0, 1])
    sums = pair_sums(lambda part: D[part], codes, 3)
    for a in range(3):
        for b in range(3):
            np.testing.assert_allclose(sums[a, b], D[np.ix_(codes == a, codes == b)].sum(), rtol=1e-13)


def test_names_after_merges():
    merges = np.array([[0, 2], [1, 3]])  # of three clusters: 0 and 2 make 3, 1 and 3 make 4
    codes = np.array([0, 1, 2, 2])
    np.testing.assert_array_equal(names_after(codes, merges, 3, 0), codes)
    np.testing.assert_array_equal(names_after(codes, merges, 3, 1), [3, 1, 3, 3])
    np.testing.assert_array_equal(names_after(codes, merges, 3, 2), [4, 4, 4, 4])


def test_ties_go_to_the_first_pair():
    cost = WithinCost(1.0 - np.eye(4), np.ones(4))  # four rows, all at distance one
    merges, costs = agglomerate(cost, 4, 1)
    np.testing.assert_array_equal(merges[0], [0, 1])
    np.testing.assert_allclose(costs, [0, 0.5, 1, 1.5])  # n(n−1)/2n for each cluster of n
