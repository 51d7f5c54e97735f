"""Logistic regression with an elastic net, binary and softmax:

    F(w, b) = Σ ω ℓ(x·w + b; k) + λ₂/2 ‖w‖² + λ₁ ‖w‖₁

in the coordinates of `logistic.py`; a scaled column has the threshold λ₁ s.

The gap is bounded as `gap_bounds.py` says. Where rounding of (w, b) alone keeps that bound large, there is that of
`logistic.py` by the Newton step v, here from the minimum of the model: q = p + (diag p − p pᵀ)(x·v_w + v_b) has
Σ ω KL(q ‖ p) ≤ vᵀ H v, sums of zero and a G that satisfies the conditions of a minimum at w + v_w. These are
probabilities where no two scores of a row are moved apart by more than 1.
"""

from __future__ import annotations

import math

import numpy as np

from surefit.engine.sources.source import Source
from surefit.solvers.logistic.elastic_net_models import ColumnsModel, HessianModel
from surefit.solvers.logistic.gap_bounds import elastic_net_gap
from surefit.solvers.logistic.logistic import Evaluation, LogisticProblem, Penalty

FIRST = 64
"""Columns in the first working set."""
MOST = 4096
"""Entries of a working set whose second derivative is kept; answers with more entries than that converge slowly."""
NEAR = 0.9
"""Share of its threshold from which on the slope of a zero entry brings it into a working set of sparse columns."""


class ElasticNetProblem(LogisticProblem):
    """F on a source. The intercept has penalties of its own where it has any."""

    def __init__(
        self, data: Source, n_classes: int, class_weight: np.ndarray | None, penalty: Penalty, fit_intercept: bool
    ) -> None:
        super().__init__(data, n_classes, class_weight, penalty, fit_intercept)
        t = np.append(self.lasso * self.scale, self.intercept_lasso) if fit_intercept else self.lasso * self.scale
        self.thresholds = np.tile(t, self.m)
        self.n_working = FIRST
        self.negligible = 0.0
        self.by_columns = data.resident and data.is_sparse and self.m == 1 and not self.full_hessian

    def evaluate(self, u: np.ndarray) -> Evaluation:
        at = super().evaluate(u)
        return at._replace(value=at.value + float(self.thresholds @ np.abs(u)))

    # --- steps ---------------------------------------------------------------------------------------------------

    def model(self, at: Evaluation, u: np.ndarray, n_iter: int, tol: float) -> HessianModel | ColumnsModel:
        if self.full_hessian:
            return HessianModel(self, at, u, np.arange(len(u)), n_iter)
        breach = self._breaches(at, u)
        if self.by_columns:
            return ColumnsModel(self, at, u, self._columns_near(at, u), float(breach.max()), tol)
        return HessianModel(self, at, u, self._working_set(breach, u), n_iter)

    def _breaches(self, at: Evaluation, u: np.ndarray) -> np.ndarray:
        """By how much of its threshold each coefficient breaks its condition of a minimum, (m, d)."""
        d = len(self.scale)
        U, G = (a.reshape(self.m, self.width)[:, :d] for a in (u, at.gradient))
        t = self.lasso * self.scale
        return np.where(U != 0, np.abs(G + t * np.sign(U)), np.maximum(np.abs(G) - t, 0.0)) / t

    def _columns_near(self, at: Evaluation, u: np.ndarray) -> np.ndarray:
        """Columns whose coefficient is not zero or might become so, and the intercept."""
        near = (u != 0) | (np.abs(at.gradient) >= NEAR * self.thresholds)
        near[len(self.scale) :] = True
        return np.flatnonzero(near)

    def _working_set(self, breach: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The columns in use and those with the largest breaches, twice as many at every step."""
        d = len(self.scale)
        worst = (breach * self.scale).max(axis=0)
        used = (u.reshape(self.m, self.width)[:, :d] != 0).any(axis=0)
        most = max(1, MOST // self.m - 1)
        size = min(most, max(self.n_working, 2 * int(used.sum())))
        rank = np.where(used, np.inf, worst) if 2 * used.sum() <= most else worst
        columns = np.sort(np.argsort(-rank, kind="stable")[:size])
        columns = columns[(rank > 0)[columns]]
        self.n_working = min(2 * self.n_working, most)
        columns = np.append(columns, d) if self.fit_intercept else columns
        return (np.arange(self.m)[:, None] * self.width + columns).ravel()

    def without_flat_moves(self, z: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Softmax does not notice a number added to one column's coefficients in all classes: the best such numbers."""
        if self.m == 1:
            return z
        Z, d = z.reshape(self.m, -1).copy(), len(self.scale)
        columns = entries[: Z.shape[1]]
        used = np.flatnonzero((Z != 0).any(axis=0) & (columns < d))
        scale = self.scale[columns[used]]
        Z[:, used] += best_shift(Z[:, used], self.penalty * scale**2, self.lasso * scale)
        return Z.ravel()

    # --- the gap -------------------------------------------------------------------------------------------------

    def gap(self, at: Evaluation, u: np.ndarray) -> float:  # type: ignore[override]
        point = self.point(u)
        divergence = self.intercept_divergence(at, u)
        if not math.isfinite(divergence):
            return at.value
        W = point.coef
        G = at.passed.gradient - np.outer(at.passed.gradient_b, self.center)
        eta = np.broadcast_to(np.sqrt(divergence * self.column_ss / 2), W.shape)
        lasso, ridge = np.full(W.shape[1], self.lasso), np.full(W.shape[1], self.penalty)
        if self.fit_intercept and not self.centered:
            W, G = np.hstack([W, point.intercept[:, None]]), np.hstack([G, at.passed.gradient_b[:, None]])
            eta = np.pad(eta, ((0, 0), (0, 1)))
            lasso, ridge = np.append(lasso, self.intercept_lasso), np.append(ridge, self.intercept_penalty)
        return min(elastic_net_gap(W, G, eta, lasso, ridge, divergence, at.passed.loss), at.value)


def best_shift(Z: np.ndarray, ridge: np.ndarray, lasso: np.ndarray) -> np.ndarray:
    """For every column z the s with the least  Σₖ ridge/2 (zₖ + s)² + lasso |zₖ + s| .

    Its slope ridge (Σz + m s) + lasso Σ sign(zₖ + s) jumps at s = −zₖ. While i of the zₖ are below −s it is zero at
    s = −mean(z) − lasso (m − 2i)/(m ridge), or s = −zₖ is best: the median of all these numbers.
    """
    m = len(Z)
    breaks = -Z
    if not ridge.all():
        return np.sort(breaks, axis=0)[(m - 1) // 2]
    balance = (m - 2 * np.arange(m + 1))[:, None]
    rests = -Z.mean(axis=0) - lasso / (m * ridge) * balance
    return np.sort(np.vstack([breaks, rests]), axis=0)[m]
