"""How many components: Minka's evidence, a share of the variance, and the knee of the scree curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln


def share_of_variance(eigenvalues: np.ndarray, total: float, share: float) -> int:
    """The fewest components whose eigenvalues add up to more than `share` of `total`."""
    if not total > 0:
        return 1
    return min(int(np.searchsorted(np.cumsum(eigenvalues / total), share, side="right")) + 1, len(eigenvalues))


def minka_evidence(eigenvalues: np.ndarray, n_rows: float) -> np.ndarray:
    """log p(data | k components) for k = 0 … d−1, up to what all k share; −inf where it is not defined (k = 0).

    T. P. Minka, Automatic choice of dimensionality for PCA (NIPS 2000), equations 30–31. With λ₁ ≥ … ≥ λ_d the
    eigenvalues of the covariance, N rows, v = mean(λ_{k+1} … λ_d), m = d k − k (k + 1)/2 and λ̂ = λ with its last d − k
    entries set to v:

        log p(U)      = −k log 2 + Σ_{i ≤ k} [log Γ((d − i + 1)/2) − (d − i + 1)/2 log π]
        log evidence  = log p(U) − N/2 Σ_{j ≤ k} log λ_j − N (d − k)/2 log v + (m + k)/2 log 2π − ½ log|A| − k/2 log N
        log|A|        = Σ_{i ≤ k} Σ_{j > i} [log(1/λ̂_j − 1/λ̂_i) + log(λ_i − λ_j) + log N]

    Equal eigenvalues would make |A| vanish; their gap is taken as the rounding of the largest.
    """
    lam = np.asarray(eigenvalues, dtype=np.float64)
    d = len(lam)
    evidence = np.full(d, -np.inf)
    if d < 2 or not lam[0] > 0:
        return evidence
    least = d * np.finfo(np.float64).eps * lam[0]
    log_n, log_lam = np.log(n_rows), np.log(np.maximum(lam, least))
    ways = np.arange(d, 0, -1) / 2.0
    log_pu = np.cumsum(gammaln(ways) - ways * np.log(np.pi)) - np.arange(1, d + 1) * np.log(2.0)
    gaps = np.log(np.maximum(lam[:, None] - lam, least))
    # Among the first k: log(λ_i − λ_j) + log(1/λ_j − 1/λ_i) = 2 log(λ_i − λ_j) − log λ_i − log λ_j.
    within = np.triu(2 * gaps - log_lam[:, None] - log_lam, 1).sum(axis=0).cumsum()
    for k in range(1, d):
        if lam[k - 1] <= least:
            break
        v = max(float(lam[k:].mean()), least)
        across = gaps[:k, k:].sum() + (d - k) * np.log(np.maximum(1 / v - 1 / lam[:k], least / lam[0] / v)).sum()
        m = d * k - k * (k + 1) / 2
        log_det = within[k - 1] + across + m * log_n
        evidence[k] = (
            log_pu[k - 1]
            - n_rows / 2 * log_lam[:k].sum()
            - n_rows * (d - k) / 2 * np.log(v)
            + (m + k) / 2 * np.log(2 * np.pi)
            - log_det / 2
            - k / 2 * log_n
        )
    return evidence


def minka_dimension(eigenvalues: np.ndarray, n_rows: float) -> int:
    """The number of components with the largest evidence; between 1 and d − 1 (1 if there is one column)."""
    return max(1, int(np.argmax(minka_evidence(eigenvalues, n_rows))))


class Scree(NamedTuple):
    """The curve of eigenvalues, and where it bends."""

    eigenvalues: np.ndarray
    """Variance along each kept component, largest first."""
    ratio: np.ndarray
    """Each as a share of the variance of the data."""
    cumulative: np.ndarray
    """Their running sum: what a projection on the first 1, 2, … components keeps."""
    left_over: np.ndarray
    """Σ ω ‖x − x̂‖² when the rows are rebuilt from the first 1, 2, … components."""
    knee: int
    """How many components stand before the bend."""


def knee(eigenvalues: np.ndarray) -> int:
    """How many values stand before the point that lies farthest below the chord from the first to the last.

    >>> knee(np.array([10.0, 9.0, 1.0, 0.9, 0.8]))
    2
    """
    n = len(eigenvalues)
    if n < 3 or not eigenvalues[0] > eigenvalues[-1]:
        return n
    drop = (eigenvalues[0] - eigenvalues) / (eigenvalues[0] - eigenvalues[-1])
    depth = drop - np.arange(n) / (n - 1)
    return int(np.argmax(depth)) if depth.max() > 0 else n
