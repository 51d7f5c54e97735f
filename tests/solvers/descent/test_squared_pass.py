"""Coordinates for descent, and a pass there, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.engine.sources.source import MemorySource
from surefit.solvers.descent.squared_pass import Plane, SquaredStep, frame_of, mean_length
from surefit.summaries.column_spread import column_spread


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3)) * [1.0, 100.0, 0.01] + [5.0, 0.0, 1.0]
    return X, rng.normal(size=(200, 2)) + 4, rng.integers(0, 3, 200).astype(float)


def frame(X, Y, w, **options):
    spread = column_spread(MemorySource(X, Y, w), targets=True)
    return frame_of(spread, X.shape[1], sparse=False, **options), spread


def test_scaled_columns_have_mean_zero_and_variance_one():
    X, Y, w = problem()
    found, spread = frame(X, Y, w, scaled=True, fit_intercept=True)
    Z = (X - found.center) * found.scale
    np.testing.assert_allclose(w @ Z, 0.0, atol=1e-10)
    np.testing.assert_allclose(w @ Z**2 / w.sum(), 1.0, rtol=1e-12)
    np.testing.assert_allclose(found.target, np.average(Y, axis=0, weights=w), rtol=1e-13)
    assert mean_length(found, spread) == pytest.approx(3 + 1, rel=1e-12)


def test_without_an_intercept_columns_have_mean_square_one():
    X, Y, w = problem()
    found, spread = frame(X, Y, w, scaled=True, fit_intercept=False)
    assert not found.center.any() and not found.target.any()
    np.testing.assert_allclose(w @ (X * found.scale) ** 2 / w.sum(), 1.0, rtol=1e-12)
    assert mean_length(found, spread) == pytest.approx(3, rel=1e-12)


@pytest.mark.parametrize("scaled", [False, True])
def test_there_and_back(scaled):
    X, Y, w = problem()
    found, _ = frame(X, Y, w, scaled=scaled, fit_intercept=True)
    coef, b = np.array([[1.0, 2.0, -3.0], [0.5, 0.0, 9.0]]), np.array([4.0, -1.0])
    u, beta = found.inner(coef, b)
    back = found.outer(u, beta)
    np.testing.assert_allclose(back[0], coef, rtol=1e-14)
    np.testing.assert_allclose(back[1], b, rtol=1e-12)
    inside = ((X - found.center) * found.scale) @ u.T + beta
    np.testing.assert_allclose(inside + found.target, X @ coef.T + b, rtol=1e-10)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("with_target", [False, True])
def test_a_pass(sparse, with_target):
    X, Y, w = problem()
    plane = Plane(np.array([[1.0, 2.0, -3.0], [0.5, 0.0, 9.0]]), np.array([4.0, -1.0]))
    data = MemorySource(sp.csr_array(X) if sparse else X, Y, w)
    found = data.fold(SquaredStep(with_gradient=True, with_target=with_target), plane)
    r = (Y if with_target else 0.0) - X @ plane.coef.T - plane.intercept
    np.testing.assert_allclose(found.loss, w @ r**2, rtol=1e-12)
    np.testing.assert_allclose(found.gradient, (w[:, None] * r).T @ X, rtol=1e-11)
    np.testing.assert_allclose(found.total, w @ r, rtol=1e-11)


@pytest.mark.parametrize(("size", "words"), [(1e200, "squares overflow"), (1e-200, "squares vanish")])
def test_extremes_are_refused(size, words):
    X, Y, w = problem()
    X[:, 1] *= size
    with pytest.raises(InvalidData, match=f"column 1 of X .*{words}"):
        frame(X, Y, w, scaled=True, fit_intercept=True)
