"""The Gram matrix of weighted rows about their mean in feature space.

With s = √(ω/Σω), a unit vector, and m = Σ ωᵢ φ(xᵢ) / Σω the mean of the features,

    ⟨φ(xᵢ) − m, φ(xⱼ) − m⟩ √(ωᵢ ωⱼ)    =    [ (1 − s sᵀ) √ω K √ω (1 − s sᵀ) ]ᵢⱼ

K is formed once and is not centered: products project before and after instead. They go by slabs of rows of a fixed
size, which run on threads, so the bits do not depend on their number.
"""

from __future__ import annotations

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.kernels.gram import GramRows

SLAB = 512


class CenteredGram:
    """K for all pairs in double precision, n² numbers, and products with its centered, weighted form. Weights > 0."""

    def __init__(self, gram: GramRows, w: np.ndarray | None, n_jobs: int | None = None) -> None:
        n = gram.n
        refuse_beyond_memory(
            8.0 * n * n, f"The Gram matrix of {n} rows", "Fit to fewer rows: the others can be projected afterwards."
        )
        self.n = n
        self.root = np.ones(n) if w is None else np.sqrt(w)
        self._unit = self.root / np.linalg.norm(self.root)
        self._threads = threads_for(float(n) * n, n_jobs)
        self.K = self._square(gram) if gram.kernel.reads_pairs else self._formed(gram)
        weights = self.root**2
        self.row_means = self._slabs(weights[:, None])[:, 0] / weights.sum()
        """Σⱼ ωⱼ K(i, j) / Σω"""

    def _formed(self, gram: GramRows) -> np.ndarray:
        """All rows by the compiled loops; of functions, which cost more, one of k(x, x') and k(x', x)."""
        n = self.n
        K = np.empty((n, n))
        for start in range(0, n, SLAB):
            rows = slice(start, min(start + SLAB, n))
            if gram.kernel.domain == "vectors":
                gram.rows(rows, out=K[rows])
            else:
                K[rows, start:] = gram.rows(rows, slice(start, n))
                K[start:, rows] = K[rows, start:].T
        return K

    def _square(self, gram: GramRows) -> np.ndarray:
        K = gram.rows(np.arange(self.n)).astype(np.float64)
        if K.shape[1] != self.n:
            raise InvalidData(f"Precomputed matrix must be a square matrix; got shape {K.shape}")
        odd = K - K.T
        odd -= odd.mean(axis=1)[:, None] + odd.mean(axis=0)
        if np.abs(odd).max() > 1e-6 * np.abs(K).max():
            raise InvalidData(
                f"the precomputed matrix is not symmetric: about its mean, K and its transpose differ by "
                f"{np.abs(odd).max():.3g}. A kernel has k(x, x') = k(x', x)."
            )
        return K

    def _slabs(self, U: np.ndarray) -> np.ndarray:
        """K U"""
        out = np.empty((self.n, U.shape[1]))
        U = np.ascontiguousarray(U)

        def slab(number: int) -> None:
            rows = slice(number * SLAB, (number + 1) * SLAB)
            np.matmul(self.K[rows], U, out=out[rows])

        fold_tree(-(-self.n // SLAB), slab, lambda left, right: None, self._threads)
        return out

    def apply(self, V: np.ndarray) -> np.ndarray:
        """(1 − s sᵀ) √ω K √ω (1 − s sᵀ) V"""
        U = (V - np.outer(self._unit, self._unit @ V)) * self.root[:, None]
        Z = self._slabs(U) * self.root[:, None]
        return Z - np.outer(self._unit, self._unit @ Z)

    def centered(self) -> np.ndarray:
        """The matrix itself; it takes the place of K."""
        K, unit = self.K, self._unit
        K -= self.row_means[:, None]
        K -= (self.root**2) @ K / (self.root**2).sum()
        K *= self.root[:, None]
        K *= self.root
        K -= np.outer(unit, unit @ K)  # the rounding of the means
        return K
