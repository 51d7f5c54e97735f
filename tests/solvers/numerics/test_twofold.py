"""Arithmetic in twice the precision against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from surefit.solvers.numerics import twofold
from surefit.solvers.numerics.twofold import Twofold


def fraction(number, place=()):
    return Fraction(float(number.high[place])) + Fraction(float(number.low[place]))


def random(shape, seed):
    rng = np.random.default_rng(seed)
    high = rng.standard_normal(shape)
    return Twofold(high, high * rng.uniform(-1, 1, shape) * 2.0**-54)


def test_add_and_multiply_have_a_hundred_bits():
    a, b = random(200, 0), random(200, 1)
    for function, exact in ((twofold.add, Fraction.__add__), (twofold.multiply, Fraction.__mul__)):
        found = function(a, b)
        for i in range(200):
            size = abs(fraction(a, i)) + abs(fraction(b, i)) if function is twofold.add else abs(fraction(found, i))
            assert abs(fraction(found, i) - exact(fraction(a, i), fraction(b, i))) <= size * Fraction(2) ** -100


def test_sums_of_rows_that_cancel():
    for n in (1, 2, 3, 7, 100, 1001):
        a = random((n, 3), n)
        a.high[: n // 2] *= 1e12
        found = twofold.sum_rows(a)
        for j in range(3):
            terms = [fraction(a, (i, j)) for i in range(n)]
            assert abs(fraction(found, j) - sum(terms)) <= sum(map(abs, terms)) * Fraction(2) ** -95


def test_a_dot_product_rounds_once():
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal(300) * 10.0 ** rng.integers(-8, 8, 300), rng.standard_normal(300)
    total = sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0.1))
    assert twofold.dot(a, b, 0.1) == float(total)
    assert twofold.dot(np.array([1e300, 1e300]), np.array([1e300, -1e300]), 1.0) != 0.0  # beyond: plain arithmetic


def test_zeros_and_exact():
    assert not twofold.zeros((2, 3)).value.any() and twofold.zeros((2, 3)).high.shape == (2, 3)
    assert twofold.exact(np.array([0.1])).value.tolist() == [0.1]
