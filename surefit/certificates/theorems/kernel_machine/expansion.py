"""f(x) = Σⱼ βⱼ k(xⱼ, x) at rows of the data, in blocks of the Gram matrix, with a bound of its rounding.

A product of a block of m centers with β is off by at most γ_{m+8} Σ|k||β| in its own precision, and blocks are added in
long double.

For the linear kernel f(x) = x·w with w = Σ βⱼxⱼ = Σ βⱼ(xⱼ − c) + c Σβⱼ for any c, all in long double, but for Σβⱼ,
which math.fsum rounds once. With c amid the rows, and Σβ zero but for rounding, an offset costs no digits of w.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks, dense, looked_over, one_column
from surefit.certificates.rounding import UNIT
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
CHUNK = 256  # centers at a time
FEW = 16  # the same in long double, where the bound is then next to that of the entries
ENTRIES = 1 << 20  # of a dense piece of rows, and of a block of the Gram matrix

Long = Any  # an array, or a number, of long doubles


class Data(NamedTuple):
    """Targets (or class codes) and weights of all rows, and whether the rows are float32."""

    y: F64
    w: F64
    single: bool


class Values(NamedTuple):
    """One column for each function: |exact − value| ≤ error; size = Σ|β||k| (or Σ|β||x|) is what roundings go with."""

    value: Long
    error: F64
    size: F64


def read_data(blocks: Blocks) -> Data:
    """One pass. Raises BadData where there is nothing to compute with."""
    parts = [(one_column(y), w, X.dtype == np.float32) for X, y, w in looked_over(blocks, needs_y=True)]
    ys, ws, single = zip(*parts, strict=True)
    return Data(np.concatenate(ys).astype(np.float64), np.concatenate(ws), any(single))


def rows_at(blocks: Blocks, places: NDArray) -> F64:
    """The rows with these numbers, dense."""
    found, first = np.zeros((len(places), blocks.n_features)), 0
    for X, _, _ in blocks:
        for k in np.flatnonzero((places >= first) & (places < first + X.shape[0])):
            found[k] = dense(X[places[k] - first : places[k] - first + 1])[0]
        first += X.shape[0]
    return found


def pieces(blocks: Blocks) -> Iterator[F64]:
    """All rows in order, dense, a few at a time."""
    for X, _, _ in blocks:
        step = max(1, min(ENTRIES // CHUNK, ENTRIES // max(1, X.shape[1])))
        for lo in range(0, X.shape[0], step):
            yield dense(X[lo : lo + step])


def expansion(
    kernel: Kernel, blocks: Blocks, places: NDArray, coef: F64, kind: Any = LONG, at: F64 | None = None
) -> Values:
    """Σⱼ coef[j] k(x_places[j], ·), one column of `coef` for each function, at all rows or `at` those given."""
    if kernel.name == "linear":
        return _linear(blocks, places, coef, pieces(blocks) if at is None else [at])
    shape, u = (blocks.n_rows if at is None else len(at), coef.shape[1]), float(np.finfo(kind).eps) / 2
    value, error, size, step = np.zeros(shape, LONG), np.zeros(shape), np.zeros(shape), FEW if kind is LONG else CHUNK
    for lo in range(0, len(places), step):
        part, beta, first = places[lo : lo + step], coef[lo : lo + step], 0
        centers = rows_at(blocks, part).astype(kind)
        for A in pieces(blocks) if at is None else [at]:
            here, first = slice(first, first + len(A)), first + len(A)
            K, off = kernel.block(A.astype(kind), centers, part)
            absolute = np.abs(K).astype(np.float64) @ np.abs(beta)
            value[here] += K @ beta.astype(kind)
            size[here] += absolute
            error[here] += off.astype(np.float64) @ np.abs(beta) + g(step + 8, u) * absolute
    return Values(value, 1.01 * (error + g(len(places) // step + 8, LONG_UNIT) * size), 1.01 * size)


def weights_of(blocks: Blocks, places: NDArray, coef: F64) -> Values:
    """w = Σ βⱼxⱼ, one column for each function."""
    shape, c = (blocks.n_features, coef.shape[1]), np.zeros(blocks.n_features, LONG)
    if len(places):
        c += np.median(rows_at(blocks, places[:CHUNK]), axis=0)
    value, spread, size = np.zeros(shape, LONG), np.zeros(shape), np.zeros(shape)
    for lo in range(0, len(places), CHUNK):
        X, beta = rows_at(blocks, places[lo : lo + CHUNK]), coef[lo : lo + CHUNK]
        value += (X - c).T @ beta.astype(LONG)
        spread += np.abs(X - c).astype(np.float64).T @ np.abs(beta)
        size += np.abs(X).T @ np.abs(beta)
    rest = np.outer(c, [math.fsum(column) for column in coef.T])
    off = np.abs(rest).astype(np.float64)
    return Values(value + rest, 1.01 * g(len(places) + 8, LONG_UNIT) * (spread + off) + 2 * UNIT * off, 1.01 * size)


def _linear(blocks: Blocks, places: NDArray, coef: F64, rows: Iterable[F64]) -> Values:
    w = weights_of(blocks, places, coef)
    off = 1.01 * (w.error + g(blocks.n_features + 8, LONG_UNIT) * np.abs(w.value).astype(np.float64))
    parts = [(A.astype(LONG) @ w.value, np.abs(A) @ off, np.abs(A) @ w.size) for A in rows]
    return Values(*(np.concatenate(part) for part in zip(*parts, strict=True)))
