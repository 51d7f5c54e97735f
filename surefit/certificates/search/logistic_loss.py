"""The log-loss for the searches of its checker: rows stay compressed, and what rays separate is left out.

Nothing here is trusted: a poor proposal makes a bound loose, it cannot make a claim false.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Block, Blocks, Rows, dense, looked_over, one_column
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.log_loss.log_loss import LONG, LONG_UNIT, LogLoss
from surefit.certificates.theorems.log_loss.log_loss_free import TIE
from surefit.certificates.theorems.row_products import magnitude, matmul, tmatmul


@dataclass
class Loss:
    blocks: Blocks
    factors: F64  # one per class, by class_weight
    weight: F64  # of every class
    first: int  # the first class with coefficients: 1 for two classes, else 0
    intercept: bool
    shift: F64  # m; zero where the intercept is absent or penalised, and for compressed rows
    lasso: F64  # λ₁, one per column and the intercept's at the end
    ridge: F64  # λ₂, likewise
    rays: tuple[F64, ...] = ()  # what these directions separate is left out of the loss

    @property
    def penalized(self) -> NDArray[np.bool_]:
        return (self.lasso > 0) | (self.ridge > 0)

    def rows(self) -> Iterator[tuple[Block, NDArray[np.intp], F64]]:
        """Rows less m, codes, and weights times class weights, so many at a time that logits fit in memory."""
        step = max(1, 2**21 // self.factors.size)
        for X, y, omega in looked_over(self.blocks, needs_y=True):
            code = one_column(y).astype(np.intp)
            for lo in range(0, X.shape[0], step):
                part, some = X[lo : lo + step], code[lo : lo + step]
                A = part if isinstance(part, Rows) else np.asarray(part, dtype=np.float64) - self.shift
                yield A, some, omega[lo : lo + step] * self.factors[some]

    def points(self, A: Block) -> F64:
        """(x − m, 1), the last entry zero without an intercept."""
        return np.hstack([dense(A), np.full((A.shape[0], 1), float(self.intercept))])

    def products(self, A: Block, T: F64) -> F64:
        """Σᵢ Tᵢₖ (xᵢ − m, 1): one row per class."""
        return np.hstack([tmatmul(A, np.ascontiguousarray(T)).T, T.sum(axis=0)[:, None]])

    def logits(self, A: Block, theta: F64) -> tuple[F64, F64, F64]:
        """Z, a bound for the rounding of any logit of a row, and the size of its terms |x||w| + |b|."""
        W, d = np.ascontiguousarray(theta[:, :-1].T), theta.shape[1] - 1
        constant = (theta[:, -1] + theta[:, :-1].astype(LONG) @ self.shift.astype(LONG)).astype(np.float64)
        parts = float((np.abs(theta[:, -1]) + np.abs(theta[:, :-1]) @ np.abs(self.shift)).max())
        sizes = matmul(magnitude(A), np.abs(W).max(axis=1))
        rounding = gamma(d + 3) * (sizes + np.abs(constant).max()) + gamma(d + 3, LONG_UNIT) * parts
        return matmul(A, W) + constant, rounding, sizes + parts

    def scores(self, A: Block, code: NDArray[np.intp], theta: F64) -> tuple[F64, F64]:
        """Logits and their rounding; −∞ for classes without weight, or that a ray separates from the own."""
        Z, rounding, _ = self.logits(A, theta)
        gone = self.separated(A, code) | (self.weight == 0)
        gone[np.arange(code.size), code] = False
        return np.where(gone, -np.inf, Z), rounding

    def separated(self, A: Block, code: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Where the row's own class surely gains on another one along a ray."""
        out = np.zeros((code.size, self.factors.size), dtype=bool)
        for ray in self.rays:
            gain, rounding, size = self.gains(A, code, ray)
            out |= gain > np.maximum(rounding, TIE * size)[:, None]
        return out

    def gains(self, A: Block, code: NDArray[np.intp], direction: F64) -> tuple[F64, F64, F64]:
        """What a row's own class gains on every class, the rounding of that, and the size of the terms."""
        Z, rounding, size = self.logits(A, direction)
        return Z[np.arange(code.size), code][:, None] - Z, 2.1 * rounding, size

    def penalty(self, theta: F64) -> float:
        return float((np.abs(theta) @ self.lasso + 0.5 * (theta * theta) @ self.ridge).sum())


def with_rays(task: LogLoss) -> Loss:
    return Loss(**vars(task))


def probabilities(Z: F64) -> F64:
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True)


def residuals(P: F64, code: NDArray[np.intp]) -> F64:
    D, own = P.copy(), np.arange(code.size)
    D[own, code] = 0.0
    D[own, code] = -D.sum(axis=1)
    return D


@dataclass
class Found:
    """Over the rows with weight and the other classes: how a row's own class does along the ray."""

    loss: float  # the most that it loses, relative to the size of the terms, rounding added; zero where all gain
    pairs: int  # (row, class) that it gains on
    tied: NDArray[np.bool_]  # classes (own, other) of some row that it does not gain on


def along(task: Loss, ray: F64) -> Found:
    """What the task's earlier rays separate does not count: those are gone along first, and farther."""
    k = len(ray)
    found = Found(0.0, 0, np.zeros((k, k), dtype=bool))
    for A, code, omega in task.rows():
        used = omega > 0
        gain, rounding, size = (part.reshape(len(part), -1) for part in task.gains(A, code, ray))
        other = used[:, None] & (np.arange(k) != code[:, None]) & ~task.separated(A, code)
        gains = other & (gain > np.maximum(rounding, TIE * size))
        ties, unit = other & ~gains, np.where(size > 0, size, 1.0)
        # np.maximum keeps a NaN, which overflow makes
        found.loss = float(np.maximum(found.loss, np.where(ties, (rounding - gain) / unit, 0.0).max(initial=0.0)))
        found.pairs += int(np.count_nonzero(gains))
        np.logical_or.at(found.tied, code, ties)
    return found
