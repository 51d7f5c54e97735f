"""Rows in good units: products, and the way back to the user's units, against plain arrays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.solvers.linear_program import scaled_rows
from surefit.solvers.linear_program.scaled_rows import ScaledRows


def rows(seed=0, n=600):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)) * [1.0, 1e4, 1e-4, 3.0] + [0.0, 1e5, 0.0, -2.0]


@pytest.fixture(params=[2**18, 400])
def chunks(request, monkeypatch):
    monkeypatch.setattr(scaled_rows, "CHUNK_ELEMENTS", request.param)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_products(sparse, fit_intercept, signed, chunks):
    X = rows()
    sign = np.random.default_rng(1).choice([-1.0, 1.0], len(X)) if signed else None
    found = ScaledRows(sp.csr_array(X) if sparse else X, sign, fit_intercept)
    A = found.take(np.arange(len(X)))
    center = found.center if fit_intercept else 0.0
    plain = (X - center) / found.scale
    plain = np.column_stack([plain, np.ones(len(X))]) if fit_intercept else plain
    plain = plain if sign is None else plain * sign[:, None]
    np.testing.assert_allclose(A, plain, rtol=1e-12)
    beta, a = np.random.default_rng(2).normal(size=found.width), np.random.default_rng(3).normal(size=len(X))
    np.testing.assert_allclose(found.times(beta), A @ beta, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.transposed(a), A.T @ a, rtol=1e-8, atol=1e-7)
    coef, intercept = found.in_users_units(beta)
    np.testing.assert_allclose((X @ coef + intercept) * (1 if sign is None else sign), A @ beta, rtol=1e-8, atol=1e-8)


def test_units_are_powers_of_two_near_the_mean_distance():
    X = rows()
    found = ScaledRows(X, None, True)
    np.testing.assert_allclose(found.center, X.mean(axis=0), rtol=1e-12, atol=1e-12)
    distance = np.abs(X - X.mean(axis=0)).mean(axis=0)
    np.testing.assert_allclose(found.distance, distance, rtol=1e-12)
    assert (np.frexp(found.scale)[0] == 0.5).all() and (distance / found.scale < 1).all()
    assert (distance / found.scale >= 0.5).all()


def test_what_centering_rounds_away_is_known():
    X = rows(n=20)
    found = ScaledRows(X, None, True)
    high, low = found.take(np.arange(20)), found.remainder(np.arange(20))
    for i in range(20):
        for j in range(4):
            exact = (Fraction(X[i, j]) - Fraction(found.center[j])) / Fraction(found.scale[j])
            assert abs(Fraction(high[i, j]) + Fraction(low[i, j]) - exact) <= abs(exact) * Fraction(2) ** -100


@pytest.mark.parametrize("sparse", [False, True])
def test_constant_columns_are_seen(sparse):
    X = np.column_stack([np.full(50, 3.7), np.arange(50.0)])
    found = ScaledRows(sp.csr_array(X) if sparse else X, None, True)
    assert found.constant.tolist() == [True, False]


def test_dependent_columns_are_left_out():
    X = rows()
    found = ScaledRows(np.column_stack([X, X[:, 0] + X[:, 3], np.ones(len(X))]), None, True)
    found.keep_independent(np.arange(100))
    assert len(found.columns) == 4 and 5 not in found.columns
    assert np.linalg.matrix_rank(found.take(np.arange(len(X)))) == 5
