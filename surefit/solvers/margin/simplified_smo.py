"""Sequential minimal optimization with the simplest choice of variables: a textbook's algorithm, step by step.

Two multipliers at a time, the first one that violates its condition, the second drawn at random:

    σᵢ f(xᵢ) ≥ 1  where αᵢ = 0 ,    σᵢ f(xᵢ) ≤ 1  where αᵢ = Uᵢ ,    σᵢ f(xᵢ) = 1  between.

The book ends after a few passes that change nothing, at a tolerance ε of the conditions. A second variable drawn badly
changes nothing either, so the last pass here tries them all, in random order; and while the duality gap is larger than
asked for the passes go on with ε/10.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from surefit.solvers.optimise.smo import BoxDual
from surefit.solvers.optimise.smo_gap import Box, Gap, duality_gap

PASSES = 3
"""Passes without a change that end the search at one tolerance."""
FIRST_TOLERANCE, LAST_TOLERANCE = 1e-3, 1e-13
NO_CHANGE = 1e-2
"""A step that changes Eᵢ − Eⱼ by less than this part of ε is none."""


class _Search:
    """α and b, and the two rows of the algorithm."""

    def __init__(self, K: np.ndarray, sign: np.ndarray, upper: np.ndarray) -> None:
        self.K, self.sign, self.upper = K, sign, upper
        self.alpha, self.b, self.n_iter = np.zeros(len(sign)), 0.0, 0

    def error(self, i: int) -> float:
        """Eᵢ = f(xᵢ) − σᵢ"""
        return float(self.K[i] @ (self.sign * self.alpha)) + self.b - float(self.sign[i])

    def violates(self, i: int, eps: float) -> bool:
        r = self.sign[i] * self.error(i)
        return bool((r < -eps and self.alpha[i] < self.upper[i]) or (r > eps and self.alpha[i] > 0))

    def step(self, i: int, j: int, least: float) -> bool:
        """The minimum over αᵢ and αⱼ with Σ σα kept; whether anything changed."""
        K, s, a = self.K, self.sign, self.alpha
        if s[i] == s[j]:
            low, high = max(0.0, a[i] + a[j] - self.upper[i]), min(self.upper[j], a[i] + a[j])
        else:
            low, high = max(0.0, a[j] - a[i]), min(self.upper[j], self.upper[i] + a[j] - a[i])
        curvature = K[i, i] + K[j, j] - 2 * K[i, j]
        if low >= high or curvature <= 0:
            return False
        e_i, e_j = self.error(i), self.error(j)
        new_j = min(max(a[j] + s[j] * (e_i - e_j) / curvature, low), high)
        if abs(new_j - a[j]) * curvature < least:
            return False
        new_i = min(max(a[i] + s[i] * s[j] * (a[j] - new_j), 0.0), self.upper[i])
        d_i, d_j = s[i] * (new_i - a[i]), s[j] * (new_j - a[j])
        b_i = self.b - e_i - d_i * K[i, i] - d_j * K[i, j]
        b_j = self.b - e_j - d_i * K[i, j] - d_j * K[j, j]
        a[i], a[j] = new_i, new_j
        inside_i, inside_j = 0 < new_i < self.upper[i], 0 < new_j < self.upper[j]
        self.b = float(b_i if inside_i else b_j if inside_j else (b_i + b_j) / 2)
        self.n_iter += 1
        return True


def simplified_smo(
    gram: Any,
    index: np.ndarray,
    sign: np.ndarray,
    linear: np.ndarray,
    upper: np.ndarray,
    *,
    tol: float,
    max_iter: int | None,
    time_budget: float | None,
    seed: int = 0,
    **unused: Any,
) -> BoxDual:
    """As `solve_box_dual`, for classification (linear = −1) and few rows: it works on the whole Gram matrix."""
    K = np.asarray(gram.rows(index, index), dtype=np.float64)
    box = Box(index, -sign, np.where(sign > 0, 0.0, -upper), np.where(sign > 0, upper, 0.0))
    search, rng = _Search(K, sign, upper), np.random.default_rng(seed)
    deadline = np.inf if time_budget is None else time.monotonic() + time_budget
    most = np.inf if max_iter is None else max_iter
    eps, status = FIRST_TOLERANCE, "unfinished"
    try:
        while status == "unfinished":
            status = _passes(search, eps, rng, most, deadline)
            if status == "unfinished":
                eps /= 10
                if _gap(search, box).rel_gap <= tol:
                    status = "converged"
                elif eps < LAST_TOLERANCE:
                    status = "rounding"
    except KeyboardInterrupt:
        status = "interrupted"
    gap = _gap(search, box)
    gradient = sign * (K @ (sign * search.alpha)) - 1.0
    return BoxDual(search.alpha, gap.bias, gap.value, gap.gap, gap.rel_gap, search.n_iter, status, gradient)


def _passes(search: _Search, eps: float, rng: np.random.Generator, most: float, deadline: float) -> str:
    """Passes over all rows until a few in a row change nothing, the last of them although it tried every pair."""
    n, unchanged = len(search.sign), 0
    while unchanged < PASSES:
        changed = 0
        for i in range(n):
            if search.n_iter >= most:
                return "max_iter"
            if search.violates(i, eps):
                tried = rng.permutation(n) if unchanged == PASSES - 1 else rng.integers(n, size=1)
                changed += any(search.step(i, j, NO_CHANGE * eps) for j in tried if j != i)
        if time.monotonic() > deadline:
            return "time_budget"
        unchanged = 0 if changed else unchanged + 1
    return "unfinished"


def _gap(search: _Search, box: Box) -> Gap:
    beta = search.sign * search.alpha
    return duality_gap(box, beta, search.K @ beta + box.q)
