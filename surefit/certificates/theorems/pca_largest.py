"""Are the kept eigenvalues the largest ones? Three proofs, by size: the whole spectrum, the trace, power steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.scatter import apply_scatter, gram_matrix, scatter_matrix

MAX_ORDER = 3000
MAX_WORK = 2e12
BLOCK, STEPS, DELTA = 8, 6, 0.01


def largest_claims(blocks: Blocks, V: F64, lam: F64, data: Any, grade: Grade, limit: float) -> tuple[list[Claim], str]:
    """The claim, and the cost in words."""
    n, d, k = blocks.n_rows, blocks.n_features, V.shape[0]
    kept = np.einsum("kd,dk->k", V, data.CV)
    if d <= MAX_ORDER and float(n) * d * d <= MAX_WORK:
        spectrum = np.linalg.eigvalsh(scatter_matrix(blocks, data.mean) / (data.n - 1))[::-1]
        how = f"three passes over the rows, {1.0 * n * d * d:.1e} operations, all {d} eigenvalues"
        return [_whole(spectrum, lam, kept, grade, limit)], how
    if n <= MAX_ORDER and float(n) * n * d <= MAX_WORK:
        spectrum = np.linalg.eigvalsh(gram_matrix(blocks, data.mean) / (data.n - 1))[::-1]
        how = f"two passes and pairs of blocks, {1.0 * n * n * d:.1e} operations, all {n} eigenvalues"
        return [_whole(spectrum, lam, kept, grade, limit)], how
    smallest = float(lam.min(initial=np.inf))
    rest = max(0.0, data.total - float(kept.sum()))
    if k and rest <= smallest and _sorted(lam, limit):
        claim = at_most(
            "largest",
            "No direction left out has more variance than one kept: all that is left out together has less.",
            grade,
            rest / smallest,
            1.0,
        )
        return [claim], f"two passes over the rows, {8.0 * n * d * k:.1e} operations"
    how = f"{2 + STEPS} passes over the rows, {4.0 * n * d * (k + BLOCK * STEPS):.1e} operations"
    return [_power(blocks, V, lam, data, limit)], how


def _sorted(lam: F64, limit: float) -> bool:
    return bool((np.diff(lam) <= limit * max(float(lam.max(initial=0.0)), 0.0)).all())


def _whole(spectrum: F64, lam: F64, kept: F64, grade: Grade, limit: float) -> Claim:
    """Compare with the first k eigenvalues: Σ of them is the most that k directions can hold (Ky Fan)."""
    truth = np.zeros(lam.size)
    truth[: min(lam.size, spectrum.size)] = np.maximum(spectrum[: lam.size], 0.0)
    top = float(truth[0]) if truth.size and truth[0] > 0 else 1.0
    best = float(truth.sum())
    missed = max(0.0, best - float(kept.sum())) / (best if best > 0 else 1.0)
    return at_most(
        "largest",
        f"The variances kept are the {lam.size} largest there are; largest difference, relative to the first. "
        f"No {lam.size} directions hold more than a share of {missed:.1e} above these.",
        grade,
        np.abs(lam - truth).max(initial=0.0) / top,
        limit,
        {"missed_share": missed},
    )


def _power(blocks: Blocks, V: F64, lam: F64, data: Any, limit: float) -> Claim:
    """Search the complement of the components by subspace iteration from random directions.

    Finding a larger variance disproves the claim. Not finding one says, with probability 1 − δ over the start, that
    none is larger than `factor` times the largest found (Kuczyński and Woźniakowski 1992: one start misses by more
    than 1 − ε with probability at most 0.824 √d (1 − ε)^(q − 1/2); the starts are independent).
    """
    d = blocks.n_features
    starts = min(BLOCK, d - V.shape[0])
    Q = np.random.default_rng(20240229).normal(size=(d, max(0, starts)))
    found = 0.0
    for _ in range(STEPS if starts > 0 else 0):
        for _ in range(2):  # once more against what rounding brings back
            Q = np.linalg.qr(Q - V.T @ (V @ Q))[0]
        CQ = apply_scatter(blocks, data.mean, Q) / (data.n - 1)
        found = max(found, float(np.linalg.eigvalsh(Q.T @ CQ)[-1]))
        Q = CQ
    factor = float((DELTA ** (1.0 / max(1, starts)) / (0.824 * np.sqrt(d))) ** (-1.0 / (STEPS - 0.5)))
    smallest = max(float(lam.min(initial=np.inf)), 1e-300)
    unsorted = not _sorted(lam, limit)
    return at_most(
        "largest",
        f"A search from {starts} random directions outside the components found no larger variance than the smallest "
        f"kept; with probability {1 - DELTA:.0%} over the start none exceeds {factor:.1f} times the value found.",
        Grade.STATISTICAL,
        np.inf if unsorted else found / smallest,
        1.0 + limit,
        {"found": found, "factor": factor, "probability": 1 - DELTA},
    )
