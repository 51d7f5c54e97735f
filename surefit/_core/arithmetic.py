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


UNIT_EXPONENT = -1126
"""Every finite double is a whole number of units 2^−1126."""


def exact_sum(values: np.ndarray) -> int:
    """The sum of finite numbers in units of 2^−1126, exactly: sums of parts add up to that of the whole."""
    total = 0
    for start in range(0, len(values), 2**26):
        fraction, exponent = np.frexp(values[start : start + 2**26])
        mantissa = np.ldexp(fraction, 53)  # a whole number; its halves of 26 and 27 bits add up without rounding
        high = np.floor(np.ldexp(mantissa, -27))
        lowest = int(exponent.min())
        for half, bits in ((high, 27), (mantissa - np.ldexp(high, 27), 0)):
            for place, part in enumerate(np.bincount(exponent - lowest, half).tolist()):
                total += int(part) << (lowest + place - 53 - UNIT_EXPONENT + bits)
    return total


def rounded_units(total: int) -> float:
    """The double next to a number of units."""
    return total / (1 << -UNIT_EXPONENT)


def whole_weights(w: np.ndarray, total: float) -> np.ndarray:
    """Weights as whole numbers of a power of two that is 2^−62 of their `total` or less: their sums have no order.

    Whole weights are kept exactly.
    """
    return np.rint(np.ldexp(w, 62 - np.frexp(total)[1])).astype(np.int64)
