"""A = W^½ K W^½ in blocks, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.solvers.kernel_system import system as module
from surefit.solvers.kernel_system.path import Eigen
from surefit.solvers.kernel_system.solve import refined
from tests.solvers.kernel_system.matrices import gaussian, linear, rows, system


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_columns_and_products(weighted, monkeypatch):
    monkeypatch.setattr(module, "TILE", 37)
    X, Y, w = rows(100)
    one = system(X, w if weighted else None)
    A = gaussian(X, 0.3) * (np.sqrt(np.outer(w, w)) if weighted else 1.0)
    np.testing.assert_allclose(one.block(slice(3, 20), slice(50, 90)), A[3:20, 50:90], rtol=1e-13)
    np.testing.assert_allclose(np.tril(one.lower()), np.tril(A), rtol=1e-13)
    np.testing.assert_allclose(one.columns(7), A[:, :7], rtol=1e-13)
    np.testing.assert_allclose(one.multiply(Y), A @ Y, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(one.residual(np.array([1.0, 2.0]), Y, Y), Y - A @ Y - Y * [1.0, 2.0], rtol=1e-9)
    np.testing.assert_allclose(one.scaled(Y), Y * np.sqrt(w)[:, None] if weighted else Y)


def test_linear_features_dense_and_sparse():
    X, Y, w = rows(60, 5)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    A = np.sqrt(np.outer(w, w)) * (X @ X.T)
    for data in (X, sp.csr_array(X), sp.csr_matrix(X)):
        np.testing.assert_allclose(linear(data, w).multiply(Y), A @ Y, rtol=1e-11, atol=1e-12)


def test_refinement_never_leaves_a_larger_residual():
    X, Y, _ = rows(80)
    one, alphas = system(X), np.array([1e-6, 1e-2])
    path = Eigen(one.lower())
    rough = np.column_stack([path.solve(1e-6, Y[:, :1]) * (1 + 1e-6), path.solve(1e-2, Y[:, 1:])])
    before = np.linalg.norm(one.residual(alphas, rough, Y), axis=0)
    after = np.linalg.norm(one.residual(alphas, refined(one, path, alphas, rough, Y), Y), axis=0)
    assert (after <= before).all() and after[0] < 1e-2 * before[0]
