"""The checker of StepwiseAgglomeration, against brute force over all pairs; mutations it must refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.cluster.hierarchy as hierarchy
from sklearn.metrics import pairwise_distances

from surefit.certificates import Grade
from surefit.cluster.stepwise_agglomeration import StepwiseAgglomeration
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(4)
X = rng.normal(size=(50, 3)) + 4 * rng.integers(0, 3, (50, 1))
TEN = rng.permutation(np.arange(50) % 10)


def medians(rows: np.ndarray, labels: np.ndarray) -> float:
    return float(sum(np.abs(rows[labels == c] - np.median(rows[labels == c], axis=0)).sum() for c in set(labels)))


def kmeans(rows: np.ndarray, labels: np.ndarray) -> float:
    return float(sum(((rows[labels == c] - rows[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels)))


def within(rows: np.ndarray, labels: np.ndarray) -> float:
    D = pairwise_distances(rows)
    return float(sum(D[np.ix_(labels == c, labels == c)].sum() / (2 * (labels == c).sum()) for c in set(labels)))


def between(rows: np.ndarray, labels: np.ndarray) -> float:
    S = np.exp(-pairwise_distances(rows, metric="sqeuclidean") / rows.shape[1])
    return float(S[labels[:, None] != labels].sum())


COSTS: dict[str, Any] = {"kmeans": kmeans, "within": within, "between": between, "medians": medians}


def asked(name: str) -> Any:
    return medians if name == "medians" else name


def fitted(initial: Any = None, rows: Any = X, **settings: Any) -> StepwiseAgglomeration:
    return StepwiseAgglomeration(**settings).fit(rows, initial_labels=initial)


GOOD: dict[str, tuple[StepwiseAgglomeration, Any]] = {
    **{f"{c}, rows": (fitted(cost=c), X) for c in ("kmeans", "within", "between")},
    **{f"{c}, ten": (fitted(TEN, cost=asked(c)), X) for c in COSTS},
    **{f"{c}, far": (fitted(TEN, X + 1e6, cost=c), X + 1e6) for c in ("kmeans", "within", "between")},
    **{f"{c}, ties": (fitted(None, np.rint(X), cost=c), np.rint(X)) for c in ("kmeans", "within", "between")},
    "single precision": (fitted(TEN, X.astype(np.float32)), X.astype(np.float32)),
    "manhattan": (fitted(TEN, cost="within", metric="manhattan"), X),
    "precomputed": (
        fitted(TEN, pairwise_distances(X), cost="within", metric="precomputed"),
        pairwise_distances(X),
    ),
    "gamma": (fitted(TEN, cost="between", gamma=0.01), X),
    "four left": (fitted(TEN, n_clusters=4), X),
    "nothing to do": (fitted(TEN, n_clusters=10), X),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, rows = GOOD[name]
    c = certify(model, rows)
    assert c.holds and c.not_checked == (), f"\n{c}"
    assert c.grade is Grade.GREEDY


def test_wards_tree_of_scipy() -> None:
    """From single rows the merges of the k-means cost are Ward's; a rise is half the squared height."""
    Z = hierarchy.linkage(X, "ward")
    rises = Z[:, 2] ** 2 / 2
    matrix = np.column_stack([Z[:, :2], rises, Z[:, 3]])
    model = altered(
        fitted(), merges_=Z[:, :2].astype(int), costs_=np.append(0, np.cumsum(rises)), linkage_matrix_=matrix
    )
    assert certify(model, X).holds, str(certify(model, X))


def merged(labels: np.ndarray, a: int, b: int, new: int) -> np.ndarray:
    return np.where((labels == a) | (labels == b), new, labels)


@pytest.mark.parametrize("cost", COSTS)
def test_random_merges_are_refused_by_as_much_as_they_are_worse(cost: str) -> None:
    """Merges drawn at random: the value is at least the truth, all pairs tried with the cost's definition."""
    value, model, labels, merges = COSTS[cost], fitted(TEN, cost=asked(cost)), TEN.copy(), []
    costs, worst = [value(X, labels)], 0.0
    for t in range(9):
        names = np.unique(labels)
        a, b = rng.choice(names, 2, replace=False)
        after = {(p, q): value(X, merged(labels, p, q, 10 + t)) for p in names for q in names if p < q}
        mine = after[min(a, b), max(a, b)]
        worst = max(worst, (mine - min(after.values())) / abs(mine - costs[-1]))
        labels, merges, costs = merged(labels, a, b, 10 + t), [*merges, (a, b)], [*costs, mine]
    size = np.concatenate([np.ones(10), np.zeros(9)])
    for t, (a, b) in enumerate(merges):
        size[10 + t] = size[a] + size[b]
    matrix = np.column_stack([np.array(merges), np.diff(costs), size[10:]])
    liar = altered(model, merges_=np.array(merges), costs_=np.array(costs), linkage_matrix_=matrix)
    c = certify(liar, X)
    assert failing(c) == {"cheapest"} and c["cheapest"].value >= worst * (1 - 1e-9)


MODEL = fitted(TEN, n_clusters=3)
M, C, Z, L = MODEL.merges_, MODEL.costs_, MODEL.linkage_matrix_, MODEL.labels_


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"merges_": M[::-1].copy()}, "attributes"),
        ({"merges_": M[:-1]}, "attributes"),
        ({"merges_": np.zeros_like(M)}, "attributes"),
        ({"merges_": None}, "attributes"),
        ({"costs_": C * (1 + 2e-6)}, "costs"),
        ({"costs_": C + 1.0}, "costs"),
        ({"costs_": changed(C, 3, 1e-2)}, "costs"),
        ({"costs_": C[:-1]}, "attributes"),
        ({"costs_": np.full_like(C, np.nan)}, "attributes"),
        ({"linkage_matrix_": changed(Z, (2, 2), 1e-2)}, "costs"),
        ({"linkage_matrix_": changed(Z, (2, 3), 1.0)}, "attributes"),
        ({"labels_": (L + (np.arange(50) == 5)) % 3}, "labels"),
        ({"labels_": np.where(L == 2, 1, L)}, "labels"),
        ({"labels_": np.where((L == 0) & (np.arange(50) % 2 == 0), 3, L)}, "labels"),
        ({"labels_": np.roll(L, 1)}, "labels"),
        ({"labels_": L + 1}, "labels"),
        ({"initial_labels_": np.roll(TEN, 1)}, "costs"),
        ({"initial_labels_": TEN + 1}, "attributes"),
        ({"n_clusters_": 4}, "attributes"),
        ({"n_clusters": 2}, "attributes"),
        ({"cost": "between"}, "costs"),
        ({"cost": "unheard of"}, "data"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds and certify(altered(MODEL, labels_=(L + 1) % 3), X).holds
    c = certify(altered(MODEL, **change), X)
    assert fails in failing(c), f"\n{c}"


def test_rejects_other_data() -> None:
    for rows in (X[:-1], X[::-1], X * 1.01, np.where(np.arange(50)[:, None] == 9, X + 5, X)):
        assert not certify(MODEL, rows).holds
