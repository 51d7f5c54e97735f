"""Arithmetic in twice the working precision: a number is an unevaluated sum `high + low` of two doubles.

Built on the error-free `two_sum` and `two_product`. Used where a handful of digits decide: the residuals of an
ill-conditioned least-squares problem.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from surefit._core.arithmetic import two_product, two_sum


class Twofold(NamedTuple):
    high: np.ndarray
    low: np.ndarray

    @property
    def value(self) -> np.ndarray:
        return self.high + self.low


def add(a: Twofold, b: Twofold) -> Twofold:
    s, e = two_sum(a.high, b.high)
    high, low = two_sum(s, e + (a.low + b.low))
    return Twofold(high, low)


def multiply(a: Twofold, b: Twofold) -> Twofold:
    p, e = two_product(a.high, b.high)
    high, low = two_sum(p, e + (a.high * b.low + a.low * b.high))
    return Twofold(high, low)


def zeros(shape: tuple[int, ...] | int) -> Twofold:
    return Twofold(np.zeros(shape), np.zeros(shape))


def exact(a: np.ndarray) -> Twofold:
    return Twofold(np.asarray(a, dtype=np.float64), np.zeros(np.shape(a)))


def sum_rows(a: Twofold) -> Twofold:
    """Σ over the first axis, by halves; the tree depends on the number of rows alone."""
    high, low = a
    while high.shape[0] > 1:
        rows = high.shape[0]
        half = rows // 2
        s, e = two_sum(high[:half], high[half : 2 * half])
        l = low[:half] + low[half : 2 * half] + e
        if rows % 2:
            s[0], e = two_sum(s[0], high[-1])
            l[0] += low[-1] + e
        high, low = s, l
    s, e = two_sum(high[0], low[0])
    return Twofold(s, e)


def dot(a: np.ndarray, b: np.ndarray, start: float = 0.0) -> float:
    """start + a·b, rounded once; plainly where it is beyond floating point."""
    with np.errstate(over="ignore", invalid="ignore"):
        p, e = two_product(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
        terms = [start, *p.tolist(), *e.tolist()]
        if not np.abs(terms).sum() < np.inf:
            return float(start + p.sum())
    return math.fsum(terms)
