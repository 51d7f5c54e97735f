"""Graphs of neighbors as functions, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.neighbors
from sklearn.metrics import pairwise_distances

from surefit.neighbors import NearestNeighbors, kneighbors_graph, radius_neighbors_graph

X = np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("include_self", [True, False, "auto"])
@pytest.mark.parametrize("how", [{}, {"p": 1}, {"metric": "cosine"}])
def test_graphs_are_scikit_learns(mode, include_self, how):
    given = dict(mode=mode, include_self=include_self, **how)
    found, expected = (f(X, 4, **given) for f in (kneighbors_graph, sklearn.neighbors.kneighbors_graph))
    assert type(found) is type(expected) and found.nnz == expected.nnz
    np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)
    found, expected = (f(X, 0.9, **given) for f in (radius_neighbors_graph, sklearn.neighbors.radius_neighbors_graph))
    np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)


def test_of_a_fitted_search_and_of_distances():
    search = NearestNeighbors(metric="manhattan").fit(X)
    found = kneighbors_graph(search, 3, metric="manhattan", mode="distance")
    expected = sklearn.neighbors.kneighbors_graph(X, 3, metric="manhattan", mode="distance")
    np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)
    D = pairwise_distances(X)
    for include in (True, False):
        found = kneighbors_graph(D, 3, metric="precomputed", include_self=include)
        np.testing.assert_array_equal(found.toarray(), kneighbors_graph(X, 3, include_self=include).toarray())
    with pytest.raises(ValueError, match="Got minkowski for metric, while the estimator has manhattan"):
        kneighbors_graph(search, 3)
    with pytest.raises(ValueError, match="include_self must be"):
        kneighbors_graph(X, 3, include_self="yes")
    theirs = sklearn.neighbors.NearestNeighbors().fit(X)
    assert kneighbors_graph(theirs, 3).nnz == 120
    with pytest.raises(ValueError, match="needs the rows"):
        radius_neighbors_graph(theirs, 1.0, include_self=True)
