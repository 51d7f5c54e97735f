"""LSMR on centered sparse rows against LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from surefit.solvers.least_squares.iterate import iterate
from tests.solvers.least_squares.data import answer, source


def problem(n, d):
    rng = np.random.default_rng(4)
    X = sp.random_array((n, d), density=0.3, rng=rng, format="csr")
    return X, rng.normal(size=(n, 2)), rng.integers(1, 3, n).astype(float)


@pytest.mark.parametrize(("n", "d"), [(80, 10), (10, 30)])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_against_lapack(n, d, alpha, fit_intercept):
    X, Y, w = problem(n, d)
    coef, intercept = iterate(source(X, Y, w), np.full(2, alpha), fit_intercept, None)
    expected = answer(X.toarray(), Y, w, alpha, fit_intercept)
    np.testing.assert_allclose(coef, expected[0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(intercept, expected[1], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("more", ["nothing", "a multiple", "flags", "zeros"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_shortest_answer_on_columns_of_all_scales(more, fit_intercept):
    """Columns that depend on each other, alone or with the intercept, must not be scaled."""
    X, Y, w = problem(400, 12)
    X = sp.csr_array(X * np.logspace(-2, 2, 12))
    others = {
        "nothing": [],
        "a multiple": [7 * X[:, [3]]],
        "flags": [5 * sp.csr_array(np.eye(3)[np.arange(400) % 3])],
        "zeros": [sp.csr_array((400, 1))],
    }
    X = sp.csr_array(sp.hstack([X, *others[more]]))
    coef, intercept = iterate(source(X, Y, w), np.zeros(2), fit_intercept, 1000)
    expected = answer(X.toarray(), Y, w, 0.0, fit_intercept)
    size = np.abs(expected[0]).max()
    np.testing.assert_allclose(coef, expected[0], rtol=1e-8, atol=1e-9 * size)
    np.testing.assert_allclose(intercept, expected[1], rtol=1e-8, atol=1e-9)


def test_too_few_iterations_say_so():
    X, Y, w = problem(80, 10)
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations at a relative gradient"):
        iterate(source(X, Y, w), np.zeros(2), True, 1)
