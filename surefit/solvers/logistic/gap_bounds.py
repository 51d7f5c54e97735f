"""Bounds for F − min F of penalized logistic regression, from dual points.

Let p be the probabilities at (w, b), δ = Σ ω (p − e_k) the slopes of the intercepts and J = Σ ω (diag p − p pᵀ) their
curvature. Intercepts moved by β so that Σ ω (q − e_k) = 0 for the probabilities q there give a feasible dual point.
With κ = δᵀJ⁺δ and 2e²κ ≤ the smallest positive eigenvalue of J, curvatures change by less than a factor e on the way,
and

    Σ ω KL(q ‖ p) ≤ e κ ,        |Σ ω (q − p)(xⱼ − cⱼ)| ≤ ηⱼ = √(e κ Tⱼ / 2) ,        Tⱼ = Σ ω (xⱼ − cⱼ)² .

Of classes that weigh nothing q is zero. With p' the shares of the others, KL(q ‖ p) = KL(q ‖ p') − log(1 − p_∅); their
sum s = Σ ω p_∅ bounds what p' moves δ by, and adds 2 s at most where p_∅ ≤ ½.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

COLUMNS = 512
"""Columns of an inverse that are computed in one call."""


class InterceptCurvature:
    """J, factorized with the direction in which all scores move together (there it is zero) filled up.

    The smallest positive eigenvalue is at least one over the sum of the inverse ones, ‖L⁻¹‖², for J = LLᵀ.
    """

    def __init__(self, J: np.ndarray, weighs: np.ndarray | None = None) -> None:
        """`weighs` tells which classes have rows that weigh something, by default all."""
        self._weighs = np.ones(len(J), dtype=bool) if weighs is None else weighs
        J = J[np.ix_(self._weighs, self._weighs)]
        m = len(J)
        fill = float(np.trace(J)) / m**2 if m > 1 else 0.0
        self._factor, fault = dpotrf(J + fill, lower=1)
        inverse_sum = math.inf
        if not fault:
            inverse_sum = sum(self._inverse_squares(first) for first in range(0, m, COLUMNS))
        self.regular = not fault and 0 < inverse_sum < math.inf  # NaN is not
        self.least = 1 / inverse_sum if self.regular else 0.0

    def _inverse_squares(self, first: int) -> float:
        """Σ of the squares in the columns of L⁻¹ from `first` on, so many that signals are heard soon."""
        part = self._factor[first:, first:]
        columns, fault = dtrtrs(part, np.eye(len(part), min(COLUMNS, len(part))), lower=1)
        return math.inf if fault else float((columns**2).sum())

    def solve(self, delta: np.ndarray) -> np.ndarray:
        """J⁺δ for δ that sums to zero, and zero for classes that weigh nothing."""
        found, own = np.zeros(len(delta)), delta[self._weighs]
        found[self._weighs] = dpotrs(self._factor, own - own.mean() if len(delta) > 1 else own, lower=1)[0]
        return found

    def divergence(self, delta: np.ndarray) -> float:
        """e κ, and what classes that weigh nothing add; infinite where the intercepts are too far off."""
        if not self.regular:
            return math.inf
        left, kappa = float(delta[~self._weighs].sum()), float(delta @ self.solve(delta))
        if not (0 <= left and 0 <= kappa):
            return math.inf
        kappa = (math.sqrt(kappa) + left / math.sqrt(self.least)) ** 2 if left else kappa
        return math.e * kappa + 2 * left if 2 * math.e**2 * kappa <= self.least else math.inf


def ridge_gap(slopes: np.ndarray, ridge: float, divergence: float, total_ss: float) -> float:
    """F − min F ≤ e κ + (‖G + λ w‖ + √(e κ T / 2))² / (2 λ) with T = Σ ω ‖x − c‖²; `slopes` are G + λ w."""
    size = math.sqrt(float((slopes**2).sum()))
    return divergence + (size + math.sqrt(divergence * total_ss / 2)) ** 2 / (2 * ridge)


def elastic_net_gap(
    W: np.ndarray, G: np.ndarray, eta: np.ndarray, lasso: np.ndarray, ridge: np.ndarray, divergence: float, loss: float
) -> float:
    """Fenchel's inequality, with Ω = λ₁|·| + λ₂/2 (·)² and a G that is known up to η:

        F − min F ≤ Σ ω KL(q ‖ p) + Σ Ω(w) + Ω*(−G) + w G .

    λ₂ > 0.  With v = −G, h = v cut to ±λ₁ and a = |w − (v − h)/λ₂|, an entry is λ₁|w| − h w + λ₂/2 a²; Ω* has slopes
             that change by 1/λ₂ at most, so η adds no more than a η + η²/(2λ₂).
    λ₂ = 0.  Ω* is infinite beyond λ₁. θ q + (1 − θ) e_k keeps the sums and has θ G, within λ₁ for a θ ≤ 1; by convexity
             its divergence is at most θ e κ + (1 − θ) Σ ω ℓ. An entry is λ₁|w| + θ w G, and η adds θ |w| η.

    `divergence` bounds Σ ω KL(q ‖ p), `loss` is Σ ω ℓ.
    """
    if ridge.all():
        clipped = np.clip(-G, -lasso, lasso)
        with np.errstate(over="ignore"):  # a bound that overflows is none
            miss = np.abs(W + (G + clipped) / ridge)
            return divergence + float((lasso * np.abs(W) - clipped * W + 0.5 * ridge * (miss + eta / ridge) ** 2).sum())
    theta = 1.0 / max(1.0, float(((np.abs(G) + eta) / lasso).max(initial=0.0)))
    terms = lasso * np.abs(W) + theta * (W * G + np.abs(W) * eta)
    return theta * divergence + (1 - theta) * loss + float(np.maximum(terms, 0.0).sum())
