"""Losses of boosting against scikit-learn's, their own definitions, and exhaustive search of leaf values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from surefit.objectives.losses import (
    AbsoluteError,
    Exponential,
    Gamma,
    Huber,
    Logistic,
    Pinball,
    Poisson,
    Softmax,
    SquaredError,
    classification_loss,
    regression_loss,
)
from surefit.objectives.quantiles import group_quantiles, quantile

RNG = np.random.default_rng(1)
N = 60
BITS = RNG.integers(0, 2, N).astype(float)
REAL = RNG.normal(size=N)
COUNTS = RNG.poisson(3.0, N).astype(float)
CASES = {
    "squared": (SquaredError(), REAL),
    "absolute": (AbsoluteError(), REAL),
    "quantile": (Pinball(0.8), REAL),
    "huber": (Huber(0.9, 0.7), REAL),
    "poisson": (Poisson(), COUNTS),
    "gamma": (Gamma(), RNG.gamma(2.0, size=N)),
    "logistic": (Logistic(), BITS),
    "exponential": (Exponential(), BITS),
}
EACH = pytest.mark.parametrize("name", CASES)
WEIGHTS = RNG.integers(0, 4, N).astype(float)


@EACH
def test_gradient_and_hessian_are_slopes(name):
    loss, y = CASES[name]
    raw = RNG.normal(size=N)
    h = 1e-6
    slope = (loss.rows(y, raw + h) - loss.rows(y, raw - h)) / (2 * h)
    np.testing.assert_allclose(loss.gradient(y, raw), slope, rtol=1e-6, atol=1e-7)
    gradient, hessian = loss.gradient_hessian(y, raw)
    np.testing.assert_allclose(gradient, loss.gradient(y, raw), rtol=1e-14)
    if name not in ("absolute", "quantile"):  # there one stands in for zero
        change = (loss.gradient(y, raw + h) - loss.gradient(y, raw - h)) / (2 * h)
        np.testing.assert_allclose(hessian, change, rtol=1e-6, atol=1e-7)


@EACH
@pytest.mark.parametrize("w", [None, WEIGHTS], ids=["alike", "weighted"])
def test_the_initial_value_is_the_best_constant(name, w):
    loss, y = CASES[name]
    if name == "huber":
        np.testing.assert_allclose(loss.initial(y, None), np.median(y))
        return
    start = loss.initial(y, w)[0]
    best = minimize_scalar(lambda c: loss.value(y, np.full(N, c), w), bounds=(-5, 5), method="bounded")
    assert loss.value(y, np.full(N, start), w) <= best.fun + 1e-12


@EACH
def test_value_and_leaves_take_weights_as_repetitions(name):
    loss, y = CASES[name]
    raw = RNG.normal(size=N)
    leaf = RNG.integers(0, 5, N)
    twice = np.repeat(np.arange(N), WEIGHTS.astype(int))
    assert loss.value(y, raw, WEIGHTS) == pytest.approx(loss.value(y[twice], raw[twice]), rel=1e-13)
    gradient, hessian = loss.gradient_hessian(y, raw)
    weighted = loss.leaf_values(y, raw, gradient, hessian, WEIGHTS, leaf, 6)
    repeated = loss.leaf_values(y[twice], raw[twice], gradient[twice], hessian[twice], None, leaf[twice], 6)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)
    assert weighted[5] == 0.0  # a leaf of no rows
    np.testing.assert_allclose(loss.initial(y, WEIGHTS), loss.initial(y[twice], None), rtol=1e-12)


@pytest.mark.parametrize("name", ["squared", "absolute", "quantile"])
def test_leaf_values_minimize_the_loss_of_their_leaf(name):
    loss, y = CASES[name]
    raw = RNG.normal(size=N)
    leaf = RNG.integers(0, 4, N)
    steps = loss.leaf_values(y, raw, *loss.gradient_hessian(y, raw), WEIGHTS, leaf, 4)
    for number, step in enumerate(steps):
        here = leaf == number
        costs = [loss.value(y[here], raw[here] + v, WEIGHTS[here]) for v in (y - raw)[here]]
        assert loss.value(y[here], raw[here] + step, WEIGHTS[here]) <= min(costs) + 1e-12


def test_newton_step_of_a_leaf_in_closed_form():
    """Three rows at raw 0, two of class 1: −Σ(p − y) / Σ p(1 − p) = ½ / ¾; far on the right side: no step."""
    y, raw = np.array([0.0, 1.0, 1.0]), np.zeros(3)
    loss = Logistic()
    got = loss.leaf_values(y, raw, *loss.gradient_hessian(y, raw), None, np.zeros(3, int), 1)
    np.testing.assert_allclose(got, [0.5 / 0.75], rtol=1e-15)
    far = np.array([-800.0, 800.0, 800.0])
    assert loss.leaf_values(y, far, *loss.gradient_hessian(y, far), None, np.zeros(3, int), 1)[0] == 0.0


def test_softmax_matches_differences_and_the_logistic_loss():
    y = RNG.integers(0, 3, N).astype(float)
    raw = RNG.normal(size=(N, 3))
    loss = Softmax(3)
    gradient, hessian = loss.gradient_hessian(y, raw)
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        np.testing.assert_allclose(
            gradient[:, k], (loss.rows(y, raw + step) - loss.rows(y, raw - step)) / 2e-6, atol=1e-8
        )
        change = (loss.gradient(y, raw + step) - loss.gradient(y, raw - step))[:, k] / 2e-6
        np.testing.assert_allclose(hessian[:, k], change, atol=1e-8)
    shares = np.bincount(y.astype(int)) / N
    np.testing.assert_allclose(loss.inverse(loss.initial(y, None)[None])[0], shares, rtol=1e-12)
    np.testing.assert_allclose(loss.inverse(loss.link(loss.inverse(raw))), loss.inverse(raw), rtol=1e-12)


@EACH
def test_link_and_inverse(name):
    loss, _ = CASES[name]
    raw = RNG.normal(size=N)
    np.testing.assert_allclose(loss.link(loss.inverse(raw)), raw, rtol=1e-10, atol=1e-12)


def test_huber_scale_is_the_quantile_of_the_errors():
    raw = np.zeros(N)
    delta = Huber(0.9).adapted(REAL, raw, None).delta
    assert delta == np.sort(np.abs(REAL))[int(np.ceil(0.9 * N)) - 1]


def test_quantiles_of_groups_against_numpy():
    values, group = RNG.normal(size=200), RNG.integers(0, 7, 200)
    for q in (0.1, 0.25, 0.5, 0.9):
        got = group_quantiles(values, None, group, 7, q)
        want = [np.quantile(values[group == g], q, method="inverted_cdf") for g in range(7)]
        np.testing.assert_array_equal(got, want)
        got = group_quantiles(values, None, group, 7, q, average=True)
        want = [np.quantile(values[group == g], q, method="averaged_inverted_cdf") for g in range(7)]
        np.testing.assert_allclose(got, want, rtol=1e-15)
    assert quantile(np.arange(4.0), None, 0.5, average=True) == 1.5
    assert quantile(np.arange(4.0), np.array([0.0, 0.1, 0.2, 0.3]), 0.5) == 2.0  # 0.1 + 0.2 is half of 0.6


def test_losses_by_name():
    assert isinstance(classification_loss("log_loss", 2), Logistic)
    assert classification_loss("log_loss", 4).n_outputs == 4
    assert isinstance(classification_loss("exponential", 2), Exponential)
    assert regression_loss("quantile", 0.3).q == 0.3
    assert isinstance(regression_loss("gamma"), Gamma)
