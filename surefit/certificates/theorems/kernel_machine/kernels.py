"""Kernels from their formulas, block by block, with a bound of every entry's rounding.

An inner product of d terms has an error of at most γ_d‖a‖‖b‖ (Higham; Cauchy–Schwarz). A squared distance is
‖a‖² + ‖b‖² − 2a·b of rows less a common center, rounded once entry by entry: off by at most γ_{d+8}(‖a‖ + ‖b‖)².
exp, tanh and powers are taken to be right to 8 units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.rounding import gamma as g

NAMES = {"polynomial": "poly", "gaussian": "rbf"}
BY_DISTANCE = {"rbf", "laplacian", "chi2"}
COLUMNS: dict[str, Callable[[F64, F64], F64]] = {  # summed over columns, every term ≥ 0
    "laplacian": lambda a, b: np.abs(a - b),
    "chi2": lambda a, b: (a - b) ** 2 / np.where(a + b == 0, 1.0, a + b),
}
COLUMNS["additive_chi2"] = COLUMNS["chi2"]


class Entries(NamedTuple):
    """|exact − value| ≤ error, entry by entry."""

    value: F64
    error: F64


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


def read_kernel(attrs: Attributes, blocks: Blocks, *, gamma: Any, coef0: float, by_rows: bool = False) -> Kernel | None:
    """The kernel of the model's parameters; None with the fault noted.

    gamma   what the class takes where its `gamma` is None ("scale", "auto" or a number); `gamma_`, where the model
            has it, must be that number
    by_rows callables take two rows (KernelRidge, KernelPCA), not two matrices (SVC, SVR)
    """
    given = attrs.parameter("kernel", "rbf")
    d, name = blocks.n_features, "callable" if callable(given) else NAMES.get(str(given), str(given))
    wide = name in (*BY_DISTANCE, "poly", "sigmoid")
    asked, states = attrs.parameter("gamma", 1.0 if name == "chi2" else gamma), attrs.has("gamma_")
    width = real(_width(asked, blocks, states)) if wide else 1.0
    degree, c = real(attrs.parameter("degree", 3)), real(attrs.parameter("coef0", coef0))
    known = {"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed", "callable", *COLUMNS}
    if name not in known or not (np.isfinite([width, degree, c]).all() and degree >= 0):
        attrs.faults.append("kernel is not known, or gamma, degree or coef0 are not numbers it can have")
        return None
    if name == "precomputed" and blocks.n_rows != d:
        attrs.faults.append(f"the precomputed kernel has the shape {(blocks.n_rows, d)}")
        return None
    stated = real(attrs.parameter("gamma_", width))
    if wide and not abs(stated - width) <= 1e-9 * abs(width):
        attrs.faults.append(f"gamma_ is {stated}, recomputed as {width}")
    center = dense(next(iter(blocks))[0][:1000]).mean(axis=0) if name == "rbf" else np.zeros(d)
    rows = by_rows and callable(given) and not hasattr(given, "positive_definite")
    settings = attrs.parameter("kernel_params", {}) if rows else {}
    call = (lambda A, B: [[given(a, b, **settings) for b in B] for a in A]) if rows else given
    return Kernel(name, stated if wide else 1.0, degree, c, center, call if callable(given) else None)


def _width(gamma: Any, blocks: Blocks, weighted: bool) -> Any:
    """ "scale": 1 / (d · variance of all entries), "auto": 1/d; a number is itself.

    scikit-learn's variance is that of the rows as they are; a model with a `gamma_` counts them by their weights.
    """
    if not isinstance(gamma, str):
        return gamma
    if gamma == "auto":
        return 1.0 / blocks.n_features
    if gamma != "scale":
        return None
    size = mean = squares = np.longdouble(0)
    for X, _, w in blocks:
        omega = np.asarray(w, dtype=np.longdouble) if weighted and w is not None else np.ones(X.shape[0])
        size, mean = size + omega.sum() * X.shape[1], mean + omega @ dense(X).sum(axis=1, dtype=np.longdouble)
    for X, _, w in blocks:
        omega = np.asarray(w, dtype=np.longdouble) if weighted and w is not None else np.ones(X.shape[0])
        squares += omega @ ((dense(X).astype(np.longdouble) - mean / size) ** 2).sum(axis=1)
    return float(size / (squares * blocks.n_features)) if squares > 0 else 1.0
