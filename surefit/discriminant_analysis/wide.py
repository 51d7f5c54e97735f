"""Discriminants of data with more columns than rows: no matrix of columns by columns is made."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from surefit.discriminant_analysis.estimates import Classes, labels_of
from surefit.engine.sources.source import Source
from surefit.solvers.discriminant.discriminant import whitening_of_rows

WIDE = 1024
"""Up to so many columns their products are small, and the same bits come from every source."""


def is_wide(data: Source) -> bool:
    return data.resident and data.n_features > max(WIDE, data.n_rows)


def wide_classes(data: Source, tol: float) -> tuple[Classes, np.ndarray]:
    """The classes (without products), and the whitening of what varies within them."""
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    A = np.array(X, dtype=np.float64)
    codes = np.asarray(data.y).astype(np.intp)
    w = np.ones(data.n_rows) if data.w is None else data.w
    A, codes, w = A[w > 0], codes[w > 0], w[w > 0]
    there, counts = np.unique(codes, return_counts=True)
    weights, means = np.empty(len(there)), np.empty((len(there), data.n_features))
    for k, code in enumerate(there):
        rows = codes == code
        first = A[rows][0]
        weights[k] = w[rows].sum()
        means[k] = first + w[rows] @ (A[rows] - first) / weights[k]
        A[rows] = np.sqrt(w[rows])[:, None] * (A[rows] - means[k])
    classes = Classes(labels_of(data)[there], there, weights, counts, means, np.zeros((0, 0)))
    return classes, whitening_of_rows(A / np.sqrt(weights.sum()), np.abs(means).max(axis=0), tol)
