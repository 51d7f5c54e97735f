"""Logistic and softmax regression:  f(θ) = Σ ωᵢ (log Σₖ exp zᵢₖ − zᵢ,yᵢ) + Σⱼ λ₁ⱼ|θⱼ| + ½ Σⱼ λ₂ⱼ θⱼ² , zₖ = x·wₖ + bₖ .

θ has a row (w, b) per class; with two classes the first row is zero. Logits are taken from points a = (x − m, 1),
z = (x − m)·w + (b + m·w), the bracket in long double: an offset of the columns does not cost digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks, dense, looked_over, one_column
from surefit.certificates.rounding import gamma

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
TIE = 1e-12  # a ray moves logits apart where it does so by more than this share of its terms
ENTRIES = 2**21  # of the points and logits held at a time


@dataclass
class LogLoss:
    blocks: Blocks
    factors: F64  # one per class, by class_weight
    weight: F64  # Σω of every class, with these factors
    first: int  # the first class with coefficients: 1 for two classes, else 0
    intercept: bool
    shift: F64  # m; zero where the intercept is absent or penalised
    lasso: F64  # λ₁, one per column and the intercept's at the end
    ridge: F64  # λ₂, likewise
    classes: F64 | bool = True  # those that the loss compares
    ray: F64 | None = None  # what this direction separates is left out of the loss

    @property
    def penalized(self) -> bool:
        return bool((self.lasso + self.ridge).any())

    def rows(self) -> Iterator[tuple[F64, NDArray[np.intp], F64]]:
        """The rows with weight: points (the last entry zero without an intercept), classes, ω times class weights."""
        step = max(1, ENTRIES // (self.shift.size + self.factors.size))
        for X, y, omega in looked_over(self.blocks, needs_y=True):
            code = one_column(y).astype(np.intp)
            for lo in range(0, len(code), step):
                part = slice(lo, lo + step)
                w = omega[part] * self.factors[code[part]]
                A = np.hstack([dense(X[part]) - self.shift, np.full((w.size, 1), float(self.intercept))])
                yield A[w > 0], code[part][w > 0], w[w > 0]

    def logits(self, A: F64, theta: F64) -> tuple[F64, F64, F64]:
        """Z, and one column each: a bound for the rounding of a row's logits, and the size of their terms."""
        w, b, n = theta[:, :-1], theta[:, -1], sum(theta.shape) + 2
        about = (b + w.astype(LONG) @ self.shift.astype(LONG)).astype(np.float64)
        moved = np.hstack([w, about[:, None]])
        parts = float((np.abs(b) + np.abs(w) @ np.abs(self.shift)).max())
        size = np.abs(A) @ np.abs(moved).max(axis=0)[:, None]
        return A @ moved.T, gamma(n) * size + gamma(n, LONG_UNIT) * parts, size + parts

    def gains(self, A: F64, code: NDArray[np.intp], direction: F64) -> tuple[F64, F64, F64]:
        """What a row's own class gains on every class, the rounding of that, and the size of the terms."""
        Z, rounding, size = self.logits(A, direction)
        return Z[np.arange(code.size), code][:, None] - Z, 2.1 * rounding, size

    def scores(self, A: F64, code: NDArray[np.intp], theta: F64) -> tuple[F64, F64]:
        """Logits and their rounding; −∞ for classes left out, and those that the ray separates from the row's own."""
        Z, rounding, _ = self.logits(A, theta)
        Z = np.where(self.classes, Z, -np.inf)
        if self.ray is not None:
            gain, blur, size = self.gains(A, code, self.ray)
            Z = np.where(gain > np.maximum(blur, TIE * size), -np.inf, Z)
        return Z, rounding[:, 0]


def probabilities(Z: F64) -> F64:
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True)


def residuals(P: F64, code: NDArray[np.intp]) -> F64:
    """p − e, e one at the row's own class: the own entry is less the sum of the others."""
    own = np.arange(P.shape[1]) == code[:, None]
    others = np.where(own, 0.0, P)
    return np.where(own, -others.sum(axis=1, keepdims=True), others)


def relative_error(Z: F64, rounding: F64) -> F64:
    """Of every row's p − e: logits that are off by δ change probabilities by exp(2δ) − 1 at most."""
    return np.where(rounding < 0.1, np.expm1(2.1 * rounding), np.inf) + gamma(16 * Z.shape[1] + 64)


def losses(Z: F64, code: NDArray[np.intp], rounding: F64) -> tuple[F64, F64]:
    """−log p of every row's own class, and a bound for its error, which is relative to the loss where that is small."""
    loss = np.logaddexp.reduce(Z - Z[np.arange(code.size), code][:, None], axis=1)
    return loss, 3.0 * relative_error(Z, rounding) * np.minimum(1.0, loss) + gamma(Z.shape[1] + 8) * loss


def slopes(task: LogLoss, theta: F64) -> Iterator[tuple[F64, F64, F64, F64, F64, F64]]:
    """Points, ω, logits, probabilities p at θ, p − e, and the most that this is off, relative, part by part."""
    for A, code, omega in task.rows():
        Z, rounding = task.scores(A, code, theta)
        P = probabilities(Z)
        yield A, omega, Z, P, residuals(P, code), relative_error(Z, rounding)


def objective(task: LogLoss, theta: F64) -> tuple[float, float, float]:
    """f(θ), a bound for its rounding, and Σ ω size², size that of the terms of a row's logits."""
    total = error = stored = 0.0
    for A, code, omega in task.rows():
        Z, rounding = task.scores(A, code, theta)
        loss, off = losses(Z, code, rounding)
        total, error = total + float(omega @ loss), error + float(omega @ off)
        stored += float(omega @ task.logits(A, theta)[2][:, 0] ** 2)
    penalty = float((np.abs(theta) @ task.lasso + 0.5 * (theta * theta) @ task.ridge).sum())
    error = 1.01 * error + gamma(task.blocks.n_rows + 8) * total + gamma(theta.size + 8) * penalty
    return total + penalty, error, stored
