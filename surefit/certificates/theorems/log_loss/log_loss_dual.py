"""How far a point of penalised logistic or softmax regression is above the minimum, by Fenchel's duality.

For distributions qᵢ over the classes with Σ ωᵢ(qᵢ − eᵢ) = 0 where the intercept is free (eᵢ is one at the row's class),
G = Σ ωᵢ(qᵢ − eᵢ)xᵢᵀ and p the probabilities at θ, every θ′ has

    f(θ) − f(θ′) ≤ Σ ωᵢ KL(qᵢ‖pᵢ) + Ω(w) + ⟨w, G⟩ + Ω*(−G),

entry by entry Ω*(v) = (|v| − λ₁)₊²/(2λ₂); with λ₂ = 0 it is zero for |v| ≤ λ₁ and infinite beyond.

q is p as floating point has it, but for two mixtures. What is left of the equation, r = Σ ω(q − e), is mended by
(1 − η)q + ηs with one s for all rows, s = N/W − (1 − η)r/(ηW), Nₖ the weight of a class, W that of all,
η = max |rₖ|/Nₖ: s is a distribution, and G moves by at most 2η Σ ω|x − m|. Where λ₂ = 0, q is drawn towards e first,
e + t(q − e), which multiplies G by t. KL is convex, and at most the largest log(qₖ/pₖ): so these cost the relative
errors of p, η Σ ω log(1/min p) and, as KL(e‖p) is the loss, (1 − t) of that; or, as KL(q‖p) ≤ Σ (q − p)²/p, not more
than (1 − t)² Σ ω σ/(1 − σ), σ the sum of the other classes.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.log_loss.log_loss import LogLoss


def duality_gap(task: LogLoss, theta: F64, f: float) -> float:
    """A bound for f(θ) − min f, where f(θ) is f at most; ∞ where nothing is proved."""
    k, d1 = theta.shape
    G, off, spread = np.zeros((k, d1)), np.zeros((k, d1)), np.zeros(d1)
    range_ = apart = odds = 0.0
    for B, omega, Z, _, D, error in task.slopes(theta):
        T, size = omega[:, None] * D, np.abs(B)
        G += T.T @ B
        off += gamma(task.blocks.n_rows + 16 * k + 64) * np.abs(T).T @ size
        spread += omega @ size
        apart += float(omega @ error)
        odds += float(omega @ (1.0 / (1.0 + D.min(axis=1)) - 1.0))  # σ/(1 − σ)
        range_ += float(omega @ (1.01 * (Z.max(axis=1) - Z.min(axis=1)) + np.log(k) + 1.0))  # ≥ log(1/min p)
    lasso, ridge, paid = task.lasso, task.ridge, task.lasso + task.ridge > 0
    left = (np.abs(G) + off)[:, -1] * (not paid[-1])
    eta = 1.01 * float(np.where(left > 0, left / task.weight, 0.0).max())
    if not eta < 1:
        return np.inf
    off = (off + 2.0 * eta * spread)[task.first :]
    G, theta = G[task.first :], theta[task.first :]
    pure = paid & (ridge == 0)
    share = float((lasso / (np.abs(G) + off))[:, pure].min(initial=1.0)) * (1.0 - gamma(8) * pure.any())
    ends = share * np.stack([G - off, G + off])  # convex in G: the larger of the two is the most
    conjugate = np.maximum(np.abs(ends) - lasso, 0.0) ** 2 / np.where(ridge > 0, 2.0 * ridge, np.inf)
    both = task.penalties(theta) + conjugate
    excess = np.where(paid, both + theta * ends + gamma(16) * both, 0.0).max(axis=0)
    drawn = min((1.0 - share) * f, (1.0 - share) ** 2 * odds)
    return (float(excess.sum()) + apart + eta * range_ + drawn) * (1.0 + gamma(k * d1 + 8))
