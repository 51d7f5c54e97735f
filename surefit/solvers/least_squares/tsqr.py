"""The triangular factor of tall data, leaf by leaf: R of [1 | X − c | Y − c_y], rows scaled by √weight.

A QR factorisation of each leaf, then of two stacked factors, up the fixed tree. No products of columns are formed, so R
carries the condition number of X and not its square. The leading column of ones takes up what is left of the mean, so
the rows and columns after it belong to exactly centered data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step


class Shift(NamedTuple):
    """What is subtracted from and divided out of the columns of [X, Y] before they are factorised."""

    center: np.ndarray
    scale: np.ndarray
    """Powers of two: multiplying by them is exact."""
    intercept: bool


class TriangularStep(Step):
    """Statistic: R, with at most 1 + features + targets rows. State: a `Shift`."""

    def map_leaf(self, state: Shift, leaf: Block) -> np.ndarray:
        return np.asarray(np.linalg.qr(shifted_rows(state, leaf), mode="r"))

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.qr(np.vstack([left, right]), mode="r"))


def triangular_factor(data: Source, center: np.ndarray, intercept: bool) -> np.ndarray:
    """R of [X, Y], centered when there is an intercept: the rows and columns after those of the ones."""
    shift = Shift(center, np.ones(len(center)), intercept)
    return data.fold(TriangularStep(), shift)[int(intercept) :, int(intercept) :]


def dense_rows(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else X


def shifted_rows(shift: Shift, leaf: Block) -> np.ndarray:
    """√ω · [1 | (X − c)·s | (Y − c_y)·s_y], dense, in double."""
    n, d = leaf.X.shape
    first = int(shift.intercept)
    y = leaf.y if leaf.y is None or leaf.y.ndim == 2 else leaf.y[:, None]
    p = d + (0 if y is None else y.shape[1])
    rows = np.empty((n, first + p))
    rows[:, :first] = 1.0
    np.subtract(dense_rows(leaf.X), shift.center[:d], out=rows[:, first : first + d])
    if y is not None:
        np.subtract(y, shift.center[d:], out=rows[:, first + d :])
    rows[:, first:] *= shift.scale
    if leaf.w is not None:
        rows *= np.sqrt(leaf.w)[:, None]
    return rows
