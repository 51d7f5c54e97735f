"""Logistic and softmax regression, pass by pass:  f(θ) = Σ ωᵢ (log Σₖ exp zᵢₖ − zᵢ,yᵢ) + Σⱼ λ₁ⱼ|θⱼ| + ½ Σⱼ λ₂ⱼ θⱼ² .

θ has a row per class that has coefficients, from `first` on: all classes of a softmax, the second of two. The other
logits are zero. The last column is the intercept, for rows shifted by m: x·w + b = (x − m)·w + (b + m·w).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Block, Blocks, dense, magnitude, matmul, tmatmul
from surefit.certificates.theorems.classes import codes, weights_of

MAX_PARAMETERS = 1500  # beyond, no Hessian is formed
MAX_WORK = 2e11  # operations for one Hessian
NEAR_ENOUGH = 1e-11  # a bound that is this near, relative to f, needs no better point


@dataclass
class LogLoss:
    blocks: Blocks
    factors: F64  # one per class, by class_weight
    first: int  # the first class with coefficients
    intercept: bool
    shift: F64  # m; zero where the intercept is absent or penalised
    lasso: F64  # λ₁, one per column and the intercept's at the end
    ridge: F64  # λ₂, likewise

    @property
    def n_classes(self) -> int:
        return self.factors.size

    @property
    def free_intercept(self) -> bool:
        return self.intercept and not (self.lasso[-1] > 0 or self.ridge[-1] > 0)

    def small(self) -> bool:
        """Whether a Hessian is affordable."""
        c = self.n_classes - self.first
        p = c * self.ridge.size
        return p <= MAX_PARAMETERS and float(self.blocks.n_rows) * p * p <= MAX_WORK

    def rows(self) -> Iterator[tuple[Block, NDArray[np.intp], F64]]:
        """Rows, codes, and weights times class weights."""
        for X, y, w in self.blocks:
            code = codes(np.asarray(y))
            yield X, code, weights_of(X, w) * self.factors[code]

    def logits(self, X: Block, theta: F64) -> F64:
        W = np.ascontiguousarray(theta[:, :-1].T)
        Z = matmul(X, W) + (theta[:, -1] - self.shift @ W)
        return np.hstack([np.zeros((Z.shape[0], self.first)), Z])

    def sizes(self, X: Block, theta: F64) -> F64:
        """|x||w| + |m||w| + |b| at the largest class: rounding in a logit is below γ times this."""
        W = np.abs(theta[:, :-1].T)
        return (matmul(magnitude(X), np.ascontiguousarray(W)) + self.shift_size(W) + np.abs(theta[:, -1])).max(axis=1)

    def shift_size(self, W: F64) -> F64:
        return np.abs(self.shift) @ W

    def transposed(self, X: Block, D: F64) -> F64:
        """Σᵢ Dᵢₖ (xᵢ − m, 1) for the classes with coefficients: shape (c, d + 1)."""
        D = np.ascontiguousarray(D[:, self.first :])
        sums = D.sum(axis=0)
        G = tmatmul(X, D).T - np.outer(sums, self.shift)
        return np.hstack([G, sums[:, None] if self.intercept else np.zeros((sums.size, 1))])

    def penalty(self, theta: F64) -> float:
        return float((np.abs(theta) @ self.lasso + 0.5 * (theta * theta) @ self.ridge).sum())


def log_softmax(Z: F64) -> F64:
    """log p for every row, to a relative rounding where p is near one too: −log(1 + Σ of the others)."""
    at, top = np.arange(len(Z)), np.argmax(Z, axis=1)
    Z = Z - Z[at, top][:, None]
    others = np.exp(Z)
    others[at, top] = 0.0
    return Z - np.log1p(others.sum(axis=1))[:, None]


def divergence(q: F64, log_p: F64) -> F64:
    """Σₖ q log(q/p) − q + p for every row: the Kullback–Leibler divergence, no term of which is negative.

    The largest q is one less the others: both q log(q/p) and p − q keep their digits where it is near one.
    """
    terms = np.where(q > 0, q * (np.log(np.where(q > 0, q, 1.0)) - log_p), 0.0) - q + np.exp(log_p)
    at, top = np.arange(len(q)), np.argmax(q, axis=1)
    others = np.where(np.arange(q.shape[1]) == top[:, None], 0.0, q).sum(axis=1)
    log_top = log_p[at, top]
    terms[at, top] = (1.0 - others) * (np.log1p(-others) - log_top) + others + np.expm1(log_top)
    return np.maximum(terms, 0.0).sum(axis=1)


@dataclass
class Slope:
    """f, its gradient (c, d + 1) and its Hessian (over θ row by row), where asked for."""

    f: float
    gradient: F64
    hessian: F64  # 0 × 0 where not asked for
    rounding: F64  # Σ ω |x − m| |p − e|, like the gradient


def derivatives(task: LogLoss, theta: F64, hessian: bool) -> Slope:
    c, d1 = theta.shape
    f, G, A = 0.0, np.zeros((c, d1)), np.zeros((c, d1))
    H = np.zeros((c, d1, c, d1)) if hessian else None
    for X, code, omega in task.rows():
        log_p = log_softmax(task.logits(X, theta))
        at = np.arange(code.size)
        f -= float(omega @ log_p[at, code])
        full = np.exp(log_p)
        P, D = full[:, task.first :], full.copy()
        D[at, code] = np.where(D[at, code] > 0.5, np.expm1(log_p[at, code]), D[at, code] - 1.0)
        G += task.transposed(X, omega[:, None] * D)
        E = np.ascontiguousarray(omega[:, None] * np.abs(D[:, task.first :]))
        A += np.hstack(
            [tmatmul(magnitude(X), E).T + np.outer(E.sum(axis=0), np.abs(task.shift)), E.sum(axis=0)[:, None]]
        )
        if H is not None:
            B = np.hstack([dense(X) - task.shift, np.full((code.size, 1), float(task.intercept))])
            # Σ ω (diag p − p pᵀ) ⊗ x xᵀ; 1 − p as the sum of the others, which keeps its digits where p is near one
            for a in range(c):
                rest = np.delete(full, a + task.first, axis=1).sum(axis=1)
                for b in range(a, c):
                    s = omega * P[:, a] * (rest if a == b else -P[:, b])
                    block = B.T @ (s[:, None] * B)
                    H[a, :, b, :] += block
                    if a != b:
                        H[b, :, a, :] += block
    if H is not None:
        index = np.arange(d1)
        for a in range(c):
            H[a, index, a, index] += task.ridge
    G += task.ridge * theta
    square = np.zeros((0, 0)) if H is None else H.reshape(c * d1, c * d1)
    return Slope(f + task.penalty(theta), G, square, A)


def polish(task: LogLoss, theta: F64, steps: int = 60) -> F64:
    """Newton's method from θ, with halved steps where f does not fall. Only a lower bound rests on the answer.

    With λ₁, coefficients that are zero stay zero and the others keep their sign: the penalty is then linear.
    """
    linear, moves = task.lasso * np.sign(theta), (theta != 0) | (task.lasso == 0)

    def slope(at: F64) -> Slope:
        here = derivatives(task, at, True)
        if moves.all() and not linear.any():
            return here
        out = ~moves.reshape(-1)
        here.hessian[out] = here.hessian[:, out] = 0.0
        f = here.f + float((linear * at - task.lasso * np.abs(at)).sum())
        return Slope(f, np.where(moves, here.gradient + linear, 0.0), here.hessian, here.rounding)

    here = slope(theta)
    for _ in range(steps):
        left = _left(task, here)
        move = _newton(task, here, theta.shape)
        fall = -float((move * here.gradient).sum())
        if not np.isfinite(fall) or left <= NEAR_ENOUGH * abs(here.f):
            break
        size = 1.0
        there = slope(theta + move)
        while not (there.f <= here.f - 0.1 * size * fall or (size == 1.0 and fall <= 1e-9 * abs(here.f))):
            size /= 2
            if size < 1e-6:
                return theta
            there = slope(theta + size * move)
        if there.f >= here.f and not _left(task, there) < 0.5 * left:
            break  # rounding
        theta, here = theta + size * move, there
    return theta


def _left(task: LogLoss, here: Slope) -> float:
    """The size of the bound.

    With a penalty ‖g‖²/2λ₂, and |g| of free intercepts; without, g·h for an h that f notices, by Newton's decrement.
    """
    penalised = task.ridge > 0
    if penalised.any():
        slack = float((here.gradient[:, penalised] ** 2 / (2.0 * task.ridge[penalised])).sum())
        return slack + float(np.abs(here.gradient[:, -1]).sum()) * task.free_intercept
    decrement = -float((_newton(task, here, here.gradient.shape) * here.gradient).sum())
    return float(np.sqrt(max(decrement, 0.0) * abs(here.f)))


def _newton(task: LogLoss, here: Slope, shape: tuple[int, int]) -> F64:
    """The step −H⁻¹g, in columns scaled to a diagonal of one; small eigenvalues are left out where there are some."""
    c, d1 = shape
    H, g = here.hessian, here.gradient.reshape(-1)
    diagonal = np.sqrt(np.diag(H))
    inverse = np.where(diagonal > 0, 1.0 / np.where(diagonal > 0, diagonal, 1.0), 0.0)
    scaled = H * inverse[:, None] * inverse
    if not np.isfinite(scaled).all():
        return np.full(shape, np.nan)
    if task.ridge[:-1].all() and task.intercept and task.free_intercept and task.first == 0:
        # adding the same number to all intercepts changes nothing: give that direction a curvature
        at = np.arange(c) * d1 + d1 - 1
        scaled[np.ix_(at, at)] += 1.0 / c
    if task.ridge[:-1].all():
        try:
            np.linalg.cholesky(scaled - 1e-13 * np.eye(c * d1))
        except np.linalg.LinAlgError:
            pass  # not positive definite to working precision: eigenvalues, below
        else:
            return -(inverse * np.linalg.solve(scaled, inverse * g)).reshape(c, d1)
    values, vectors = np.linalg.eigh(scaled)
    keep = values > 1e-14 * max(float(values[-1]), 1e-300) * d1 * c
    coordinates = (vectors[:, keep].T @ (inverse * g)) / values[keep]
    return -(inverse * (vectors[:, keep] @ coordinates)).reshape(c, d1)


def polish_intercept(task: LogLoss, theta: F64, steps: int = 12) -> F64:
    """Newton's method on the intercepts alone, where a Hessian of all is too much."""
    theta = theta.copy()
    for _ in range(steps):
        g, H = np.zeros(theta.shape[0]), np.zeros((theta.shape[0], theta.shape[0]))
        for X, code, omega in task.rows():
            P = np.exp(log_softmax(task.logits(X, theta)))
            D = P.copy()
            D[np.arange(code.size), code] -= 1.0
            P = P[:, task.first :]
            g += omega @ D[:, task.first :]
            H += np.diag(omega @ P) - (P * omega[:, None]).T @ P
        move = -np.linalg.lstsq(H, g, rcond=1e-13)[0] if np.isfinite(H).all() else np.full(g.size, np.nan)
        if not np.isfinite(move).all() or np.abs(move).max(initial=0.0) <= 1e-15 * (1 + np.abs(theta[:, -1]).max()):
            break
        theta[:, -1] += np.clip(move, -5.0, 5.0)
    return theta
