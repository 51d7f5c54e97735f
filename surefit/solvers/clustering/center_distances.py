"""Distances from rows to centers as one product, with the digits that the product loses put back.

    ‖x − c‖² = ‖x‖² − 2 x·c + ‖c‖²

cancels where x is close to c. Such pairs, few as a rule, are measured again as a sum of squared differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

CLOSE = 1e-4
"""Below this share of ‖x‖² + ‖c‖² a squared distance has lost four digits."""
BLOCK_ENTRIES = 2**18


def center_distances(X: Any, centers: np.ndarray, shift: np.ndarray | None) -> np.ndarray:
    """The n×k distances in the type of X; `shift`, subtracted from both sides, keeps the norms small (dense rows)."""
    C = np.asarray(centers, dtype=np.float64)
    shift = None if shift is None or sp.issparse(X) else shift.astype(np.float64)
    moved = C if shift is None else C - shift
    c_sq = np.einsum("ij,ij->i", moved, moved)
    out = np.empty((X.shape[0], len(C)), dtype=X.dtype)
    step = max(1, BLOCK_ENTRIES // max(X.shape[1], len(C)))
    for start in range(0, X.shape[0], step):
        rows = X[start : start + step]
        if sp.issparse(rows):
            A = rows.astype(np.float64)
            x_sq = np.asarray(A.multiply(A).sum(axis=1)).ravel()
        else:
            A = rows.astype(np.float64) if shift is None else rows - shift
            x_sq = np.einsum("ij,ij->i", A, A)
        size = x_sq[:, None] + c_sq
        sq_dist = size - 2 * (A @ moved.T)
        i, j = np.nonzero(sq_dist <= CLOSE * size)
        for first in range(0, len(i), step):
            ii, jj = i[first : first + step], j[first : first + step]
            near = rows[ii].toarray() if sp.issparse(rows) else rows[ii]
            difference = near.astype(np.float64) - C[jj]
            sq_dist[ii, jj] = np.einsum("ij,ij->i", difference, difference)
        out[start : start + step] = np.sqrt(sq_dist)
    return out
