"""Crammer and Singer's machine: two classes are the hinge loss at half the margin, and the gap is one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC

from surefit.engine.sources.source import MemorySource
from surefit.solvers.hinge.crammer_singer import solve_crammer_singer


def value_of(X, y, cost, coef, intercept, scale):
    scores = X @ coef.T + intercept + 1.0
    rows = np.arange(len(y))
    scores[rows, y] -= 1.0
    size = (coef**2).sum() + ((intercept / scale) ** 2).sum() if scale else (coef**2).sum()
    return 0.5 * size + cost @ (scores.max(axis=1) - scores[rows, y])


@pytest.mark.parametrize("scale", [1.0, 0.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_against_liblinear(scale, sparse):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.0, 2.0, len(y))
    data = MemorySource(sp.csr_array(X) if sparse else X, y.astype(np.float64), weight)
    found = solve_crammer_singer(data, np.full(3, 0.5), scale, tol=1e-6, max_iter=3000)
    value = value_of(X, y, 0.5 * weight, found.coef, found.intercept, scale)
    assert found.value == pytest.approx(value, rel=1e-12) and 0 <= found.gap <= 1e-6 * value
    theirs = LinearSVC(
        multi_class="crammer_singer", C=0.5, fit_intercept=scale > 0, tol=1e-8, max_iter=10**6, random_state=0
    ).fit(X, y, weight)
    at_theirs = value_of(X, y, 0.5 * weight, theirs.coef_, np.broadcast_to(theirs.intercept_, 3), scale)
    assert -1e-6 * value <= value - at_theirs <= 1e-6 * value
    np.testing.assert_allclose(found.coef.sum(axis=0), 0.0, atol=1e-9)


def test_two_classes_are_half_a_hinge():
    """x = ±1: W = (−½, ½), the scores differ by 1 at each row, for C large enough."""
    data = MemorySource(np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]))
    found = solve_crammer_singer(data, np.full(2, 10.0), 0.0, tol=1e-9, max_iter=100)
    assert found.coef[1, 0] - found.coef[0, 0] == pytest.approx(1.0, rel=1e-6)
