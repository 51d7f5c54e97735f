"""Sums of products in twice the working precision: for the few sums whose rounding would decide a verdict.

A number is an unevaluated sum high + low. `two_sum` and `two_product` (Knuth, Dekker) return the rounded result and its
exact error, without fused operations and without long doubles.
"""

from __future__ import annotations

import math

import numpy as np

from surefit.certificates.blocks import F64, Block, dense
from surefit.certificates.theorems.scatter import slices

SPLITTER = 134217729.0  # 2²⁷ + 1: cuts a double into two halves of 26 bits


def two_sum(a: F64, b: F64) -> tuple[F64, F64]:
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def two_product(a: F64, b: F64) -> tuple[F64, F64]:
    p = a * b
    ah, bh = _high(a), _high(b)
    al, bl = a - ah, b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _high(a: F64) -> F64:
    c = SPLITTER * a
    return c - (c - a)


def add(a: tuple[F64, F64], b: tuple[F64, F64]) -> tuple[F64, F64]:
    s, e = two_sum(a[0], b[0])
    return two_sum(s, e + (a[1] + b[1]))


def column_sums(high: F64, low: F64) -> tuple[F64, F64]:
    """Σ over the rows, by halves."""
    if len(high) == 0:
        return np.zeros(high.shape[1]), np.zeros(high.shape[1])
    while len(high) > 1:
        half = len(high) // 2
        s, e = two_sum(high[:half], high[half : 2 * half])
        rest = low[:half] + low[half : 2 * half] + e
        if len(high) % 2:
            s[0], e = two_sum(s[0], high[-1])
            rest[0] += low[-1] + e
        high, low = s, rest
    return two_sum(high[0], low[0])


def transposed_product(X: Block, delta: F64) -> tuple[F64, F64]:
    """Xᵀδ."""
    total = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for rows in slices(X):
        total = add(total, column_sums(*two_product(dense(X[rows]), delta[rows, None])))
    return total


def dot(a: F64, b: F64, start: float = 0.0) -> float:
    """start + a·b, rounded once."""
    p, e = two_product(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    terms = [start, *p.tolist(), *e.tolist()]
    if not np.abs(terms).sum() < np.inf:  # beyond floating point there is nothing to be exact about
        return float(start + p.sum())
    return math.fsum(terms)
