"""Steps along a direction against scalar minimizers, enumerated breakpoints and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from surefit.objectives.losses import (
    AbsoluteError,
    Exponential,
    Huber,
    Logistic,
    Pinball,
    Poisson,
    Softmax,
    SquaredError,
)
from surefit.objectives.own_loss import OwnLoss
from surefit.solvers.boosting.line_search import best_constant, best_step

RNG = np.random.default_rng(2)
N = 50
Y, BITS = RNG.normal(size=N), RNG.integers(0, 2, N).astype(float)
RAW, DIRECTION = RNG.normal(size=N), RNG.normal(size=N)
W = RNG.integers(0, 3, N).astype(float)


@pytest.mark.parametrize(
    ("loss", "y"),
    [(Logistic(), BITS), (Exponential(), BITS), (Poisson(), RNG.poisson(2, N).astype(float)), (Huber(0.9, 0.5), Y)],
    ids=["logistic", "exponential", "poisson", "huber"],
)
@pytest.mark.parametrize("w", [None, W], ids=["alike", "weighted"])
def test_smooth_losses_against_a_scalar_minimizer(loss, y, w):
    step = best_step(loss, y, RAW, DIRECTION, w)
    found = minimize_scalar(lambda s: loss.value(y, RAW + s * DIRECTION, w), bracket=(-1, 1), options={"xtol": 1e-12})
    assert step == pytest.approx(found.x, abs=1e-6)
    assert loss.value(y, RAW + step * DIRECTION, w) <= found.fun * (1 + 1e-14)
    rows = loss.gradient(y, RAW + step * DIRECTION) * DIRECTION * (1.0 if w is None else w)
    assert abs(rows.sum()) <= 1e-12 * np.abs(rows).sum()


def test_squared_error_in_closed_form():
    """Along g = y − f itself the best step is one; twice as long a direction halves it."""
    assert best_step(SquaredError(), Y, RAW, Y - RAW, None) == pytest.approx(1.0, rel=1e-14)
    assert best_step(SquaredError(), Y, RAW, 2 * (Y - RAW), W) == pytest.approx(0.5, rel=1e-14)


@pytest.mark.parametrize("loss", [AbsoluteError(), Pinball(0.2), Pinball(0.9)], ids=["absolute", "0.2", "0.9"])
@pytest.mark.parametrize("w", [None, W], ids=["alike", "weighted"])
def test_pinball_takes_the_best_breakpoint(loss, w):
    """A convex, piecewise linear function has its minimum at a breakpoint: try all of them."""
    step = best_step(loss, Y, RAW, DIRECTION, w)
    costs = [loss.value(Y, RAW + s * DIRECTION, w) for s in (Y - RAW) / DIRECTION]
    assert loss.value(Y, RAW + step * DIRECTION, w) <= min(costs) * (1 + 1e-14)
    assert np.abs(step - (Y - RAW) / DIRECTION).min() == 0


def test_softmax_has_one_step_for_all_classes():
    y = RNG.integers(0, 3, N).astype(float)
    raw, direction = RNG.normal(size=(N, 3)), RNG.normal(size=(N, 3))
    step = best_step(Softmax(3), y, raw, direction, W)
    found = minimize_scalar(lambda s: Softmax(3).value(y, raw + s * direction, W), bracket=(0, 1))
    assert step == pytest.approx(found.x, abs=1e-6)


def test_a_minimum_at_infinity_ends_at_the_longest_move():
    """The direction separates the classes: the loss falls for ever, and rows may move by 32."""
    direction = np.where(BITS > 0.5, 0.25, -0.5)
    assert best_step(Logistic(), BITS, np.zeros(N), direction, None) == pytest.approx(64.0)
    assert best_step(Logistic(), BITS, np.zeros(N), -direction, None) == pytest.approx(-64.0)


def test_nowhere_to_go():
    assert best_step(Logistic(), BITS, RAW, np.zeros(N), None) == 0.0
    assert best_step(AbsoluteError(), Y, RAW, np.zeros(N), W) == 0.0


class LogCosh:
    def value(self, y, raw):
        return np.logaddexp(raw - y, y - raw) - np.log(2)

    def gradient(self, y, raw):
        return np.tanh(raw - y)


class Welsch:
    """1 − e^(−r²/2): not convex."""

    def value(self, y, raw):
        return -np.expm1(-((raw - y) ** 2) / 2)

    def gradient(self, y, raw):
        return (raw - y) * np.exp(-((raw - y) ** 2) / 2)


@pytest.mark.parametrize("given", [LogCosh(), Welsch()])
def test_losses_of_ones_own(given):
    loss = OwnLoss(given)
    step = best_step(loss, Y, RAW, DIRECTION, W)
    assert loss.value(Y, RAW + step * DIRECTION, W) <= loss.value(Y, RAW, W)
    start = best_constant(loss, Y, W)
    found = minimize_scalar(lambda c: loss.value(Y, np.full(N, c), W), bounds=(-3, 3), method="bounded")
    assert start[0] == pytest.approx(found.x, abs=1e-5)


def test_a_loss_of_the_wrong_shape_is_told():
    class Total(LogCosh):
        def value(self, y, raw):
            return super().value(y, raw).sum()

    with pytest.raises(ValueError, match=r"value\(y, raw\) of the loss Total must return an array of shape \(50,\)"):
        OwnLoss(Total()).value(Y, RAW)
