"""Proposes a better dual point and function for a support vector machine: an active-set method from the model's own.

Free coefficients F (strictly inside their boxes, and those that would gain by leaving a wall) solve
    K_FF δ + δb = c_F − f_F − b,   Σδ = −Σβ,      c = t for classes, t ∓ ε for a regression,
and go as far as the boxes allow; those that come to a wall stay there. The best intercept is a weighted quantile.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.kernel_machine.duality import expansion

ENTRIES = 1 << 24  # numbers of columns of the Gram matrix that may be in memory
STEPS, FREE = 300, 1500


def proposals(kernel: Any, X: F64, task: Any, beta: F64, b: float, tol: float) -> Iterator[tuple[F64, float]]:
    """Coefficients of all rows, inside the constraints, and an intercept: near those given, then better ones."""
    yield feasible(task, beta), b
    rows, on = np.flatnonzero(task.upper > 0), np.flatnonzero(beta)
    value = expansion(kernel, X, X[rows], on, beta[on, None])[0][:, 0].astype(np.float64)
    t, U = task.target[rows], task.upper[rows]
    search = Search(kernel, X, rows, t, U, task.epsilon, np.where(np.isfinite(beta[rows]), beta[rows], 0.0))
    value, found = search.run(value, b, 1e-3 * tol), search.beta
    none = np.zeros_like(value)
    if not least_objective(task, t, U, found, value, b) < least_objective(task, t, U, none, none, b):
        value = found = none
    other = np.zeros(len(X))
    other[rows] = found
    yield feasible(task, other), best_intercept(t, U, task.epsilon, value, b)


def feasible(task: Any, beta: F64) -> F64:
    """Coefficients near β inside their boxes, multiples of a power of two whose sum is exactly zero."""
    low, high = -task.upper, task.upper
    if task.epsilon is None:
        low, high = np.where(task.target > 0, 0.0, low), np.where(task.target > 0, high, 0.0)
    beta = np.clip(np.nan_to_num(beta, posinf=0.0, neginf=0.0), low, high)
    plus, minus = beta[beta > 0].sum(), -beta[beta < 0].sum()
    if not 0 < min(plus, minus) < np.inf:
        return np.zeros_like(beta)
    beta = beta * np.where(beta > 0, min(1.0, minus / plus), min(1.0, plus / minus))
    grid = 2.0 ** (np.floor(np.log2(np.abs(beta).max())) - 50)
    beta = np.trunc(beta / grid) * grid
    for _ in range(len(beta)):
        rest = math.fsum(beta)
        if rest == 0:
            break
        j = int(np.argmax(beta * np.sign(rest)))
        beta[j] -= np.sign(rest) * min(abs(rest), abs(beta[j]))
    return beta


def least_objective(task: Any, t: F64, U: F64, beta: F64, value: F64, b: float) -> float:
    """½ βᵀKβ + Σ U max(0, v) with the best intercept; U may be infinite where nothing is violated."""
    z = value + best_intercept(t, U, task.epsilon, value, b)
    v = 1 - t * z if task.epsilon is None else np.abs(t - z) - task.epsilon
    return float(beta @ value / 2 + (U[v > 0] * v[v > 0]).sum())


def best_intercept(t: F64, U: F64, epsilon: float | None, value: F64, b: float) -> float:
    """The minimum over b of Σ U max(0, v): where the slope, which grows by U at every kink, passes zero."""
    if np.isinf(U).any():
        inner = t - value if epsilon is None else np.concatenate([t - epsilon - value, t + epsilon - value])
        side = t if epsilon is None else np.repeat([1.0, -1.0], len(t))
        return float((inner[side > 0].max(initial=b) + inner[side < 0].min(initial=b)) / 2)
    kinks = t - value if epsilon is None else np.concatenate([t - epsilon - value, t + epsilon - value])
    jumps = U if epsilon is None else np.concatenate([U, U])
    start = U[t > 0].sum() if epsilon is None else U.sum()
    order = np.argsort(kinks)
    slope = np.cumsum(jumps[order]) - start
    at = min(int(np.searchsorted(slope, -1e-12 * start)), len(order) - 1)
    flat = abs(slope[at]) <= 1e-12 * start and at + 1 < len(order)
    return float((kinks[order[at]] + kinks[order[at + 1]]) / 2 if flat else kinks[order[at]])


def solved(A: F64, right: F64) -> F64:
    """The solution of a linear system, or of the nearest that has one; zero where numbers are missing."""
    try:
        return np.linalg.solve(A, right)
    except np.linalg.LinAlgError:
        finite = np.isfinite(A).all() and np.isfinite(right).all()
        return np.linalg.lstsq(A, right, rcond=None)[0] if finite else np.zeros_like(right)


class Search:
    """Improves the coefficients of one task; without an intercept Σβ is free."""

    intercept = True

    def __init__(self, kernel: Any, X: Any, rows: NDArray, t: F64, U: F64, epsilon: float | None, beta: F64) -> None:
        self.kernel, self.X, self.rows, self.t, self.U, self.epsilon = kernel, X, rows, t, U, epsilon
        self.columns: dict[int, F64] = {}
        self.side = t.copy() if epsilon is None else np.where(beta < 0, -1.0, 1.0)
        self.beta = self.side * np.clip(self.side * beta, 0.0, U)
        self.moved = not np.array_equal(self.beta, beta)

    def gram(self, F: NDArray) -> F64 | None:
        """The columns F of the Gram matrix."""
        new = np.array([j for j in F.tolist() if j not in self.columns], dtype=np.intp)
        if len(self.rows) * (len(self.columns) + len(new)) > ENTRIES or len(F) > FREE:
            return None
        if new.size:
            at = self.rows[new]
            block = self.kernel.block(self.X[self.rows], self.X[at], at).value
            self.columns.update(zip(new.tolist(), block.T, strict=True))
        return np.array([self.columns[j] for j in F.tolist()]).reshape(len(F), len(self.rows)).T

    def wish(self, g: F64) -> F64:
        """c − f − b for the side of every coefficient; a zero of a regression takes the side that gains."""
        if self.epsilon is None:
            return g
        zero = self.beta == 0
        self.side = np.where(zero, np.where(g < 0, -1.0, 1.0), self.side)
        return g - self.side * self.epsilon

    def run(self, value: F64, b: float, tol: float) -> F64:
        """Improves β; returns f at all rows."""
        if self.moved:
            held = np.flatnonzero(self.beta)
            K = self.gram(held)
            if K is None:
                return value
            value = K @ self.beta[held]
        b = best_intercept(self.t, self.U, self.epsilon, value, b) if self.intercept else 0.0
        banned = np.zeros(len(self.t), dtype=bool)
        scale = np.abs(self.t).max() + (self.epsilon or 0.0)
        for _ in range(STEPS):
            wish = self.wish(self.t - value - b) * self.side  # > 0: would grow, < 0: would shrink
            size = np.abs(self.beta)
            inside = (size > 0) & (size < self.U)
            gains = np.where(size == 0, wish, np.where(size == self.U, -wish, 0.0))
            eager = np.flatnonzero(~inside & ~banned & (gains > 1e-3 * tol * scale))
            eager = eager[np.argsort(-gains[eager])][: max(5, int(inside.sum()) // 5)]
            F = np.concatenate([np.flatnonzero(inside), eager])
            if F.size == 0 or (eager.size == 0 and np.abs(wish[inside]).max(initial=0.0) <= 1e-13 * scale):
                break
            K = self.gram(F)
            if K is None:
                break
            step, rise = self._newton(K[F], (wish * self.side)[F])
            share, stop = self._share(F, step)
            if stop is not None:
                banned[F[stop]] = True
            self.beta[F] += share * step
            if stop is not None:
                hit = F[stop]
                self.beta[hit] = self.side[hit] * np.where(np.abs(self.beta[hit]) > self.U[hit] / 2, self.U[hit], 0.0)
            self.beta = self.side * np.clip(self.side * self.beta, 0.0, self.U)
            value, b = value + share * (K @ step), b + share * rise
            if share > 1e-9:
                banned[:] = False
        held = np.flatnonzero(self.beta)
        K = self.gram(held)
        return value if K is None else K @ self.beta[held]

    def _newton(self, K: F64, g: F64) -> tuple[F64, float]:
        n, ridge = len(K), 1e-11 * float(np.abs(np.diag(K)).mean())
        if not self.intercept:
            return solved(K + (ridge + 1e-300) * np.eye(n), g), 0.0
        A = np.zeros((n + 1, n + 1))
        A[:n, :n], A[:n, n], A[n, :n] = K + ridge * np.eye(n), 1.0, 1.0
        right = np.append(g, -self.beta.sum())
        found = solved(A, right)
        return found[:n], float(found[n])

    def _share(self, F: NDArray, step: F64) -> tuple[float, NDArray | None]:
        """How much of the step the boxes allow, and the coefficients that come to a wall."""
        size, move = np.abs(self.beta[F]), step * self.side[F]
        with np.errstate(all="ignore"):
            space = np.where(move < 0, size / -move, np.where(move > 0, (self.U[F] - size) / move, np.inf))
        share = min(1.0, float(space.min(initial=1.0)))
        return share, np.flatnonzero(space <= share) if share < 1 else None
