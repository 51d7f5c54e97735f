"""(w, β) and back, and gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.engine.sources.block import Block
from surefit.solvers.hinge.plane_coordinates import PlaneCoordinates, about, coordinates_for
from surefit.summaries.moments import MomentsStep


@pytest.mark.parametrize("scale", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("shifted", [False, True])
def test_there_and_back(scale, shifted):
    rng = np.random.default_rng(0)
    center = rng.normal(size=3) if scale else np.zeros(3)
    plane = PlaneCoordinates(center, scale, shifted)
    theta = np.append(rng.normal(size=3), 0.7 if scale else 0.0)
    v = plane.inner(theta)
    np.testing.assert_allclose(plane.outer(v), theta, rtol=1e-14)
    x = rng.normal(size=3)
    seen = x - center if shifted else x
    assert seen @ plane.of_pass(v)[:-1] + plane.of_pass(v)[-1] == pytest.approx(x @ theta[:-1] + theta[-1], rel=1e-12)


@pytest.mark.parametrize("scale", [0.0, 2.0])
@pytest.mark.parametrize("shifted", [False, True])
def test_gradients_are_those_of_the_penalty(scale, shifted):
    """Central differences of ½ ‖u‖² − Σ r σ score, quadratic in v: exact but for rounding."""
    rng = np.random.default_rng(1)
    center = rng.normal(size=3) if scale else np.zeros(3)
    plane, rows, r = PlaneCoordinates(center, scale, shifted), rng.normal(size=(6, 3)), rng.normal(size=6)
    seen = rows - center if shifted else rows
    sums = np.append(r @ seen, r.sum())
    v = rng.normal(size=plane.width)

    def value(v):
        theta, u = plane.outer(v), plane.penalized(v)
        return 0.5 * u @ u - r @ (rows @ theta[:-1] + theta[-1])

    in_v, in_u = plane.gradients(v, sums)
    steps = 0.5 * np.eye(plane.width)
    np.testing.assert_allclose(in_v, [value(v + h) - value(v - h) for h in steps], rtol=1e-10, atol=1e-10)
    by_u = plane.penalized(v) - (np.append(r @ rows, scale * r.sum()) if scale else r @ rows)
    np.testing.assert_allclose(in_u, by_u, rtol=1e-10, atol=1e-10)


def test_far_rows_are_shifted():
    X = np.random.default_rng(0).normal(size=(50, 2)) + np.array([0.0, 1e6])
    scratch = {}
    block = Block(X, None, None, 0, 256, scratch)
    moments = MomentsStep(False).map(None, block, 1)
    assert coordinates_for(moments, 0.0, True).shift is None
    assert coordinates_for(moments, 1.0, False).shift is None
    plane = coordinates_for(moments, 1.0, True)
    assert plane.shift is not None
    np.testing.assert_array_equal(about(block, plane.shift).X, X - plane.shift)
    assert about(block, plane.shift).X is about(block, plane.shift).X
    assert about(block, None) is block
