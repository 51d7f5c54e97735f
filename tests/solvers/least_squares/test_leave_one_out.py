"""Leave-one-out errors against fits without each row, tall and wide, weighted and not."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.errors import InvalidData
from surefit.solvers.least_squares.leave_one_out import TallLeaveOneOut, WideLeaveOneOut, leave_one_out
from tests.solvers.least_squares.data import answer, problem, source

ALPHAS = np.array([0.5, 20.0])


def errors_one_by_one(X, Y, w, fit_intercept):
    """(n, targets, alphas): every row is left out, the rest fitted anew, and the row predicted."""
    out = np.empty((*Y.shape, len(ALPHAS)))
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        for a, alpha in enumerate(ALPHAS):
            coef, b = answer(X[rest], Y[rest], w[rest], alpha, fit_intercept)
            out[i, :, a] = Y[i] - X[i] @ coef.T - b
    return out


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize(("n", "d", "by_svd"), [(30, 4, False), (30, 4, True), (8, 12, False)])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_fits_without_each_row(n, d, by_svd, fit_intercept, weighted):
    X, Y, w = problem(n, d, seed=1)
    given = w if weighted else None
    found = leave_one_out(source(X, Y, given), ALPHAS, fit_intercept=fit_intercept, by_svd=by_svd)
    assert isinstance(found, TallLeaveOneOut if n > d else WideLeaveOneOut)
    weights = w if weighted else np.ones(n)
    expected = errors_one_by_one(X, Y, weights, fit_intercept)
    np.testing.assert_allclose(found.errors(), expected, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.sums(), np.einsum("i,ita->ta", weights, expected**2), rtol=1e-8)


@pytest.mark.parametrize(("n", "d"), [(30, 4), (8, 12)])
def test_the_fit_at_one_penalty_for_each_target(n, d):
    X, Y, w = problem(n, d)
    found = leave_one_out(source(X, Y, w), ALPHAS, fit_intercept=True).fit(np.array([0.5, 20.0]))
    for k, alpha in enumerate([0.5, 20.0]):
        np.testing.assert_allclose(found.coef[k], answer(X, Y[:, k : k + 1], w, alpha)[0][0], rtol=1e-9)


def test_one_row_of_weight_is_refused():
    X, Y, _ = problem(5, 2)
    with pytest.raises(InvalidData, match="at least two rows"):
        leave_one_out(source(X, Y, np.array([0, 0, 1.0, 0, 0])), ALPHAS, fit_intercept=True).sums()
