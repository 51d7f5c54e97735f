"""Logistic regression without a penalty where curvature hides: nearly dependent columns, logits of thousands."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from surefit.certificates.theorems.log_loss.log_loss import losses, probabilities, residuals
from tests.certificates.bench import altered, certify

rng = np.random.default_rng(41)
N = 200
X, Z = rng.normal(size=N), rng.normal(size=N)
Y = (X + Z + 1.5 * rng.logistic(size=N) > 0).astype(int)
THREE = np.digitize(X + Z + 1.5 * rng.logistic(size=N), [-1.0, 1.0])


def free(A: np.ndarray, y: np.ndarray, intercept: bool = True) -> LogisticRegression:
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, solver="newton-cg", fit_intercept=intercept)
    return model.fit(A, y)


@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("t", [1e-4, 1e-6, 1e-7, 1e-8])
def test_columns_that_differ_by_little(t: float, labels: np.ndarray) -> None:
    """(x, x + tz) has the least value of (x, z): w₁x + w₂z = (w₁ − w₂/t)x + (w₂/t)(x + tz)."""
    apart, alone = free(np.column_stack([X, Z]), labels), free(X[:, None], labels)
    A = np.column_stack([X, X + t * Z])
    w1, w2 = apart.coef_[:, 0], apart.coef_[:, 1]
    best = altered(apart, coef_=np.column_stack([w1 - w2 / t, w2 / t]))
    c = certify(best, A, labels)
    assert c.holds, f"\n{c}"
    # without the second column the loss is higher by some per cent
    without = altered(alone, coef_=np.column_stack([alone.coef_[:, 0], np.zeros(len(w1))]))
    assert not certify(without, A, labels).holds


@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
def test_columns_that_depend_on_others_are_named(labels: np.ndarray) -> None:
    model = free(np.column_stack([X, Z]), labels)
    halves = altered(model, coef_=model.coef_[:, [0, 1, 1]] * np.array([1.0, 0.25, 0.25]))
    claim = certify(halves, np.column_stack([X, Z, 3.0 * Z]), labels)["optimal"]
    assert claim.holds and "depend on others" in claim.sentence
    assert not certify(altered(halves, coef_=halves.coef_ * 1.1), np.column_stack([X, Z, 3.0 * Z]), labels).holds


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_column_whose_logits_have_no_curvature_left(sign: float) -> None:
    """Two rows of both classes have the second column: its best coefficient is near zero, and ±2000 loses 2000."""
    column = np.zeros(N)
    column[:2] = 1.0
    y = Y.copy()
    y[:2] = [0, 1]
    A = np.column_stack([X, column])
    model = free(A, y, intercept=False)
    assert certify(model, A, y).holds
    rest = free(X[2:, None], y[2:], intercept=False)
    wrong = altered(model, coef_=np.array([[rest.coef_[0, 0], sign * 2000.0]]))
    assert not certify(wrong, A, y).holds


@pytest.mark.parametrize("far", [1e9, 1e13, 1e15])
@pytest.mark.parametrize("columns", [1, 2])
def test_a_row_far_out_excuses_no_other(far: float, columns: int) -> None:
    """Overlapping classes have a minimum; a row at 10¹³ on its own side adds no loss and proves nothing."""
    A = np.column_stack([np.append(X, far), np.append(Z, 0.0)])[:, :columns]
    y = np.append(Y, 1)
    ray = np.zeros((1, columns + 1))
    ray[0, 0] = 1.0
    model = altered(free(X[:, None], Y), coef_=ray[:, :-1].copy(), intercept_=np.zeros(1), separation_=ray)
    model.n_features_in_ = columns
    assert not certify(model, A, y).holds
    # the same ray where the column does separate
    assert certify(model, A, np.append(X > 0, True).astype(int)).holds


def test_small_losses_keep_their_digits() -> None:
    """log(1 + e⁻⁴⁰) = e⁻⁴⁰ − e⁻⁸⁰/2, and a residual of 1 − p is the sum of the other probabilities."""
    Z, code = np.array([[0.0, -40.0]]), np.array([0])
    loss, error = losses(Z, code, np.zeros(1))
    assert loss[0] == pytest.approx(np.exp(-40.0), rel=1e-13, abs=0.0) and error[0] < 1e-12 * loss[0]
    D = residuals(probabilities(Z), code)
    assert D[0, 1] == pytest.approx(np.exp(-40.0), rel=1e-13, abs=0.0) and D[0, 0] == -D[0, 1]


def test_rounding_of_huge_logits_excuses_no_fit() -> None:
    """In a unit of 10¹⁰⁰ the best coefficients are next to zero: those of the unit one pay a penalty for nothing."""
    model = LogisticRegression(C=1.0, tol=1e-10).fit(np.column_stack([X, Z]), Y)
    assert certify(model, np.column_stack([X, Z]), Y).holds
    w = np.zeros(N)
    w[np.flatnonzero(model.predict(np.column_stack([X, Z])) == Y)[:1]] = 1.0
    for unit in (1e8, 1e14, 1e100):
        assert not certify(model, unit * np.column_stack([X, Z]), Y, w).holds
