"""The doubly centered matrix of squared distances, and claims on its eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.spectral.pairs import (
    MOST_EXCUSED,
    ROUNDINGS,
    Pairs,
    orthonormal_claim,
    outermost_claim,
    pairs_claim,
    times,
)


@dataclass(frozen=True)
class Centered:
    """B with ‖exact − B‖ ≤ error; what a matrix of distances in the model's precision leaves open of it."""

    B: F64
    error: float
    rounding: float


def centered(D: F64, error: F64, eps: float) -> Centered:
    """−½ P D² P. P is a projection: it does not enlarge an error; forming it costs five roundings of entries."""
    D2 = D * D
    row = D2.mean(axis=1, dtype=np.longdouble)
    B = (-0.5 * (D2 - row[:, None] - row + row.mean())).astype(np.float64)
    size, slip = float(np.linalg.norm(D2)), float(np.linalg.norm(2 * D * error + error * error))
    return Centered((B + B.T) / 2, 0.51 * slip + 12 * UNIT * size, ROUNDINGS * eps * size / 2)


def eigen_claims(Y: F64, lam: F64, b: Centered, eps: float, tol: float, loose: float = 0.0) -> list[Claim]:
    """Columns with an eigenvalue above rounding are eigenvectors √λ v, the others are nothing; none larger is left out.

    loose  what the solver was told to leave, relative to each eigenvalue
    """
    first = float(lam.max(initial=0.0)) or 1.0
    level, length = max(b.rounding, b.error), np.sqrt((Y * Y).sum(axis=0))
    null, claims = lam <= level, []
    if null.any():
        most = float(np.maximum(lam, length**2)[null].max())
        claims.append(at_most(
            "zero",
            f"{int(null.sum())} columns have an eigenvalue that is rounding; their largest squared length, relative to "
            "the first eigenvalue.",
            Grade.EXACT, most / first, tol, excuse=level / first,
            failure=f"A column with an eigenvalue near 0 has a squared length of {most / first:.2g} of the first.",
        ))  # fmt: skip
    kept, U = lam[~null], Y[:, ~null] / np.sqrt(lam[~null])
    pairs = Pairs(U, kept, kept, np.minimum(MOST_EXCUSED, b.rounding / kept), eps, loose)
    if kept.size:
        advice = "Distances of rows far from zero lose digits: center X first, in float64."
        claims += [
            orthonormal_claim(U, eps, max(tol, loose)),
            pairs_claim(pairs, *times(b.B, U, b.error), tol, "the centered matrix of squared distances", advice),
        ]
    if len(Y) > Y.shape[1]:  # where some eigenvalue is rounding all that is left out must be
        last, unit = (0.0, first) if null.any() or not kept.size else (float(kept[-1]), float(kept[-1]))
        claims.append(
            outermost_claim(
                pairs, lambda: b.B, b.error, tol, last=last, unit=unit, smallest=False, matrix="the centered matrix",
                propose=largest_direction, rounding=b.rounding,
            )
        )  # fmt: skip
    return claims
