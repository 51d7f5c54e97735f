"""Descent on all rows against the least-squares answer: conjugate steps end after as many as there are columns."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.errors import InvalidParameter
from surefit.engine.sources.source import MemorySource
from surefit.solvers.descent import squared_surface
from surefit.solvers.descent.gradient_descent import automatic, best_rate, largest_curvature, plain
from surefit.solvers.descent.squared_surface import open_surface


def go_on(*_):
    return False


@pytest.fixture(params=["products", "rows"])
def surface(request, monkeypatch):
    if request.param == "rows":
        monkeypatch.setattr(squared_surface, "SQUARE", 0)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6))
    Y = rng.normal(size=(200, 2)) + X[:, :2]
    found = open_surface(MemorySource(X, Y), scaled=True, fit_intercept=True)
    design = np.column_stack([X, np.ones(200)])
    return found, np.linalg.lstsq(design, Y, rcond=None)[0].T, X, Y


def test_conjugate_steps(surface):
    found, expected, X, Y = surface
    result = automatic(found, np.zeros((2, found.width)), 1e-10, 100, go_on)
    coef, b = found.outer(result.v)
    least = ((Y - X @ expected[:, :6].T - expected[:, 6]) ** 2).mean(axis=0)
    reached = ((Y - X @ coef.T - b) ** 2).mean(axis=0)
    assert result.finished and result.n_iter <= 30
    assert (reached <= least * (1 + 1e-8)).all()
    assert result.history[-1] == pytest.approx(least.mean(), rel=1e-8)
    if found.lowest is not None:  # proved, where the curvatures are known
        assert ((reached - least) / least <= result.rel_gap * (1 + 1e-6) + 1e-12).all()


def test_plain_steps_fall_to_the_same_place(surface):
    found, expected, _, _ = surface
    result = plain(found, np.zeros((2, found.width)), None, 0.0, 1e-7, 100_000, go_on)
    assert result.finished
    assert (np.diff(result.history) <= 1e-12).all()
    np.testing.assert_allclose(found.outer(result.v)[0], expected[:, :6], rtol=1e-2, atol=1e-2)


def test_too_large_a_rate_is_refused(surface):
    found = surface[0]
    with pytest.raises(InvalidParameter, match="diverges"):
        plain(found, np.zeros((2, found.width)), 100.0, 0.0, 1e-6, 2000, go_on)


def test_rates_from_curvatures(surface):
    found = surface[0]
    H = found.curve(np.eye(found.width))
    values = np.linalg.eigvalsh((H + H.T) / 2)
    assert 0.9 * values[-1] <= largest_curvature(found) <= values[-1] * (1 + 1e-9)
    exact = 2 / (values[-1] + values[0])
    assert 0 < best_rate(found) <= 2 / values[-1]
    if found.lowest is not None:
        assert best_rate(found) == pytest.approx(exact, rel=1e-8)


def test_a_callback_stops_it(surface):
    found = surface[0]
    result = automatic(found, np.zeros((2, found.width)), 1e-12, 100, lambda coefficients, error, number: number == 2)
    assert result.n_iter == 2 and not result.finished
