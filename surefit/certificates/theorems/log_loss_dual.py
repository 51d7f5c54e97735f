"""A lower bound for penalised logistic and softmax regression, by Fenchel's duality.

Every choice of distributions qᵢ over the classes, with G = Σ ωᵢ (qᵢ − eᵢ) xᵢᵀ (eᵢ is one at the row's class), and with
Σ ωᵢ (qᵢ − eᵢ) = 0 where the intercept is free, gives for every θ′

    f(θ) − f(θ′) ≤ Σ ωᵢ KL(qᵢ ‖ pᵢ(θ)) + Σⱼ (Ω(θⱼ) + Ω*(−Gⱼ) + θⱼ Gⱼ),

Ω the penalty. No term is negative. The sum is zero at the optimum, with q = p.

Rounding. Let Σ ωᵢ (qᵢ − eᵢ) be r instead of zero, Nₖ = Σ ω of class k, W = Σ N and η = max |rₖ|/Nₖ ≤ 1. The same
s = N/W − (1 − η) r/(ηW) for all rows is a distribution, and q̃ = (1 − η) q + η s has Σ ω(q̃ − e) = 0. KL is convex, so
Σ ω KL(q̃ ‖ p) ≤ Σ ω KL(q ‖ p) + η Σ ω max(−log p), and G moves by at most 2η Σ ω|x − m|: so much of
it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, magnitude, tmatmul
from surefit.certificates.rounding import gamma, typical
from surefit.certificates.theorems.log_loss import LogLoss, divergence, log_softmax


@dataclass
class DualBound:
    f: float
    gap: float
    rounding: float  # of the checker, part of the gap
    sizes: float  # Σ ω s², s the size of the terms of a logit


def dual_bound(task: LogLoss, theta: F64, near: F64) -> DualBound:
    """The gap of θ, with q made from the probabilities at `near` (θ itself, or a better point)."""
    down, share = _balance(task, near)
    bound, top = _evaluate(task, theta, near, down, share, 1.0)
    if top > 1.0:
        # no G beyond λ₁ has a finite conjugate: draw q towards e, which keeps Σ ω(q − e) = 0
        bound, _ = _evaluate(task, theta, near, down, share, 1.0 / top)
    return bound


def _balance(task: LogLoss, near: F64) -> tuple[F64, F64]:
    """How to move probability between classes so that every class has the weight it has in the data.

    A class with too much gives the same share of it in every row; a class with too little takes what was given,
    in proportion to what it lacks.
    """
    k = task.n_classes
    if not task.free_intercept:
        return np.zeros(k), np.full(k, 1.0 / k)
    have, want = np.zeros(k), np.zeros(k)
    for X, code, omega in task.rows():
        have += omega @ np.exp(log_softmax(task.logits(X, near)))
        want += np.bincount(code, weights=omega, minlength=k)
    over = have - want
    down = np.where(over > 0, over / np.where(have > 0, have, 1.0), 0.0)
    lacks = np.maximum(-over, 0.0)
    return down, lacks / lacks.sum() if lacks.sum() > 0 else np.full(k, 1.0 / k)


def _evaluate(task: LogLoss, theta: F64, near: F64, down: F64, share: F64, scale: float) -> tuple[DualBound, float]:
    """The bound, and the largest |G|/λ₁ of columns without λ₂, rounding included: above one nothing would be proved."""
    f = apart = sizes = noise = farthest = 0.0
    G, A = np.zeros(theta.shape), np.zeros(theta.shape)
    d = theta.shape[1] - 1
    weight, size = np.zeros(task.n_classes), np.zeros(d)
    for X, code, omega in task.rows():
        at = np.arange(code.size)
        log_p = log_softmax(task.logits(X, theta))
        q = np.exp(log_softmax(task.logits(X, near)))
        given = (q * down).sum(axis=1, keepdims=True)
        q = q * (1.0 - down) + given * share
        if scale < 1.0:
            q *= scale
            q[at, code] += 1.0 - scale
        D = q.copy()
        D[at, code] = 0.0
        D[at, code] = -D.sum(axis=1)
        f -= float(omega @ log_p[at, code])
        apart += float(omega @ divergence(q, log_p))
        G += task.transposed(X, omega[:, None] * D)
        E = np.ascontiguousarray(omega[:, None] * np.abs(D[:, task.first :]))
        A[:, :d] += tmatmul(magnitude(X), E).T + np.outer(E.sum(axis=0), np.abs(task.shift))
        A[:, d] += E.sum(axis=0)
        s = task.sizes(X, theta)
        sizes += float(omega @ (s * s))
        noise += float((omega * s) @ (np.abs(D).sum(axis=1) + np.abs(np.exp(log_p) - q).sum(axis=1)))
        farthest -= float(omega @ log_p.min(axis=1))
        weight += np.bincount(code, weights=omega, minlength=weight.size)
        size += tmatmul(magnitude(X), omega) + np.abs(task.shift) * omega.sum()
    wobble = typical(task.blocks.n_rows) * A
    off = _imbalance(task, np.abs(G[:, -1]) + wobble[:, -1], weight)
    wobble[:, :d] += 2.0 * off * size
    slack = _penalty_slack(task, theta, G, np.zeros_like(G))
    rounding = _penalty_slack(task, theta, G, wobble) - slack + gamma(d + 4) * noise + off * farthest
    pure = (task.lasso > 0) & ~(task.ridge > 0)
    top = float(((np.abs(G) + wobble)[:, pure] / task.lasso[pure]).max(initial=0.0))
    gap = apart + slack + rounding
    return DualBound(f + task.penalty(theta), gap, rounding, sizes), top


def _imbalance(task: LogLoss, r: F64, weight: F64) -> float:
    """η, from |r| of the classes with coefficients; that of the first of two is the sum of the others."""
    if not task.free_intercept:
        return 0.0
    r = np.append(np.full(task.first, r.sum()), r)
    share = np.where(r > 0, r / np.where(weight > 0, weight, np.finfo(np.float64).tiny), 0.0)
    return float(share.max()) if share.max() <= 1 else np.inf


def _penalty_slack(task: LogLoss, theta: F64, G: F64, wobble: F64) -> float:
    """Σ Ω(θ) + Ω*(v) − vθ, v = −G known to ± wobble.

    With v = held + rest, held its part within ±λ₁: λ₁|θ| − held·θ + (λ₂/2)(θ − rest/λ₂)², where nothing is negative.
    """
    total = 0.0
    columns = theta.shape[1] if task.intercept and not task.free_intercept else theta.shape[1] - 1
    for j in range(columns):
        lasso, ridge = float(task.lasso[j]), float(task.ridge[j])
        w, v, u = theta[:, j], -G[:, j], wobble[:, j]
        held = np.clip(v, -lasso, lasso)
        total += float((lasso * np.abs(w) - held * w).sum() + (u * np.abs(w)).sum() * (lasso > 0))
        if ridge > 0:
            miss = np.abs(w - (v - held) / ridge) + u / ridge
            total += float(0.5 * ridge * (miss * miss).sum())
    return total
