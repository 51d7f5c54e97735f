"""Planes of a classifier: the terms of each, and their answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.theorems.linear_program.long_rows import Slice


def terms(j: int, k: int, C: float, factors: F64) -> Callable[[Slice], tuple[F64, F64]]:
    """s and U of the rows for the hyperplane of class j; of two classes, of the second."""

    def of(part: Slice) -> tuple[F64, F64]:
        code = part.y.astype(np.intp)
        s = np.where(code == (1 if k == 2 else j), 1.0, -1.0)
        return s, C * part.w * (factors[code] if k == 2 else np.where(s > 0, factors[j], 1.0))

    return of


def answers(model: Any, blocks: Blocks, W: F64, b: F64, unit: float) -> list[Claim]:
    """decision_function and predict on a sample of rows, for one plane (two classes) or one for each class."""
    rows = sample_rows(blocks)
    X, eps = rows.astype(np.float64), 2 * max(unit, float(rows.dtype == np.float32) * 2.0**-24)
    Z, rounding = X @ W.T + b, (W.shape[1] + 2) * eps * (np.abs(X) @ np.abs(W).T + np.abs(b))
    one = len(W) == 1
    return [
        numbers_claim(model, "decision_function", rows, Z[:, 0] if one else Z, rounding[:, 0] if one else rounding),
        labels_claim(model, rows, np.hstack([-Z, Z]) if one else Z, rounding.max(axis=1)),
    ]
