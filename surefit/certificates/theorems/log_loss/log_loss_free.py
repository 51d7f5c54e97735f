"""Logistic and softmax regression without a penalty: how far below a point the minimum can be, if there is one.

Coordinates. T proposes coordinates in which the curvature is about one: rows become a' = T'a, a = (x − m, 1), and
coefficients move by Tψₖ, Σₖ ψₖ = 0 (the same number added to all logits changes nothing). For a distribution p and
Σₖ vₖ = 0, Var_p(v) = min_c Σ pₖ(vₖ − c)² ≥ (min p) ‖v‖². So with M = Σ ω (min p) a'a'ᵀ ≽ λI the second derivative along
ψ is at least λ‖ψ‖². The third is at most the range of the row's logits, √2 ‖a'‖‖ψ‖, times the second: with
R = max √2 ‖a'‖ / √λ and ν = ‖gradient in ψ‖ / √λ, x = νR < 1 implies that there is a minimum, and
f − min f ≤ (x + (1 − x) log(1 − x))/R² ≤ ν².   (Bach 2010.)

With a ray the loss is that of the classes that it leaves tied: it falls apart into groups of classes, one bound each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.log_loss.log_loss import TIE, LogLoss, probabilities, residuals

SURE = 0.5  # νR near one is what the tail of separated classes has


@dataclass
class Coordinates:
    """A proposal: T, and its pseudo-inverse (rows are then a = P'a' up to what `outside` says)."""

    T: F64
    P: F64


def distance(task: LogLoss, near: F64, group: NDArray[np.intp], proposal: Coordinates) -> tuple[float, float]:
    """A bound for f(near) − min f over these classes (∞ without one), and how much of a column T leaves out."""
    d1, rank = proposal.T.shape
    M, g = np.zeros((rank, rank)), np.zeros((group.size, rank))
    M_off = g_off = widest = 0.0
    most, missed = np.zeros(d1), np.zeros(d1)
    for A, code, omega in task.rows():
        Z, rounding = task.scores(A, code, near)
        used = (omega > 0) & np.isin(code, group) & (np.isfinite(Z).sum(axis=1) > 1)
        B, omega, P = task.points(A)[used], omega[used], probabilities(Z)[used]
        if not used.any():
            continue
        # relative error of q − e and of min p: exp(2δ) − 1 < 8δ
        off = np.where(rounding < 0.1, 8.0 * rounding, np.inf)[used] + gamma(task.terms + 16 * group.size + 64)
        D = residuals(P, code[used])[:, group]
        low = omega * np.maximum(P[:, group].min(axis=1) * (1.0 - off), 0.0)
        Y, blur = B @ proposal.T, gamma(d1 + 2) * np.linalg.norm(np.abs(B) @ np.abs(proposal.T), axis=1)
        length = np.linalg.norm(Y, axis=1)
        M += (Y * low[:, None]).T @ Y
        M_off += float(low @ (2.0 * length * blur + blur * blur + gamma(task.terms + 8) * length * length))
        g += (omega[:, None] * D).T @ Y
        g_off += float((omega * np.linalg.norm(D, axis=1)) @ (blur + 2.0 * off * length))
        widest = max(widest, float((length + blur).max()))
        most = np.maximum(most, np.abs(B).max(axis=0))
        missed = np.maximum(missed, np.abs(B - Y @ proposal.P).max(axis=0))
    outside = float((missed / np.where(most > 0, most, 1.0)).max()) if rank < d1 else 0.0
    curvature = 1.0 - float(np.linalg.norm(M - np.eye(rank))) - 1.01 * M_off
    if not (curvature > 0 and np.isfinite(g).all()):
        return np.inf, outside
    nu = (float(np.linalg.norm(g)) + 1.01 * g_off) / np.sqrt(curvature)
    radius = np.sqrt(2.0) * widest / np.sqrt(curvature)
    return (nu * nu if nu * radius < SURE else np.inf), outside


@dataclass
class Ray:
    """Over the rows with weight and the other classes: how a row's own class does along the ray."""

    loss: float  # the most that it loses, relative to the size of the terms, rounding added; zero where all gain
    least: float  # rounding taken off
    pairs: int  # (row, class) that it gains on
    rows: int  # rows that gain on all
    wrong: int  # of the pairs that it gains on, those that θ does not surely order so
    surely: int  # of these, those that θ surely orders otherwise, or not at all
    tied: NDArray[np.bool_]  # classes (own, other) of some row that it does not gain on


def along(task: LogLoss, ray: F64, theta: F64) -> Ray:
    """If no row's own logit loses and one gains, f(θ + s) < f(θ) for every θ: there is no minimum.

    What the task's earlier rays separate does not count: those are gone along first, and farther.
    """
    k = len(theta)
    found = Ray(0.0, 0.0, 0, 0, 0, 0, np.zeros((k, k), dtype=bool))
    for A, code, omega in task.rows():
        used = omega > 0
        gain, rounding, size = (part.reshape(len(part), -1) for part in task.gains(A, code, ray))
        margin, blur, _ = (part.reshape(len(part), -1) for part in task.gains(A, code, theta))
        other = used[:, None] & (np.arange(k) != code[:, None]) & ~task.separated(A, code)
        gains = other & (gain > np.maximum(rounding, TIE * size))
        ties, unit = other & ~gains, np.where(size > 0, size, 1.0)
        # np.maximum keeps a NaN, which overflow makes
        found.loss = float(np.maximum(found.loss, np.where(ties, (rounding - gain) / unit, 0.0).max(initial=0.0)))
        found.least = max(found.least, float(np.where(ties, (-rounding - gain) / unit, 0.0).max(initial=0.0)))
        found.pairs += int(np.count_nonzero(gains))
        found.rows += int(np.count_nonzero(used & ~ties.any(axis=1)))
        found.wrong += int(np.count_nonzero(gains & ~(margin > blur)))
        found.surely += int(np.count_nonzero(gains & (margin <= -blur)))
        np.logical_or.at(found.tied, code, ties)
    return found
