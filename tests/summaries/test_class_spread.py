"""Mean and spread of every class, compiled, against plain NumPy and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surefit.engine.sources.block import Block
from surefit.summaries.class_spread import ClassSpreadStep, pooled_variance
from tests.reference.summaries import class_spread_reference

N, D, C, LEAF = 1000, 5, 3, 128
TYPES = [np.float64, np.float32, np.int64, np.int32]


def rows(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(3, (N, D)).astype(dtype), rng.integers(0, C, N).astype(np.float64), rng.integers(0, 9, N) / 4


def block(X, y, w=None):
    return Block(X, y, w, 0, LEAF)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_class_spread(dtype, weighted, missing):
    X, y, w = rows(dtype)
    X = X * np.array([1e-3, 1, 1e3, 1, 1], dtype) + np.array([0, 1e4, 0, 0, 7], dtype)
    w = w if weighted else None
    if missing:
        X[np.random.default_rng(3).random(X.shape) < 0.2] = np.nan
        X[y == 1, 4] = np.nan
    got = ClassSpreadStep(C, missing).map(None, block(X, y, w), 2)
    want = class_spread_reference(X, y.astype(int), C, w, missing)
    np.testing.assert_allclose(got.cell_weights, want.cell_weights, rtol=1e-14)
    np.testing.assert_allclose(got.means, want.means, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(got.squares, want.squares, rtol=1e-11, atol=1e-11)
    assert not missing or (got.feature_weights[1, 4] == 0 and got.means[1, 4] == 0)


def test_spread_far_from_zero_against_fractions():
    """Mean 1e9, spread of about one, five leaves: the steps between their means lose nothing."""
    rng = np.random.default_rng(1)
    x = 1e9 + np.round(rng.normal(size=300) * 2**20) / 2**20
    got = ClassSpreadStep(1).map(None, Block(x[:, None], np.zeros(300), None, 0, 64), 1)
    exact = [Fraction(float(v)) for v in x]
    mean = sum(exact) / 300
    assert abs(Fraction(float(got.means[0, 0])) - mean) <= Fraction(1e-16) * mean * 2
    squares = sum((v - mean) ** 2 for v in exact)
    assert abs(Fraction(float(got.squares[0, 0])) / squares - 1) < Fraction(1, 10**14)


@pytest.mark.parametrize("missing", [False, True])
def test_sums_beyond_floating_point_are_not_called_zero(missing):
    """Squares of deviations of 1e200 are no numbers: infinite, or NaN where infinities cancel."""
    X = np.array([[1e200, 1.0], [-1e200, 2.0], [3e200, 3.0], [1e308, 4.0], [1e308, 5.0]])
    got = ClassSpreadStep(1, missing).map(None, Block(X, np.zeros(5), None, 0, 64), 1)
    assert not np.isfinite(got.squares[0, 0])
    assert got.squares[0, 1] == 10.0  # of 1 … 5


def test_pooled_variance_is_that_of_all_rows():
    X, y, w = rows()
    spread = ClassSpreadStep(C).map(None, block(X, y, w), 1)
    mean = np.average(X, axis=0, weights=w)
    np.testing.assert_allclose(pooled_variance(spread), np.average((X - mean) ** 2, axis=0, weights=w), rtol=1e-13)
