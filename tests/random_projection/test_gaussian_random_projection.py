"""Random projections: the promise of the lemma against simulation, scikit-learn's dimension, rows of every kind."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from scipy.stats import chi2, kstest
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.random_projection import johnson_lindenstrauss_min_dim as scikit_learns

from surefit.random_projection import johnson_lindenstrauss_min_dim
from surefit.random_projection.dimension import failure_probability
from surefit.random_projection.gaussian_random_projection import GaussianRandomProjection


def test_dimension_without_delta_is_scikit_learns():
    n, eps = np.array([2, 50, 10**6]), np.array([0.9, 0.3, 0.05])
    np.testing.assert_array_equal(johnson_lindenstrauss_min_dim(n, eps=eps), scikit_learns(n, eps=eps))


@pytest.mark.parametrize("n, eps, delta", [(10, 0.5, 0.1), (1000, 0.2, 1e-3), (10**6, 0.05, 0.5)])
def test_dimension_is_the_least_that_keeps_the_promise(n, eps, delta):
    k = johnson_lindenstrauss_min_dim(n, eps=eps, delta=delta)
    assert failure_probability(n, k, eps) <= delta < failure_probability(n, k - 1, eps)


@pytest.mark.parametrize("eps", [0.1, 0.5, 0.9])
def test_tails_are_below_the_bound(eps):
    """Both tails of χ²/k against exp(−k(ε − log(1 + ε))/2), by SciPy's distribution."""
    for k in (1, 10, 100, 1000):
        bound = np.exp(-k * (eps - np.log1p(eps)) / 2)
        assert chi2.sf((1 + eps) * k, k) <= bound and chi2.cdf((1 - eps) * k, k) <= bound


def test_entries_are_normal_with_variance_one_over_k():
    A = GaussianRandomProjection(40, random_state=0).fit(np.zeros((2, 500))).components_
    assert kstest(A.ravel() * np.sqrt(40), "norm").pvalue > 1e-3


def test_distances_are_kept():
    X = np.random.default_rng(0).normal(size=(60, 2000))
    model = GaussianRandomProjection(eps=0.5, delta=1e-3, random_state=1).fit(X)
    ratio = (pdist(model.transform(X)) / pdist(X)) ** 2
    assert 0.5 < ratio.min() and ratio.max() < 1.5


def test_sparse_rows_and_the_way_back():
    X = sp.random_array((30, 80), density=0.1, rng=np.random.default_rng(0)).tocsr()
    model = GaussianRandomProjection(10, random_state=0).fit(X)
    Z = model.transform(X)
    np.testing.assert_allclose(Z, X.toarray() @ model.components_.T, atol=1e-12)
    kept = GaussianRandomProjection(10, random_state=0, compute_inverse_components=True).fit(X)
    for back in (model.inverse_transform(Z), kept.inverse_transform(Z)):
        np.testing.assert_allclose(model.transform(back), Z, atol=1e-10)
        np.testing.assert_allclose(back, Z @ np.linalg.pinv(model.components_).T, atol=1e-10)


def test_what_cannot_be_is_refused():
    X = np.zeros((100, 50))
    with pytest.raises(ValueError, match="larger than the original space"):
        GaussianRandomProjection().fit(X)
    with pytest.warns(DataDimensionalityWarning, match="will not be reduced"):
        GaussianRandomProjection(60).fit(X)
    for bad in ({"eps": 0.0}, {"eps": 1.0}, {"delta": 0.0}, {"delta": 1.0}):
        with pytest.raises(ValueError, match=r"eps|delta"):
            johnson_lindenstrauss_min_dim(10, **bad)
    with pytest.raises(ValueError, match="n_samples"):
        johnson_lindenstrauss_min_dim(0)
    for n, eps in (("many", 0.1), ([10, 20, 30], [0.1, 0.2])):
        with pytest.raises(ValueError, match="n_samples and eps must be numbers, or arrays of numbers of one shape"):
            johnson_lindenstrauss_min_dim(n, eps=eps)


def test_rows_drawn_with_the_same_seed_are_independent_of_the_matrix():
    """The first k rows of normal data from the same seed would be the matrix itself."""
    X = np.random.default_rng(0).standard_normal((60, 2000))
    projection = GaussianRandomProjection(n_components=300, random_state=0).fit(X)
    cosines = projection.components_[:60] @ X.T / np.linalg.norm(X, axis=1) / np.sqrt(2000 / 300)
    assert np.abs(cosines).max() < 6 / np.sqrt(2000)  # of independent directions, 3,600 of them
