"""The minimum cut against all partitions, against Stoer and Wagner's algorithm, and against SciPy's maximum flow."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_flow

from surefit.solvers.clustering.min_cut import cut_weight, minimum_cut
from tests.reference.min_cut import lightest_of_all, stoer_wagner


def graph(rng: np.random.Generator, n: int, density: float, largest: int) -> np.ndarray:
    """Whole weights, so that nothing rounds; many ties."""
    W = np.triu(rng.integers(1, largest + 1, (n, n)) * (rng.random((n, n)) < density), 1)
    return (W + W.T).astype(np.float64)


def test_all_partitions_of_small_graphs():
    rng = np.random.default_rng(0)
    for _ in range(300):
        W = graph(rng, int(rng.integers(2, 9)), rng.choice([0.3, 0.6, 1.0]), int(rng.choice([1, 3, 50])))
        cut = minimum_cut(sp.csr_array(W))
        assert cut.value == lightest_of_all(W)
        assert cut.value == W[np.ix_(cut.side, ~cut.side)].sum()
        assert cut.side[0] and not cut.side.all()


@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("density", [0.1, 0.5, 1.0])
def test_stoer_and_wagner(n, density):
    rng = np.random.default_rng(n)
    for _ in range(5):
        W = graph(rng, n, density, 9)
        assert minimum_cut(sp.csr_array(W)).value == stoer_wagner(W)


def test_two_groups_joined_by_few_edges():
    """The value is the smallest maximum flow from the first vertex, by SciPy."""
    rng = np.random.default_rng(3)
    W = graph(rng, 80, 0.4, 5)
    W[:40, 40:] *= rng.random((40, 40)) < 0.01
    W[40:, :40] = W[:40, 40:].T
    cut = minimum_cut(sp.csr_array(W))
    flows = [maximum_flow(sp.csr_array(W.astype(np.int32)), 0, t).flow_value for t in range(1, 80)]
    assert cut.value == min(flows)


def test_a_disconnected_graph_is_cut_for_nothing():
    W = np.zeros((5, 5))
    W[0, 3] = W[3, 0] = 2.0
    W[1, 2] = W[2, 1] = 1.0
    cut = minimum_cut(sp.csr_array(W))
    assert cut.value == 0.0
    assert cut.side.tolist() == [True, False, False, True, False]


def test_loops_and_stored_zeros_are_no_edges():
    edges = [(0, 0, 7.0), (0, 1, 1.0), (1, 0, 1.0), (1, 2, 4.0), (2, 1, 4.0), (0, 2, 0.0), (2, 0, 0.0), (2, 2, 9.0)]
    row, column, weight = zip(*edges, strict=True)
    W = sp.csr_array((np.array(weight), (np.array(row), np.array(column))), shape=(3, 3))
    assert W.nnz == 8
    assert minimum_cut(W).value == 1.0


def test_weights_of_very_different_sizes():
    W = np.array([[0.0, 1e-300, 1e300], [1e-300, 0.0, 1e-300], [1e300, 1e-300, 0.0]])
    cut = minimum_cut(sp.csr_array(W))
    assert cut.value == 2e-300
    assert cut.side.tolist() == [True, False, True]


def test_the_weight_of_a_cut_counts_each_edge_once():
    W = sp.csr_array(np.array([[0.0, 0.1, 0.2], [0.1, 0.0, 0.3], [0.2, 0.3, 0.0]]))
    assert cut_weight(W, np.array([True, False, False])) == 0.1 + 0.2


def test_the_rounds_are_reported():
    seen: list[int] = []
    rng = np.random.default_rng(1)
    cut = minimum_cut(sp.csr_array(graph(rng, 40, 0.2, 3)), lambda left, best: seen.append(left))
    assert len(seen) == cut.n_rounds
    assert seen[-1] == 1
    assert seen == sorted(seen, reverse=True)
