"""Rows whose weights fade by a factor with every row that follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, BlockOf, Blocks


class FadedBlocks:
    """The blocks with the weights that are left of their rows after the last."""

    def __init__(self, blocks: Blocks, fading: float) -> None:
        self.blocks, self.n_rows, self.n_features, self.fading = blocks, blocks.n_rows, blocks.n_features, fading
        self.total = sum(float(_weights(X, w).sum()) for X, _, w in blocks)

    def __iter__(self) -> Iterator[BlockOf]:
        later = np.longdouble(self.total)
        for X, y, w in self.blocks:
            omega = _weights(X, w)
            after, later = later - np.cumsum(omega), later - omega.sum()
            grown = omega if self.fading == 1 else -np.expm1(omega * np.log(self.fading)) / (1 - self.fading)
            yield BlockOf(X, y, grown.astype(np.float64) * self.left(after))

    def left(self, weight: F64) -> F64:
        return np.power(self.fading, np.maximum(weight, 0.0).astype(np.float64))


def _weights(X: Any, w: Any) -> F64:
    omega = np.ones(X.shape[0], np.longdouble) if w is None else np.asarray(w, dtype=np.longdouble)
    if not (np.isfinite(omega).all() and (omega >= 0).all()):
        raise BadData("some weights are negative, NaN or infinite")
    return omega


def faded_penalty(attrs: Attributes, faded: FadedBlocks, t: int) -> F64 | None:
    alpha = attrs.number("alpha")
    if alpha is not None and alpha < 0:
        attrs.faults.append("alpha is negative")
        return None
    return None if alpha is None else np.full(t, alpha * float(faded.left(np.array(faded.total))))
