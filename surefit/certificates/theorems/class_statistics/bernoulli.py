"""Columns of zeros and ones within classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.class_claims import logs_claim
from surefit.certificates.theorems.class_statistics.class_counts import Counts


def read_threshold(attrs: Attributes) -> float | None:
    """binarize: a number, or None for data that are zeros and ones already."""
    given = getattr(attrs.model, "binarize", 0.0)
    if given is not None and not np.isfinite(real(given)):
        attrs.faults.append("binarize is neither None nor a number")
    return None if given is None else real(given)


def bernoulli_claims(attrs: Attributes, name: str, counts: Counts, alpha: F64, n: int, tol: float) -> list[Claim]:
    logs = attrs.array(name, counts.features.shape, finite=False)
    if logs is None:
        return []
    truth = np.log(counts.features + alpha) - np.log(counts.classes[:, None] + 2.0 * alpha)
    return [logs_claim(attrs, name, f"{name} is log p, p = (count + α)/(N + 2α)", logs, truth, tol, n)]


def bernoulli_scores(X: NDArray, logs: F64, threshold: float | None, u: float) -> tuple[F64, F64]:
    """Σ x log p + (1 − x) log(1 − p) for flags x, and its rounding.

    Stored logarithms give 1 − p with a relative error of u/(1 − p).
    """
    x = np.asarray(X, dtype=np.float64) if threshold is None else (X > threshold).astype(np.float64)
    logs = np.asarray(logs, dtype=np.float64)
    rest = -np.expm1(logs)
    opposite = np.log(rest)
    size = np.abs(x) @ np.abs(logs.T) + np.abs(1 - x) @ np.abs(opposite.T) + np.abs(opposite).sum(axis=1)
    stored = 8 * UNIT * (1 / rest).sum(axis=1)
    return x @ (logs - opposite).T + opposite.sum(axis=1), gamma(2 * logs.shape[1] + 8, u) * size + stored
