"""More columns than rows: the shortest interpolant, or ridge, against LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.solvers.least_squares import wide
from surefit.solvers.least_squares.wide import Complement, gather_rows, solve_wide
from tests.solvers.least_squares.data import answer, problem, source


@pytest.mark.parametrize("sizes", ["even", "uneven"])
@pytest.mark.parametrize("condition", ["good", "bad"])
@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_against_lapack(sizes, condition, alpha, fit_intercept, monkeypatch):
    if condition == "bad":
        monkeypatch.setattr(wide, "_SAFE_CONDITION", 0.0)
    X, Y, w = problem(9, 20, seed=3, offset=0.5)
    X = X * (10.0 ** np.arange(-2, 2).repeat(5)) if sizes == "uneven" else X
    coef, intercept, rank, singular = solve_wide(source(X, Y, w), np.full(2, alpha), fit_intercept)
    expected = answer(X, Y, w, alpha, fit_intercept)
    np.testing.assert_allclose(coef, expected[0], rtol=1e-7, atol=1e-10 * np.abs(expected[0]).max())
    np.testing.assert_allclose(intercept, expected[1], rtol=1e-7)
    if alpha == 0:
        mean = np.average(X, axis=0, weights=w) if fit_intercept else 0.0
        values = np.linalg.svd(np.sqrt(w)[:, None] * (X - mean), compute_uv=False)
        assert rank == (w > 0).sum() - fit_intercept
        np.testing.assert_allclose(singular[:rank], values[:rank], rtol=1e-9)


def test_rows_of_no_weight_are_left_out_and_the_others_centered():
    X, Y, _ = problem(6, 10)
    w = np.array([1.0, 0.0, 2.0, 0.5, 0.0, 1.0])
    for rows in (X, sp.csr_array(X)):
        found = gather_rows(source(rows, Y, w), True)
        assert found.kept.tolist() == [0, 2, 3, 5]
        np.testing.assert_allclose(found.x_mean, np.average(X, axis=0, weights=w), rtol=1e-14)
        np.testing.assert_allclose(
            found.A, np.sqrt(w[found.kept])[:, None] * (X[found.kept] - found.x_mean), rtol=1e-12
        )


def test_the_complement_is_that_of_the_weights():
    root = np.sqrt(np.array([1.0, 2.0, 0.5, 3.0]))
    complement = Complement(root, True)
    B = complement.out_of(np.eye(3))
    np.testing.assert_allclose(B.T @ B, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(root @ B, 0.0, atol=1e-15)
    K = np.random.default_rng(0).normal(size=(4, 4))
    K = K + K.T
    np.testing.assert_allclose(complement.square(K), B.T @ K @ B, atol=1e-14)
    np.testing.assert_allclose(complement.into(K), B.T @ K, atol=1e-14)
    assert Complement(root, False).square(K) is K
