"""Logistic and softmax regression without a penalty: how far f is above its least value.

Without a penalty the theorem of `log_loss_dual` needs Σ ωᵢ(qᵢ − eᵢ)aᵢ = 0 for every column. T proposes coordinates
a′ = Tᵀa. With R = Σ ωᵢ(pᵢ − eᵢ)a′ᵢᵀ, any μᵢ ≤ min pᵢ, M = Σ ωᵢμᵢa′ᵢa′ᵢᵀ and Ψ = RM⁻¹, the rows qᵢ = pᵢ − μᵢΨa′ᵢ have it
exactly. Their entries add up to one, as those of R add up to zero over the classes, and are not negative if
‖Ψ‖‖a′ᵢ‖ ≤ 1. And Σ ω KL(q‖p) ≤ Σ ω (q − p)²/p ≤ Σ ωμ ‖Ψa′‖² = tr(RM⁻¹Rᵀ): if ‖M − I‖ ≤ 1 − λ,

    f(θ) − f(θ′) ≤ ‖R‖²/λ  where  ‖R‖ max‖a′‖ ≤ λ.

With a ray the loss compares each row with those classes only that it leaves tied: Ψ is zero for classes that are
compared with none, and μ on rows that are not compared with all others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.log_loss.log_loss import LogLoss, objective, slopes

LEFT_OUT = 1e-10  # of a column, relative: it depends on the others


class Coordinates(NamedTuple):
    """A proposal: the classes that the loss compares, T, and a way back, a = backᵀa′ up to what is left out."""

    group: NDArray[np.bool_]
    T: F64
    back: F64


def free_least(task: LogLoss, theta: F64, proposal: Coordinates) -> tuple[float, float]:
    """A lower bound of f, rounding included, or else zero, and how much of a column is left out, relative."""
    (group, T, back), (d1, rank), g = proposal, proposal.T.shape, gamma(task.blocks.n_rows + 8)
    M, R, M_off, R_off, widest = np.zeros((rank, rank)), np.zeros((len(theta), rank)), 0.0, 0.0, 0.0
    most, missed, stray = np.zeros(d1), np.zeros(d1), False
    for points in slopes(task, theta):
        A, omega, _, P, D, off = (part[points[4].any(axis=1)] for part in points)  # rows that are compared with others
        mu = omega * np.maximum(P[:, group].min(axis=1, initial=1.0) * (1.0 - off), 0.0)
        Y, blur = A @ T, gamma(d1 + 2) * np.linalg.norm(np.abs(A) @ np.abs(T), axis=1)
        length = np.linalg.norm(Y, axis=1) + blur
        M, R = M + (Y * mu[:, None]).T @ Y, R + (omega[:, None] * D).T @ Y
        M_off += float(mu @ (2.0 * blur * length + g * length**2))
        R_off += float((omega * np.linalg.norm(D, axis=1)) @ (blur + (off + g) * length))
        widest = max(widest, float(length[mu > 0].max(initial=0.0)))
        most = np.maximum(most, np.abs(A).max(axis=0, initial=0.0))
        missed = np.maximum(missed, np.abs(A - Y @ back).max(axis=0, initial=0.0))
        stray = stray or bool(D[:, ~group].any())
    outside = float((missed / np.where(most > 0, most, 1.0)).max()) if rank < d1 else 0.0
    curvature = 1.0 - float(np.linalg.norm(M - np.eye(rank))) - 1.01 * M_off
    slope = float(np.linalg.norm(R)) + 1.01 * R_off
    if not (slope * widest <= 0.99 * curvature and outside <= LEFT_OUT) or stray:
        return 0.0, 0.0
    f, error, _ = objective(task, theta)
    return max(0.0, f - error - 1.01 * slope**2 / curvature), outside
