"""The pass of the squared hinge loss against its sums written out in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.hinge.squared_hinge_pass import Point, SquaredHingeStep
from tests.solvers.hinge.data import problem, rows


@pytest.mark.parametrize("sparse", [False, True])
def test_sums_and_gram_against_numpy(sparse):
    X, sign, weight = rows(500, 4)
    data, labels = problem(X, sign, weight, C=0.7, sparse=sparse)
    rng = np.random.default_rng(1)
    theta, base = rng.normal(size=(2, 5))
    one = np.column_stack([X, np.ones(500)])
    cost = 0.7 * weight

    def gram(at):
        active = (1 - sign * (one @ at) > 0) * 2 * cost
        return one.T @ (active[:, None] * one)

    slack = np.maximum(0.0, 1 - sign * (one @ theta))
    plain = data.fold(SquaredHingeStep(), Point(labels, theta))
    change = data.fold(SquaredHingeStep(), Point(labels, theta, base))
    assert plain.loss == pytest.approx(cost @ slack**2, rel=1e-13)
    assert plain.total == pytest.approx(2 * cost @ slack, rel=1e-13)
    np.testing.assert_allclose(plain.pull, one.T @ (2 * cost * slack * sign), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(plain.gram(), gram(theta), rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(change.gram(), gram(theta) - gram(base), rtol=1e-11, atol=1e-10)
    active = (1 - sign * (one @ theta) > 0) != (1 - sign * (one @ base) > 0)
    assert change.n_changed == np.count_nonzero(active)
