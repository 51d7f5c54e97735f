"""Sums and products against fractions, powers of two against their definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surefit._core.arithmetic import power_of_two, two_product, two_sum


def numbers(seed, n=500):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(n) * 10.0 ** rng.integers(-60, 60, n)


@pytest.mark.parametrize(("function", "exact"), [(two_sum, Fraction.__add__), (two_product, Fraction.__mul__)])
def test_result_and_error_add_up_to_the_exact_value(function, exact):
    a, b = numbers(0), numbers(1)
    high, low = function(a, b)
    for x, y, h, l in zip(a, b, high, low, strict=True):
        assert Fraction(h) + Fraction(l) == exact(Fraction(x), Fraction(y))
        assert abs(l) <= 2.0**-53 * abs(h)


@pytest.mark.parametrize("size", [1.0, 0.75, 1.5, 2.0**40, 3e-300, 1e300])
def test_the_least_power_above(size):
    power = power_of_two(size)
    assert isinstance(power, float) and 0.5 <= size / power < 1
    assert np.frexp(power)[0] == 0.5


def test_zero_and_the_ends_of_floating_point():
    assert power_of_two(0.0) == 1.0
    for size in (5e-324, 1.7e308, np.finfo(float).tiny):
        power = power_of_two(size)
        assert 0 < power < np.inf and 0 < 1 / power < np.inf
    assert power_of_two(5e-324, 1073) == 2.0**-1073
    assert power_of_two(1e-30, 20) == 2.0**-20 and power_of_two(1e30, 20) == 2.0**20


def test_arrays_element_by_element():
    np.testing.assert_array_equal(power_of_two(np.array([0.0, 1.0, 3.0, 0.2])), [1.0, 2.0, 4.0, 0.25])
