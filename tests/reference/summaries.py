"""One pass over the rows in plain NumPy: what the compiled loops under `summaries/` must give."""

from __future__ import annotations

import numpy as np

from surefit._core.arithmetic import two_sum
from surefit.summaries.class_moments import ClassMoments
from surefit.summaries.class_spread import ClassSpread
from surefit.summaries.class_sums import ClassSums
from surefit.summaries.moments import Moments


def moments_reference(X: np.ndarray, Y: np.ndarray | None = None, w: np.ndarray | None = None) -> Moments:
    """What the compiled loop computes, in plain NumPy."""
    Z = np.asarray(X, dtype=np.float64)
    if Y is not None:
        Z = np.hstack([Z, np.asarray(Y, dtype=np.float64).reshape(len(Z), -1)])
    n, p = Z.shape
    w = np.ones(n) if w is None else np.asarray(w, dtype=np.float64)
    Z, w = Z[w != 0], w[w != 0]
    weight = float(w.sum())
    if weight == 0:
        return Moments(0.0, np.zeros(p), np.zeros(p), np.zeros((p, p)), n)
    mean, low = two_sum(Z[0], w @ (Z - Z[0]) / weight)
    deviations = np.sqrt(w)[:, None] * (Z - mean)
    return Moments(weight, mean, low, deviations.T @ deviations, n)


def class_moments_reference(
    X: np.ndarray, classes: np.ndarray, n_classes: int, w: np.ndarray | None = None, pooled: bool = True
) -> ClassMoments:
    """What the compiled loop computes, in plain NumPy."""
    w = np.ones(len(X)) if w is None else np.asarray(w, dtype=np.float64)
    of_class = [classes == k for k in range(n_classes)]
    parts = [moments_reference(X[rows], None, w[rows]) for rows in of_class]
    products = np.stack([part.products for part in parts])
    return ClassMoments(
        np.array([part.weight for part in parts]),
        np.array([np.count_nonzero(w[rows]) for rows in of_class], dtype=np.int64),
        np.stack([part.mean for part in parts]),
        products.sum(axis=0) if pooled else products,
    )


def class_spread_reference(
    X: np.ndarray, classes: np.ndarray, n_classes: int, w: np.ndarray | None = None, missing: bool = False
) -> ClassSpread:
    """What the compiled loop computes on one leaf, in plain NumPy."""
    X = np.asarray(X, dtype=np.float64)
    w = np.ones(len(X)) if w is None else w
    there = ~np.isnan(X) if missing else np.ones(X.shape, dtype=bool)
    cells, means, lows, squares = (np.zeros((n_classes, X.shape[1])) for _ in range(4))
    for k in range(n_classes):
        rows = classes == k
        omega = w[rows, None] * there[rows]
        x = np.where(there[rows], X[rows], 0.0)
        cells[k] = omega.sum(axis=0)
        rough = np.divide((omega * x).sum(axis=0), cells[k], out=np.zeros(X.shape[1]), where=cells[k] > 0)
        lacks = np.divide((omega * (x - rough)).sum(axis=0), cells[k], out=np.zeros(X.shape[1]), where=cells[k] > 0)
        means[k], lows[k] = two_sum(rough, lacks)
        squares[k] = (omega * (x - means[k]) ** 2).sum(axis=0)
    return ClassSpread(np.bincount(classes, w, n_classes), cells if missing else None, means, lows, squares)


def class_sums_reference(
    X: np.ndarray, classes: np.ndarray, n_classes: int, w: np.ndarray | None = None, threshold: float | None = None
) -> ClassSums:
    """What the compiled loop computes on one leaf, in plain NumPy."""
    w = np.ones(len(X)) if w is None else w
    values = np.asarray(X, dtype=np.float64) if threshold is None else (X > threshold).astype(np.float64)
    sums = np.stack([(w[classes == k, None] * values[classes == k]).sum(axis=0) for k in range(n_classes)])
    negative = threshold is None and bool((X < 0).any())
    return ClassSums(np.bincount(classes, w, n_classes), sums, negative, not np.isfinite(X).all())


def category_counts_reference(
    X: np.ndarray, classes: np.ndarray, n_classes: int, w: np.ndarray | None, n_categories: np.ndarray
) -> np.ndarray:
    """What the compiled loop counts on one leaf, in plain NumPy."""
    tables = []
    for j, n in enumerate(n_categories):
        flat = np.bincount(classes * n + X[:, j].astype(np.int64), w, n_classes * n)
        tables.append(flat.reshape(n_classes, n))
    return np.concatenate(tables, axis=1).astype(np.float64)
