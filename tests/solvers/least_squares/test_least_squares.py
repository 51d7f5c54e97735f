"""Every road of the least-squares solver against LAPACK, and what it reports against the singular values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.solvers.least_squares import least_squares as module
from surefit.solvers.least_squares.least_squares import least_squares
from tests.solvers.least_squares.data import answer, problem, source


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 1.5])
@pytest.mark.parametrize("sparse", [False, True])
def test_against_lapack(weighted, fit_intercept, alpha, sparse):
    X, Y, w = problem()
    w = w if weighted else None
    rows = sp.csr_array(X) if sparse else X
    found = least_squares(source(rows, Y, w), alpha=np.full(2, alpha), fit_intercept=fit_intercept)
    coef, intercept = answer(X, Y, w, alpha, fit_intercept)
    np.testing.assert_allclose(found.coef, coef, rtol=1e-10)
    np.testing.assert_allclose(found.intercept, intercept, rtol=1e-9, atol=1e-12)


def test_a_penalty_for_each_target():
    X, Y, _ = problem()
    found = least_squares(source(X, Y), alpha=np.array([0.1, 100.0]))
    for k, alpha in enumerate([0.1, 100.0]):
        np.testing.assert_allclose(found.coef[k], answer(X, Y[:, k : k + 1], alpha=alpha)[0][0], rtol=1e-11)


def test_what_inference_needs():
    X, Y, w = problem()
    found = least_squares(source(X, Y, w), inference=True)
    A = np.sqrt(w)[:, None] * (X - np.average(X, axis=0, weights=w))
    np.testing.assert_allclose(found.singular, np.linalg.svd(A, compute_uv=False), rtol=1e-11)
    np.testing.assert_allclose(found.factor.T @ found.factor, A.T @ A, rtol=1e-11, atol=1e-10)
    residual = Y - X @ found.coef.T - found.intercept
    np.testing.assert_allclose(found.residual_ss, w @ residual**2, rtol=1e-11)
    np.testing.assert_allclose(found.total_ss, w @ (Y - np.average(Y, axis=0, weights=w)) ** 2, rtol=1e-11)
    assert found.rank == 4 and found.weight == w.sum()


def test_hilbert_columns_in_exact_arithmetic():
    """y = X·1 for columns i^0 … i^7: beyond what products of columns hold, and the answer is all ones."""
    X = np.array([[Fraction(i, 12) ** j for j in range(1, 8)] for i in range(1, 40)], dtype=float)
    found = least_squares(source(X, X.sum(axis=1)), fit_intercept=True)
    np.testing.assert_allclose(X @ found.coef[0] + found.intercept, X.sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(found.coef[0], 1.0, rtol=1e-5)


@pytest.mark.parametrize("road", ["PLAIN", "REFINABLE"])
def test_every_road_gives_the_answer(road, monkeypatch):
    """Forced to refine, and forced to the triangular factor."""
    monkeypatch.setattr(module, road, 0.0)
    X, Y, w = problem(offset=1e4)
    found = least_squares(source(X, Y, w), inference=True)
    coef, intercept = answer(X, Y, w)
    np.testing.assert_allclose(found.coef, coef, rtol=1e-10)
    np.testing.assert_allclose(found.intercept, intercept, rtol=1e-10)


def test_dependent_columns_have_the_shortest_answer():
    X, Y, _ = problem()
    found = least_squares(source(np.column_stack([X, X[:, 0]]), Y), inference=True)
    coef, _ = answer(X, Y)
    np.testing.assert_allclose(found.coef[:, [0, 4]], np.repeat(coef[:, :1] / 2, 2, axis=1), rtol=1e-9)
    assert found.rank == 4 and found.factor is None


def test_answers_beyond_floating_point_are_refused():
    with pytest.raises(InvalidData, match="left the range"):
        least_squares(source(np.array([[0.0], [1e-310]]), np.array([0.0, 1.0])))
