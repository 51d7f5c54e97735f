"""What logistic regression asks of the data first, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.source import MemorySource
from surefit.solvers.logistic.overview import OverviewStep


@pytest.mark.parametrize("sparse", [False, True])
def test_weights_of_classes_and_moments(sparse):
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(500, 3)), rng.integers(0, 3, 500).astype(float), rng.integers(0, 3, 500).astype(float)
    factors = np.array([0.5, 1.0, 4.0])
    data = MemorySource(sp.csr_array(X) if sparse else X, y, w)
    found = data.fold(OverviewStep(3, with_moments=True), factors)
    omega = w * factors[y.astype(int)]
    np.testing.assert_allclose(found.counts, [omega[y == k].sum() for k in range(3)], rtol=1e-14)
    mean = np.average(X, axis=0, weights=omega)
    np.testing.assert_allclose(found.moments.mean, mean, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(
        found.moments.products, (X - mean).T @ (omega[:, None] * (X - mean)), rtol=1e-10, atol=1e-9
    )
    assert found.square_sum == 0.0
    assert data.fold(OverviewStep(3, with_moments=False), None).moments is None


def test_every_third_leaf_is_enough_to_start_from():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20_000, 2)), rng.integers(0, 2, 20_000).astype(float)
    found = MemorySource(X, y).fold(OverviewStep(2, with_moments=True, every=3), None)
    leaf = np.arange(20_000) // 4096
    assert found.moments.weight == (leaf % 3 == 0).sum()
    np.testing.assert_allclose(found.moments.mean, X[leaf % 3 == 0].mean(axis=0), rtol=1e-10, atol=1e-14)
    assert found.square_sum == pytest.approx(float((X**2).sum()), rel=1e-12)
