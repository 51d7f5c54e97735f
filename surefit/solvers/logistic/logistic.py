"""Logistic regression, binary and softmax, as a smooth convex function on centred and scaled columns.

    F(w, b) = Σ ω ℓ(x·w + b; k) + λ/2 ‖w‖²                     ℓ: objectives/logistic.py, objectives/softmax.py

Passes are made in the user's coordinates. The solver's own are u with w = s u_w and b = u_b − c·w, where c is the mean
of the columns and s a power of two that brings each to about unit spread: offsets and units cost no digits and no
steps. The penalty is that of the user's coordinates.

A gap that is proved comes from one of two dual points. Let p be the probabilities at (w, b), J = Σ ω (diag p − p pᵀ),
g = (g_w, δ) the gradient (of the intercepts: δ) and T = Σ ω ‖x − c‖².

1. λ > 0. Intercepts moved by β so that Σ ω (p(β) − e_k) = 0 give a feasible dual point. With κ = δᵀJ⁺δ and
   2e²κ ≤ the smallest positive eigenvalue of J, curvatures change by less than a factor e on the way, and
       F − F* ≤ e κ + (‖g_w − c δᵀ‖ + √(e κ T / 2))² / (2 λ).
2. With the Newton step v, H v = −g, the probabilities p' = p + (diag p − p pᵀ)(x·v_w + v_b) satisfy every equality of
   the dual; they are probabilities where no two scores of a row are moved apart by more than 1, and then
       F − F* ≤ Σ ω KL(p' ‖ p) + λ/2 ‖v_w‖² ≤ vᵀ H v,        for KL ≤ χ².
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from surefit._core.arithmetic import power_of_two
from surefit._core.errors import InvalidData
from surefit.engine.source import Source
from surefit.solvers.logistic.logistic_pass import (
    BinaryHessianStep,
    FirstLook,
    FirstLookStep,
    HessianStep,
    LogisticStep,
    Pass,
    Point,
    Reach,
    ReachStep,
)
from surefit.solvers.optimise.metric import Diagonal, Kronecker, Whole
from surefit.solvers.optimise.newton import CHEAP, Metric
from surefit.summaries.column_spread import column_spread

WHOLE = 1200
"""Parameters up to which the second derivative is held whole."""
SQUARE = 3000
"""Columns up to which their products are held."""


class At(NamedTuple):
    value: float
    gradient: np.ndarray
    passed: Pass


class LogisticProblem:
    """F on a source. `m` scores: one for two classes."""

    def __init__(
        self,
        data: Source,
        n_classes: int,
        class_weight: np.ndarray | None,
        penalty: float,
        fit_intercept: bool,
        intercept_penalty: float = 0.0,
        free_intercept: bool | None = None,
    ) -> None:
        self.data, self.class_weight, self.penalty, self.fit_intercept = data, class_weight, penalty, fit_intercept
        self.intercept_penalty = intercept_penalty
        self.m = 1 if n_classes == 2 else n_classes
        d = data.n_features
        self.square = d <= SQUARE
        self.width = d + fit_intercept
        self.whole = self.m * self.width <= WHOLE and self.square
        every = 1 if self.whole else max(1, data.n_rows // (20 * d))
        self.look: FirstLook = data.fold(FirstLookStep(n_classes, self.square, every), class_weight)
        self.weight = float(self.look.counts.sum())
        if self.look.moments is not None and self.look.moments.weight == 0:
            self.look = data.fold(FirstLookStep(n_classes, self.square), class_weight)
        self.centred = fit_intercept and (intercept_penalty == 0 if free_intercept is None else free_intercept)
        centre, variance = self._columns()
        self.centre = centre if self.centred else np.zeros(d)
        self.column_ss = self.weight * variance
        self.total_ss = float(self.column_ss.sum())
        if self.look.square_sum:  # means and variances are estimates: a bound by the triangle inequality
            length = math.sqrt(1.01 * self.look.square_sum) + math.sqrt(self.weight) * np.linalg.norm(self.centre)
            self.total_ss = float(length**2)
            self.column_ss = np.full(d, self.total_ss)
        self.scale = 1.0 / power_of_two(np.where(variance > 0, np.sqrt(variance), 1.0))
        self.single = data.dtype == np.float32 and self.m > 1
        self.rounding = 1e-8 if self.single else 1e-13
        self.metric_cost = self._metric_cost() if self.whole else math.inf
        self.negligible = 1e-9 * self.weight if penalty == 0 else 0.0  # a penalty has a minimum to be found
        self.full_rank = True
        self.passes = 0

    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances (about zero without an intercept)."""
        if self.look.moments is not None:
            mean, ss = self.look.moments.mean, np.diagonal(self.look.moments.products)
            ss = ss * (self.weight / self.look.moments.weight)
        else:
            _, mean, ss = column_spread(self.data, class_weight=self.class_weight, keep_columns=True)
        with np.errstate(over="ignore", under="ignore"):
            variance = ss / self.weight + (0.0 if self.centred else mean**2)
        if not np.isfinite(mean).all() or not np.isfinite(variance).all():
            column = int(np.flatnonzero(~np.isfinite(mean + variance))[0])
            raise InvalidData(f"column {column} of X is too large: its squares overflow. Rescale it.")
        return mean, np.maximum(variance, 0.0)

    def _metric_cost(self) -> float:
        """Passes that a second derivative is worth; measured roughly: products run near the speed of arithmetic."""
        n, p = self.data.n_rows, self.m * self.width
        one_pass = 1e-4 + n * self.m * self.width * 5e-10
        return (1e-4 + n * p * p * 2.5e-11 + p**3 * 2e-11) / one_pass

    # --- coordinates ---------------------------------------------------------------------------------------------

    def point(self, u: np.ndarray) -> Point:
        U = u.reshape(self.m, self.width)
        coef = np.ascontiguousarray(U[:, : len(self.scale)] * self.scale)
        b = U[:, -1] - coef @ self.centre if self.fit_intercept else np.zeros(self.m)
        return Point(coef, b, self.class_weight, self.single)

    def inner(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """u of given coefficients."""
        U = coef / self.scale
        if self.fit_intercept:
            U = np.hstack([U, (intercept + coef @ self.centre)[:, None]])
        return U.ravel()

    def start(self) -> np.ndarray:
        """No slopes, intercepts that give each class its share."""
        U = np.zeros((self.m, self.width))
        if self.fit_intercept:
            shares = self.shares()
            U[:, -1] = math.log(shares[1] / shares[0]) if self.m == 1 else np.log(shares) - np.log(shares).mean()
        return U.ravel()

    def at_start(self, u: np.ndarray) -> bool:
        """Whether u has no slopes and the intercepts of `start`, where the second derivative is known."""
        return bool(np.array_equal(u, self.start()))

    def shortest(self, u: np.ndarray) -> np.ndarray:
        """Without a penalty and with dependent columns: the answer of least length among those with the same scores."""
        if self.penalty > 0 or self.full_rank or not self.whole:
            return u
        S = self.products()
        null = Whole(S).null_space()
        if null is None:
            return u
        U = u.reshape(self.m, self.width).copy()
        d = len(self.scale)
        W = U[:, :d] * self.scale
        N = np.linalg.qr(null * self.scale[:, None])[0]
        U[:, :d] = (W - (W @ N) @ N.T) / self.scale
        return U.ravel()

    def shares(self) -> np.ndarray:
        """Of the classes; a class without weight gets a little, so that logarithms exist."""
        counts = np.maximum(self.look.counts, 1e-12 * self.weight)
        return counts / counts.sum()

    # --- the function --------------------------------------------------------------------------------------------

    def evaluate(self, u: np.ndarray) -> At:
        self.passes += 1
        point = self.point(u)
        passed: Pass = self.data.fold(LogisticStep(), point)
        with np.errstate(over="ignore", invalid="ignore"):
            value = passed.loss + 0.5 * self.penalty * float((point.coef**2).sum())
            value += 0.5 * self.intercept_penalty * float((point.intercept**2).sum())
            G = (passed.gradient + self.penalty * point.coef - np.outer(passed.gradient_b, self.centre)) * self.scale
        if self.fit_intercept:
            G = np.hstack([G, (passed.gradient_b + self.intercept_penalty * point.intercept)[:, None]])
        return At(value, G.ravel(), passed)

    def start_metric(self) -> Metric:
        """The second derivative at `start`, which is known from the moments: J ⊗ products."""
        shares = self.shares() if self.fit_intercept else np.full(len(self.look.counts), 1 / len(self.look.counts))
        J = np.diag(shares) - np.outer(shares, shares)
        J = J[:1, :1] if self.m == 1 else J
        penalty = self.penalties()
        if self.look.moments is None:
            ones = np.full(self.width, self.weight)
            return Diagonal(np.maximum(np.outer(np.diagonal(J), ones) + penalty, 1e-300).ravel())
        S = self.products()
        if self.fit_intercept:
            offset = self.look.moments.mean - self.centre
            S = np.pad(S, (0, 1))
            S[-1, :-1] = S[:-1, -1] = self.weight * offset * self.scale
            S[-1, -1] = self.weight
        return Kronecker(J, S, penalty, 0.2 if self.width**3 * self.m < 3e9 else math.inf)

    def products(self) -> np.ndarray:
        """Products of the centred and scaled columns."""
        moments = self.look.moments
        products = moments.products * (self.weight / moments.weight)
        offset = moments.mean - self.centre
        return (products + self.weight * np.outer(offset, offset)) * self.scale[:, None] * self.scale

    def metric(self, u: np.ndarray) -> Metric:
        """The second derivative at u, divided by."""
        if not self.whole:
            return self.start_metric()
        H = self.second(u)
        if self.m > 1:  # scores that all move together change nothing: any curvature there will do
            for j in range(self.width):
                if self.penalty == 0 or (j == self.width - 1 and self.centred):
                    entries = np.arange(self.m) * self.width + j
                    H[np.ix_(entries, entries)] += H[entries, entries].mean()
        metric = Whole(H)
        self.full_rank = metric.full
        return metric

    def second(self, u: np.ndarray) -> np.ndarray:
        """The second derivative at u in the solver's coordinates."""
        point = self.point(u)
        if self.m == 1:
            moments = self.data.fold(BinaryHessianStep(), point)
            d = len(self.scale)
            offset = moments.mean - self.centre
            H = np.empty((self.width, self.width))
            H[:d, :d] = moments.products + moments.weight * np.outer(offset, offset)
            if self.fit_intercept:
                H[:d, d] = H[d, :d] = moments.weight * offset
                H[d, d] = moments.weight
        else:
            H = self.data.fold(HessianStep(self.centre, self.fit_intercept), point)
        scale = np.append(self.scale, 1.0) if self.fit_intercept else self.scale
        scales = np.tile(scale, self.m)
        H = H * scales[:, None] * scales
        H[np.diag_indices_from(H)] += np.tile(self.penalties(), self.m)
        return H

    def penalties(self) -> np.ndarray:
        """On the diagonal of one score's second derivative."""
        slopes = self.penalty * self.scale**2
        return np.append(slopes, self.intercept_penalty) if self.fit_intercept else slopes

    def sharpen(self) -> bool:
        """Double precision from now on; False when it was in use already."""
        sharper, self.single = self.single, False
        self.rounding = 1e-13
        return sharper

    # --- proofs --------------------------------------------------------------------------------------------------

    def gap(self, at: At, u: np.ndarray, step: np.ndarray, decrement: float, fresh: bool) -> float:
        bound = self.gap_by_penalty(at, u)
        if fresh and self.whole and decrement < bound and decrement <= 1e-6 * at.value:
            if self.reach(step).spread <= 1.0:
                return max(decrement, 0.0)
        return min(bound, at.value)  # F is never below zero

    def correction(self, at: At, tol: float) -> np.ndarray | None:
        """A Newton step of the intercepts alone, when they alone keep the first bound large."""
        if not self.centred or self.penalty == 0 or self.metric_cost <= CHEAP:
            return None
        G = at.gradient.reshape(self.m, self.width)[:, : len(self.scale)] / self.scale
        if float((G**2).sum()) > self.penalty * tol * at.value:
            return None
        step = np.zeros((self.m, self.width))
        step[:, -1] = -np.linalg.pinv(at.passed.curvature, rcond=1e-12, hermitian=True) @ at.passed.gradient_b
        return step.ravel()

    def gap_by_penalty(self, at: At, u: np.ndarray) -> float:
        """The first bound of this file."""
        if self.penalty == 0:
            return math.inf
        G = at.gradient.reshape(self.m, self.width)[:, : len(self.scale)] / self.scale
        size = math.sqrt(float((G**2).sum()))
        if not self.centred:
            of_intercept = (
                float((at.gradient.reshape(self.m, self.width)[:, -1] ** 2).sum()) if self.fit_intercept else 0.0
            )
            return size**2 / (2 * self.penalty) + (of_intercept / (2 * self.intercept_penalty) if of_intercept else 0.0)
        delta = at.passed.gradient_b
        values, vectors = np.linalg.eigh(at.passed.curvature)
        keep = values > 1e-12 * max(values[-1], 0.0) if self.m == 1 else np.arange(self.m) > 0
        if not keep.any() or values[keep].min() <= 0:
            return math.inf
        kappa = float(((vectors.T @ delta)[keep] ** 2 / values[keep]).sum())
        if not 2 * math.e**2 * kappa <= values[keep].min():
            return math.inf
        moved = math.sqrt(math.e * kappa * self.total_ss / 2)
        return math.e * kappa + (size + moved) ** 2 / (2 * self.penalty)

    def reach(self, step: np.ndarray) -> Reach:
        """How far a step moves the scores."""
        direction = self.point(step)
        return self.data.fold(ReachStep(), direction)
