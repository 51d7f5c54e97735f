"""Linkages on arrays against SciPy, and merges along the edges of a graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster import hierarchy

from surefit.solvers.clustering.linkage import linkage_matrix
from surefit.solvers.clustering.pair_distances import PairDistances
from surefit.solvers.clustering.restricted_linkage import complete_graph, restricted_linkage

METHODS = ("ward", "complete", "average", "single")


@pytest.mark.parametrize("method", METHODS)
def test_a_graph_of_all_pairs_restricts_nothing(method):
    X = np.random.default_rng(3).normal(size=(40, 3))
    distances = PairDistances(X, "euclidean")
    graph, n_components = complete_graph(np.ones((40, 40)), distances)
    children, heights = restricted_linkage(graph, distances, method, 39)
    Z = hierarchy.linkage(X, method=method)
    assert n_components == 1
    np.testing.assert_array_equal(children, Z[:, :2])
    np.testing.assert_allclose(heights, Z[:, 2], rtol=1e-12)
    np.testing.assert_allclose(linkage_matrix(X, method, "euclidean"), Z, rtol=1e-12)


def test_pieces_are_joined_by_their_closest_rows():
    X = np.array([[0.0], [1.0], [5.0], [7.0]])
    graph = sp.csr_array(([1.0, 1.0], ([0, 2], [1, 3])), shape=(4, 4))
    with pytest.warns(UserWarning, match="2 > 1"):
        joined, n_components = complete_graph(graph, PairDistances(X, "euclidean"))
    assert n_components == 2
    np.testing.assert_array_equal(joined.toarray(), [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])


def test_a_path_restricts_complete_linkage():
    X = np.array([[0.0], [10.0], [1.0], [9.5]])  # neighbors in the order given only
    graph = sp.csr_array(np.diag(np.ones(3), 1))
    distances = PairDistances(X, "euclidean")
    joined, _ = complete_graph(graph, distances)
    children, heights = restricted_linkage(joined, distances, "complete", 3)
    np.testing.assert_array_equal(heights, [8.5, 9.0, 10.0])  # (2, 3), then 1 to it by its edge to 2, then 0
    np.testing.assert_array_equal(children, [[2, 3], [1, 4], [0, 5]])
