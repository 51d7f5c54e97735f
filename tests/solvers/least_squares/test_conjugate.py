"""Conjugate gradients on centered sparse rows against LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.solvers.least_squares.conjugate import Centered, conjugate_gradients, independent, worthwhile


def rows(n, d, density, seed=0):
    rng = np.random.default_rng(seed)
    return sp.random_array((n, d), density=density, rng=rng, format="csr"), rng.normal(size=n), rng.uniform(1, 2, n)


@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_lapack(alpha, weighted):
    X, y, w = rows(300, 12, 0.4)
    w = w if weighted else None
    root = np.sqrt(np.ones(300) if w is None else w)
    mean = X.toarray().mean(axis=0)
    A = root[:, None] * (X.toarray() - mean)
    found = conjugate_gradients(Centered(X, w, mean, 1), y, alpha, np.ones(12), 1e-12)
    assert found.converged
    expected = np.linalg.solve(A.T @ A + alpha * np.eye(12), A.T @ (root * y))
    np.testing.assert_allclose(found.v, expected, rtol=1e-9, atol=1e-12)


def test_the_shortest_answer_where_columns_depend_on_each_other():
    X, y, _ = rows(200, 5, 0.6, seed=1)
    X = sp.csr_array(sp.hstack([X, X[:, [0]]]))
    found = conjugate_gradients(Centered(X, None, np.zeros(6), 1), y, 0.0, np.ones(6), 1e-12)
    assert found.converged
    np.testing.assert_allclose(found.v, np.linalg.lstsq(X.toarray(), y, rcond=None)[0], rtol=1e-9, atol=1e-12)


def test_an_exact_fit_is_left_to_others():
    X, _, _ = rows(200, 5, 0.6, seed=2)
    y = X @ np.arange(1.0, 6.0)
    assert not conjugate_gradients(Centered(X, None, np.zeros(5), 1), y, 0.0, np.ones(5), 1e-12).converged


def test_nothing_to_explain():
    X, y, _ = rows(50, 3, 0.6)
    found = conjugate_gradients(Centered(X, None, np.zeros(3), 1), 0 * y, 0.0, np.ones(3), 1e-12)
    assert found.converged and not found.v.any()


def test_few_numbers_in_wide_rows_are_not_worth_it():
    assert worthwhile(rows(1000, 10, 0.5)[0]) and not worthwhile(rows(10, 1000, 0.01)[0])


def scaled(X):
    return 1 / np.sqrt(X.power(2).sum(axis=0))


def test_independent_columns_are_seen_to_be_so():
    X = sp.csr_array(rows(300, 12, 0.4)[0] * np.logspace(-3, 3, 12))
    assert independent(Centered(X, None, np.zeros(12), 1), scaled(X), np.ones(12, bool))


@pytest.mark.parametrize("column", ["a copy", "a sum", "nearly a copy"])
def test_dependent_columns_are_not(column):
    X = rows(300, 12, 0.4)[0]
    noise = rows(300, 1, 1.0, seed=5)[0]
    more = {"a copy": 3 * X[:, [0]], "a sum": X[:, [1]] + X[:, [2]], "nearly a copy": X[:, [0]] + 1e-7 * noise}[column]
    X = sp.csr_array(sp.hstack([X, more]))
    assert not independent(Centered(X, None, np.zeros(13), 1), scaled(X), np.ones(13, bool))


def test_columns_that_the_mean_makes_dependent():
    flags = sp.csr_array(np.eye(3)[np.arange(300) % 3])
    for mean, expected in ((np.zeros(3), True), (np.full(3, 1 / 3), False)):
        assert independent(Centered(flags, None, mean, 1), np.ones(3), np.ones(3, bool)) is expected


def test_a_column_of_zeros_does_not_count():
    X = sp.csr_array(sp.hstack([rows(300, 5, 0.4)[0], sp.csr_array((300, 1))]))
    nonzero = np.arange(6) < 5
    assert independent(Centered(X, None, np.zeros(6), 1), np.ones(6), nonzero)
    assert not independent(Centered(X, None, np.zeros(6), 1), np.ones(6), np.ones(6, bool))
