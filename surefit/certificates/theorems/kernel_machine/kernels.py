"""Kernels from their formulas, block by block, with a bound of every entry's rounding.

A kernel is h(t) of an inner product or of a distance t. An inner product of d terms is off by at most γ_d‖a‖‖b‖ (by
Cauchy–Schwarz), ‖a‖² + ‖b‖² − 2a·b of rows less a common center by γ_{d+8}(‖a‖ + ‖b‖)², a sum of d terms ≥ 0 by a
relative γ_{d+8}. h is monotone or convex: where t is off by at most δ, h(t) is by the larger of |h(t ± δ) − h(t)|.
exp, log, tanh, roots and powers are taken to be right to 8 units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT
from surefit.certificates.rounding import gamma as g

BY_DISTANCE = {"rbf", "laplacian", "chi2"}  # exp(−γt)
BY_PRODUCT = {"linear", "cosine", "poly", "sigmoid"}


class Entries(NamedTuple):
    """|exact − value| ≤ error, entry by entry."""

    value: F64
    error: F64


def chi2(a: F64, b: F64) -> F64:
    return (a - b) ** 2 / np.where(a + b == 0, 1.0, a + b)


COLUMNS = {"laplacian": lambda a, b: np.abs(a - b), "chi2": chi2, "additive_chi2": chi2}


@dataclass(frozen=True)
class Kernel:
    """k(a, b) for rows of the data; `positive`: a theorem says that it is positive semi-definite, not its own word."""

    name: str  # of a formula, or "precomputed", "callable"
    gamma: float = 1.0
    degree: float = 1.0
    coef0: float = 0.0
    call: Callable[[F64, F64], Any] | None = None
    raw: float = 0.0  # the unit roundoff of a model: errors bound its own as well (‖a‖² + ‖b‖² − 2a·b is in float64)

    @property
    def positive(self) -> bool:
        """Schoenberg: exp(−γ‖·‖²), exp(−γ‖·‖₁), exp(−γχ²); Schur: powers of γa·b + c with γ, c ≥ 0."""
        power = self.name == "poly" and self.coef0 >= 0 and self.degree == int(self.degree)
        return self.name in ("linear", "cosine") or (self.gamma >= 0 and (power or self.name in BY_DISTANCE))

    def block(self, A: F64, B: F64, places: NDArray) -> Entries:
        """k(a, b) for all rows a of A and b of B, in their precision; `places` are the row numbers of B in the data."""
        if self.name in ("precomputed", "callable"):
            K = A[:, places] if self.call is None else np.asarray(self.call(A, B), dtype=np.float64)
            return Entries(K.reshape(len(A), len(B)), 16 * self.raw * np.abs(K))
        t, off = self.argument(A, B)
        u, K = unit_of(A) + self.raw, self.of(t)
        change = np.maximum(*(np.abs(self.of(t + s * (1.01 * off + 4 * u * np.abs(t))) - K) for s in (-1, 1)))
        return Entries(K, change + 8 * (3 + self.degree) * u * (np.abs(K) + change) + 1e-37)  # underflow is rounding

    def of(self, t: F64) -> F64:
        """h(t)."""
        if self.name in BY_DISTANCE:
            return np.exp(-self.gamma * np.maximum(t, 0.0))
        if self.name == "poly":
            return (self.gamma * t + self.coef0) ** self.degree
        if self.name == "sigmoid":
            return np.tanh(self.gamma * t + self.coef0)
        return -t if self.name == "additive_chi2" else t

    def argument(self, A: F64, B: F64) -> tuple[F64, F64]:
        """t of every pair of rows, and what it is off by: here, and in the model's own way."""
        own, theirs = g(A.shape[1] + 8, unit_of(A)), g(A.shape[1] + 8, self.raw)
        if self.name in COLUMNS:
            t = sum(COLUMNS[self.name](A[:, j, None], B[None, :, j]) for j in range(A.shape[1]))
            return t, (own + theirs) * t
        a, b = lengths(A, B)
        if self.name == "rbf":
            far, c = g(A.shape[1] + 8, min(self.raw, UNIT)) * (a + b) ** 2, B.sum(axis=0) / max(1, len(B))
            a, b = lengths(A - c, B - c)
            t = np.maximum(a**2 + b**2 - 2 * ((A - c) @ (B - c).T), 0.0)
            return t, own * (a + b) ** 2 + far + theirs * t
        if self.name == "cosine":
            return A @ B.T / np.where(a * b > 0, a * b, 1.0), np.full((len(A), len(B)), 2 * (own + theirs))
        return A @ B.T, (own + theirs) * (a * b)


def unit_of(A: F64) -> float:
    return float(np.finfo(A.dtype).eps) / 2


def lengths(A: F64, B: F64) -> tuple[F64, F64]:
    """‖a‖ as a column and ‖b‖ as a row."""
    a, b = (np.sqrt(np.einsum("ij,ij->i", V, V)) for V in (A, B))
    return a[:, None], b[None, :]
