"""Means and covariances of classes, C = Σω(x − μ)(x − μ)ᵀ/N, plain or shrunk.

With any rough means m, N = Σω, s = Σω(x − m)/N: the mean is m + s, C = Σω(x − m)(x − m)ᵀ/N − ssᵀ. Differences x − m
are rounded once and relative to themselves, so an offset costs no digits. Rows are added up in slices: an entry of C is
known to γ √(C_ii C_jj) and s to γ √C_ii, γ that of as many operations as a slice has rows, and as there are slices; in
long double where that costs little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.labelled import SLICE_ROWS, labelled

LONG_OPERATIONS = 1.2e8  # products in long double
Shrinkage = float | str | None


@dataclass
class Moments:
    classes: F64  # N of every class
    base: F64  # m
    shift: F64  # s
    covariances: list[F64]
    g: float  # γ

    @property
    def shift_error(self) -> F64:
        variances = np.stack([np.diag(C) for C in self.covariances]).astype(np.float64)
        return self.g * np.sqrt(np.maximum(variances, 0.0) + self.shift**2)


def class_moments(blocks: Blocks, n_classes: int) -> Moments:
    """Two passes. BadData for a class without rows of a weight."""
    k, n, d = n_classes, blocks.n_rows, blocks.n_features
    kind: Any = np.longdouble if n * d * d <= LONG_OPERATIONS else np.float64
    base, shift, C = np.zeros((k, d)), np.zeros((k, d), kind), list[F64]()
    classes, slices = np.zeros(k), 0
    for last in (False, True):
        base, shift, classes, slices = base + shift.astype(np.float64), 0 * shift, 0 * classes, 0
        C = [np.zeros((d, d) if last else (1, 1), kind) for _ in range(k)]
        for X, code, omega in labelled(blocks, k):
            A, slices = dense(X), slices + 1
            for j in np.unique(code[omega > 0]):
                own = code == j
                B, w = A[own].astype(kind) - base[j], omega[own]
                classes[j], shift[j] = classes[j] + w.sum(), shift[j] + w @ B
                C[j] += B.T @ (B * w[:, None]) if last else 0.0
        if not (classes > 0).all():
            raise BadData("a class of classes_ has no rows, or none with a weight")
        shift = shift / classes[:, None]
    covariances = [one / N - np.outer(s, s) for one, N, s in zip(C, classes, shift, strict=True)]
    g = gamma(SLICE_ROWS + slices + 2 * d + 32, float(np.finfo(kind).eps) / 2)
    return Moments(classes, base, shift.astype(np.float64), covariances, g)


def read_shrinkage(attrs: Attributes) -> Shrinkage:
    """None, "auto" or a number in [0, 1]; a fault for anything else."""
    given = getattr(attrs.model, "shrinkage", None)
    if given is None or (isinstance(given, str) and given == "auto"):
        return given
    if not 0 <= real(given) <= 1:
        attrs.faults.append("shrinkage is neither None, 'auto' nor a number between 0 and 1")
    return real(given)


def shrunk(C: F64, amount: float) -> F64:
    """(1 − a) C + a tr(C)/d I."""
    return (1.0 - amount) * C + amount * (np.trace(C) / len(C)) * np.eye(len(C))


def estimate(
    blocks: Blocks, shrinkage: Shrinkage, C: F64, g: float, mean: F64, classes: F64, k: int | None = None
) -> tuple[F64, float]:
    """A covariance C of class k (or of all rows), known to γ, shrunk as asked for, and the γ of that.

    "auto" as Ledoit and Wolf (2004): with R = D⁻¹CD⁻¹ in columns of variance one, m = tr R/d and q = Σω‖D⁻¹(x − μ)‖⁴,
    β = (q/N − ‖R‖²)/(dN), δ = ‖R − mI‖²/d, a = min(β, δ)/δ of R goes to m I.
    With entries of R known to γ, ‖R‖² and dδ are known to 4γΣ|R_ij|, and q to its own γ_q: a to the sum of γ_q q/N² and
    4γΣ|R_ij|(1 + 1/N), over dδ; and what it moves is R − mI, of length √(dδ).
    """
    if not isinstance(shrinkage, str):
        return shrunk(C, shrinkage or 0.0), g
    d, n, weight = len(C), blocks.n_rows, float(classes.sum() if k is None else classes[k])
    scale = np.sqrt(np.maximum(np.diag(C).astype(np.float64), 0.0))
    scale = np.where(scale > 4 * UNIT * np.abs(mean), scale, 1.0)  # one where a column varies less than its rounding
    q = 0.0
    for X, code, omega in labelled(blocks, len(classes)):
        own = (code == k) | (k is None)
        q += float(omega[own] @ ((((dense(X)[own] - mean) / scale) ** 2).sum(axis=1) ** 2))
    outer, g = np.multiply.outer(scale, scale), g + 8 * UNIT
    R = C / outer
    squares, away = float((R * R).sum()), float(((R - np.trace(R) / d * np.eye(d)) ** 2).sum())
    amount = min((q / weight - squares) / weight, away) / away if d > 1 and away > 0 else 0.0
    moved = gamma(n + 8 * d + 64) * q / weight**2 + 4 * g * float(np.abs(R).sum()) * (1 + 1 / weight)
    length = max(np.sqrt(away), 1e-300)
    return shrunk(R, amount) * outer, g + min(moved / length, length)
