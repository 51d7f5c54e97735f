"""Rows turned to one side, against plain arrays."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.solvers.margin import signed_rows
from surefit.solvers.margin.signed_rows import SignedRows


@pytest.fixture(params=["dense", "csr"])
def problem(request, monkeypatch):
    monkeypatch.setattr(signed_rows, "CHUNK_ELEMENTS", 200)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) * 50
    sign = rng.choice([-1.0, 1.0], 300)
    return (sp.csr_array(X) if request.param == "csr" else X), X, sign


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_every_product(problem, fit_intercept):
    given, X, sign = problem
    rows = SignedRows(given, sign, fit_intercept)
    A = sign[:, None] * rows.scale * (np.column_stack([X, np.ones(300)]) if fit_intercept else X)
    assert np.abs(A).max() <= 1 and np.frexp(rows.scale)[0] == 0.5
    theta = np.random.default_rng(1).normal(size=rows.width)
    which = np.array([5, 17, 200])
    np.testing.assert_allclose(rows.take(which), A[which], rtol=1e-15)
    np.testing.assert_allclose(rows.norms(), np.linalg.norm(A, axis=1), rtol=1e-13)
    np.testing.assert_allclose(rows.margins(theta), A @ theta, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(rows.gram(which), A[which] @ A[which].T, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(rows.combined(which, np.array([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0] @ A[which], rtol=1e-12)
    coef, b = rows.in_users_units(theta)
    np.testing.assert_allclose(sign * (X @ coef + b) * rows.scale**2, A @ theta, rtol=1e-9, atol=1e-13)


def test_violations(problem):
    given, X, sign = problem
    rows, w = SignedRows(given, sign, True), np.arange(300.0)
    coef, b = np.array([0.01, -0.02, 0.0]), 0.3
    expected = w @ np.maximum(0.0, 1 - sign * (X @ coef + b))
    assert rows.violations(coef, b, w) == pytest.approx(expected, rel=1e-12)
    assert rows.violations(coef * 1e-300, b * 1e-300, w) == pytest.approx(w.sum(), rel=1e-15)


def test_certain_means_beyond_rounding():
    X = np.array([[1.0, 1.0], [-1.0, -1.0]])
    rows = SignedRows(X, np.array([1.0, -1.0]), False)
    assert rows.certain(np.array([1.0, 1.0]))
    assert not rows.certain(np.array([1.0, -1.0]))
    assert not rows.certain(np.array([1.0, -1.0 + 2.0**-52]))


def test_a_balanced_dual():
    """Two copies of a point in both classes: φ equal on them is Farkas' vector, and any other is not."""
    X, sign = np.array([[2.0], [2.0], [5.0]]), np.array([1.0, -1.0, 1.0])
    rows = SignedRows(X, sign, True)
    assert rows.imbalance(np.array([0.5, 0.5, 0.0]), np.ones(3)) <= 1e-15
    assert rows.imbalance(np.array([0.5, 0.2, 0.3]), np.ones(3)) > 0.1
