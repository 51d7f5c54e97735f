"""Dissimilarities of all pairs: given and checked, or distances of rows, as a square matrix or condensed.

Condensed: the pairs (0,1), (0,2), …, (0,n−1), (1,2), … in a row, as SciPy's `pdist` has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.data.faults import refuse_non_finite
from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.search.metric import Metric

SLAB = 256
SYMMETRIC = 1e-10
"""How far a given matrix may be from its transpose, as scikit-learn has it; the mean of both is taken."""


def given_dissimilarities(D: Any) -> np.ndarray:
    """A square symmetric matrix of finite numbers ≥ 0, or an error that says what is wrong with it and where."""
    D = D.toarray() if sp.issparse(D) else np.asarray(D)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise InvalidData(
            f"array must be 2-dimensional and square: dissimilarities of all pairs; got shape {D.shape}. "
            "For rows of numbers use another metric than 'precomputed'."
        )
    refuse_non_finite(D, "X")
    asymmetry = largest_asymmetry(D)
    if asymmetry > SYMMETRIC:
        i, j = np.unravel_index(int(np.abs(D - D.T).argmax()), D.shape)
        raise InvalidData(
            f"Array must be symmetric: entry ({i}, {j}) is {D[i, j]}, entry ({j}, {i}) is {D[j, i]}. "
            "Take (D + D.T) / 2 if that is what you mean."
        )
    if D.min(initial=0.0) < 0:
        i, j = np.unravel_index(int(D.argmin()), D.shape)
        raise InvalidData(
            f"dissimilarities must be ≥ 0; entry ({i}, {j}) is {D[i, j]}. Similarities are turned into dissimilarities "
            "first, for instance by √(s_ii + s_jj − 2 s_ij)."
        )
    return D if asymmetry == 0 else (D + D.T) / 2


def largest_asymmetry(D: np.ndarray) -> float:
    """max |D − Dᵀ|, in slabs that stay in the cache."""
    worst = 0.0
    for i in range(0, len(D), SLAB):
        for j in range(i, len(D), SLAB):
            gap = D[i : i + SLAB, j : j + SLAB] - D[j : j + SLAB, i : i + SLAB].T
            worst = max(worst, float(gap.max()), -float(gap.min()))
    return worst


def pairwise_distances(rows: Any, metric: Metric, n_jobs: int | None = None) -> np.ndarray:
    """Distances of all pairs of rows (dense or CSR), n² numbers in double precision; half of them are computed."""
    n = rows.shape[0]
    refuse_beyond_memory(
        8.0 * n * n, f"The distances of all pairs of {n} rows", "Use `landmarks`, or a sample of the rows."
    )
    metric = metric.fitted(rows)
    D = np.empty((n, n))

    def slab(number: int) -> None:
        these, later = slice(number * SLAB, (number + 1) * SLAB), slice(number * SLAB, n)
        D[these, later] = metric.pairwise(rows[these], rows[later])
        D[later, these] = D[these, later].T

    work = float(n) * n * rows.shape[1]
    fold_tree(-(-n // SLAB), slab, lambda left, right: None, 1 if metric.function else threads_for(work, n_jobs))
    np.fill_diagonal(D, np.minimum(D.diagonal(), 0.0) if metric.p else D.diagonal())
    return D


def condensed(D: np.ndarray) -> np.ndarray:
    """The pairs i < j of a symmetric matrix, in double precision."""
    n = len(D)
    out = np.empty(n * (n - 1) // 2)
    at = 0
    for i in range(n - 1):
        out[at : at + n - 1 - i] = D[i, i + 1 :]
        at += n - 1 - i
    return out
