"""Fisher's directions: S_B v = λ S_W v with vᵀS_W v = 1, the largest ratios λ first.

In coordinates where S_W = Σ is one the directions are the columns of Y = WᵀΣS, and S_B is the symmetric matrix M: Y has
orthonormal columns, and column j solves M y = λ_j y for the j-th largest eigenvalue of M. Then no projection on as many
directions separates the classes better (Fisher, Rao; Courant and Fischer).
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.class_statistics.class_claims import entries_claim
from surefit.certificates.theorems.class_statistics.whitening import Metric


def fisher_claims(
    attrs: Attributes, space: Metric, M: F64, wanted: int, used: int, tol: float, excuse: float
) -> list[Claim]:
    """scalings_ has to hold `wanted` directions, some `used` by transform; the excuse is of an entry of M, over λ₁."""
    d, M, used = len(space.sigma), M.astype(np.float64), min(used, len(M))
    values = np.linalg.eigvalsh(0.5 * (M + M.T))[::-1]
    top, total = max(float(np.abs(values).max()), 1e-300), float(values.sum())
    S, shares = attrs.array("scalings_"), attrs.array("explained_variance_ratio_", (used,), finite=False)
    own = attrs.array("fisher_eigenvalues_", (used,)) if attrs.has("fisher_eigenvalues_") else values[:used]
    if S is None or shares is None or own is None:
        return []
    if S.shape != (d, wanted):
        return [refuted("scalings_", f"scalings_ is {S.shape}, expected {(d, wanted)}: all directions above tol.")]
    Y = (S.T @ space.sigma @ space.W).T.astype(np.float64)
    crossed = np.append(np.abs(Y.T @ Y - np.eye(wanted)), space.outside(S.T))
    # the directions that transform uses are held against their own ratio, the rest against the largest
    size = np.where(np.arange(wanted) < used, np.maximum(np.abs(values[:wanted]), 1e-300), top)
    off, rounding = np.linalg.norm(M @ Y - Y * values[:wanted], axis=0) / size, space.eta + 8 * (d + 8) * UNIT
    worst = int(np.argmax(off - excuse * top / size))
    told = np.append(shares * total if total > 1e-12 * top else values[:used], own)
    ratios = np.abs(told - np.tile(values[:used], 2)) / top
    white = "Projected on scalings_ the rows have variance one within classes and no covariances"
    what = "explained_variance_ratio_ (times the sum) and fisher_eigenvalues_ are the ratios, relative to the largest"
    return [
        entries_claim("orthonormal", white, crossed, tol, rounding, excuse),
        at_most(
            "largest",
            f"No direction has a ratio of scatter between to scatter within classes above {float(values[0]):.6g}, that "
            "of the first; the others follow in order: largest error of S_B v = λ S_W v, relative to λ.",
            Grade.OPTIMAL, off[worst], tol, {"ratios": values[: min(wanted, 10)].tolist()},
            error=rounding * top / size[worst], excuse=excuse * top / size[worst],
            failure="scalings_ are not the directions of the largest ratios, in order: fit again on these rows.",
        ),
        entries_claim("explained", what, ratios, tol, rounding * len(values), excuse * len(values)),
    ]  # fmt: skip
