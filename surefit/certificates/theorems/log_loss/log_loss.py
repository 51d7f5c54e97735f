"""Logistic and softmax regression:  f(θ) = Σ ωᵢ (log Σₖ exp zᵢₖ − zᵢ,yᵢ) + Σⱼ λ₁ⱼ|θⱼ| + ½ Σⱼ λ₂ⱼ θⱼ² , zₖ = x·wₖ + bₖ .

θ has a row (w, b) per class; with two classes the first row is zero. Logits are taken from rows shifted by m,
z = (x − m)·w + (b + m·w), the bracket in long double: an offset of the columns does not cost digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks, dense, looked_over, one_column
from surefit.certificates.rounding import gamma

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
NOT_KNOWN = 1e300  # the error of what rounding leaves nothing of; it is finite: a row without weight may have it


class Slopes(NamedTuple):
    """Of some rows: (x − m, 1), the weights, logits z, probabilities p, p − e (e is one at the own class), errors."""

    rows: F64
    weight: F64
    z: F64
    p: F64
    residual: F64
    error: F64  # of p and p − e, relative


@dataclass
class LogLoss:
    blocks: Blocks
    factors: F64  # one per class, by class_weight
    weight: F64  # Σω of every class, with its factor
    first: int  # the first class with coefficients: 1 for two classes, else 0
    intercept: bool
    shift: F64  # m; zero where the intercept is absent or penalised, and for compressed rows
    lasso: F64  # λ₁, one per column and the intercept's at the end
    ridge: F64  # λ₂, likewise

    def rows(self) -> Iterator[tuple[F64, NDArray[np.intp], F64]]:
        """(x − m, 1), codes, and weights times class weights, some rows at a time; 0 for 1 without an intercept."""
        step = max(1, 2**21 // (self.factors.size + self.shift.size))
        for X, y, omega in looked_over(self.blocks, needs_y=True):
            code = one_column(y).astype(np.intp)
            for lo in range(0, code.size, step):
                A, some = dense(X[lo : lo + step]) - self.shift, code[lo : lo + step]
                B = np.hstack([A, np.full((some.size, 1), float(self.intercept))])
                yield B, some, omega[lo : lo + step] * self.factors[some]

    def logits(self, B: F64, theta: F64) -> tuple[F64, F64, F64]:
        """Z, a bound for the rounding of any logit of a row, and the size of its terms |x||w| + |b|."""
        (W, b), d = (theta[:, :-1], theta[:, -1]), theta.shape[1] - 1
        constant = (b + W.astype(LONG) @ self.shift.astype(LONG)).astype(np.float64)
        moved, parts = np.hstack([W, constant[:, None]]), float((np.abs(b) + np.abs(W) @ np.abs(self.shift)).max())
        sizes = np.abs(B) @ np.abs(moved).max(axis=0)
        return B @ moved.T, gamma(d + 3) * sizes + gamma(d + 3, LONG_UNIT) * parts, sizes + parts

    def slopes(self, theta: F64) -> Iterator[Slopes]:
        """The gradient in the logits, part by part. Logits that are off by δ change p by exp(2δ) − 1 < 8δ at most.

        What is less than 10⁻³⁰⁰ counts as zero.
        """
        for B, code, omega in self.rows():
            Z, rounding, _ = self.logits(B, theta)
            P = np.exp(Z - Z.max(axis=1, keepdims=True))
            P /= P.sum(axis=1, keepdims=True)
            D, own = P.copy(), np.arange(code.size)
            D[own, code] = 0.0
            D[own, code] = -D.sum(axis=1)
            off = np.where(rounding < 0.1, 8.0 * rounding, NOT_KNOWN) + gamma(16 * len(theta) + 64)
            yield Slopes(B, omega, Z, P, D, off)

    def penalties(self, theta: F64) -> F64:
        return np.abs(theta) * self.lasso + 0.5 * self.ridge * theta * theta


def losses(Z: F64, code: NDArray[np.intp], rounding: F64) -> tuple[F64, F64]:
    """log Σₖ exp(zₖ − z_y) of every row, and a bound for the error of that.

    As a function of s = log Σ over the others exp(zₖ − z_y) the loss is log(1 + exp s), of slope at most min(1, loss);
    a change of s by no more than one multiplies the slope by less than three.
    """
    own = np.arange(code.size)
    Z = Z - Z[own, code][:, None]
    Z[own, code] = -np.inf
    s = np.logaddexp.reduce(Z, axis=1, initial=-1e3)
    loss, moved = np.logaddexp(0.0, s), 2.1 * rounding + gamma(4 * Z.shape[1] + 8) * (1.0 + np.abs(s))
    return loss, np.where(moved <= 1.0, 3.0 * np.minimum(1.0, loss) * moved + gamma(8) * loss, NOT_KNOWN)


def objective(task: LogLoss, theta: F64) -> tuple[float, float, float]:
    """f(θ), a bound for the rounding of it, and Σ ω (|x||w| + |b|)²."""
    total = error = squares = 0.0
    for B, code, omega in task.rows():
        Z, rounding, size = task.logits(B, theta)
        loss, off = losses(Z, code, rounding)
        total, error, squares = (
            total + float(omega @ loss),
            error + float(omega @ off),
            squares + float(omega @ size**2),
        )
    penalty = float(task.penalties(theta).sum())
    error = 1.01 * error + gamma(task.blocks.n_rows + 8) * total + gamma(theta.size + 8) * penalty
    return total + penalty, error, squares
