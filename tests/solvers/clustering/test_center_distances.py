"""Distances to centers against SciPy's, where products lose their digits too."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from surefit.solvers.clustering import center_distances as module
from surefit.solvers.clustering.center_distances import center_distances


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("block", [2**18, 16])
def test_against_scipy(dtype, sparse, block, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ENTRIES", block)
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(50, 4)) * (rng.random((50, 4)) > 0.5)).astype(dtype)
    centers = rng.normal(size=(6, 4))
    found = center_distances(sp.csr_array(X) if sparse else X, centers, None if sparse else X.mean(axis=0))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, cdist(X.astype(float), centers), rtol=1e-6 if dtype == np.float32 else 1e-13)


def test_near_centers_beside_an_offset():
    """‖x‖² + ‖c‖² − 2x·c has nothing left at an offset of 1e8; the distances here are 1e-6."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 3)) + 1e8
    centers = X[:5] + 2.0**-20
    found = center_distances(X, centers, None)
    np.testing.assert_allclose(found, cdist(X, centers), rtol=1e-9)
    assert center_distances(X, X[:1], None)[0, 0] == 0.0
