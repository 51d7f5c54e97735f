"""f(x) = Σⱼ βⱼ k(xⱼ, x) at every row of the data, in blocks of the Gram matrix, with a bound of its rounding.

A product of a block of m centers with β is off by at most γ_{m+8} Σ|k||β|, and blocks are added in long double. In
double a block has at most 256 centers; in long double 16, so that the bound hardly grows with their number.

For the linear kernel f(x) = x·w with w = Σ βⱼxⱼ = Σ βⱼ(xⱼ − c) + c Σβⱼ for any c, all in long double, but for Σβⱼ,
which math.fsum rounds once. With c amid the rows, and Σβ zero but for rounding, an offset costs no digits of w.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Block, Blocks, dense, looked_over, one_column
from surefit.certificates.rounding import UNIT
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
CHUNK = 256  # centers at a time
FEW = 16  # the same in long double
ENTRIES = 1 << 20  # of a dense piece of rows, and of a block of the Gram matrix

Long = Any  # an array, or a number, of long doubles


class Data(NamedTuple):
    """Targets (or class codes) and weights of all rows, and whether the rows are float32."""

    y: F64
    w: F64
    single: bool


class Expansion(NamedTuple):
    """One column for each function: |exact − value| ≤ error; size = Σ|β||k| is what roundings are relative to.

    moved = Σ|βⱼ||k(xⱼ, x) − k(xⱼ, x₀)|, x₀ the first row: roundings of β move f by no more than that, each in units of
    itself, but for a number that is the same at all rows.
    """

    value: Long
    error: F64
    size: F64
    moved: F64


def read_data(blocks: Blocks) -> Data:
    """One pass. Raises BadData where there is nothing to compute with."""
    parts = [(one_column(y), w, X.dtype == np.float32) for X, y, w in looked_over(blocks, needs_y=True)]
    ys, ws, single = zip(*parts, strict=True)
    return Data(np.concatenate(ys).astype(np.float64), np.concatenate(ws), any(single))


def rows_at(blocks: Blocks, places: NDArray) -> list[Block]:
    """The rows with these numbers, each a block of its own."""
    found: dict[int, Block] = {}
    wanted, first = np.unique(places), 0
    for X, _, _ in blocks:
        inside = wanted[(wanted >= first) & (wanted < first + X.shape[0])]
        found |= {int(i): X[i - first : i - first + 1] for i in inside}
        first += X.shape[0]
    return [found[int(i)] for i in places]


def stacked(rows: list[Block]) -> F64:
    return np.concatenate([dense(row) for row in rows])


def pieces(blocks: Blocks) -> Iterator[F64]:
    """All rows in order, dense, a few at a time."""
    for X, _, _ in blocks:
        step = max(1, min(ENTRIES // CHUNK, ENTRIES // max(1, X.shape[1])))
        for lo in range(0, X.shape[0], step):
            yield dense(X[lo : lo + step])


def expansion(
    kernel: Kernel, rows: Iterator[F64], centers: list[Block], places: NDArray, coef: F64, long: bool = False
) -> Expansion:
    """Σⱼ coef[j] k(centers[j], ·) at all rows; one column of `coef` for each function; `long`: all in long double."""
    if kernel.name == "linear":
        return _linear(rows, centers, coef)
    kind, u, step, found = (LONG, LONG_UNIT, FEW, []) if long else (np.float64, UNIT, CHUNK, [])
    first = dict[int, F64]()  # the kernel's values at the first row
    for A in rows:
        value, error, size, moved = (np.zeros((len(A), coef.shape[1]), dtype=t) for t in (LONG, float, float, float))
        for lo in range(0, len(centers), step):
            part = slice(lo, lo + step)
            K, off = kernel.block(A.astype(kind), stacked(centers[part]).astype(kind), places[part])
            absolute = np.abs(coef[part])
            moved += np.abs(K - first.setdefault(lo, K[:1])).astype(np.float64) @ absolute
            here = np.abs(K).astype(np.float64) @ absolute * (1 + 1e-9)
            value, size = value + K @ coef[part].astype(kind), size + here
            error += off.astype(np.float64) @ absolute * (1 + 1e-9) + g(step + 8, u) * here
        found.append((value, error + g(len(centers) // step + 8, LONG_UNIT) * size, size, moved))
    return Expansion(*(np.concatenate(part) for part in zip(*found, strict=True)))


class Weights(NamedTuple):
    """w = Σ βⱼxⱼ, one column for each function: |exact − value| ≤ error; size = Σ|βⱼ||xⱼ|."""

    value: Long
    error: F64
    size: F64


def weights_of(centers: list[Block], coef: F64, d: int) -> Weights:
    """`coef` has a row for each center of d columns."""
    W, size, spread = (np.zeros((d, coef.shape[1]), dtype=t) for t in (LONG, float, float))
    c = np.median(stacked(centers[:CHUNK]), axis=0).astype(LONG) if centers else np.zeros(d, dtype=LONG)
    for lo in range(0, len(centers), CHUNK):
        S, beta = stacked(centers[lo : lo + CHUNK]), coef[lo : lo + CHUNK]
        moved = S.astype(LONG) - c
        W += moved.T @ beta.astype(LONG)
        size += np.abs(S).T @ np.abs(beta)
        spread += np.abs(moved).astype(np.float64).T @ np.abs(beta)
    e = np.array([math.fsum(column) for column in coef.T])
    rest = np.abs(np.outer(c, e)).astype(np.float64)
    error = g(len(centers) + 8, LONG_UNIT) * (spread + rest) * (1 + 1e-9) + 2 * UNIT * rest
    return Weights(W + np.outer(c, e), error, size)


def _linear(rows: Iterator[F64], centers: list[Block], coef: F64) -> Expansion:
    w, found, first = None, [], None
    for A in rows:
        first = A[:1] if first is None else first
        w = weights_of(centers, coef, A.shape[1]) if w is None else w
        value, absolute = A.astype(LONG) @ w.value, np.abs(A)
        off = w.error + g(A.shape[1] + 8, LONG_UNIT) * (np.abs(w.value).astype(np.float64) + w.error)
        found.append((value, absolute @ off * (1 + 1e-9), absolute @ w.size, np.abs(A - first) @ w.size))
    return Expansion(*(np.concatenate(part) for part in zip(*found, strict=True)))
