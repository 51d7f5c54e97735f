"""Bounds of rounding against exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from surefit.certificates.rounding import UNIT, epsilon, gamma


def test_unit_is_half_an_ulp_of_one() -> None:
    assert 1.0 + UNIT == 1.0 and 1.0 + 2 * UNIT > 1.0


def test_gamma_by_its_formula() -> None:
    u = Fraction(UNIT)
    assert gamma(1000) == pytest.approx(float(1000 * u / (1 - 1000 * u)), rel=1e-15)
    assert gamma(0) == 0.0 and gamma(1e17) == math.inf


@pytest.mark.parametrize("n", [3, 100, 2000])
def test_gamma_bounds_a_dot_product(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=n), rng.normal(size=n)
    exact = sum((Fraction(a) * Fraction(b) for a, b in zip(x.tolist(), y.tolist(), strict=True)), Fraction(0))
    magnitude = sum((abs(Fraction(a) * Fraction(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)), Fraction(0))
    error = abs(Fraction(float(x @ y)) - exact)
    assert error <= Fraction(gamma(n)) * magnitude


def test_epsilon_is_that_of_data_and_attributes() -> None:
    double, single = np.ones(1), np.ones(1, dtype=np.float32)
    assert epsilon(False, double) == np.finfo(np.float64).eps
    assert epsilon(False, double, single) == np.finfo(np.float32).eps
    assert epsilon(True, double) == np.finfo(np.float32).eps
    assert epsilon(False, np.ones(1, dtype=np.float16)) == np.finfo(np.float64).eps
