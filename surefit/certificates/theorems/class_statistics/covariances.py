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
from surefit.certificates.claim import UNIT, gamma
from surefit.certificates.theorems.class_statistics.class_spread import Spread
from surefit.certificates.theorems.class_statistics.labelled import labelled

GROUP = 256
LONG_OPERATIONS = 5e7  # products in long double
HELD_ENTRIES = 1 << 25  # entries of the covariances held at once
GATHERED_ENTRIES = 1 << 26  # entries of the rows that are handed to a covariance_estimator
Shrinkage = float | str | None


def arithmetic(blocks: Blocks) -> tuple[Any, float]:
    """The type that sums are formed in, and the γ of every entry of a covariance and of products with it."""
    n, d = blocks.n_rows, blocks.n_features
    kind = np.longdouble if n * d * d <= LONG_OPERATIONS else np.float64
    return kind, gamma(GROUP + n / GROUP + n / 4096 + 2 * d + 32, float(np.finfo(kind).eps) / 2)


def rows_of(blocks: Blocks, n_classes: int, kind: Any) -> Iterator[tuple[F64, NDArray[np.intp], F64]]:
    for block in labelled(blocks, n_classes):
        for A, code, omega in block.slices():
            for lo in range(0, len(A), GROUP):
                rows = slice(lo, lo + GROUP)
                yield A[rows].astype(kind), code[rows], omega[rows].astype(kind)


def class_covariances(blocks: Blocks, data: Spread) -> Iterator[tuple[int, F64]]:
    """(k, C_k) for every class; one pass for as many classes as fit."""
    (k, d), (kind, _) = data.base.shape, arithmetic(blocks)
    held = max(1, HELD_ENTRIES // max(1, d * d))
    for first in range(0, k, held):
        wanted = range(first, min(first + held, k))
        scatter = np.zeros((len(wanted), d, d), dtype=kind)
        for A, code, omega in rows_of(blocks, k, kind):
            for own in np.unique(code[(code >= wanted.start) & (code < wanted.stop)]):
                B = A[code == own] - data.base[own]
                scatter[own - first] += B.T @ (B * omega[code == own, None])
        for j in wanted:
            s = data.shift[j].astype(kind)
            yield j, scatter[j - first] / data.classes[j] - np.multiply.outer(s, s)


def read_shrinkage(attrs: Attributes) -> Shrinkage:
    """None, "auto" or a number in [0, 1]; a fault for anything else."""
    given = getattr(attrs.model, "shrinkage", None)
    if given is None or (isinstance(given, str) and given == "auto"):
        return given
    if 0 <= real(given) <= 1:
        return real(given)
    attrs.faults.append("shrinkage is neither None, 'auto' nor a number between 0 and 1")
    return None


def shrunk(C: F64, amount: float) -> F64:
    """(1 − a) C + a tr(C)/d I."""
    return (1.0 - amount) * C + amount * (np.trace(C) / len(C)) * np.eye(len(C))


def estimates(blocks: Blocks, data: Spread, shrinkage: Shrinkage, estimator: Any) -> Iterator[tuple[int, F64, float]]:
    """(k, the estimate for class k, the γ of its entries)."""
    _, g = arithmetic(blocks)
    if estimator is not None:
        for k in range(len(data.base)):
            yield k, estimated(blocks, estimator, len(data.base), k), UNIT
    elif not isinstance(shrinkage, str):
        for k, C in class_covariances(blocks, data):
            yield k, C if shrinkage is None else shrunk(C, shrinkage), g
    else:
        scales = np.stack([_deviations(C, data.base[k]) for k, C in class_covariances(blocks, data)])
        fourth = _fourth(blocks, data.base + data.shift, scales)
        for k, C in class_covariances(blocks, data):
            yield k, *ledoit_wolf(C, scales[k], float(fourth[k]), float(data.classes[k]), blocks)


def total_covariance(
    blocks: Blocks, data: Spread, plain: F64, mean: F64, shrinkage: Shrinkage, estimator: Any
) -> tuple[F64, float]:
    """The covariance of all rows about their mean, and γ; `plain` is the one without shrinkage."""
    if estimator is not None:
        return estimated(blocks, estimator, len(data.base), None), UNIT
    if not isinstance(shrinkage, str):
        return plain if shrinkage is None else shrunk(plain, shrinkage), arithmetic(blocks)[1]
    scale, k = _deviations(plain, mean), len(data.base)
    fourth = _fourth(blocks, np.tile(mean, (k, 1)), np.tile(scale, (k, 1)))
    return ledoit_wolf(plain, scale, float(fourth.sum()), float(data.classes.sum()), blocks)


def _deviations(C: F64, mean: F64) -> F64:
    """Standard deviations, one where a column varies less than its mean is rounded."""
    deviations = np.sqrt(np.maximum(np.diag(C).astype(np.float64), 0.0))
    return np.where(deviations > 2 * np.finfo(np.float64).eps * np.abs(mean), deviations, 1.0)


def _fourth(blocks: Blocks, means: F64, scales: F64) -> F64:
    """Σω‖D⁻¹(x − μ)‖⁴ of every class."""
    out = np.zeros(len(means))
    for A, code, omega in rows_of(blocks, len(means), np.float64):
        Z = (A - means[code]) / scales[code]
        out += np.bincount(code, weights=omega * np.einsum("ij,ij->i", Z, Z) ** 2, minlength=len(out))
    return out


def ledoit_wolf(C: F64, scale: F64, fourth: float, weight: float, blocks: Blocks) -> tuple[F64, float]:
    """The covariance shrunk as Ledoit and Wolf (2004) estimate, in columns scaled to variance one, and its γ.

    With R = D⁻¹CD⁻¹, m = tr R/d and q = Σω‖D⁻¹(x − μ)‖⁴:
    β = (q/N − ‖R‖²)/(dN), δ = ‖R − mI‖²/d, and a = min(β, δ)/δ of R goes to m I.
    With entries of R known to γ, ‖R‖² and dδ are known to 4γΣ|R_ij|, and q to its own γ_q: a to the sum of γ_q q/N² and
    4γΣ|R_ij|(1 + 1/N), over dδ; and what it moves is R − mI, of length √(dδ).
    """
    d, outer, (_, g) = len(C), np.multiply.outer(scale, scale), arithmetic(blocks)
    n, R, g = blocks.n_rows, C / outer, g + 8 * UNIT
    squares, away = (R * R).sum(), ((R - np.trace(R) / d * np.eye(d)) ** 2).sum()
    beta = min((fourth / weight - squares) / weight, away)
    amount = 0.0 if d == 1 or beta == 0 or away == 0 else beta / away
    moved = gamma(GROUP + n / GROUP + n / 4096 + 8 * d + 64) * fourth / weight**2
    moved += 4 * g * float(np.abs(R).sum()) * (1 + 1 / weight)
    length = float(np.sqrt(away))
    return shrunk(R, amount) * outer, g + (min(moved / length, length) if length > 0 else 0.0)


def estimated(blocks: Blocks, estimator: Any, n_classes: int, k: int | None) -> F64:
    """What a copy of the user's own estimator says of the rows of one class, or of all rows."""
    d = blocks.n_features
    if blocks.n_rows * d > GATHERED_ENTRIES:
        raise BadData("covariance_estimator needs all rows at once, and there are too many of them")
    parts = []
    for A, code, omega in rows_of(blocks, n_classes, np.float64):
        if (omega != 1).any():
            raise BadData("covariance_estimator has no weights")
        parts.append(A if k is None else A[code == k])
    try:
        C = np.atleast_2d(np.asarray(deepcopy(estimator).fit(np.concatenate(parts)).covariance_, dtype=np.float64))
    except Exception as fault:  # whatever the user's object raises is the reason
        raise BadData(f"covariance_estimator cannot be fitted again ({type(fault).__name__}: {fault})") from fault
    if C.shape != (d, d) or not np.isfinite(C).all():
        raise BadData("covariance_estimator gives no covariance of the columns")
    return C
