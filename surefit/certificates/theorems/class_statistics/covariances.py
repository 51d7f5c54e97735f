"""Covariances of classes, C = Σω(x − μ)(x − μ)ᵀ/N, plain or shrunk.

Rows are added up in slices, so that an entry is known to γ √(C_ii C_jj) with γ that of as many operations as a slice has
rows, and as there are slices; in long double where that costs little.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.class_spread import Spread
from surefit.certificates.theorems.class_statistics.labelled import SLICE_ROWS, labelled

LONG_OPERATIONS = 5e7  # products in long double
Shrinkage = float | str | None


def covariance(blocks: Blocks, data: Spread, share: F64) -> tuple[F64, float]:
    """Σ_k share_k C_k in one pass, and the γ of its entries and of products with it."""
    n, d, factor, slices = blocks.n_rows, blocks.n_features, share / data.classes, 0
    kind: Any = np.longdouble if n * d * d <= LONG_OPERATIONS else np.float64
    out = np.zeros((d, d), kind)
    for block in labelled(blocks, len(share)):
        for A, code, omega in block.slices():
            own, slices = factor[code] > 0, slices + 1
            B = A[own].astype(kind) - data.base[code[own]]
            out += B.T @ (B * (omega * factor[code])[own, None])
    s = data.shift.astype(kind)
    return out - s.T @ (s * share[:, None]), gamma(SLICE_ROWS + slices + 2 * d + 32, float(np.finfo(kind).eps) / 2)


def read_shrinkage(attrs: Attributes) -> Shrinkage:
    """None, "auto" or a number in [0, 1]; a fault for anything else."""
    given = getattr(attrs.model, "shrinkage", None)
    if given is None or (isinstance(given, str) and given == "auto"):
        return given
    if not 0 <= real(given) <= 1:
        attrs.faults.append("shrinkage is neither None, 'auto' nor a number between 0 and 1")
    return real(given)


def estimate(blocks: Blocks, data: Spread, shrinkage: Shrinkage, k: int) -> tuple[F64, float]:
    """The estimate for class k, in a pass or two, and the γ of its entries."""
    C, g = covariance(blocks, data, np.eye(len(data.base))[k])
    return ledoit_wolf(blocks, data, k, C, g) if isinstance(shrinkage, str) else (shrunk(C, shrinkage or 0.0), g)


def shrunk(C: F64, amount: float) -> F64:
    """(1 − a) C + a tr(C)/d I."""
    return (1.0 - amount) * C + amount * (np.trace(C) / len(C)) * np.eye(len(C))


def ledoit_wolf(blocks: Blocks, data: Spread, k: int, C: F64, g: float) -> tuple[F64, float]:
    """The covariance shrunk as Ledoit and Wolf (2004) estimate, in columns scaled to variance one, and its γ.

    With R = D⁻¹CD⁻¹, m = tr R/d and q = Σω‖D⁻¹(x − μ)‖⁴:
    β = (q/N − ‖R‖²)/(dN), δ = ‖R − mI‖²/d, and a = min(β, δ)/δ of R goes to m I.
    With entries of R known to γ, ‖R‖² and dδ are known to 4γΣ|R_ij|, and q to its own γ_q: a to the sum of γ_q q/N² and
    4γΣ|R_ij|(1 + 1/N), over dδ; and what it moves is R − mI, of length √(dδ).
    """
    d, n, weight, mean = len(C), blocks.n_rows, float(data.classes[k]), data.base[k] + data.shift[k]
    scale = np.sqrt(np.maximum(np.diag(C).astype(np.float64), 0.0))
    scale = np.where(scale > 4 * UNIT * np.abs(mean), scale, 1.0)  # one where a column varies less than its rounding
    q = 0.0
    for block in labelled(blocks, len(data.base)):
        for A, code, omega in block.slices():
            q += float(omega[code == k] @ ((((A[code == k] - mean) / scale) ** 2).sum(axis=1) ** 2))
    outer, g = np.multiply.outer(scale, scale), g + 8 * UNIT
    R = C / outer
    squares, away = float((R * R).sum()), float(((R - np.trace(R) / d * np.eye(d)) ** 2).sum())
    amount = min((q / weight - squares) / weight, away) / away if d > 1 and away > 0 else 0.0
    moved = gamma(n + 8 * d + 64) * q / weight**2 + 4 * g * float(np.abs(R).sum()) * (1 + 1 / weight)
    length = max(np.sqrt(away), 1e-300)
    return shrunk(R, amount) * outer, g + min(moved / length, length)
