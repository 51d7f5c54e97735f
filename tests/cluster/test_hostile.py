"""Distances that are none, matrices that are not symmetric, numbers beyond floating point, rows that are all equal."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import surefit
from surefit.cluster import AgglomerativeClustering, MinCut, SpectralClustering, StepwiseAgglomeration
from surefit.neighbors import GammaIndex, KNeighborsClassifier, NearestNeighbors

X = np.random.default_rng(0).normal(size=(30, 3))
D = np.linalg.norm(X[:, None] - X, axis=2)


@pytest.mark.parametrize("linkage_name", ["average", "complete", "single"])
@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_a_metric_that_gives_no_distances(linkage_name, value):
    model = AgglomerativeClustering(2, linkage=linkage_name, metric=lambda a, b: value)
    with pytest.raises(ValueError, match="distances are numbers ≥ 0"):
        model.fit(X)


@pytest.mark.parametrize("linkage_name", ["average", "complete", "single"])
def test_distances_one_way_and_the_other(linkage_name):
    lopsided = D.copy()
    lopsided[3, 5] += 1.0
    model = AgglomerativeClustering(2, linkage=linkage_name, metric="precomputed")
    with pytest.raises(ValueError, match=r"rows (3 and 5|5 and 3) is .* one way .* must be symmetric"):
        model.fit(lopsided)
    negative = D.copy()
    negative[3, 5] = negative[5, 3] = -0.5
    with pytest.raises(ValueError, match=r"a distance of two rows is -0\.5"):
        model.fit(negative)
    rounded = D * (1 + 1e-15 * np.random.default_rng(1).normal(size=D.shape))
    rounded[3, 5] = rounded[5, 3] = -1e-16
    exact = D.copy()
    exact[3, 5] = exact[5, 3] = 0.0
    expected = linkage(squareform(exact, checks=False), linkage_name)[:, 2]
    np.testing.assert_allclose(model.fit(rounded).linkage_matrix_[:, 2], expected, atol=1e-12)


def test_similarities_may_have_any_sign():
    S = X @ X.T
    assert StepwiseAgglomeration("between", 2, metric="precomputed").fit(S).n_clusters_ == 2


def test_costs_beyond_floating_point():
    with pytest.raises(ValueError, match="costs are beyond floating point"):
        StepwiseAgglomeration().fit(X * 1e200)
    with pytest.raises(ValueError, match="costs are beyond floating point"):
        StepwiseAgglomeration(cost=lambda rows, labels: float("nan"), n_clusters=2).fit(X[:6])


@pytest.mark.parametrize("model", [NearestNeighbors(), GammaIndex(), KNeighborsClassifier(), NearestNeighbors(p=3)])
def test_rows_so_large_that_all_are_equally_far(model):
    with pytest.raises(ValueError, match=r"are beyond floating point\. Divide the columns"):
        model.fit(X * 1e200, np.arange(30) % 2)
    near, far = (NearestNeighbors().fit(X * scale).kneighbors()[1] for scale in (1.0, 1e150))
    np.testing.assert_array_equal(near, far)


def test_minimum_cuts_of_equal_rows_are_certified():
    """σ is the median length of the edges between rows that differ."""
    pairs = np.repeat(X[:2], 12, axis=0)
    model = MinCut().fit(pairs)
    assert surefit.certify(model, pairs).holds
    zeros = np.where(np.abs(X) > 1, X, 0.0)
    assert surefit.certify(MinCut().fit(zeros), zeros).holds
    same = np.ones((12, 2))
    assert surefit.certify(MinCut().fit(same), same).holds


def test_the_eigengap_of_two_rows():
    model = SpectralClustering("eigengap", random_state=0).fit(X[:2])
    certificate = surefit.certify(model, X[:2])
    assert certificate["eigengap"].holds


def test_what_scikit_learn_takes_is_taken():
    for name in ("average", "complete", "single"):
        ours = AgglomerativeClustering(3, linkage=name, metric="precomputed").fit(D)
        theirs = sklearn.cluster.AgglomerativeClustering(3, linkage=name, metric="precomputed").fit(D)
        assert len(set(zip(ours.labels_, theirs.labels_, strict=True))) == 3
