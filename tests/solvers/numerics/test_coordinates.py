"""There and back, and the same scores on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.numerics.coordinates import Coordinates


@pytest.mark.parametrize("with_intercept", [False, True])
def test_both_sides_give_the_same_scores(with_intercept):
    rng = np.random.default_rng(0)
    X, coef = rng.normal(size=(20, 3)) * 5 + 2, rng.normal(size=(2, 3))
    b = rng.normal(size=2) if with_intercept else np.zeros(2)
    center = X.mean(axis=0) if with_intercept else np.zeros(3)
    target = np.array([7.0, -1.0]) if with_intercept else np.zeros(2)
    there = Coordinates(center, np.array([2.0, 0.5, 0.25]), target, with_intercept)
    u, beta = there.inner(coef, b)
    inside = ((X - center) * there.scale) @ u.T + beta + target
    np.testing.assert_allclose(inside, X @ coef.T + b, rtol=1e-12, atol=1e-12)
    back = there.outer(u, beta)
    np.testing.assert_allclose(back[0], coef, rtol=1e-15)
    np.testing.assert_allclose(back[1], b, rtol=1e-13, atol=1e-14)
