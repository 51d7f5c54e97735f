"""How far f is above its least value, with a penalty: the distance of a dual point in KL divergence (Fenchel).

Let qᵢ be distributions over the classes, G = Σ ωᵢ(qᵢ − eᵢ)aᵢᵀ (eᵢ one at the row's class), zero for a free intercept,
and let c be numbers with |c| ≤ λ₁ entry by entry, c = G where λ₂ = 0. For every θ′, with p the probabilities at θ,

    f(θ) − f(θ′) ≤ Σ ωᵢ KL(qᵢ‖pᵢ) + Σ (λ₁|θ| + θc) + Σ (λ₂θ + G − c)²/(2λ₂).

Proof. log Σ exp z = q·z + H(q) + KL(q‖p) for the logits at θ, and ≥ q·z′ + H(q) at θ′. So the losses differ by at most
Σ ω KL + ⟨θ − θ′, G⟩, and λ₁|θ′| + ½λ₂θ′² + θ′G ≥ ½λ₂θ′² + θ′(G − c) ≥ −(G − c)²/(2λ₂). ∎

q is p, mixed twice; a mixture costs at most its share times the divergence of what is mixed in. A free intercept needs
r = Σ ω(q − e) = 0: q = (1 − η)p + ηs with s = N/W − (1 − η)r/(ηW) for all rows, Nₖ the weight of a class, W of all and
η = max |rₖ|/Nₖ, is that exactly; G moves by at most η Σ ω|a|. Where λ₂ = 0, q is then drawn towards e until |G| ≤ λ₁,
e + t(q − e): of a row that costs at most (1 − t) times the loss, and (1 − t)²/p_y as KL ≤ Σ (q − p)²/p.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.log_loss.log_loss import LogLoss, objective, slopes

DRAWN = 1e-5  # up to this 1 − t the second of these costs counts


def penalized_least(task: LogLoss, theta: F64) -> tuple[float, float]:
    """A lower bound of f by the theorem at θ, rounding included, or else zero; no column is left out of it.

    Classes without weight are left out of the loss, which is only lower then.
    """
    G, off, spread, farthest, drawn, present = 0.0 * theta, 0.0 * theta, 0.0 * theta[0], 0.0, 0.0, task.weight > 0
    task = replace(task, classes=present)
    for A, omega, Z, _, D, error in slopes(task, theta):
        T = omega[:, None] * D
        G, off = G + T.T @ A, off + (np.abs(T) * (error + gamma(task.blocks.n_rows + 8))[:, None]).T @ np.abs(A)
        spread += omega @ np.abs(A)
        far, own = np.log(len(theta)) + np.ptp(Z[:, present], axis=1), 1.0 + D.min(axis=1)  # ≥ −log min p, and p_y
        farthest += float(omega @ (1.0 + far))
        drawn += 2.1 * float(omega @ np.where(own > DRAWN, np.minimum(-np.log(own), DRAWN / own), far))
    free, w = task.intercept and task.lasso[-1] == task.ridge[-1] == 0, theta[task.first :]
    eta = 1.01 * float(((np.abs(G) + off)[present, -1] / task.weight[present]).max()) if free else 0.0
    G, off = G[task.first :], (1.01 * off + eta * spread)[task.first :]
    pure, curved = (task.lasso > 0) & (task.ridge == 0), task.ridge > 0
    t = min(1.0, (1.0 - 8 * UNIT) / float(((np.abs(G) + off) / task.lasso)[:, pure].max(initial=1e-300)))
    G, c = t * G, np.clip(t * G, -task.lasso, task.lasso)
    off += 4 * UNIT * (task.ridge * np.abs(w) + np.abs(G))
    kinks = task.lasso * np.abs(w) * (1.0 + 8 * UNIT) + w * c + np.where(pure, np.abs(w) * off, 0.0)
    smooth = ((np.abs(task.ridge * w + G - c) + off) ** 2)[:, curved] / (2.0 * task.ridge[curved])
    f, f_error, _ = objective(task, theta)
    mixed = (1.0 - t) * (drawn if 1.0 - t <= DRAWN else f + f_error) + eta * farthest
    proved = f - f_error - (1.0 + gamma(theta.size + 16)) * (mixed + float(kinks.sum() + smooth.sum()))
    return (proved if eta < 1 and proved > 0 else 0.0), 0.0
