"""Covariances of classes, C = Σω(x − μ)(x − μ)ᵀ/N, plain, shrunk, or as the user's estimator has them.

Rows are added up in groups of 256, so that an entry is known to γ √(C_ii C_jj) with γ that of 256 + n/256 operations,
in long double where that costs little.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.class_spread import Spread
from surefit.certificates.theorems.class_statistics.labelled import labelled

GROUP = 256
LONG_OPERATIONS = 5e7  # products in long double
Shrinkage = float | str | None


def arithmetic(blocks: Blocks) -> tuple[Any, float]:
    """The type that sums are formed in, and the γ of every entry of a covariance and of products with it."""
    n, d = blocks.n_rows, blocks.n_features
    kind = np.longdouble if n * d * d <= LONG_OPERATIONS else np.float64
    return kind, gamma(GROUP + n / GROUP + n / 4096 + 2 * d + 32, float(np.finfo(kind).eps) / 2)


def groups(blocks: Blocks, n_classes: int) -> Iterator[tuple[F64, NDArray[np.intp], F64]]:
    for block in labelled(blocks, n_classes):
        for A, code, omega in block.slices():
            for lo in range(0, len(A), GROUP):
                rows = slice(lo, lo + GROUP)
                yield A[rows], code[rows], omega[rows]


def covariance(blocks: Blocks, data: Spread, share: F64) -> F64:
    """Σ_k share_k C_k, in one pass."""
    kind, factor = arithmetic(blocks)[0], share / data.classes
    out = np.zeros((blocks.n_features, blocks.n_features), kind)
    for A, code, omega in groups(blocks, len(share)):
        own = factor[code] > 0
        B = A[own].astype(kind) - data.base[code[own]]
        out += B.T @ (B * (omega * factor[code])[own, None])
    s = data.shift.astype(kind)
    return out - s.T @ (s * share[:, None])


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


def estimates(blocks: Blocks, data: Spread, shrinkage: Shrinkage, estimator: Any) -> Iterator[tuple[int, F64, float]]:
    """(k, the estimate for class k, the γ of its entries), in a pass or two for every class."""
    for k, own in enumerate(np.eye(len(data.base))):
        if estimator is not None:
            yield k, estimated(blocks, estimator, len(data.base), k), UNIT
        elif isinstance(shrinkage, str):
            yield k, *ledoit_wolf(blocks, data, k, covariance(blocks, data, own))
        else:
            yield k, shrunk(covariance(blocks, data, own), shrinkage or 0.0), arithmetic(blocks)[1]


def ledoit_wolf(blocks: Blocks, data: Spread, k: int, C: F64) -> tuple[F64, float]:
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
    for A, code, omega in groups(blocks, len(data.base)):
        Z = (A[code == k] - mean) / scale
        q += float(omega[code == k] @ np.einsum("ij,ij->i", Z, Z) ** 2)
    outer, g = np.multiply.outer(scale, scale), arithmetic(blocks)[1] + 8 * UNIT
    R = C / outer
    squares, away = float((R * R).sum()), float(((R - np.trace(R) / d * np.eye(d)) ** 2).sum())
    amount = min((q / weight - squares) / weight, away) / away if d > 1 and away > 0 else 0.0
    moved = gamma(GROUP + n / GROUP + n / 4096 + 8 * d + 64) * q / weight**2
    moved += 4 * g * float(np.abs(R).sum()) * (1 + 1 / weight)
    length = max(np.sqrt(away), 1e-300)
    return shrunk(R, amount) * outer, g + min(moved / length, length)


def estimated(blocks: Blocks, estimator: Any, n_classes: int, k: int) -> F64:
    """What a copy of the user's own estimator says of the rows of one class."""
    parts = list(groups(blocks, n_classes))
    if any((omega != 1).any() for _, _, omega in parts):
        raise BadData("covariance_estimator has no weights")
    copy = deepcopy(estimator).fit(np.concatenate([A[code == k] for A, code, _ in parts]))
    return np.asarray(copy.covariance_, dtype=np.float64).reshape(blocks.n_features, blocks.n_features)
