"""Classical scaling: places from the leading eigenpairs of inner products."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from surefit.solvers.embedding.squared_distances import CenteredSquares
from surefit.solvers.numerics.eigen_basis import fix_signs
from surefit.solvers.spectral.block_lanczos import block_lanczos

FEW_ROWS = 300
"""Up to this many rows all of the matrix is decomposed at once."""
FEW_PAIRS = 8
"""Lanczos where at most one in so many pairs is asked for."""
RESIDUAL = 1e-12
MOST_PASSES = 400


class Pairs(NamedTuple):
    values: np.ndarray
    """Largest first, of distances divided by `unit`."""
    vectors: np.ndarray
    """Unit columns; the entry of largest size is positive."""
    unit: float

    def places(self) -> np.ndarray:
        """√λ v, nothing where λ is not positive."""
        return self.vectors * (np.sqrt(np.maximum(self.values, 0.0)) * self.unit)

    def eigenvalues(self) -> np.ndarray:
        """λ in the units of the squared distances, nothing where it is not positive."""
        return np.maximum(self.values, 0.0) * self.unit * self.unit


def leading_pairs(squares: CenteredSquares, k: int, *, iterate: bool | None = None, tol: float = 0.0) -> Pairs:
    """The k largest eigenvalues of B and their vectors; `iterate`: by Lanczos, None chooses by shape."""
    n = squares.n
    if iterate is None:
        iterate = n > FEW_ROWS and k * FEW_PAIRS <= n
    if iterate and k < n:
        found = block_lanczos(
            squares.apply, n, k, tol=max(tol, RESIDUAL), max_passes=MOST_PASSES, stream=np.random.default_rng(0)
        )
        if found.converged:
            return signed(found.values, found.vectors, squares.unit)
    B = squares.formed()
    values, vectors = scipy.linalg.eigh(B, subset_by_index=[n - k, n - 1], overwrite_a=True, check_finite=False)
    return signed(values[::-1], vectors[:, ::-1], squares.unit)


def pairs_of_rows(rows: np.ndarray, k: int) -> Pairs:
    """The same from rows whose Euclidean distances they are: B = Z Zᵀ with Z the rows about their mean."""
    first = rows[0].astype(np.float64)
    Z = np.subtract(rows, first, dtype=np.float64)
    Z -= Z.mean(axis=0)
    unit = float(np.abs(Z).max()) or 1.0
    unit = 1.0 if 1e-100 < unit < 1e100 else unit
    U, sizes, _ = scipy.linalg.svd(Z / unit, full_matrices=False, check_finite=False)
    values, vectors = np.zeros(k), np.zeros((len(rows), k))
    kept = min(k, len(sizes))
    sizes = np.where(sizes > len(rows) * np.finfo(np.float64).eps * sizes[0], sizes, 0.0)
    values[:kept], vectors[:, :kept] = sizes[:kept] ** 2, U[:, :kept]
    return signed(values, vectors, unit)


def signed(values: np.ndarray, vectors: np.ndarray, unit: float) -> Pairs:
    vectors = np.array(vectors.T, order="C")
    fix_signs(vectors)
    return Pairs(np.array(values), vectors.T, unit)


def pad_columns(places: np.ndarray, k: int) -> np.ndarray:
    """Columns of zeros behind, where there are fewer than k."""
    missing = k - places.shape[1]
    return np.pad(places, ((0, 0), (0, missing))) if missing > 0 else places


def is_euclidean(metric: Any) -> bool:
    return metric.name == "euclidean" and metric.weights is None
