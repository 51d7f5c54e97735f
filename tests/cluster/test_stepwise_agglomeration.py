"""StepwiseAgglomeration against its definition: every pair tried at every step."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist

from surefit.cluster.stepwise_agglomeration import StepwiseAgglomeration


def kmeans_cost(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


def within_cost(X, labels):
    D = cdist(X, X)
    return sum(D[np.ix_(labels == c, labels == c)].sum() / (2 * (labels == c).sum()) for c in np.unique(labels))


def between_cost(X, labels):
    S = np.exp(-cdist(X, X, "sqeuclidean") / X.shape[1])
    return S[labels[:, None] != labels[None, :]].sum()


COSTS = {"kmeans": kmeans_cost, "within": within_cost, "between": between_cost}


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_each_merge_is_the_best_of_all_pairs(cost, offset):
    rng = np.random.default_rng(0)
    for seed in range(5):
        X = rng.normal(size=(40, 3))
        start = rng.integers(0, 9, 40)
        model = StepwiseAgglomeration(cost).fit(X + offset, initial_labels=start)
        k = len(np.unique(start))
        assert model.merges_.shape == (k - 1, 2) and model.costs_.shape == (k,)
        for left in range(k, 0, -1):
            labels = model.labels_at(left)
            assert len(np.unique(labels)) == left
            truth = COSTS[cost](X, labels)
            assert model.costs_[k - left] == pytest.approx(truth, rel=1e-9), seed
            if left > 1:
                tried = [COSTS[cost](X, np.where(labels == b, a, labels)) for a, b in combinations(range(left), 2)]
                assert model.costs_[k - left + 1] <= min(tried) + 1e-9 * abs(truth)


def test_a_function_gives_the_same_merges():
    X = np.random.default_rng(1).normal(size=(30, 2))
    start = np.arange(30) % 7
    for cost, function in COSTS.items():
        fast = StepwiseAgglomeration(cost, 2).fit(X, initial_labels=start)
        plain = StepwiseAgglomeration(function, 2).fit(X, initial_labels=start)
        np.testing.assert_array_equal(fast.merges_, plain.merges_)
        np.testing.assert_allclose(fast.costs_, plain.costs_, rtol=1e-10)
        np.testing.assert_array_equal(fast.labels_, plain.labels_)


def test_kmeans_cost_from_single_rows_is_wards_tree():
    X = np.random.default_rng(2).normal(size=(80, 3))
    model = StepwiseAgglomeration().fit(X)
    ward = hierarchy.linkage(X, method="ward")
    np.testing.assert_array_equal(model.linkage_matrix_[:, [0, 1, 3]], ward[:, [0, 1, 3]])
    np.testing.assert_allclose(np.sqrt(2 * model.linkage_matrix_[:, 2]), ward[:, 2], rtol=1e-10)


def test_squared_distances_within_are_the_kmeans_cost():
    X = np.random.default_rng(3).normal(size=(50, 4))
    by_means, by_pairs = StepwiseAgglomeration().fit(X), StepwiseAgglomeration("within", metric="sqeuclidean").fit(X)
    np.testing.assert_array_equal(by_means.merges_, by_pairs.merges_)
    np.testing.assert_allclose(by_means.costs_, by_pairs.costs_, rtol=1e-9, atol=1e-12)


def test_precomputed_and_names():
    X = np.random.default_rng(4).normal(size=(20, 2))
    start = np.array(list("dcba") * 5)
    rows = StepwiseAgglomeration("within").fit(X, initial_labels=start)
    given = StepwiseAgglomeration("within", metric="precomputed").fit(cdist(X, X), initial_labels=start)
    np.testing.assert_array_equal(rows.merges_, given.merges_)
    np.testing.assert_array_equal(rows.initial_labels_, [3, 2, 1, 0] * 5)
    np.testing.assert_array_equal(rows.labels_at(4), rows.initial_labels_)


@pytest.mark.parametrize(
    ("settings", "labels", "words"),
    [
        ({"n_clusters": 9}, None, "n_clusters=9"),
        ({"n_clusters": 3}, [0, 0, 1, 1], "2 clusters"),
        ({}, [0, 1], "one label for each"),
        ({"metric": "precomputed"}, None, "cost='kmeans' needs rows"),
    ],
)
def test_refusals(settings, labels, words):
    with pytest.raises(ValueError, match=words):
        StepwiseAgglomeration(**settings).fit(np.eye(4), initial_labels=labels)
    with pytest.raises(ValueError, match="between 1 and 4"):
        StepwiseAgglomeration().fit(np.eye(4)).labels_at(5)
