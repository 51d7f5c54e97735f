"""The checker of MinCut: cuts by enumeration, flows against SciPy's, mutations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_flow
from sklearn.datasets import load_iris, make_moons

from surefit.certificates import Grade
from surefit.certificates.search.graphs.max_flow import max_flow
from tests.certificates.bench import altered, certify, failing


class MinCut:
    """A model of the class's name with the least of all cuts, by enumeration."""

    affinity = "precomputed"

    def __init__(self, W: np.ndarray, labels: Any = None, value: float | None = None) -> None:
        best = (np.inf, None)
        for rest in itertools.product((0, 1), repeat=len(W) - 1) if labels is None else ():
            side = np.array((0, *rest))
            weight = float(W[side == 0][:, side == 1].sum())
            if side.any() and weight < best[0]:
                best = (weight, side)
        self.labels_ = best[1] if labels is None else labels
        self.cut_value_ = best[0] if value is None else value
        self.affinity_matrix_ = W


def random_graph(n: int, seed: int, whole: bool) -> np.ndarray:
    rng = np.random.default_rng(seed)
    W = rng.integers(0, 6, (n, n)).astype(float) if whole else rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.6)
    return np.triu(W, 1) + np.triu(W, 1).T


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_least_cuts_are_accepted_and_others_refused(seed: int, whole: bool) -> None:
    W = random_graph(8, seed, whole)
    model = MinCut(W)
    c = certify(model, W)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    for rest in itertools.product((0, 1), repeat=7):
        side = np.array((0, *rest))
        value = float(W[side == 0][:, side == 1].sum())
        if side.any() and value > model.cut_value_ * (1 + 1e-5) + 1e-9:
            claim = certify(altered(model, labels_=side, cut_value_=value), W)["minimum"]
            assert claim.grade is Grade.NOT_OPTIMAL and claim.detail["proved"] <= model.cut_value_ * (1 + 1e-12)
            assert claim.value >= 1 - model.cut_value_ / value
            if rest.count(1) % 3 == 0:
                break


@pytest.mark.parametrize("seed", range(8))
def test_flows_are_as_large_as_those_of_scipy(seed: int) -> None:
    W = random_graph(12, seed, True)
    flow, _ = max_flow(W, 0, 11, np.inf)
    F = (flow - flow.T) / 2
    assert (np.abs(F) <= W + 1e-12).all() and np.allclose(F.sum(axis=0)[1:-1], 0.0, atol=1e-9)
    assert F.sum(axis=0)[-1] == maximum_flow(sp.csr_array(W.astype(np.int32)), 0, 11).flow_value


W = random_graph(8, 0, False)
MODEL = MinCut(W)


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"cut_value_": MODEL.cut_value_ * 1.001}, "cut_value"),
        ({"cut_value_": np.nan}, "attributes"),
        ({"labels_": 1 - MODEL.labels_}, "attributes"),
        ({"labels_": np.zeros(8, int)}, "attributes"),
        ({"labels_": MODEL.labels_[:5]}, "attributes"),
        ({"affinity_matrix_": W * 1.001}, "affinity"),
        ({"affinity_matrix_": W[::-1, ::-1]}, "affinity"),
        ({"affinity_matrix_": W[:4]}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert fails in failing(certify(altered(MODEL, **change), W))


def test_pieces_and_many_rows() -> None:
    two = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
    assert certify(MinCut(two), two).grade is Grade.OPTIMAL
    n = 1100
    ring = sp.csr_array(np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1))
    c = certify(MinCut(ring, (np.arange(n) > 500).astype(int), 2.0), ring)
    assert c.holds and c.grade is Grade.UNPROVED


@pytest.mark.parametrize("kind", ["nearest_neighbors", "mutual_neighbors", "epsilon", "rbf"])
def test_graphs_of_rows(kind: str) -> None:
    """surefit's fits: the graph is that of the rows, and other parameters are refused."""
    from surefit.cluster.min_cut import MinCut as Fitted

    X = make_moons(80, noise=0.1, random_state=0)[0]
    model = Fitted(affinity=kind, n_neighbors=8, radius=0.5).fit(X)
    c = certify(model, X)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    if kind != "rbf":
        assert "affinity" in failing(certify(altered(model, n_neighbors=7, radius=0.45), X))
    assert "weights" in failing(certify(altered(model, sigma=1.0), X))
    assert {"affinity", "weights"} & failing(certify(model, X[::-1].copy()))


@pytest.mark.parametrize("change", [np.float32, np.float64])
def test_iris(change: Any) -> None:
    from surefit.cluster.min_cut import MinCut as Fitted

    X = load_iris().data.astype(change)
    for settings in ({}, {"affinity": "rbf"}, {"sigma": 0.01}):
        c = certify(Fitted(**settings).fit(X), X)
        assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


def test_a_row_too_far_for_its_edges_to_weigh_anything() -> None:
    """Its edges count among the lengths whose median is σ, although each weighs exp(−d²/(2σ²)) = 0 in double."""
    from surefit.cluster.min_cut import MinCut as Fitted

    X = np.vstack([np.random.default_rng(0).normal(size=(60, 2)), [[1e4, 0.0]]])
    model = Fitted().fit(X)
    assert model.affinity_matrix_[[60]].sum() == 0.0
    assert certify(model, X).holds
