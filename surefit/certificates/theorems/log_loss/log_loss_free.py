"""Logistic and softmax regression without a penalty: how far below a point the loss can be, and rays without a minimum.

Coordinates. T proposes coordinates in which the curvature is about one: rows become a' = T'a, a = (x − m, 1), and
coefficients move by Tψₖ, Σₖ ψₖ = 0 (the same number added to all logits changes nothing). For a distribution p and
Σₖ vₖ = 0, Var_p(v) = min_c Σ pₖ(vₖ − c)² ≥ (min p) ‖v‖². So H = Σ ω (diag p − p pᵀ) ⊗ a'a'ᵀ ≽ λ on these ψ, where
M = Σ ω (min p) a'a'ᵀ ≽ λI. With r = Σ ω (p − e) ⊗ a' the solution of Hψ = −r has ‖ψ‖ ≤ ‖r‖/λ, and
q = p(1 + u − p·u), uₖ = a'·ψₖ, has Σ ω (q − e) ⊗ a' = 0. It is a distribution where √2 ‖a'‖‖ψ‖ ≤ 1, and then
f(θ) − f(θ′) ≤ Σ ω KL(q‖p) ≤ Σ ω Σ (q − p)²/p = ψᵀHψ = rᵀH⁻¹r ≤ ‖r‖²/λ for every θ′.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.log_loss.log_loss import LogLoss

TIE = 1e-12  # a ray moves logits apart where it does so by more than this share of its terms


def distance(task: LogLoss, near: F64, group: NDArray[np.bool_], T: F64, P: F64) -> tuple[float, float]:
    """A bound for f(near) − inf f (∞ without one), and how much of a column T leaves out (else rows are a = P'a').

    Only classes of the group have a residual above zero: those that the logits leave tied.
    """
    d1, rank = T.shape
    M, r, most, missed = np.zeros((rank, rank)), np.zeros((group.size, rank)), np.zeros(d1), np.zeros(d1)
    M_off = r_off = widest = 0.0
    for part in task.slopes(near):
        used = (part.weight > 0) & part.residual.any(axis=1)
        B, omega, _, p, D, off = (values[used] for values in part)
        if D[:, ~group].any():
            return np.inf, 0.0
        low = omega * np.maximum(p[:, group].min(axis=1) * (1.0 - off), 0.0)
        Y, blur = B @ T, gamma(d1 + 2) * np.linalg.norm(np.abs(B) @ np.abs(T), axis=1)
        length, off = np.linalg.norm(Y, axis=1) + blur, off + gamma(task.blocks.n_rows + 8)
        M += (Y * low[:, None]).T @ Y
        M_off += float(low @ (2.0 * length * (blur + off * length)))
        r += (omega[:, None] * D).T @ Y
        r_off += float((omega * np.linalg.norm(D, axis=1)) @ (blur + 2.0 * off * length))
        widest = max(widest, float(length.max(initial=0.0)))
        most = np.maximum(most, np.abs(B).max(axis=0, initial=0.0))
        missed = np.maximum(missed, np.abs(B - Y @ P).max(axis=0, initial=0.0))
    curvature = 1.0 - float(np.linalg.norm(M - np.eye(rank))) - 1.01 * M_off
    outside = float((missed / np.where(most > 0, most, 1.0)).max()) if rank < d1 else 0.0
    if not curvature > 0:
        return np.inf, outside
    step = (float(np.linalg.norm(r)) + 1.01 * r_off) / curvature
    return step * step * curvature if np.sqrt(2.0) * widest * step <= 1.0 else np.inf, outside


class Ray(NamedTuple):
    """Over the rows with weight and the other classes: how a row's own class does along the ray."""

    loss: float  # the most that it loses, relative to the size of the terms, rounding added; zero where all gain
    moved: float  # the most that a pair moves on which it does not gain
    pairs: int  # (row, class) that it gains on
    wrong: int  # of the pairs that it gains on, those that θ does not surely order so
    surely: int  # of these, those that θ surely orders otherwise, or not at all


def along(task: LogLoss, ray: F64, theta: F64) -> Ray:
    """If no row's own logit loses and one gains, f(θ + s) < f(θ) for every θ: there is no minimum."""
    loss, moved, pairs, wrong, surely = 0.0, 0.0, 0, 0, 0
    for B, code, omega in task.rows():
        R, blur, size = task.logits(B, ray)
        Z, rounding, _ = task.logits(B, theta)
        own = np.arange(code.size)
        gain, margin = (values[own, code][:, None] - values for values in (R, Z))
        blur, rounding, size = 2.1 * blur[:, None], 2.1 * rounding[:, None], size[:, None]
        other = (omega > 0)[:, None] & (np.arange(len(theta)) != code[:, None])
        gains = other & (gain > np.maximum(blur, TIE * size))
        ties = other & ~gains
        # np.maximum keeps a NaN, which overflow makes
        loss = np.maximum(loss, np.where(ties, (blur - gain) / np.where(size > 0, size, 1.0), 0.0).max(initial=0.0))
        moved = np.maximum(moved, np.where(ties, np.abs(gain), 0.0).max(initial=0.0))
        pairs += int(np.count_nonzero(gains))
        wrong += int(np.count_nonzero(gains & ~(margin > rounding)))
        surely += int(np.count_nonzero(gains & (margin <= -rounding)))
    return Ray(float(loss), float(moved), pairs, wrong, surely)
