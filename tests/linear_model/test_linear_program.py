"""Separation by linear programming: widest margins, Farkas vectors, least violations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from surefit.linear_model import LinearProgramClassifier


def quiet_fit(X, y, w=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return LinearProgramClassifier(**parameters).fit(X, y, w)


def assert_farkas(model, X, y):
    phi, sign = model.farkas_, np.where(y == model.classes_[1], 1.0, -1.0)
    assert (phi >= 0).all()
    assert phi.sum() == pytest.approx(1, rel=1e-14)
    A = np.column_stack([X, np.ones(len(X))]) if model.fit_intercept else X
    np.testing.assert_array_less(np.abs(A.T @ (phi * sign)), 1e-13 * (np.abs(A).T @ phi) + 1e-300)


def test_separable_classes_get_the_widest_margin():
    """By hand: the nearest points of the two classes are (0, 0) and (2, 2)."""
    X = np.array([[0.0, 0.0], [-1.0, 0.5], [2.0, 2.0], [3.0, 4.0]])
    model = LinearProgramClassifier().fit(X, [0, 0, 1, 1])
    assert model.separable_ is True
    assert model.farkas_ is None
    assert model.margin_ == pytest.approx(np.sqrt(2), rel=1e-12)
    np.testing.assert_allclose(model.coef_, [[0.5, 0.5]], rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, [-1.0], rtol=1e-12)


def test_margin_against_a_hard_margin_machine():
    X, y = load_iris(return_X_y=True)
    model = LinearProgramClassifier().fit(X, y == 0)
    machine = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y == 0)
    assert model.margin_ == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-6)
    theirs = (np.where(y == 0, 1, -1) * machine.decision_function(X)).min() / np.linalg.norm(machine.coef_)
    assert model.margin_ >= theirs * (1 - 1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_farkas_vector_and_least_violations(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4)) if seed % 2 else rng.integers(-2, 3, (120, 4)).astype(float)
    y = (X @ rng.normal(size=4) + 0.5 * rng.normal(size=120) > 0).astype(int)
    w = rng.integers(1, 4, 120).astype(float)
    model = quiet_fit(X, y, w, fit_intercept=fit_intercept)
    assert model.separable_ is False
    assert model.margin_ is None
    assert_farkas(model, X, y)
    sign = 2.0 * y - 1
    A = sign[:, None] * (np.column_stack([X, np.ones(120)]) if fit_intercept else X)
    highs = linprog(
        np.append(np.zeros(A.shape[1]), w),
        A_ub=np.hstack([-A, -np.eye(120)]),
        b_ub=-np.ones(120),
        bounds=[(None, None)] * A.shape[1] + [(0, None)] * 120,
    )
    violations = w @ np.maximum(0, 1 - sign * model.decision_function(X))
    assert violations == pytest.approx(highs.fun, rel=1e-9)


def test_the_warning_says_what_the_proof_is():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    with pytest.warns(UserWarning, match="not linearly separable: farkas_ proves it"):
        model = LinearProgramClassifier().fit(X, y)
    np.testing.assert_allclose(model.farkas_, [0.25, 0.5, 0.25], rtol=1e-14)


def test_many_rows_both_ways():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 6))
    scores = X @ np.arange(1.0, 7)
    apart = np.abs(scores) > 1
    model = LinearProgramClassifier().fit(X[apart], scores[apart] > 0)
    assert model.separable_
    assert model.margin_ >= 1 / np.linalg.norm(np.arange(1.0, 7))
    y = scores + rng.normal(size=30_000) > 0
    mixed = quiet_fit(X, y)
    assert not mixed.separable_
    assert_farkas(mixed, X, y)
    # Of all rows with a dual between its bounds, σ (x·w + b) = 1: at most one for each parameter.
    between = (mixed.farkas_ > 1e-9 * mixed.farkas_.max()) & (mixed.farkas_ < (1 - 1e-9) * mixed.farkas_.max())
    assert 0 < between.sum() <= 7
    np.testing.assert_allclose(np.where(y, 1, -1)[between] * mixed.decision_function(X)[between], 1, rtol=1e-9)


def test_a_row_of_no_weight_does_not_count():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    model = LinearProgramClassifier().fit(X, y, [1.0, 1.0, 0.0])
    assert model.separable_
    assert model.margin_ == pytest.approx(0.5, rel=1e-12)


def test_three_classes_are_refused_in_scikit_learns_words():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        LinearProgramClassifier().fit(np.eye(3), [0, 1, 2])


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="only one class"):
        LinearProgramClassifier().fit(np.eye(3), [1, 1, 1])


def test_columns_that_only_rounding_tells_apart_still_count():
    """Float32 numbers one rounding apart: 2 lies between 1 and 3 (in units in the last place), so nothing separates;
    without the middle row the classes are separable."""
    steps = np.array([1, 2, 3, 1, 2, 3], dtype=np.float32)
    X = (np.float32(-85.1045) + steps * np.float32(2.0**-17))[:, None]
    y = np.array([0, 1, 0, 0, 1, 0])
    model = quiet_fit(X, y)
    assert model.separable_ is False
    assert_farkas(model, X.astype(np.float64), y)
    assert model.certify(X, y).holds
    ends = X[:, 0] != X[1, 0]
    assert LinearProgramClassifier().fit(X[ends], steps[ends] == 3).separable_


def test_coefficients_keep_the_digits_that_the_violations_need():
    """Classes told apart by the difference of two float32 columns, a few millionths: coefficients near a million, which
    rounded to float32 would be another answer. The least sum of violations by HiGHS, in units of the difference."""
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 2, size=80)
    X = np.column_stack([x, x + 4e-6 * rng.normal(size=80)]).astype(np.float32)
    wide = X.astype(np.float64)
    difference = (wide[:, 1] - wide[:, 0]) / 4e-6
    sign = np.where(difference + rng.normal(size=80) > 0, 1.0, -1.0)
    model = quiet_fit(X, sign)
    assert model.certify(X, sign).holds
    assert np.abs(model.coef_).max() > 1e5
    A = sign[:, None] * np.column_stack([wide[:, 0], difference, np.ones(80)])
    highs = linprog(
        np.append(np.zeros(3), np.ones(80)),
        A_ub=np.hstack([-A, -np.eye(80)]),
        b_ub=-np.ones(80),
        bounds=[(None, None)] * 3 + [(0, None)] * 80,
    )
    margins = sign * (wide @ model.coef_[0].astype(np.float64) + float(model.intercept_[0]))
    assert np.maximum(0, 1 - margins).sum() == pytest.approx(highs.fun, rel=1e-5)
    assert quiet_fit(rng.normal(size=(80, 2)).astype(np.float32), sign).coef_.dtype == np.float32
