"""Mean and spread of every column, merged leaf by leaf as Chan, Golub and LeVeque have it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit.engine.block import Block, row_weights
from surefit.engine.step import Step


class Columns(NamedTuple):
    weight: float
    mean: np.ndarray
    ss: np.ndarray
    """Σ ω (x − mean)²"""


class ColumnsStep(Step):
    """Mean and sum of squared deviations of every column, for data too wide for products."""

    def map_leaf(self, state: np.ndarray | None, leaf: Block) -> Columns:
        w = row_weights(leaf, state)
        w = np.ones(leaf.n_rows) if w is None else w
        weight = float(w.sum())
        if weight == 0:
            return Columns(0.0, np.zeros(leaf.n_features), np.zeros(leaf.n_features))
        mean = np.asarray(leaf.X.T @ w, dtype=np.float64) / weight
        if sp.issparse(leaf.X):
            squares = leaf.X.copy()
            squares.data = squares.data.astype(np.float64) ** 2
            ss = np.maximum(squares.T @ w - weight * mean**2, 0.0)
        else:
            ss = w @ (leaf.X - mean) ** 2
        return Columns(weight, mean, ss)

    def combine(self, left: Columns, right: Columns) -> Columns:
        weight = left.weight + right.weight
        if weight == 0:
            return left
        share = right.weight / weight
        step = right.mean - left.mean
        return Columns(weight, left.mean + share * step, left.ss + right.ss + left.weight * share * step**2)
