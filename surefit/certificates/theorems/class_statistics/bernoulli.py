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
    """Σ log p over the flags that are set and log(1 − p) over the others, and its rounding.

    Stored logarithms give 1 − p with a relative error of u/(1 − p); where that is all of it, the score is not known.
    """
    x, logs = X[:, None, :] > (0.5 if threshold is None else threshold), np.asarray(logs, dtype=np.float64)
    rest = -np.expm1(logs)
    opposite = np.where(rest > 0, np.log(rest), np.nan)
    finite = np.where(np.isfinite(logs), np.abs(logs), 0.0) + np.where(rest > 0, 2 * np.abs(opposite), 0.0)
    stored = 8 * UNIT * np.where(rest > 0, 1 / rest, 0.0).sum(axis=1)
    return np.where(x, logs, opposite).sum(axis=2), gamma(2 * logs.shape[1] + 8, u) * finite.sum(axis=1) + stored
