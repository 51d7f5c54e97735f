"""Every loss against numerical derivatives and a numerical conjugate, and the Fenchel–Young inequality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from surefit.objectives import absolute, exponential, gamma, hinge, huber, logistic, pinball, poisson, softmax, squared

RNG = np.random.default_rng(0)
Z = np.concatenate([RNG.normal(size=40) * 3, [-40.0, 40.0, 0.0]])
CASES = {
    "squared": (squared, RNG.normal(size=len(Z))),
    "logistic": (logistic, RNG.integers(0, 2, len(Z)).astype(float)),
    "pinball": (pinball, RNG.normal(size=len(Z))),
    "hinge": (hinge, RNG.choice([-1.0, 1.0], len(Z))),
    "absolute": (absolute, RNG.normal(size=len(Z))),
    "huber": (huber, RNG.normal(size=len(Z))),
}
EACH = pytest.mark.parametrize("name", CASES)
SMOOTH = pytest.mark.parametrize("name", ["squared", "logistic"])


@EACH
def test_gradient_is_the_slope(name):
    loss, y = CASES[name]
    h = 1e-6
    slope = (loss.value(Z + h, y) - loss.value(Z - h, y)) / (2 * h)
    np.testing.assert_allclose(loss.gradient(Z, y), slope, atol=1e-8)


@SMOOTH
def test_second_is_the_slope_of_the_gradient(name):
    loss, y = CASES[name]
    h = 1e-6
    slope = (loss.gradient(Z + h, y) - loss.gradient(Z - h, y)) / (2 * h)
    np.testing.assert_allclose(loss.second(Z, y), slope, atol=1e-8)


@pytest.mark.parametrize("name", ["pinball", "hinge", "absolute"])
def test_second_of_a_piecewise_linear_loss_is_zero(name):
    loss, y = CASES[name]
    assert not loss.second(Z, y).any()


@EACH
def test_conjugate_is_the_supremum(name):
    loss, y = CASES[name]
    slopes = {"logistic": lambda t: RNG.uniform(0.02, 0.98) - t, "squared": lambda t: RNG.normal()}
    slopes |= {"absolute": lambda t: RNG.uniform(-0.9, 0.9), "huber": lambda t: RNG.uniform(-0.9, 0.9)}
    for target in np.unique(y)[:6]:
        inside = {
            "pinball": lambda t: RNG.uniform(-0.49, 0.49),
            "hinge": lambda t: -t * RNG.uniform(0.01, 0.99),
            **slopes,
        }[name](target)
        found = minimize_scalar(
            lambda z, a=inside, t=target: float(loss.value(np.array(z), np.array(t)) - a * z),
            bounds=(-60, 60),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert float(loss.conjugate(np.array(inside), np.array(target))) == pytest.approx(-found.fun, abs=1e-6)


@pytest.mark.parametrize(
    ("loss", "a", "y"), [(logistic, 0.5, 1.0), (logistic, -0.5, 0.0), (pinball, 0.7, 0.0), (hinge, 1.0, 1.0)]
)
def test_conjugate_is_infinite_outside_its_domain(loss, a, y):
    assert loss.conjugate(np.array(a), np.array(y)) == np.inf
    climb = [float(a * z - loss.value(np.array(z), np.array(y))) for z in (-1e3, -1e2, 1e2, 1e3)]
    assert max(climb) > 100


@EACH
def test_fenchel_young(name):
    """value + conjugate ≥ a z for every a, with equality at the gradient."""
    loss, y = CASES[name]
    a = loss.gradient(Z, y)
    np.testing.assert_allclose(loss.value(Z, y) + loss.conjugate(a, y), a * Z, atol=1e-12)
    for _ in range(5):
        other = loss.gradient(RNG.normal(size=len(Z)) * 3, y)
        assert (loss.value(Z, y) + loss.conjugate(other, y) >= other * Z - 1e-12).all()


def test_logistic_value_and_slopes_at_once():
    z = np.array([-800.0, -50.0, -1.5, -0.0, 0.0, 1e-9, 2.0, 50.0, 800.0])
    for y in (np.zeros(9), np.ones(9)):
        three = logistic.value(z, y), logistic.gradient(z, y), logistic.second(z, y)
        for got, want in zip(logistic.value_and_slopes(z, y), three, strict=True):
            np.testing.assert_allclose(got, want, rtol=4e-15)


def test_logistic_keeps_its_digits_far_out():
    """log(1 + e⁻⁵⁰) = e⁻⁵⁰ − e⁻¹⁰⁰/2 + …"""
    z = np.array([50.0, -50.0])
    np.testing.assert_allclose(logistic.value(z, np.array([1.0, 0.0])), np.exp(-50), rtol=1e-14)
    np.testing.assert_allclose(logistic.gradient(z, np.array([1.0, 0.0])), [-np.exp(-50), np.exp(-50)], rtol=1e-14)


class TestSoftmax:
    Z = RNG.normal(size=(30, 4)) * 3
    codes = RNG.integers(0, 4, 30)

    def test_derivatives(self):
        h = 1e-6
        for k in range(4):
            step = np.zeros(4)
            step[k] = h
            slope = (softmax.value(self.Z + step, self.codes) - softmax.value(self.Z - step, self.codes)) / (2 * h)
            np.testing.assert_allclose(softmax.gradient(self.Z, self.codes)[:, k], slope, atol=1e-8)
            change = softmax.gradient(self.Z + step, self.codes) - softmax.gradient(self.Z - step, self.codes)
            np.testing.assert_allclose(softmax.second(self.Z, np.tile(step / h, (30, 1))), change / (2 * h), atol=1e-8)

    def test_conjugate_is_the_supremum(self):
        for code in range(4):
            a = RNG.dirichlet(np.ones(4))
            a[code] -= 1.0
            found = minimize(
                lambda z, a=a, k=code: float(softmax.value(z[None], np.array([k]))[0] - a @ z), np.zeros(4), tol=1e-12
            )
            assert softmax.conjugate(a[None], np.array([code]))[0] == pytest.approx(-found.fun, abs=1e-6)
        assert softmax.conjugate(np.array([[0.5, 0.5]]), np.array([0]))[0] == np.inf

    def test_fenchel_young(self):
        A = softmax.gradient(self.Z, self.codes)
        both = softmax.value(self.Z, self.codes) + softmax.conjugate(A, self.codes)
        np.testing.assert_allclose(both, (A * self.Z).sum(axis=1), atol=1e-12)
        other = softmax.gradient(RNG.normal(size=self.Z.shape), self.codes)
        both = softmax.value(self.Z, self.codes) + softmax.conjugate(other, self.codes)
        assert (both >= (other * self.Z).sum(axis=1) - 1e-12).all()

    def test_two_classes_are_the_logistic_loss(self):
        z = RNG.normal(size=20) * 5
        y = RNG.integers(0, 2, 20)
        scores = np.column_stack([np.zeros(20), z])
        np.testing.assert_allclose(softmax.value(scores, y), logistic.value(z, y), rtol=1e-13)
        np.testing.assert_allclose(softmax.gradient(scores, y)[:, 1], logistic.gradient(z, y), rtol=1e-13)


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_slopes_of_the_pinball_are_its_two_slopes(q):
    """By the residual y − z the loss is max(low·r, high·r)."""
    low, high = pinball.slopes(q)
    r = np.array([-3.0, -1e-3, 0.0, 2.0])
    np.testing.assert_allclose(pinball.value(1.0 - r, np.ones(4), q), np.maximum(low * r, high * r), rtol=1e-12)


FEW = RNG.normal(size=40) * 2
GROWING = {
    "exponential": (exponential, RNG.integers(0, 2, 40).astype(float)),
    "poisson": (poisson, RNG.poisson(2.0, 40).astype(float)),
    "gamma": (gamma, RNG.gamma(2.0, size=40)),
}


@pytest.mark.parametrize("name", GROWING)
def test_losses_with_exponentials(name):
    """Slopes by differences, the conjugate by Fenchel–Young: equality at the gradient, above elsewhere."""
    loss, y = GROWING[name]
    h = 1e-6
    slope = (loss.value(FEW + h, y) - loss.value(FEW - h, y)) / (2 * h)
    np.testing.assert_allclose(loss.gradient(FEW, y), slope, rtol=1e-6, atol=1e-7)
    slope = (loss.gradient(FEW + h, y) - loss.gradient(FEW - h, y)) / (2 * h)
    np.testing.assert_allclose(loss.second(FEW, y), slope, rtol=1e-6, atol=1e-7)
    a = loss.gradient(FEW, y)
    np.testing.assert_allclose(loss.value(FEW, y) + loss.conjugate(a, y), a * FEW, rtol=1e-9, atol=1e-9)
    other = loss.gradient(RNG.normal(size=40), y)
    assert (loss.value(FEW, y) + loss.conjugate(other, y) >= other * FEW - 1e-9).all()
    beyond = np.where(y > 0.5, 1.0, -1.0) if name == "exponential" else {"poisson": -y - 1, "gamma": y * 0 + 2}[name]
    assert (loss.conjugate(beyond, y) == np.inf).all()


@pytest.mark.parametrize("delta", [0.3, 2.0])
def test_huber_is_squared_inside_and_linear_outside(delta):
    y = np.zeros(5)
    z = np.array([0.0, delta / 2, -delta, 3 * delta, -5 * delta])
    want = [0.0, delta**2 / 8, delta**2 / 2, delta * (3 * delta - delta / 2), delta * (5 * delta - delta / 2)]
    np.testing.assert_allclose(huber.value(z, y, delta), want, rtol=1e-14)
    np.testing.assert_allclose(
        huber.conjugate(huber.gradient(z, y, delta), y, delta) + want, huber.gradient(z, y, delta) * z
    )
