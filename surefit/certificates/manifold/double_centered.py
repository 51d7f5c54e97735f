"""The doubly centered matrix of squared distances, and claims on its eigenvectors."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.spectral.pairs import (
    MOST_EXCUSED,
    ROUNDINGS,
    Pairs,
    orthonormal_claim,
    outermost_claim,
    pairs_claim,
)

ADVICE = "Distances of rows far from zero lose digits: center X first, in float64."


def centered(D: F64, error: F64 | float, eps: float) -> tuple[F64, float, float]:
    """B = −½ P D² P, its error in norm, and what a matrix of distances in the model's precision leaves open of it.

    P is a projection: it does not enlarge an error; forming it costs five roundings of entries.
    """
    D2 = D * D
    row = D2.mean(axis=1, dtype=np.longdouble)
    B = (-0.5 * (D2 - row[:, None] - row + row.mean())).astype(np.float64)
    size, slip = float(np.linalg.norm(D2)), float(np.linalg.norm(2 * D * error + error * error))
    return (B + B.T) / 2, 0.51 * slip + 12 * UNIT * size, ROUNDINGS * eps * size / 2


def eigen_claims(
    Y: F64, lam: F64, B: F64, error: float, rounding: float, eps: float, tol: float, loose: float = 0.0
) -> list[Claim]:
    """BY = YΛ and YᵀY = Λ, and no eigenvalue left out is larger. Columns are measured by their eigenvalue, or by what
    is rounding where that is more: such a column is nothing, and then all that is left out must be.

    loose  what the solver was told to leave, relative to each eigenvalue
    """
    first, level = float(lam.max(initial=0.0)) or 1.0, max(rounding, error, 1e-290)
    unit = np.maximum(lam, level)
    pairs = Pairs(
        "the centered matrix", B, error, Y / np.sqrt(unit), lam, unit, rounding, eps, largest_direction, loose
    )
    slip = (error + gamma(len(Y) + 8) * float(np.linalg.norm(B))) * np.linalg.norm(pairs.U, axis=0)
    claims = [orthonormal_claim(pairs, tol, lam / unit), pairs_claim(pairs, tol, ADVICE, B @ pairs.U, slip)]
    if len(Y) > Y.shape[1]:
        last, size = (0.0, first) if lam[-1] <= level else (float(lam[-1]), float(lam[-1]))
        excuse = min(MOST_EXCUSED, rounding / size)
        claims.append(outermost_claim(pairs, tol, smallest=False, last=last, unit=size, excuse=excuse))
    return claims
