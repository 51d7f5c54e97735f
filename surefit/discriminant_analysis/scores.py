"""Scores of rows, leaf by leaf: linear ones, projections, and the squared distances of quadratic ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.engine.rowwise import by_leaves


def affine(rows: Any, matrix: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """x ↦ x·M + b."""
    dtype = np.result_type(rows.dtype, matrix.dtype)

    def function(leaf: Any) -> np.ndarray:
        return np.asarray(leaf @ matrix) + offset

    return by_leaves(rows, np.empty((rows.shape[0], matrix.shape[1]), dtype), function)


def projected(rows: Any, center: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """x ↦ (x − c)·M: the difference first, in double precision, where rows are dense."""
    if sp.issparse(rows):
        return affine(rows, matrix, -(center @ matrix))
    wide = matrix.astype(np.float64)

    def function(leaf: Any) -> np.ndarray:
        return np.subtract(leaf, center, dtype=np.float64) @ wide

    return by_leaves(rows, np.empty((rows.shape[0], matrix.shape[1]), rows.dtype), function)


def squared_distances(rows: Any, means: np.ndarray, whitenings: list[np.ndarray]) -> np.ndarray:
    """‖(x − m_k)·A_k‖² for every row and class."""

    def function(leaf: Any) -> np.ndarray:
        leaf = leaf.toarray() if sp.issparse(leaf) else leaf
        distances = np.empty((leaf.shape[0], len(means)))
        for k, (mean, A) in enumerate(zip(means, whitenings, strict=True)):
            Z = np.subtract(leaf, mean, dtype=np.float64) @ A
            np.einsum("ij,ij->i", Z, Z, out=distances[:, k])
        return distances

    return by_leaves(rows, np.empty((rows.shape[0], len(means))), function)
