"""Kernels from their formulas, block by block, with a bound of every entry's rounding.

An inner product of d terms has an error of at most γ_d‖a‖‖b‖ (Higham; Cauchy–Schwarz). A squared distance is
‖a‖² + ‖b‖² − 2a·b of rows less a common center, rounded once entry by entry: off by at most γ_{d+8}(‖a‖ + ‖b‖)².
exp, tanh and powers are taken to be right to 8 units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.kernel_machine.entries import Entries

BY_DISTANCE = {"rbf", "laplacian", "chi2"}


def chi2(a: F64, b: F64) -> F64:
    return (a - b) ** 2 / np.where(a + b == 0, 1.0, a + b)


# summed over columns, every term ≥ 0
COLUMNS: dict[str, Callable[[F64, F64], F64]] = {
    "laplacian": lambda a, b: np.abs(a - b),
    "chi2": chi2,
    "additive_chi2": chi2,
}


@dataclass(frozen=True)
class Kernel:
    """k(a, b) for rows of the data; `positive`: a theorem says that it is positive semi-definite (None: not known)."""

    name: str  # of a formula, or "precomputed", "callable"
    gamma: float
    degree: float
    coef0: float
    center: F64
    call: Callable[[F64, F64], Any] | None = None

    @property
    def positive(self) -> bool | None:
        """Schoenberg: exp(−γ‖·‖²), exp(−γ‖·‖₁), exp(−γχ²); Schur: powers of γa·b + c with γ, c ≥ 0."""
        if self.name == "callable":
            known = getattr(self.call, "positive_definite", None)
            return known if isinstance(known, bool) else None
        if self.name in BY_DISTANCE:
            return self.gamma >= 0
        if self.name == "poly":
            return self.gamma >= 0 and self.coef0 >= 0 and self.degree == int(self.degree)
        return {"linear": True, "cosine": True, "precomputed": None}.get(self.name, False)

    def block(self, A: F64, B: F64, places: NDArray) -> Entries:
        """k(a, b) for all rows a of A and b of B, in their precision; `places` are the row numbers of B in the data."""
        u = _unit(A)
        if self.name in ("precomputed", "callable"):
            K = A[:, places] if self.call is None else np.asarray(self.call(A, B), dtype=np.float64)
            if K.shape != (len(A), len(B)) or not np.isfinite(K).all():
                raise BadData("the kernel does not give a finite number for every pair of rows")
            return Entries(K, np.zeros_like(K))
        if self.name == "rbf":
            return self._exp(*_sq_dist(A - self.center, B - self.center))
        if self.name in COLUMNS:
            D = np.zeros((len(A), len(B)), A.dtype)
            for j in range(A.shape[1]):
                D += COLUMNS[self.name](A[:, j, None], B[None, :, j])
            off = g(A.shape[1] + 8, u) * D
            return Entries(-D, off) if self.name == "additive_chi2" else self._exp(D, off)
        T, off = _inner(A, B)
        if self.name == "linear":
            return Entries(T, off)
        if self.name == "cosine":
            size = np.sqrt(np.outer(np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)))
            T = T / np.where(size > 0, size, 1.0)
            return Entries(T, np.full_like(T, g(2 * A.shape[1] + 16, u)))
        off = abs(self.gamma) * off
        T = self.gamma * T
        off += 2 * u * (np.abs(T) + abs(self.coef0))
        T += self.coef0
        if self.name == "sigmoid":
            slope = 1 / np.cosh(np.clip(np.abs(T) - off, 0.0, 300.0)) ** 2  # the largest between
            return Entries(np.tanh(T), slope * off + 8 * u)
        far = np.abs(T) + off  # |s^p − t^p| ≤ p |far|^{p−1} |s − t|
        return Entries(T**self.degree, self.degree * far ** max(self.degree - 1, 0) * off + 8 * u * far**self.degree)

    def _exp(self, D: F64, off: F64) -> Entries:
        """exp(−γD) for D off by at most `off`."""
        K = np.exp(-self.gamma * D)
        u = _unit(D)
        rounding = self.gamma * (off + 2 * u * D) + 8 * u
        return Entries(K, K * np.expm1(rounding) + np.finfo(np.float64).tiny)


def _unit(A: F64) -> float:
    return float(np.finfo(A.dtype).eps) / 2


def _inner(A: F64, B: F64) -> tuple[F64, F64]:
    size = np.sqrt(np.outer(np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)))
    return A @ B.T, g(A.shape[1] + 8, _unit(A)) * size


def _sq_dist(A: F64, B: F64) -> tuple[F64, F64]:
    a, b = np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)
    D = a[:, None] + b[None, :] - 2.0 * (A @ B.T)
    return np.maximum(D, 0.0), g(A.shape[1] + 8, _unit(A)) * (np.sqrt(a)[:, None] + np.sqrt(b)[None, :]) ** 2
