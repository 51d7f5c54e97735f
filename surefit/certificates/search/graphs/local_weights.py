"""Proposes the weights that rebuild each row from others: G w = 1, scaled to add up to one. Not trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64


def local_weights(G: F64) -> F64:
    """For each matrix of G (m, k, k), in long double: solved in double, refined twice."""
    one: Any = np.ones((*G.shape[:2], 1), np.longdouble)
    double = G.astype(np.float64)
    w = np.linalg.solve(double, one.astype(np.float64)).astype(np.longdouble)
    for _ in range(2):
        w = w + np.linalg.solve(double, (one - G @ w).astype(np.float64))
    w = w[..., 0]
    weights: F64 = w / w.sum(axis=1)[:, None]
    return weights
