"""Arithmetic that every floor shares: exact errors of sums and products, and scaling that rounds nothing away.

`two_sum` (Knuth) and `two_product` (Dekker) return a rounded result and its exact error, without fused multiply-add or
long double: the bits are the same on every machine. Multiplying by a power of two is exact, so rows, targets and
weights are brought to a convenient size by `power_of_two`.
"""

from __future__ import annotations

from typing import overload

import numpy as np

_SPLITTER = 134217729.0  # 2^27 + 1: cuts a double into two halves of 26 bits
LARGEST_EXPONENT = 1022
"""2^±1022 and their reciprocals are normal numbers."""


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a + b rounded, and what rounding took."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a·b rounded, and what rounding took."""
    p = a * b
    ah, al = _halves(a)
    bh, bl = _halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    c = _SPLITTER * a
    high = c - (c - a)
    return high, a - high


@overload
def power_of_two(size: float, most: int = LARGEST_EXPONENT) -> float: ...
@overload
def power_of_two(size: np.ndarray, most: int = LARGEST_EXPONENT) -> np.ndarray: ...
def power_of_two(size: float | np.ndarray, most: int = LARGEST_EXPONENT) -> float | np.ndarray:
    """The least power of two above `size` (of each size): size/power is in [½, 1). One where the size is zero.

    Exponents are held within ±`most`: by default the power and its reciprocal are finite whatever the size. For powers
    that are only divided by, 1073 takes in the smallest numbers.
    """
    exponent = np.clip(np.frexp(size)[1], -most, min(most, 1023))
    power = np.where(np.asarray(size) == 0, 1.0, np.ldexp(1.0, exponent))
    return power if isinstance(size, np.ndarray) else float(power)
