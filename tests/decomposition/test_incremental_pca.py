"""Incremental PCA: that of all rows whatever the batches, and a bound where directions were dropped."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA as ScikitLearns

from surefit.decomposition.incremental_pca import IncrementalPCA
from surefit.solvers.principal.running_factor import RunningFactor


def rows(n=200, d=8, seed=0, offset=100.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + offset


@pytest.mark.parametrize("batch_size", [7, 50, 1000])
def test_all_batches_give_pca(batch_size):
    X = rows()
    model = IncrementalPCA(3, batch_size=batch_size).fit(X)
    expected = ScikitLearns(3, svd_solver="full").fit(X)
    np.testing.assert_allclose(model.explained_variance_, expected.explained_variance_, rtol=1e-11)
    np.testing.assert_allclose(model.singular_values_, expected.singular_values_, rtol=1e-11)
    np.testing.assert_allclose(model.noise_variance_, expected.noise_variance_, rtol=1e-9)
    np.testing.assert_allclose(model.explained_variance_ratio_, expected.explained_variance_ratio_, rtol=1e-11)
    np.testing.assert_allclose(np.abs(model.components_ @ expected.components_.T), np.eye(3), atol=1e-10)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(model.var_, X.var(axis=0), rtol=1e-12)
    assert model.error_bound_ == 0 and model.n_samples_seen_ == 200


def test_partial_fits_are_one_fit_and_sparse_is_dense():
    X = rows(seed=1)
    X[np.abs(X - 100) < 1] = 0
    whole = IncrementalPCA(2).fit(X)
    parts = IncrementalPCA(2)
    for start in range(0, 200, 30):
        parts.partial_fit(X[start : start + 30])
    sparse = IncrementalPCA(2, batch_size=64).fit(sp.csr_array(X))
    for other in (parts, sparse):
        np.testing.assert_allclose(other.components_, whole.components_, atol=1e-11)
        np.testing.assert_allclose(other.transform(X), whole.transform(X), atol=1e-9)


def test_scatter_by_rows_seen():
    X = rows(60, 5)
    seen = RunningFactor.nothing(5)
    for part in (X[:1], X[1:20], X[20:]):
        seen = seen.with_rows(part, most=5)
    centered = X - X.mean(axis=0)
    np.testing.assert_allclose(seen.factor.T @ seen.factor, centered.T @ centered, rtol=1e-10)
    np.testing.assert_allclose(seen.sum_sq, (centered**2).sum(axis=0), rtol=1e-12)


def test_dropped_directions_are_within_the_bound():
    X = rows(300, 20, seed=2)
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    seen = RunningFactor.nothing(20)
    for start in range(0, 300, 25):
        seen = seen.with_rows(X[start : start + 25], most=6)
    kept = np.linalg.svd(seen.factor, compute_uv=False) ** 2
    assert seen.factor.shape == (6, 20) and seen.dropped > 0
    assert (kept <= exact[:6] * (1 + 1e-12)).all() and (exact[:6] <= kept + seen.dropped).all()


def test_what_cannot_be_is_refused():
    X = rows(20, 4)
    with pytest.raises(ValueError, match="invalid for n_features=4"):
        IncrementalPCA(5).fit(X)
    with pytest.raises(ValueError, match="less or equal to the batch number of samples 2"):
        IncrementalPCA(3).partial_fit(X[:2])
    model = IncrementalPCA(3).partial_fit(X)
    with pytest.raises(ValueError, match="cannot change between calls"):
        model.set_params(n_components=2).partial_fit(X)
    with pytest.raises(TypeError, match="does not support sparse"):
        IncrementalPCA(3).partial_fit(sp.csr_array(X))
