"""A sparse factorization of A + σI, when it is cheap.

How much a factorization fills in depends on the graph: little for the neighbor graph of rows on a curve or a surface,
more than memory for rows that fill ten dimensions. The estimate is from the profile of the reverse Cuthill–McKee order:
its rows are about as long as the graph has vertices at one distance from a corner, which is the size s of a separator,
and the last dense block alone has s² entries. Where the estimate is large the graph is expanding, so its small
eigenvalues are well separated, and polynomials of A do better.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

MOST_ENTRIES = 12e6
"""Of both triangles together; each takes twelve bytes."""
PER_SQUARE, PER_ROW = 10.0, 55.0
"""Measured on neighbor graphs: entries ≈ PER_SQUARE s² + PER_ROW n, within a factor of two."""
SHIFT = 1e-10
"""σ relative to the largest diagonal entry: far below the eigenvalues wanted, far above rounding."""
MOST_SHIFT = 1e-4


def estimated_entries(A: sp.csr_array) -> float:
    """About how many entries the triangles of a factorization of A have; A has a symmetric pattern."""
    n = A.shape[0]
    order = reverse_cuthill_mckee(A, symmetric_mode=True)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    columns = place[A.indices]
    filled = np.flatnonzero(np.diff(A.indptr))
    first = np.minimum.reduceat(columns, A.indptr[filled]) if len(filled) else np.zeros(0, np.int64)
    length = np.maximum(place[filled] - first, 0).astype(np.float64)
    return PER_SQUARE * float(np.square(length).sum()) / n + PER_ROW * n


def shifted_factor(A: sp.csr_array) -> Callable[[np.ndarray], np.ndarray] | None:
    """X ↦ (A + σI)⁻¹X for a positive semidefinite A; None if A is so close to indefinite that no small σ helps."""
    scale = float(A.diagonal().max(initial=0.0))
    shift = SHIFT
    while scale > 0 and shift <= MOST_SHIFT:
        shifted = sp.csc_array(A + sp.diags_array(np.full(A.shape[0], shift * scale), format="csr"))
        factor = _factor(shifted)
        if factor is not None:
            return lambda X: factor.solve(np.asfortranarray(X))
        shift *= 1e3
    return None


def _factor(S: sp.csc_array) -> Any:
    """Without pivoting, as befits a positive definite matrix: the order is then chosen for the fill alone."""
    try:
        return splu(S, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # a pivot is exactly zero
        return None
