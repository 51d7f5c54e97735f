"""A lower bound for penalised logistic and softmax regression, by Fenchel's duality.

For distributions qᵢ over the classes with Σ ωᵢ(qᵢ − eᵢ) = 0 where the intercept is free (eᵢ is one at the row's class),
and G = Σ ωᵢ(qᵢ − eᵢ)xᵢᵀ, every θ has  f(θ) ≥ Σ ωᵢ H(qᵢ) − Ω*(−G),  H the entropy −Σ q log q and, entry by entry,
Ω*(v) = (|v| − λ₁)₊²/(2λ₂); with λ₂ = 0 it is zero for |v| ≤ λ₁ and infinite beyond.

q starts as the probabilities at a proposed point. What rounding leaves of the equation, r = Σ ω(q − e), is mended by
q̃ = (1 − η)q + ηs with one s for all rows, s = N/W − (1 − η)r/(ηW), Nₖ the weight of a class, W that of all and
η = max |rₖ|/Nₖ: s is a distribution, H(q̃) ≥ (1 − η)H(q), and G moves by at most 2η Σ ω|x − m|. Where λ₂ = 0, q is then
drawn towards e, e + t(q̃ − e), which keeps the equation and multiplies G by t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Block
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.log_loss.log_loss import LogLoss, probabilities, residuals
from surefit.certificates.theorems.row_products import magnitude


def least_value(task: LogLoss, near: F64) -> float:
    """A lower bound of f, rounding included; −∞ where none is found from the probabilities at `near`."""
    k, d1 = near.shape
    G, size, weight, spread = np.zeros((k, d1)), np.zeros((k, d1)), np.zeros(k), np.zeros(d1)
    for A, code, omega in task.rows():
        T = omega[:, None] * _dual_point(task, A, code, near)
        absolute = magnitude(A)
        G += task.products(A, T)
        size += task.products(absolute, np.abs(T))
        spread += task.products(absolute, omega[:, None])[0]
        weight += np.bincount(code, weights=omega, minlength=k)
    bound = np.abs(G) + gamma(task.terms + k + 8) * size
    eta = 1.01 * float((bound[:, -1] / weight)[task.present].max()) if task.free_intercept else 0.0
    if not 0 <= eta < 1:
        return -np.inf
    bound = (bound + 2.0 * eta * spread)[task.first :]
    ridge, pure = task.ridge > 0, (task.lasso > 0) & (task.ridge == 0)
    share = min(1.0, 1.0 / max(float((bound[:, pure] / task.lasso[pure]).max(initial=0.0)), 1e-300))
    over = np.maximum(share * bound[:, ridge] - task.lasso[ridge], 0.0)
    conjugate = float((over * over / (2.0 * task.ridge[ridge])).sum()) * (1.0 + gamma(k * d1 + 8))
    return (1.0 - eta) * _entropy(task, near, share * (1.0 - gamma(8))) - conjugate


def _dual_point(task: LogLoss, A: Block, code: NDArray[np.intp], near: F64) -> F64:
    """q − e, q the probabilities at `near` of the classes with weight."""
    return residuals(probabilities(np.where(task.present, task.scores(A, code, near)[0], -np.inf)), code)


def _entropy(task: LogLoss, near: F64, share: float) -> float:
    """Σ ω H(e + t(q − e)) less its rounding.

    With σ the sum of the others, the row's own class has −(1 − σ) log(1 − σ), of slope at most 1 + |log(1 − σ)| in σ.
    """
    total = error = 0.0
    for A, code, omega in task.rows():
        D = share * _dual_point(task, A, code, near)
        own = np.arange(code.size)
        rest, log_own = -D[own, code], np.log1p(D[own, code])
        D[own, code] = 0.0
        others = -(D * np.log(np.where(D > 0, D, 1.0))).sum(axis=1)
        total += float(omega @ (others - (1.0 - rest) * log_own))
        error += float(omega @ (others + rest * (1.0 - log_own)))
    return total - gamma(task.terms + near.shape[0] + 16) * (total + error)
