"""Three hundred random tables with copies, ties and offsets: SciPy's heights and clusters, same bits on two threads."""

import numpy as np
import pytest
from scipy.cluster import hierarchy

from surefit import config
from surefit.solvers.clustering.linkage import linkage_matrix
from tests.reference.linkage import closest_at_each_merge

METRICS = ("euclidean", "cityblock", "cosine")


def table(number: int) -> tuple[np.ndarray, bool]:
    """(rows, whether pairs tie): anywhere, with copies, on a coarse grid, far from zero."""
    rng = np.random.default_rng(number)
    n, d = int(rng.integers(2, 90)), int(rng.integers(2, 6))
    kind = number % 4
    X = rng.normal(size=(n, d))
    if kind == 1:
        X = X[rng.integers(0, n, n)]
    if kind == 2:
        X = rng.integers(1, 4, size=(n, d)).astype(float)
    return (X + 1e6 if kind == 3 else X), kind == 2


def partition(Z: np.ndarray, threshold: float) -> set[frozenset[int]]:
    labels = hierarchy.fcluster(Z, threshold, criterion="distance")
    return {frozenset(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels)}


@pytest.mark.parametrize("method", ["single", "ward", "complete", "average"])
def test_scipys_trees(method):
    for number in range(300):
        X, tied = table(number)
        metric = METRICS[number % 3] if method != "ward" and number % 4 != 3 else "euclidean"
        Z, theirs = linkage_matrix(X, method, metric), hierarchy.linkage(X, method, metric)
        assert hierarchy.is_valid_linkage(Z) and (np.diff(Z[:, 2]) >= 0).all()
        with config(n_threads=1):
            assert np.array_equal(linkage_matrix(X, method, metric), Z)
        if tied and method != "single":  # several trees are correct: the checker's tests replay their merges
            continue
        small = 1e-14 * theirs[-1, 2] if metric != "cosine" else 1e-14  # SciPy's cosine is a difference from one
        np.testing.assert_allclose(Z[:, 2], theirs[:, 2], rtol=1e-12, atol=small, err_msg=f"{number} {metric}")
        between = np.unique(theirs[:, 2].round(9))
        for threshold in (between[:-1] + between[1:])[::7] / 2:
            if np.abs(theirs[:, 2] - threshold).min() > 1e-9:
                assert partition(Z, threshold) == partition(theirs, threshold), f"{number} {metric}"


@pytest.mark.parametrize("method", ["single", "ward", "complete", "average"])
def test_with_ties_each_merge_is_a_closest_pair(method):
    for seed in range(4):
        X = np.random.default_rng(seed).integers(0, 3, size=(14, 2)).astype(float)
        Z = linkage_matrix(X, method, "euclidean")
        for (merged, least), height in zip(closest_at_each_merge(X, Z, method), Z[:, 2], strict=True):
            assert merged == pytest.approx(least, rel=1e-12, abs=1e-12)
            assert height == pytest.approx(merged, rel=1e-12, abs=1e-12)
