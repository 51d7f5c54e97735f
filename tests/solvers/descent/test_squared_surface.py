"""The error surface from products and from passes over the rows: value, slope and curvature against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.source import MemorySource
from surefit.solvers.descent import squared_surface
from surefit.solvers.descent.squared_surface import MomentsSurface, RowsSurface, open_surface


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + 2
    return X, rng.normal(size=(300, 2)) + X[:, :2], rng.integers(0, 3, 300).astype(float)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kind", ["products", "rows", "csr"])
def test_value_slope_and_curvature(scaled, fit_intercept, kind, monkeypatch):
    if kind == "rows":
        monkeypatch.setattr(squared_surface, "SQUARE", 0)
    X, Y, w = problem()
    data = MemorySource(sp.csr_array(X) if kind == "csr" else X, Y, w)
    surface = open_surface(data, scaled=scaled, fit_intercept=fit_intercept)
    assert isinstance(surface, RowsSurface if kind == "rows" else MomentsSurface)
    frame, d = surface.frame, 4
    Z, T = (X - frame.center) * frame.scale, Y - frame.target
    if surface.free_intercept:
        Z = np.column_stack([Z, np.ones(len(Z))])
    v = np.random.default_rng(1).normal(size=(2, surface.width))
    r = T - Z @ v.T
    value, slope = surface.slope(v)
    np.testing.assert_allclose(value, w @ r**2 / w.sum(), rtol=1e-10)
    np.testing.assert_allclose(slope, (w[:, None] * r).T @ Z / w.sum(), rtol=1e-8, atol=1e-10)
    H = Z.T @ (w[:, None] * Z) / w.sum()
    np.testing.assert_allclose(surface.curve(v), v @ H, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(surface.at_zero, w @ T**2 / w.sum(), rtol=1e-11)
    assert np.trace(H) * (1 - 1e-10) <= surface.length <= (np.trace(H) + 1) * (1 + 1e-10)
    if kind != "rows":
        curvatures = np.linalg.eigvalsh(H)
        assert surface.highest == pytest.approx(curvatures[-1], rel=1e-9)
        assert surface.lowest == pytest.approx(curvatures[0], rel=1e-6)
    coef, b = surface.outer(v)
    np.testing.assert_allclose(surface.inner(coef, b), v, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(w @ (Y - X @ coef.T - b) ** 2 / w.sum(), value, rtol=1e-9)
    assert coef.shape == (2, d) and (surface.rounding(v) < 1e-9).all()
