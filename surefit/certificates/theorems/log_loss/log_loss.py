"""Logistic and softmax regression:  f(θ) = Σ ωᵢ (log Σₖ exp zᵢₖ − zᵢ,yᵢ) + Σⱼ λ₁ⱼ|θⱼ| + ½ Σⱼ λ₂ⱼ θⱼ² , zₖ = x·wₖ + bₖ .

θ has a row (w, b) per class; with two classes the first row is zero. Logits are taken from rows shifted by m,
z = (x − m)·w + (b + m·w), the bracket in long double: an offset of the columns does not cost digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Block, Blocks, Rows, dense, looked_over, one_column
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.row_products import magnitude, matmul, tmatmul

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
TIE = 1e-12  # a ray moves logits apart where it does so by more than this share of its terms


@dataclass
class LogLoss:
    blocks: Blocks
    factors: F64  # one per class, by class_weight
    present: NDArray[np.bool_]  # classes with weight
    first: int  # the first class with coefficients: 1 for two classes, else 0
    intercept: bool
    shift: F64  # m; zero where the intercept is absent or penalised, and for compressed rows
    lasso: F64  # λ₁, one per column and the intercept's at the end
    ridge: F64  # λ₂, likewise
    rays: tuple[F64, ...] = ()  # what these directions separate is left out of the loss

    @property
    def terms(self) -> int:
        """No sum over rows has more roundings one after the other."""
        return self.blocks.n_rows

    @property
    def free_intercept(self) -> bool:
        return self.intercept and not (self.lasso[-1] > 0 or self.ridge[-1] > 0)

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
        """Logits and their rounding; −∞ for the classes that a ray separates from the row's own."""
        Z, rounding, _ = self.logits(A, theta)
        return (np.where(self.separated(A, code), -np.inf, Z) if self.rays else Z), rounding

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


def losses(Z: F64, code: NDArray[np.intp], rounding: F64) -> tuple[F64, F64]:
    """log Σₖ exp(zₖ − z_y) of every row, and a bound for the error of that.

    As a function of s = log Σ over the others exp(zₖ − z_y) the loss is log(1 + exp s), of slope at most min(1, loss);
    a change of s by no more than one multiplies the slope by less than three.
    """
    own = np.arange(code.size)
    Z = Z - Z[own, code][:, None]
    Z[own, code] = -np.inf
    top = Z.max(axis=1)
    top = np.where(np.isneginf(top), 0.0, top)
    loss = np.logaddexp(0.0, top + np.log(np.exp(Z - top[:, None]).sum(axis=1)))
    moved = 2.1 * rounding + gamma(Z.shape[1] + 8) * (1.0 + np.abs(top))
    return loss, np.where(moved <= 1.0, 3.0 * np.minimum(1.0, loss) * moved + gamma(8) * loss, np.inf)


def probabilities(Z: F64) -> F64:
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True)


def residuals(P: F64, code: NDArray[np.intp]) -> F64:
    """q − e for a distribution q next to P: the row's own entry is less the sum of the others, which is below one."""
    D, own = P * (1.0 - 8 * (P.shape[1] + 4) * UNIT), np.arange(code.size)
    D[own, code] = 0.0
    D[own, code] = -D.sum(axis=1)
    return D


def objective(task: LogLoss, theta: F64) -> tuple[float, float]:
    """f(θ) and a bound for the rounding of it."""
    total = error = 0.0
    for A, code, omega in task.rows():
        Z, rounding = task.scores(A, code, theta)
        loss, off = losses(Z, code, rounding)
        total += float(omega @ loss)
        error += float(omega @ np.where(omega > 0, off, 0.0))
    penalty = task.penalty(theta)
    error = 1.01 * error + gamma(task.terms + 8) * total + gamma(theta.size + 8) * penalty
    return total + penalty, error
