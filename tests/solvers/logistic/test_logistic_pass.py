"""The compiled pass of logistic regression against its reference in plain NumPy, and against numerical derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.engine.sources.block import Block
from surefit.solvers.logistic.logistic_pass import LogisticStep, Point, ScoreRangeStep
from surefit.solvers.logistic.second_derivative import BinaryHessianStep, HessianStep
from tests.reference.logistic_pass import reference_curvatures, reference_pass


def problem(n, d, m, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    y = rng.integers(0, max(m, 2), n).astype(np.float64)
    w = rng.integers(0, 3, n).astype(np.float64)
    w[0] = 1.0
    return X, y, w, Point(rng.normal(size=(m, d)), rng.normal(size=m))


def assert_close(got, want, tolerance):
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("m", [1, 3, 4, 7, 10])
@pytest.mark.parametrize("d", [1, 3, 8, 17, 100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pass_is_its_reference(d, m, dtype):
    for n in (1, 5, 700):
        X, y, w, at = problem(n, d, m, dtype)
        for weights in (None, w):
            want = reference_pass(X.astype(np.float64), y, weights, at)
            exact = _native.logistic_pass(X, y, weights, at.coef, at.intercept, False, True, 256, 2)
            assert_close(exact, want, 1e-12)
            single = _native.logistic_pass(X, y, weights, at.coef, at.intercept, True, True, 256, 2)
            assert_close(single, want, 1e-12 if dtype == np.float64 or m == 1 else 2e-5)
            if m == 1:
                curvature = _native.logistic_curvature(X, weights, at.coef, at.intercept, 256, 2)
                np.testing.assert_allclose(curvature, reference_curvatures(X.astype(float), weights, at), rtol=1e-12)


@pytest.mark.parametrize("m", [1, 4])
def test_wicked_scores(m):
    """Scores of ±1000, ties, zeros: loss and gradient stay finite and right."""
    X = np.array([[1000.0], [-1000.0], [0.0], [1e-300]])
    y = np.array([1.0, 1.0, 0.0, 0.0])
    at = Point(np.linspace(-1, 1, m)[:, None] if m > 1 else np.ones((1, 1)), np.zeros(m))
    want = reference_pass(X, y, None, at)
    assert np.isfinite(want.loss) and want.loss >= 900
    assert_close(_native.logistic_pass(X, y, None, at.coef, at.intercept, False, True, 256, 1), want, 1e-13)


@pytest.mark.parametrize("m", [1, 5])
def test_threads_do_not_change_bits(m):
    X, y, w, at = problem(3000, 21, m)
    one = _native.logistic_pass(X, y, w, at.coef, at.intercept, False, True, 256, 1)
    for n_threads in (2, 3):
        for mine, theirs in zip(
            _native.logistic_pass(X, y, w, at.coef, at.intercept, False, True, 256, n_threads), one, strict=True
        ):
            assert np.asarray(mine).tobytes() == np.asarray(theirs).tobytes()


@pytest.mark.parametrize("m", [1, 4])
@pytest.mark.parametrize("sparse", [False, True])
def test_gradient_and_second_derivative_are_slopes(m, sparse):
    X, y, w, at = problem(50, 3, m)
    rows = sp.csr_array(X) if sparse else X
    block = Block(rows, y, w, 0, 256)
    step = LogisticStep()
    middle = step.map(at, block, 1)
    h = 1e-6
    center = np.array([0.3, -0.2, 0.1])
    if m == 1:
        moments = BinaryHessianStep().map(at, block, 1)
        H = moments.products + moments.weight * np.outer(moments.mean, moments.mean)
        H = np.block([[H, moments.weight * moments.mean[:, None]], [moments.weight * moments.mean, moments.weight]])
    else:
        H = HessianStep(np.zeros(3), True).map(at, block, 1)
        moved = HessianStep(center, True).map(at, block, 1)
        back = np.eye(4)
        back[:3, 3] = center  # (x, 1) = back (x − center, 1)
        back = np.kron(np.eye(m), back)
        np.testing.assert_allclose(back @ moved @ back.T, H, rtol=1e-10, atol=1e-10)
    for k in range(m):
        for j in range(4):
            ends = []
            for sign in (-1, 1):
                coef, intercept = at.coef.copy(), at.intercept.copy()
                if j < 3:
                    coef[k, j] += sign * h
                else:
                    intercept[k] += sign * h
                ends.append(step.map(Point(coef, intercept), block, 1))
            slope = (ends[1].loss - ends[0].loss) / (2 * h)
            of = middle.gradient[k, j] if j < 3 else middle.gradient_b[k]
            assert of == pytest.approx(slope, abs=1e-5)
            change = np.hstack(
                [ends[1].gradient - ends[0].gradient, (ends[1].gradient_b - ends[0].gradient_b)[:, None]]
            )
            np.testing.assert_allclose(H[k * 4 + j], change.ravel() / (2 * h), atol=1e-5)


def test_spread_margin_and_reach():
    X = np.array([[1.0], [2.0], [-1.0]])
    y = np.array([1.0, 1.0, 0.0])
    at = Point(np.array([[2.0]]), np.zeros(1))
    passed = LogisticStep().map(at, Block(X, y, None, 0, 256), 1)
    assert (passed.spread, passed.margin) == (4.0, 2.0)
    reach = ScoreRangeStep().map(at, Block(X, y, None, 0, 256), 1)
    assert (reach.spread, reach.margin, reach.lead) == (4.0, 2.0, 4.0)
    wrong = ScoreRangeStep().map(at, Block(X, y, np.array([1.0, 0.0, 0.0]), 0, 256), 1)
    assert (wrong.spread, wrong.margin) == (2.0, 2.0)


def test_bad_calls_are_refused():
    X, y, _, at = problem(10, 3, 1)
    for bad in (
        (X, np.full(10, 2.0), None, at.coef, at.intercept),
        (X, y[:-1], None, at.coef, at.intercept),
        (X, y, np.ones(9), at.coef, at.intercept),
        (X, y, None, at.coef[:, :2].copy(), at.intercept),
        (X, y, None, at.coef, np.zeros(2)),
    ):
        with pytest.raises(ValueError):
            _native.logistic_pass(*bad, False, True, 256, 1)
