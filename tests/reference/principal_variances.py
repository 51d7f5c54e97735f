"""Mean, scatter and principal variances of a few columns in forty digits (mpmath)."""

from __future__ import annotations

import mpmath as mp
import numpy as np

DIGITS = 40


def principal_variances(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of each column, its variance (n below the line), and the eigenvalues of the covariance (n − 1)."""
    with mp.workdps(DIGITS):
        A = np.vectorize(mp.mpf, otypes=[object])(np.asarray(X, dtype=float))
        mean = A.sum(axis=0) / len(A)
        S = (A - mean).T @ (A - mean)
        values = sorted(mp.eigsy(mp.matrix(S.tolist()), eigvals_only=True), reverse=True)
        long = [_long(mean), _long(np.diagonal(S) / len(A)), _long(np.array(values) / (len(A) - 1))]
    return long[0], long[1], long[2]


def _long(numbers: np.ndarray) -> np.ndarray:
    """In long double, by two parts."""
    high = np.array([float(v) for v in numbers])
    low = np.array([float(v - mp.mpf(float(v))) for v in numbers])
    return high.astype(np.longdouble) + low
