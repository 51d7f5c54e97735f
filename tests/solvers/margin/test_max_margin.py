"""The shortest separator: closed forms, scikit-learn's hard margin, and the two bounds that prove it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

from surefit.solvers.margin.least_distance import FewRows
from surefit.solvers.margin.max_margin import shortest_separator
from surefit.solvers.margin.signed_rows import SignedRows


def apart(rng, n, d, gap):
    X = rng.normal(size=(n, d))
    v = rng.normal(size=d)
    scores = X @ v / np.linalg.norm(v)
    kept = np.abs(scores) > gap
    return X[kept], np.sign(scores[kept]), v


def in_rows_units(rows, theta):
    """Length of the separator of the rows as they came."""
    return theta * rows.scale


def test_two_points_in_closed_form():
    """(2, 1) and −(1, 1): the nearest point of the segment is (2, −3)/13."""
    rows = SignedRows(np.array([[2.0], [1.0]]), np.array([1.0, -1.0]), True)
    found = shortest_separator(rows, rows.in_own_units(np.array([2.0]), -3.0))
    np.testing.assert_allclose(in_rows_units(rows, found.theta), [2.0, -3.0], rtol=1e-13)
    assert found.length * rows.scale == pytest.approx(np.sqrt(13), rel=1e-14)
    shares = found.multipliers[np.argsort(found.support)] / found.multipliers.sum()
    np.testing.assert_allclose(shares, [5 / 13, 8 / 13], rtol=1e-13)


@pytest.mark.parametrize("shape", [(40, 2, 0.05), (300, 6, 0.1), (25, 60, 0.0), (400, 45, 0.05), (2000, 4, 0.01)])
@pytest.mark.parametrize("sparse", [False, True])
def test_against_a_hard_margin_machine(shape, sparse):
    X, sign, v = apart(np.random.default_rng(1), *shape)
    rows = SignedRows(sp.csr_array(X) if sparse else X, sign, False)
    found = shortest_separator(rows, rows.in_own_units(v, 0.0))
    A = sign[:, None] * X
    # Through the origin: the rows and their mirror images.
    machine = SVC(kernel="linear", C=1e12, tol=1e-10).fit(np.vstack([A, -A]), np.repeat([1, 0], len(A)))
    theirs = np.linalg.norm(machine.coef_) / (A @ machine.coef_[0]).min()
    assert found.length * rows.scale == pytest.approx(theirs, rel=1e-3)  # its steps stop early at such a C
    assert found.length * rows.scale <= theirs * (1 + 1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_both_bounds_are_true_and_meet(seed):
    rng = np.random.default_rng(seed)
    X, sign, v = apart(rng, 200, 5, 0.02)
    units = 10.0 ** rng.uniform(-1, 1, 5)
    rows = SignedRows(X * units, sign, True)
    found = shortest_separator(rows, rows.in_own_units(v / units, 0.0))
    A = sign[:, None] * np.column_stack([X * units, np.ones(len(X))]) * rows.scale
    assert (A @ found.theta).min() == pytest.approx(1, rel=1e-9)
    assert np.linalg.norm(found.theta) == pytest.approx(found.length, rel=1e-12)
    assert (found.multipliers > 0).all() and len(found.support) <= 6
    point = found.multipliers @ A[found.support]
    assert found.multipliers.sum() / np.linalg.norm(point) == pytest.approx(found.length, rel=1e-8)


@pytest.mark.parametrize("shape", [(30, 5), (120, 40), (20, 50)])
@pytest.mark.parametrize("seed", range(4))
def test_guesses_and_the_active_set_agree(seed, shape):
    """Two ways to the rows that hold θ, some of them repeated: both meet the conditions of optimality."""
    rng = np.random.default_rng(seed)
    X, sign, _ = apart(rng, *shape, 0.02)
    X, sign = np.vstack([X, X[:3]]), np.append(sign, sign[:3])
    rows = SignedRows(X, sign, False)
    few = FewRows(rows, np.arange(len(X)))
    A = rows.take(np.arange(len(X)))
    for theta, multipliers in (few.shortest(np.arange(len(X)) < 4, 10.0), few._active_set(10.0)):
        assert (multipliers >= 0).all()
        assert (A @ theta).min() == pytest.approx(1, rel=1e-9)
        np.testing.assert_allclose(A.T @ multipliers, theta, rtol=1e-8, atol=1e-10 * np.abs(theta).max())
        np.testing.assert_allclose((A @ theta)[multipliers > 0], 1, rtol=1e-9)


def test_no_answer_from_a_start_that_does_not_separate():
    X = np.array([[0.0], [1.0], [2.0]])
    rows = SignedRows(X, np.array([-1.0, 1.0, -1.0]), True)
    assert shortest_separator(rows, np.array([1.0, 0.0])) is None


def test_no_answer_where_rounding_hides_it():
    """Two points 1e-9 apart at a distance of one: the product R·B is 4e9, whose square rounding does not know."""
    X = np.array([[1.0], [1.0 + 2.0**-32]])
    rows = SignedRows(X, np.array([-1.0, 1.0]), True)
    found = shortest_separator(rows, rows.in_own_units(np.array([2.0**33]), -(2.0**33) - 1))
    assert found is None or found.length <= found.lower * (1 + 1e-8)
