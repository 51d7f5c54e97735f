"""Distances that are not sums over columns, and the rows of directions behind the cosine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData


def directions(X: np.ndarray) -> np.ndarray:
    """x/‖x‖ for every row, and a column more: ½‖â − b̂‖² = 1 − cos(a, b).

    A row of zeros has no direction: it gets one of its own, at a right angle to all others (the last column), so that
    its distance is 1 to every other row and 0 to another row of zeros. Rows are scaled by a power of two first: norms
    neither overflow nor vanish.
    """
    largest = np.abs(X).max(axis=1, initial=0.0)
    scaled = np.ldexp(X, -np.frexp(largest)[1][:, None])
    norm = np.sqrt(np.add.reduce(scaled * scaled, axis=1))
    out = np.zeros((X.shape[0], X.shape[1] + 1))
    np.divide(scaled, norm[:, None], out=out[:, :-1], where=norm[:, None] > 0)
    out[norm == 0, -1] = 1.0
    return out


def centered_rows(X: np.ndarray) -> np.ndarray:
    """Each row without its mean; a row that is constant up to rounding becomes zero."""
    d = max(X.shape[1], 1)
    out = X - np.add.reduce(X, axis=1, keepdims=True) / d
    rounding_bound = 2 * d * np.finfo(np.float64).eps * np.abs(X).max(axis=1, initial=0.0)
    out[np.abs(out).max(axis=1, initial=0.0) <= rounding_bound] = 0.0
    return out


def haversine(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The angle between two places (latitude, longitude), all in radians:

    2 arcsin √( sin²((φ − φ')/2) + cos φ cos φ' sin²((λ − λ')/2) )
    """
    if A.shape[1] != 2:
        raise InvalidData(
            "Haversine distance only valid in 2 dimensions (latitude and longitude in radians); "
            f"got {A.shape[1]} columns"
        )
    half_latitude = np.sin(0.5 * (A[:, None, 0] - B[None, :, 0]))
    half_longitude = np.sin(0.5 * (A[:, None, 1] - B[None, :, 1]))
    cosines = np.cos(A[:, 0])[:, None] * np.cos(B[:, 0])[None, :]
    chord = half_latitude * half_latitude + cosines * (half_longitude * half_longitude)
    return 2.0 * np.arcsin(np.sqrt(np.minimum(chord, 1.0)))


def nan_euclidean(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """√( d/|J| Σ over j in J of (aⱼ − bⱼ)² ), J the columns that neither row misses; NaN where there is none."""
    total, shared = np.zeros((len(A), len(B))), np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        difference = a[:, None] - b[None, :]
        known = ~np.isnan(difference)
        total += np.where(known, difference * difference, 0.0)
        shared += known
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(total * (A.shape[1] / shared))


def by_function(function: Callable[..., Any], A: Any, B: Any, params: Mapping[str, Any]) -> np.ndarray:
    """function(row, row) for every pair; rows of CSR are given as CSR."""
    out = np.empty((A.shape[0], B.shape[0]))
    right = [_row(B, j) for j in range(B.shape[0])]
    for i in range(A.shape[0]):
        a = _row(A, i)
        for j, b in enumerate(right):
            out[i, j] = function(a, b, **params)
    return out


def _row(X: Any, i: int) -> Any:
    return X[[i]] if sp.issparse(X) else X[i]
