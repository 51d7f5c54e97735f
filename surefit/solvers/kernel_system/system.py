"""The system of kernel ridge regression, (K + α W⁻¹) a = y, in symmetric form and in blocks.

min over f of  Σ ωᵢ (yᵢ − f(xᵢ))² + α‖f‖²  has f = Σ aᵢ k(xᵢ, ·). With a = W^½ c and A = W^½ K W^½ it reads

    (A + αI) c = W^½ y ,

whose matrix is symmetric, and as well conditioned as the weights allow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.kernels.gram import GramRows
from surefit.kernels.products import Linear
from surefit.kernels.rows import as_vectors

TILE = 2048
"""Rows and columns of a block that is made, used and thrown away."""


class KernelSystem:
    """A = W^½ K W^½ for rows of positive weight (None: all one); blocks of it are computed when they are asked for."""

    def __init__(self, gram: GramRows, X: Any, w: np.ndarray | None) -> None:
        self.gram, self.n = gram, gram.n
        self.roots: np.ndarray | None = None if w is None else np.sqrt(w)
        self.features: Any = None
        """For the linear kernel F = W^½ X with A = F Fᵀ: float64, an array or CSR."""
        if isinstance(gram.kernel, Linear):
            F = as_vectors(X).astype(np.float64, copy=False)
            if self.roots is not None:
                F = sp.csr_array(F.multiply(self.roots[:, None])) if sp.issparse(F) else F * self.roots[:, None]
            self.features = F

    def scaled(self, Y: np.ndarray) -> np.ndarray:
        """W^½ Y"""
        return Y if self.roots is None else Y * self.roots[:, None]

    def block(self, rows: slice, columns: slice) -> np.ndarray:
        """A[rows, columns], an array of its own."""
        K = np.ascontiguousarray(self.gram.rows(rows, columns), dtype=np.float64)
        if self.roots is not None:
            K *= self.roots[rows, None]
            K *= self.roots[columns]
        return K

    def lower(self) -> np.ndarray:
        """A with its lower triangle filled in (and some of the rest)."""
        A = np.empty((self.n, self.n))
        for s in range(0, self.n, TILE):
            columns = slice(s, min(s + TILE, self.n))
            A[s:, columns] = self.block(slice(s, self.n), columns)
        return A

    def columns(self, m: int) -> np.ndarray:
        """The first m columns of A, (n, m)."""
        A = np.empty((self.n, m))
        for s in range(0, self.n, TILE):
            rows = slice(s, min(s + TILE, self.n))
            A[rows] = self.block(rows, slice(0, m))
        return A

    def multiply(self, V: np.ndarray) -> np.ndarray:
        """A V without storing A: each block serves both triangles."""
        if self.features is not None:
            return np.asarray(self.features @ np.asarray(self.features.T @ V))
        product = np.zeros_like(V)
        for i in range(0, self.n, TILE):
            rows = slice(i, min(i + TILE, self.n))
            for j in range(0, i + 1, TILE):
                columns = slice(j, min(j + TILE, self.n))
                A = self.block(rows, columns)
                product[rows] += A @ V[columns]
                if j < i:
                    product[columns] += A.T @ V[rows]
        return product

    def residual(self, alphas: np.ndarray, C: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Y − (A + αI) C, each column with its penalty."""
        return Y - self.multiply(C) - C * alphas
