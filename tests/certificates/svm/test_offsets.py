"""Rows far from zero: sums of the kernel's values are within their stated error, and converged regressions proved."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import surefit
import surefit.svm
from surefit.certificates.theorems.kernel_machine import gram_products
from surefit.certificates.theorems.kernel_machine.duality import expansion
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from tests.certificates.svm.study import problem as random_problem
from tests.certificates.svm.study import truth
from tests.reference import exact_margins


def problem(offset, n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X + offset, X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.normal(size=n)


def coefficients(n, rng):
    beta = rng.uniform(-1, 1, n)
    return (beta - beta.mean())[:, None]  # Σβ is zero but for rounding


def exact(values):
    return [[Fraction(v) for v in row] for row in values.tolist()]


def distance(long, fraction):
    """|value − exact|, rounded up by a hair."""
    high = float(long)
    return abs(float(Fraction(high) + Fraction(float(long - high)) - fraction))


@pytest.mark.parametrize("offset", [0.0, 30.0, 1e4, 1e6])
def test_weights_and_values_of_the_linear_kernel_in_fractions(offset):
    (X, _), rng = problem(offset, 40), np.random.default_rng(1)
    beta, places = coefficients(len(X), rng), np.arange(len(X))
    rows, b = exact(X), [Fraction(v) for v in beta[:, 0].tolist()]
    w = [sum(b_j * x[k] for b_j, x in zip(b, rows, strict=True)) for k in range(4)]
    value, error = expansion(Kernel("linear"), X, np.eye(4), places, beta)  # f at unit vectors
    assert all(distance(value[k, 0], w[k]) <= error[k, 0] for k in range(4))
    assert error.max() <= 1e-15 * np.abs(beta).sum()
    f, error = expansion(Kernel("linear"), X, X, places, beta)
    truths = [sum(x_k * w_k for x_k, w_k in zip(x, w, strict=True)) for x in rows]
    assert all(distance(f[i, 0], truths[i]) <= error[i, 0] for i in range(len(X)))


@pytest.mark.parametrize("most", [0.0, 1e8])
def test_values_of_a_polynomial_in_fractions(most, monkeypatch):
    """In float64, and in long double."""
    monkeypatch.setattr(gram_products, "LONG_WORK", most)
    (X, _), rng = problem(30.0, 40), np.random.default_rng(1)
    beta = coefficients(len(X), rng)
    kernel = Kernel("poly", 0.25, 3, 1.0)
    f, error = expansion(kernel, X, X, np.arange(len(X)), beta)
    rows, b = exact(X), [Fraction(v) for v in beta[:, 0].tolist()]
    for i, x in enumerate(rows):
        inner = [sum(p * q for p, q in zip(x, z, strict=True)) for z in rows]
        wanted = sum(b_j * (t / 4 + 1) ** 3 for b_j, t in zip(b, inner, strict=True))
        assert distance(f[i, 0], wanted) <= error[i, 0]


@pytest.mark.parametrize("offset", [1e2, 1e4, 1e6])
def test_linear_regressions_are_proved_far_from_zero(offset):
    X, y = problem(offset)
    model = surefit.svm.SVR(kernel="linear").fit(X, y)
    claim = surefit.certify(model, X, y)["optimal"]
    assert claim.holds and claim.value <= 1e-6
    model.dual_coef_ = model.dual_coef_ * 1.01
    assert not surefit.certify(model, X, y).holds


def test_a_polynomial_far_from_zero_is_undecided_and_not_flattered():
    X, y = problem(30.0, 30)
    with pytest.warns(UserWarning, match="Rounding hides"):
        model = surefit.svm.SVR(kernel="poly", degree=3).fit(X, y)
    claim = surefit.certify(model, X, y)["optimal"]
    assert claim.grade == "UNPROVED"
    assert truth(model, X, y, None) <= claim.value <= 1e-5
    model.intercept_ = model.intercept_ + 0.01
    assert not surefit.certify(model, X, y).holds


def test_a_fit_that_lost_its_digits_prints_no_less_than_the_exact_gap():
    """Here βᵀKβ is negative as computed: the gap is nearly the whole objective, P = 1.5e11."""
    _, _, settings, X, y, w = random_problem(10486)
    with pytest.warns(UserWarning):
        model = surefit.svm.SVR(**settings).fit(X, y, sample_weight=w)
    claim = surefit.certify(model, X, y, w)["optimal"]
    assert claim.grade == "NOT_OPTIMAL"
    assert claim.value >= exact_margins.gap(model, X, y, w) > 0.99999


class Turned(surefit.svm.SVR):
    def predict(self, X):
        return super().predict(X)[::-1]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_other_predictions_are_refused_in_float32(kernel, offset):
    """Rows of float32 are summed in float64: only the answer is rounded to float32."""
    X, y = problem(offset)
    X = X.astype(np.float32)
    assert surefit.certify(surefit.svm.SVR(kernel=kernel).fit(X, y), X, y)["predict"].holds
    assert not surefit.certify(Turned(kernel=kernel).fit(X, y), X, y)["predict"].holds


def test_what_no_claim_reads_is_not_checked():
    X, y = problem(0.0)
    assert "shape_fit_" in surefit.certify(surefit.svm.SVR().fit(X, y), X, y).not_checked
    labels = (y > 0).astype(int)
    assert "shape_fit_" in surefit.certify(surefit.svm.SVC().fit(X, labels), X, labels).not_checked
