"""Fisher's directions and Gaussian axes from covariances.

Whitening. The within-class covariance is scaled to unit variances, C = D R D, so that units of measurement do not
decide the rank; R = Q diag(λ) Qᵀ, directions of no weight are left out, and T = D⁻¹ Q λ^(−½) has TᵀCT = I. The
generalised problem B v = μ C v becomes the ordinary one of TᵀBT.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

EPS = float(np.finfo(np.float64).eps)


def symmetric_signs(V: np.ndarray) -> np.ndarray:
    """Columns with the entry of largest size positive: signs do not depend on the library."""
    if V.shape[1] == 0:
        return V
    largest = V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])]
    return V * np.where(largest < 0, -1.0, 1.0)


def whitening(covariance: np.ndarray, offsets: np.ndarray, tol: float) -> np.ndarray:
    """T of shape (d, rank) with TᵀCT = I.

    `offsets`: the size of each column's means: what varies less than their rounding is a constant. `tol`: directions
    whose standard deviation, in columns of unit variance, is not above it are left out; rounding always is.
    """
    d = len(covariance)
    deviations = np.sqrt(np.diagonal(covariance))
    keep = np.flatnonzero(deviations > 2 * EPS * offsets)
    if len(keep) == 0:
        return np.zeros((d, 0))
    s = deviations[keep]
    values, Q = scipy.linalg.eigh(covariance[np.ix_(keep, keep)] / s / s[:, None], check_finite=False)
    values, Q = values[::-1], Q[:, ::-1]
    alive = values > max(tol * tol, 8 * d * EPS * values[0])
    T = np.zeros((d, int(alive.sum())))
    T[keep] = Q[:, alive] / np.sqrt(values[alive]) / s[:, None]
    return T


def whitening_of_rows(A: np.ndarray, offsets: np.ndarray, tol: float) -> np.ndarray:
    """The same T for C = AᵀA, from the singular values of A, which has fewer rows than columns."""
    deviations = np.sqrt(np.einsum("ij,ij->j", A, A))
    keep = np.flatnonzero(deviations > 2 * EPS * offsets)
    if len(keep) == 0:
        return np.zeros((A.shape[1], 0))
    s = deviations[keep]
    _, singular, Vt = scipy.linalg.svd(A[:, keep] / s, full_matrices=False, check_finite=False)
    alive = singular > max(tol, 8 * A.shape[1] * EPS * singular[0])
    T = np.zeros((A.shape[1], int(alive.sum())))
    T[keep] = (Vt[alive] / singular[alive, None] / s).T
    return T


def fisher_from_means(
    T: np.ndarray, means: np.ndarray, shares: np.ndarray, center: np.ndarray, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """(eigenvalues, directions) of B = Σ_k share_k (m_k − c)(m_k − c)ᵀ against C, largest first.

    By the singular values of √share_k (m_k − c)ᵀ T: nothing is squared. Directions below `tol` of the largest singular
    value, or within the rounding of the means, are left out; eigenvalues are not.
    """
    if T.shape[1] == 0:
        return np.zeros(0), T
    Z = np.sqrt(shares)[:, None] * (means - center) @ T
    _, s, Vt = scipy.linalg.svd(Z, full_matrices=False, check_finite=False)
    rounding = 4 * EPS * float(np.linalg.norm(np.abs(means).max(axis=0) @ np.abs(T)))
    rank = int((s > max(tol * s[0], rounding)).sum())
    return s * s, symmetric_signs(T @ Vt[:rank].T)


def fisher_from_matrix(T: np.ndarray, between: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(eigenvalues, directions) of a given B against C, largest first, all of them."""
    if T.shape[1] == 0:
        return np.zeros(0), T
    M = T.T @ between @ T
    values, V = scipy.linalg.eigh((M + M.T) / 2, check_finite=False)
    return values[::-1], symmetric_signs(T @ V[:, ::-1])


def gaussian_axes(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(variances, axes as columns) of a covariance, largest first.

    C = D R D with unit variances in R, R = FᵀF, and the singular values of F D: small variances beside large ones keep
    their digits when the columns are measured in different units.
    """
    d = len(covariance)
    deviations = np.sqrt(np.diagonal(covariance))
    s = np.where(deviations > 0, deviations, 1.0)
    R = covariance / s / s[:, None]
    try:
        F = scipy.linalg.cholesky(R, check_finite=False)
    except scipy.linalg.LinAlgError:  # dependent columns: the factor of the part that is there
        values, Q = scipy.linalg.eigh(R, check_finite=False)
        values = np.where(values > 8 * d * EPS * max(values[-1], 0.0), values, 0.0)
        F = np.sqrt(values)[:, None] * Q.T
    _, singular, Vt = scipy.linalg.svd(F * s, full_matrices=False, check_finite=False)
    return singular**2, symmetric_signs(Vt.T)
