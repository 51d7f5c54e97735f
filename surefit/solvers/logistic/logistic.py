"""Logistic regression, binary and softmax, as a smooth convex function on centered and scaled columns.

    F(w, b) = Σ ω ℓ(x·w + b; k) + λ/2 ‖w‖²                     ℓ: objectives/logistic.py, objectives/softmax.py

Passes are made in the user's coordinates. The solver's own are u with w = s u_w and b = u_b − c·w, where c is the mean
of the columns and s a power of two that brings each to about unit spread: offsets and units cost no digits and no
steps. The penalty is that of the user's coordinates.

A bound for the gap comes from one of two dual points: with a penalty that of `gap_bounds.py`; or with the Newton step
v, H v = −g, the probabilities p' = p + (diag p − p pᵀ)(x·v_w + v_b), which satisfy every equality of the dual. They are
probabilities where no two scores of a row are moved apart by more than 1, and then

    F − F* ≤ Σ ω KL(p' ‖ p) + λ/2 ‖v_w‖² ≤ vᵀ H v,        for KL ≤ χ².
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from surefit._core.arithmetic import power_of_two
from surefit._core.errors import InvalidData
from surefit.engine.sources.source import Source
from surefit.solvers.logistic.gap_bounds import InterceptCurvature, ridge_gap
from surefit.solvers.logistic.logistic_pass import LogisticStep, Pass, Point, ScoreRange, ScoreRangeStep
from surefit.solvers.logistic.overview import Overview, OverviewStep
from surefit.solvers.logistic.second_derivative import (
    BinaryHessianStep,
    CurvatureStep,
    HessianStep,
    ScoreHessiansStep,
)
from surefit.solvers.numerics.coordinates import Coordinates
from surefit.solvers.optimise.metric import DiagonalMetric, FullMetric, PerScoreMetric, ShiftedMetric, kronecker_metric
from surefit.solvers.optimise.newton import CHEAP, Metric
from surefit.summaries.column_spread import column_spread
from surefit.summaries.moments import Moments

MAX_FULL_HESSIAN = 1200
"""Parameters up to which the second derivative is kept as one matrix."""
MAX_PER_SCORE = 20_000_000
"""Numbers in the second derivatives along each score alone up to which they are formed anew on the way."""
LEAST_KEPT = 30
"""Steps that such second derivatives are kept at least."""
MAX_GRAM_COLUMNS = 3000
"""Columns up to which their products are kept."""
MAX_CURVATURE_CLASSES = 32
"""Classes up to which every pass brings the curvature of the intercepts."""


class Penalty(NamedTuple):
    """Σ ω ℓ + ridge/2 ‖w‖² + lasso ‖w‖₁ , and the same for intercepts that are penalized."""

    ridge: float
    lasso: float = 0.0
    intercept_ridge: float = 0.0
    intercept_lasso: float = 0.0


class Evaluation(NamedTuple):
    value: float
    gradient: np.ndarray
    passed: Pass


class LogisticProblem:
    """F on a source. `m` scores: one for two classes."""

    def __init__(
        self, data: Source, n_classes: int, class_weight: np.ndarray | None, penalty: Penalty, fit_intercept: bool
    ) -> None:
        self.data, self.class_weight, self.fit_intercept = data, class_weight, fit_intercept
        self.penalty, self.lasso, self.intercept_penalty, self.intercept_lasso = penalty
        self.m = 1 if n_classes == 2 else n_classes
        d = data.n_features
        self.square = d <= MAX_GRAM_COLUMNS
        self.width = d + fit_intercept
        self.full_hessian = self.m * self.width <= MAX_FULL_HESSIAN and self.square
        every = 1 if self.full_hessian else max(1, data.n_rows // (20 * d))
        self.look: Overview = data.fold(OverviewStep(n_classes, self.square, every), class_weight)
        self.weight = float(self.look.counts.sum())
        if self.look.moments is not None and self.look.moments.weight == 0:
            self.look = data.fold(OverviewStep(n_classes, self.square), class_weight)
        self.centered = fit_intercept and self.intercept_penalty == 0 and self.intercept_lasso == 0
        center, variance = self._columns()
        self.center = center if self.centered else np.zeros(d)
        self.column_ss = self.weight * variance
        self.total_ss = float(self.column_ss.sum())
        if self.look.square_sum:  # means and variances are estimates: a bound by the triangle inequality
            length = math.sqrt(1.01 * self.look.square_sum) + math.sqrt(self.weight) * np.linalg.norm(self.center)
            self.total_ss = float(length**2)
            self.column_ss = np.full(d, self.total_ss)
        self.scale = 1.0 / power_of_two(np.where(variance > 0, np.sqrt(variance), 1.0))
        self.coordinates = Coordinates(self.center, self.scale, np.zeros(self.m), fit_intercept)
        self.single = data.dtype == np.float32 and self.m > 1
        self.rounding = 1e-8 if self.single else 1e-13
        few = 1 < self.m <= MAX_CURVATURE_CLASSES and self.m * self.width**2 <= MAX_PER_SCORE
        self.per_score = few and not self.full_hessian and self.penalty > 0 and self.square and not data.is_sparse
        self.metric_cost = self._metric_cost() if self.full_hessian or self.per_score else math.inf
        self.metric_kept = max(self.metric_cost, LEAST_KEPT) if self.per_score else 0.0
        self.negligible = 1e-9 * self.weight if self.penalty == 0 else 0.0  # a penalty has a minimum to be found
        self.full_rank = True
        self._curvature: tuple[Evaluation, InterceptCurvature] | None = None

    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances (about zero without an intercept)."""
        if self.look.moments is not None:
            mean, ss = self.look.moments.mean, np.diagonal(self.look.moments.products)
            ss = ss * (self.weight / self.look.moments.weight)
        else:
            _, mean, ss = column_spread(self.data, class_weight=self.class_weight, keep_columns=True)
        with np.errstate(over="ignore", under="ignore"):
            variance = ss / self.weight + (0.0 if self.centered else mean**2)
        if not np.isfinite(mean).all() or not np.isfinite(variance).all():
            column = int(np.flatnonzero(~np.isfinite(mean + variance))[0])
            raise InvalidData(f"column {column} of X is too large: its squares overflow. Rescale it.")
        return mean, np.maximum(variance, 0.0)

    def _metric_cost(self) -> float:
        """Passes that a second derivative is worth; measured roughly: products run near the speed of arithmetic."""
        n, p = self.data.n_rows, self.m * self.width
        one_pass = 1e-4 + n * p * 5e-10
        size = self.width if self.per_score else p
        return (1e-4 + n * p * size * 2.5e-11 + p * size**2 * 2e-11) / one_pass

    # --- coordinates ---------------------------------------------------------------------------------------------

    def point(self, u: np.ndarray) -> Point:
        U = u.reshape(self.m, self.width)
        coef, b = self.coordinates.outer(U[:, : len(self.scale)], U[:, -1])
        return Point(np.ascontiguousarray(coef), b, self.class_weight, self.single, self.m <= MAX_CURVATURE_CLASSES)

    def inner(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """u of given coefficients."""
        U, beta = self.coordinates.inner(coef, intercept)
        return (np.column_stack([U, beta]) if self.fit_intercept else U).ravel()

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
        if self.penalty > 0 or self.full_rank or not self.full_hessian:
            return u
        S = self.products()
        null = FullMetric(S).null_space()
        if null is None:
            return u
        U = u.reshape(self.m, self.width).copy()
        d = len(self.scale)
        W = U[:, :d] * self.scale
        N = np.linalg.qr(null * self.scale[:, None])[0]
        U[:, :d] = (W - (W @ N) @ N.T) / self.scale
        return U.ravel()

    def shares(self) -> np.ndarray:
        """Of the classes; a class without weight gets so little that its probabilities are below all rounding."""
        counts = np.maximum(self.look.counts, 1e-30 * self.weight)
        return counts / counts.sum()

    # --- the function --------------------------------------------------------------------------------------------

    def evaluate(self, u: np.ndarray) -> Evaluation:
        point = self.point(u)
        passed: Pass = self.data.fold(LogisticStep(), point)
        with np.errstate(over="ignore", invalid="ignore"):
            value = passed.loss + 0.5 * self.penalty * float((point.coef**2).sum())
            value += 0.5 * self.intercept_penalty * float((point.intercept**2).sum())
            G = (passed.gradient + self.penalty * point.coef - np.outer(passed.gradient_b, self.center)) * self.scale
        if self.fit_intercept:
            G = np.hstack([G, (passed.gradient_b + self.intercept_penalty * point.intercept)[:, None]])
        return Evaluation(value, G.ravel(), passed)

    def start_metric(self) -> Metric:
        """The second derivative at `start` as far as each score by itself goes; it is known from the moments."""
        shares = self.shares() if self.fit_intercept else np.full(len(self.look.counts), 1 / len(self.look.counts))
        curvatures = shares * (1 - shares)
        curvatures = curvatures[:1] if self.m == 1 else curvatures
        penalty = self.penalties()
        if self.look.moments is None:
            ones = np.full(self.width, self.weight)
            return DiagonalMetric(np.maximum(np.outer(curvatures, ones) + penalty, 1e-300).ravel())
        S = self.products()
        if self.fit_intercept:
            offset = self.look.moments.mean - self.center
            S = np.pad(S, (0, 1))
            S[-1, :-1] = S[:-1, -1] = self.weight * offset * self.scale
            S[-1, -1] = self.weight
        return kronecker_metric(curvatures, S, penalty, 0.2 if self.width**3 * self.m < 3e9 else math.inf)

    def products(self) -> np.ndarray:
        """Products of the centered and scaled columns."""
        moments = self.look.moments
        if moments is None:
            raise TypeError("products of columns were not looked for: there are too many columns")
        products = moments.products * (self.weight / moments.weight)
        offset = moments.mean - self.center
        return (products + self.weight * np.outer(offset, offset)) * self.scale[:, None] * self.scale

    def metric(self, u: np.ndarray) -> Metric:
        """The second derivative at u, or what of it is kept, divided by."""
        if self.per_score:
            found = self.data.fold(ScoreHessiansStep(), self.point(u))
            blocks = [(np.array([k]), ShiftedMetric(self._inner_second(self._raw(m)))) for k, m in enumerate(found)]
            return PerScoreMetric(blocks, self.penalties())
        if not self.full_hessian:
            return self.start_metric()
        H = self.second(u)
        if self.m > 1:  # scores that all move together change nothing: any curvature there will do
            for j in range(self.width):
                if self.penalty == 0 or (j == self.width - 1 and self.centered):
                    entries = np.arange(self.m) * self.width + j
                    H[np.ix_(entries, entries)] += H[entries, entries].mean()
        metric = FullMetric(H)
        self.full_rank = metric.full
        return metric

    def second(self, u: np.ndarray) -> np.ndarray:
        """The second derivative at u in the solver's coordinates."""
        point = self.point(u)
        if self.m == 1:
            return self._inner_second(self._raw(self.data.fold(BinaryHessianStep(), point)))
        return self._inner_second(self.data.fold(HessianStep(self.center, self.fit_intercept), point))

    def _raw(self, moments: Moments) -> np.ndarray:
        """Σ c x̃ x̃ᵀ with x̃ = (x − center, 1), from the moments of the rows under the weights c."""
        d, offset = len(self.scale), moments.mean - self.center
        H = np.empty((self.width, self.width))
        H[:d, :d] = moments.products + moments.weight * np.outer(offset, offset)
        if self.fit_intercept:
            H[:d, d] = H[d, :d] = moments.weight * offset
            H[d, d] = moments.weight
        return H

    def _inner_second(self, H: np.ndarray) -> np.ndarray:
        """That of one score or of all: its columns scaled, and the penalty."""
        scale = np.append(self.scale, 1.0) if self.fit_intercept else self.scale
        n_scores = len(H) // self.width
        scales = np.tile(scale, n_scores)
        H = H * scales[:, None] * scales
        H[np.diag_indices_from(H)] += np.tile(self.penalties(), n_scores)
        return H

    def penalties(self) -> np.ndarray:
        """On the diagonal of one score's second derivative."""
        slopes = self.penalty * self.scale**2
        return np.append(slopes, self.intercept_penalty) if self.fit_intercept else slopes

    def use_double(self) -> bool:
        """Double precision from now on; False when it was in use already."""
        was_single, self.single = self.single, False
        self.rounding = 1e-13
        return was_single

    # --- the gap -------------------------------------------------------------------------------------------------

    def gap(self, at: Evaluation, u: np.ndarray, step: np.ndarray, decrement: float, newton: bool, tol: float) -> float:
        """The smaller bound of this file; the dearer one only where it may be below `tol` times F."""
        bound = self.gap_by_penalty(at, u, tol)
        if newton and self.full_hessian and decrement < bound and decrement <= 1e-6 * at.value:
            if self.score_range(step).spread <= 1.0:
                return max(decrement, 0.0)
        return min(bound, at.value)  # F is never below zero

    def correction(self, at: Evaluation, u: np.ndarray, tol: float) -> np.ndarray | None:
        """A Newton step of the intercepts alone, when they alone keep the first bound large."""
        if not self.centered or self.penalty == 0 or self.metric_cost <= CHEAP:
            return None
        if ridge_gap(self.slopes(at), self.penalty, 0.0, 0.0) > 0.5 * tol * at.value:
            return None
        curvature = self.intercept_curvature(at, u)
        if not curvature.regular:
            return None
        step = np.zeros((self.m, self.width))
        step[:, -1] = -curvature.solve(at.passed.gradient_b)
        return step.ravel()

    def gap_by_penalty(self, at: Evaluation, u: np.ndarray, tol: float) -> float:
        """The first bound of this file."""
        if self.penalty == 0:
            return math.inf
        without = ridge_gap(self.slopes(at), self.penalty, 0.0, 0.0)
        if not self.centered:
            slopes = at.gradient.reshape(self.m, self.width)[:, -1] if self.intercept_penalty else np.zeros(1)
            return without + (ridge_gap(slopes, self.intercept_penalty, 0.0, 0.0) if slopes.any() else 0.0)
        if without > tol * at.value and self.m > MAX_CURVATURE_CLASSES:
            return math.inf
        divergence = self.intercept_divergence(at, u)
        return ridge_gap(self.slopes(at), self.penalty, divergence, self.total_ss)

    def slopes(self, at: Evaluation) -> np.ndarray:
        """Of F along the coefficients of the centered columns, in the user's units."""
        return at.gradient.reshape(self.m, self.width)[:, : len(self.scale)] / self.scale

    def intercept_divergence(self, at: Evaluation, u: np.ndarray) -> float:
        """e κ of `gap_bounds.py`; zero where the intercepts are penalized or absent."""
        return self.intercept_curvature(at, u).divergence(at.passed.gradient_b) if self.centered else 0.0

    def intercept_curvature(self, at: Evaluation, u: np.ndarray) -> InterceptCurvature:
        if self._curvature is None or self._curvature[0] is not at:
            J = at.passed.curvature
            J = self.data.fold(CurvatureStep(), self.point(u)) if J is None else J
            self._curvature = at, InterceptCurvature(J, self.look.counts > 0 if self.m > 1 else None)
        return self._curvature[1]

    def score_range(self, step: np.ndarray) -> ScoreRange:
        """How far a step moves the scores."""
        return self.data.fold(ScoreRangeStep(), self.point(step))
