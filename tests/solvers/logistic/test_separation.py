"""Directions along which the likelihood grows for ever: found where HiGHS finds one, and right where they are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from surefit.engine.sources.source import MemorySource
from surefit.solvers.logistic.separation import separating_direction


def leads(X, codes, v, fit_intercept):
    """Scores of the true class less those of each other class, for every row."""
    rows = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    Z = rows @ v.T
    Z = np.column_stack([np.zeros(len(X)), Z]) if len(v) == 1 else Z
    return Z[np.arange(len(X)), codes][:, None] - Z


def separable(X, codes, classes):
    """Whether some direction has all leads ≥ 0 and one > 0: a linear program over |v| ≤ 1, by HiGHS."""
    rows, d = np.column_stack([X, np.ones(len(X))]), X.shape[1] + 1
    constraints = []
    for i, k in enumerate(codes):
        for j in range(classes):
            if j != k:
                one = np.zeros((classes, d))
                one[k], one[j] = rows[i], -rows[i]
                constraints.append(one.ravel())
    A = np.array(constraints)
    found = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=(-1, 1))
    return -found.fun > 1e-7


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(40))
def test_against_highs_on_small_whole_numbers(classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (int(rng.integers(5, 30)), int(rng.integers(1, 5)))).astype(float)
    codes = rng.integers(0, classes, len(X))
    if seed % 2:
        codes = np.clip(X[:, 0].astype(int) + 1, 0, classes - 1)
    v = separating_direction(MemorySource(X, codes.astype(float)), 1 if classes == 2 else classes, True)
    assert (v is not None) == separable(X, codes, classes)
    if v is not None:
        found = leads(X, codes, v, True)
        assert found.min() >= -1e-9 and found.max() > 1e-7 and np.abs(v).max() == 1.0


def test_rows_of_no_weight_do_not_count():
    X, y = np.array([[0.0], [1.0], [0.5], [0.2]]), np.array([0.0, 1.0, 0.0, 1.0])
    assert separating_direction(MemorySource(X, y), 1, True) is None
    assert separating_direction(MemorySource(X, y, np.array([1.0, 1.0, 1.0, 0.0])), 1, True) is not None


def test_overlap_at_one_point_is_separation_of_the_rest():
    """Both classes at 0, one beyond it on each side: the direction leaves the point where it is."""
    X, y = np.array([[-1.0], [0.0], [0.0], [1.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    v = separating_direction(MemorySource(X, y), 1, True)
    assert v is not None and abs(v[0, 1]) <= 1e-12 and v[0, 0] == 1.0
