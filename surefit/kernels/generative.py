"""Kernels from generative models: inputs are alike when the same causes make both likely.

    p(x) p(x')            Σᵢ p(x|i) p(x'|i) p(i)            ∫ p(x|z) p(x'|z) p(z) dz

Each is Σ or ∫ of f(x) f(x') with weights ≥ 0, so positive definite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.kernels.blocks import product_block, sq_dist_block
from surefit.kernels.kernel import PRODUCT, Domain, Kernel, require
from surefit.kernels.rows import Rows, squares


class DensityProduct(Kernel):
    """k(x, x') = p(x) p(x'); `density` maps rows to p, or is a fitted model with `score_samples` (log p)"""

    domain: Domain = "any"

    def __init__(self, density: Any) -> None:
        require(
            callable(density) or hasattr(density, "score_samples"),
            f"DensityProduct(density=…) must be a function of rows or have score_samples; got {type(density).__name__}",
        )
        self.density = density

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"p({x}) p({y})", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = np.empty((A.n, B.n), dtype=A.dtype) if out is None else out
        return np.multiply(self._values(A)[:, None], self._values(B), out=K)

    def self_values(self, A: Rows) -> np.ndarray:
        return self._values(A) ** 2

    def _values(self, A: Rows) -> np.ndarray:
        return A.kept((self, "p"), self._densities)

    def _densities(self, rows: Rows) -> np.ndarray:
        if hasattr(self.density, "score_samples"):
            p = np.exp(self.density.score_samples(rows.X))
        else:
            p = np.asarray(self.density(rows.X), dtype=np.float64)
        if p.shape != (rows.n,):
            raise InvalidData(f"the density must give one number for each of {rows.n} inputs; got shape {p.shape}")
        return densities(p).astype(rows.dtype)


class MixtureDensity(Kernel):
    """k(x, x') = Σᵢ p(x|i) p(x'|i) p(i)

    `densities`: a list of functions, each from rows to p(x|i); or one function from rows to the table of p(x|i), a
    column for each i.
    """

    domain: Domain = "any"

    def __init__(self, weights: Any, densities: Callable[[Any], Any] | Sequence[Callable[[Any], Any]]) -> None:
        p = np.asarray(weights, dtype=np.float64)
        require(p.ndim == 1 and p.size > 0, f"MixtureDensity(weights=…) must be a list of numbers; got shape {p.shape}")
        require(bool(np.isfinite(p).all() and (p >= 0).all()), "MixtureDensity(weights=…) must be numbers ≥ 0")
        fits = callable(densities) or (len(densities) == p.size and all(callable(f) for f in densities))
        require(fits, f"MixtureDensity(densities=…) must be a function, or {p.size} functions: one for each weight")
        self.weights, self.densities = weights, densities

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"Σᵢ p({x}|i) p({y}|i) p(i)", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        return product_block(self._features(A), self._features(B), out)

    def self_values(self, A: Rows) -> np.ndarray:
        return squares(self._features(A))

    def _features(self, A: Rows) -> np.ndarray:
        """√p(i) p(x|i)"""
        return A.kept((self, "features"), self._table)

    def _table(self, rows: Rows) -> np.ndarray:
        p = np.asarray(self.weights, dtype=np.float64)
        if callable(self.densities):
            table = np.asarray(self.densities(rows.X), dtype=np.float64)
        else:
            table = np.column_stack([np.asarray(f(rows.X), dtype=np.float64) for f in self.densities])
        if table.shape != (rows.n, p.size):
            raise InvalidData(f"the densities gave shape {table.shape} for {rows.n} inputs and {p.size} weights")
        return np.ascontiguousarray(densities(table) * np.sqrt(p), dtype=rows.dtype)


class GaussianLatent(Kernel):
    """k(x, x') = ∫ p(x|z) p(x'|z) p(z) dz,  z ~ N(mean, prior), x|z ~ N(L z, noise); L is one when `loading` is None

    With m = L·mean, S = noise and P = L·prior·Lᵀ: (x + x' − 2m)/√2 and (x − x')/√2 are independent, with covariances
    S + 2P and S. So

        k(x, x') = N((x + x' − 2m)/√2; 0, S + 2P) · N((x − x')/√2; 0, S)

    which is a constant times exp(−½ ‖u(x) − ũ(x')‖²): u = [C(x − m), R(x − m)] and ũ = [C(x − m), −R(x − m)] with
    CᵀC = ½ S⁻¹ and RᵀR = ½ (S + 2P)⁻¹.
    """

    def __init__(self, mean: Any, prior: Any, noise: Any, loading: Any = None) -> None:
        m, P, S = (np.asarray(v, dtype=np.float64) for v in (mean, prior, noise))
        W = np.eye(m.size) if loading is None else np.asarray(loading, dtype=np.float64)
        require(m.ndim == 1 and P.shape == (m.size, m.size), f"prior must be {m.size} × {m.size}; got {P.shape}")
        require(W.ndim == 2 and W.shape[1] == m.size, f"loading must have {m.size} columns; got shape {W.shape}")
        require(S.shape == (len(W), len(W)), f"noise must be {len(W)} × {len(W)}; got {S.shape}")
        for name, value in (("mean", m), ("prior", P), ("noise", S), ("loading", W)):
            require(bool(np.isfinite(value).all()), f"GaussianLatent({name}=…) must be finite")
        require(
            bool(np.linalg.eigvalsh(P).min() >= -1e-12 * max(1.0, float(np.abs(P).max()))), "prior is no covariance"
        )
        self.mean, self.prior, self.noise, self.loading = mean, prior, noise, loading
        self._m = W @ m
        narrow, wide = whitening(S, "noise"), whitening(S + 2 * (W @ P @ W.T), "noise + 2 L prior Lᵀ")
        self._narrow, self._wide = narrow / math.sqrt(2), wide / math.sqrt(2)
        log_roots = [math.fsum(np.log(np.abs(np.diagonal(w)))) for w in (narrow, wide)]  # −½ log det
        self._log_peak = math.fsum([*log_roots, -len(S) * math.log(2 * math.pi)])

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"∫ p({x}|z) p({y}|z) p(z) dz", PRODUCT

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        K = sq_dist_block(self._features(A, 1), self._features(B, -1), 0.5, out)
        K *= K.dtype.type(math.exp(self._log_peak))
        return K

    def self_values(self, A: Rows) -> np.ndarray:
        far = self._gaps(A) @ self._wide.T
        return np.exp(self._log_peak - 2 * squares(far)).astype(A.dtype)

    def _features(self, A: Rows, sign: int) -> Rows:
        """u(x), or ũ(x) with the sign −1: Rows that nobody moves."""

        def make(rows: Rows) -> Rows:
            gaps = self._gaps(rows)
            table = np.hstack([gaps @ self._narrow.T, sign * (gaps @ self._wide.T)])
            return Rows.centered_already(np.ascontiguousarray(table, dtype=rows.dtype))

        return A.kept((self, sign), make)

    def _gaps(self, A: Rows) -> np.ndarray:
        """x − m"""
        width = self._m.size
        require(A.X.shape[1] == width, f"this kernel is for rows with {width} columns; got {A.X.shape[1]}")
        return (A.X.toarray() if A.is_sparse else A.X) - self._m


def densities(p: np.ndarray) -> np.ndarray:
    if not np.isfinite(p).all() or (p < 0).any():
        raise InvalidData("a density must give finite numbers ≥ 0")
    return p


def whitening(covariance: np.ndarray, name: str) -> np.ndarray:
    """Lower triangular C with CᵀC = covariance⁻¹."""
    require(bool(np.allclose(covariance, covariance.T, rtol=1e-12, atol=0)), f"{name} must be symmetric")
    try:
        L = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError as error:
        raise InvalidParameter(f"{name} must be a covariance that can be inverted; it is singular") from error
    return np.linalg.solve(L, np.eye(len(L)))
