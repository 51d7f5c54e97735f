"""Groups from eigenvectors: a partition matrix close to a rotation of them."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.linalg import LinAlgError

ROUNDS = 100


def cluster_qr(vectors: np.ndarray) -> np.ndarray:
    """Labels by a pivoted QR factorization (Damle, Minden and Ying, 2019).

    The pivots are k rows that are as independent as can be, one of each group; their polar factor turns the rows so
    that those k lie nearest the axes. The label of a row is its largest coordinate.
    """
    k = vectors.shape[1]
    pivots = scipy.linalg.qr(vectors.T, mode="r", pivoting=True)[1]
    left, _, right = scipy.linalg.svd(vectors[pivots[:k]].T)
    return np.abs(vectors @ (left @ right)).argmax(axis=1)


def discretize(vectors: np.ndarray, stream: np.random.Generator) -> np.ndarray:
    """Labels by alternating between the nearest partition and the nearest rotation (Yu and Shi, 2003).

    Rows are put on the unit sphere. Given a rotation R the nearest partition takes the largest coordinate of each row
    of X R; given the partition P, the nearest rotation is the polar factor of XᵀP. The first rotation has rows of X as
    its columns, a random one and then always the one most orthogonal to those before.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    X = vectors / np.where(lengths > 0, lengths, 1.0)
    n, k = X.shape
    R = np.zeros((k, k))
    R[:, 0] = X[int(stream.integers(n))]
    overlap = np.zeros(n)
    for j in range(1, k):
        overlap += np.abs(X @ R[:, j - 1])
        R[:, j] = X[overlap.argmin()]
    before = -np.inf
    labels = np.zeros(n, dtype=np.int64)
    for _ in range(ROUNDS):
        labels = (X @ R).argmax(axis=1)
        sums = np.stack([np.bincount(labels, column, minlength=k) for column in X.T], axis=1)
        left, sizes, right = np.linalg.svd(sums)
        agreement = float(sizes.sum())
        if not np.isfinite(agreement):
            raise LinAlgError("discretize: the eigenvectors hold NaN or infinities")
        if agreement <= before * (1 + 1e-12):
            break
        before, R = agreement, right.T @ left.T
    return labels
