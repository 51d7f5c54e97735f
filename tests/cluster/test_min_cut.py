"""MinCut: the graphs it builds, against SciPy's maximum flow, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_flow
from scipy.spatial.distance import cdist

from surefit._core.errors import InvalidData
from surefit.cluster.min_cut import MinCut


def two_groups(n: int = 30) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(n, 2)), rng.normal(size=(n, 2)) + 6])


def least_flow(W: np.ndarray) -> float:
    """The lightest cut that parts the first vertex from any other; weights in units of 1e-6."""
    whole = sp.csr_array(np.rint(W * 1e6).astype(np.int32))
    return min(maximum_flow(whole, 0, t).flow_value for t in range(1, len(W))) * 1e-6


def test_all_pairs_by_their_similarity():
    X = two_groups()
    model = MinCut(affinity="rbf", sigma=2.0).fit(X)
    W = np.exp(-cdist(X, X, "sqeuclidean") / 8.0)
    np.fill_diagonal(W, 0.0)
    np.testing.assert_allclose(model.affinity_matrix_.toarray(), W, rtol=1e-13)
    assert model.cut_value_ == pytest.approx(least_flow(W), abs=1e-4)
    parted = model.labels_[:, None] != model.labels_
    assert model.cut_value_ == pytest.approx(W[parted].sum() / 2)


def test_a_narrow_bridge_is_cut():
    """Two complete graphs of five joined by one edge of weight 0.5."""
    W = np.zeros((10, 10))
    W[:5, :5] = W[5:, 5:] = 1.0
    W[4, 5] = W[5, 4] = 0.5
    for graph in (W, sp.csr_array(W), sp.coo_matrix(W)):
        model = MinCut(affinity="precomputed").fit(graph)
        assert model.labels_.tolist() == [0] * 5 + [1] * 5
        assert model.cut_value_ == 0.5
        assert model.history_[-1] == 0.5


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "mutual_neighbors", "epsilon"])
def test_groups_far_apart_cost_nothing(affinity):
    X = two_groups()
    X[30:] += 100
    model = MinCut(affinity=affinity, radius=20.0).fit(X)
    assert model.cut_value_ == 0.0
    assert model.labels_[0] == 0
    if affinity == "epsilon":
        assert model.labels_.tolist() == [0] * 30 + [1] * 30


def test_fewer_rows_than_neighbors():
    assert MinCut().fit_predict([[0.0], [1.0], [5.0]]).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("W", "words"),
    [
        ([[0.0, 1.0], [2.0, 0.0]], "not symmetric"),
        ([[0.0, -1.0], [-1.0, 0.0]], "negative weight"),
        ([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]], "square"),
        ([[0.0, np.nan], [np.nan, 0.0]], "NaN"),
        ([[0.0]], "minimum of 2"),
    ],
)
def test_what_is_no_graph_is_refused(W, words):
    with pytest.raises((InvalidData, ValueError), match=words):
        MinCut(affinity="precomputed").fit(np.array(W))
