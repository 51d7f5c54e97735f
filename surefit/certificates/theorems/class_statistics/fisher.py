"""Fisher's directions: S_B v = λ S_W v with vᵀS_W v = 1, the largest ratios λ first.

In coordinates where S_W = Σ is one the directions are the columns of Y = WᵀΣS, and S_B is the symmetric matrix M: Y has
orthonormal columns, M y = λ y, and the λ are the largest eigenvalues of M. Then no projection on as many directions
separates the classes better (Fisher, Rao; Courant and Fischer).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.class_statistics.class_claims import entries_claim
from surefit.certificates.theorems.class_statistics.whitening import Metric


def components(model: Any, k: int, d: int) -> int:
    """How many directions `transform` uses: n_components, or all that K classes can have."""
    asked, most = getattr(model, "n_components", None), min(k - 1, d)
    return most if asked is None else int(real(asked)) if 1 <= real(asked) <= most else -1


def fisher_claims(
    attrs: Attributes, space: Metric, M: F64, wanted: int, used: int, tol: float, excuse: float
) -> list[Claim]:
    """Claims on scalings_, explained_variance_ratio_ and fisher_eigenvalues_, those that the model has.

    wanted   how many directions scalings_ has to hold, `used` of them for transform
    excuse   what the roundings of the model's precision do to an entry of M, relative to the largest ratio
    """
    d, M = len(space.sigma), M.astype(np.float64)
    values = np.linalg.eigvalsh(0.5 * (M + M.T))[::-1]
    top, total, used = max(float(np.abs(values).max()), 1e-300), float(values.sum()), min(used, len(values))
    S, shares = attrs.array("scalings_"), attrs.array("explained_variance_ratio_", (used,), finite=False)
    own = attrs.array("fisher_eigenvalues_", (used,)) if attrs.has("fisher_eigenvalues_") else None
    if S is None or shares is None:
        return []
    if S.shape != (d, wanted):
        return [refuted("scalings_", f"scalings_ is {S.shape}, expected {(d, wanted)}: all directions above tol.")]
    Y = (S.T @ space.sigma @ space.W).T.astype(np.float64)
    ratios = np.einsum("ij,ij->j", Y, M @ Y) / np.maximum(np.einsum("ij,ij->j", Y, Y), 1e-300)
    # the directions that transform uses are held against their own ratio, the rest against the largest
    size = np.where(np.arange(wanted) < used, np.maximum(np.abs(ratios), 1e-300), top) / top
    rounding, off = space.eta + 8 * (d + 8) * UNIT, np.abs(ratios - values[:wanted]) / top / size
    worst = int(np.argmax(off - excuse / size))
    crossed = np.append(np.abs(Y.T @ Y - np.eye(wanted)), space.outside(S.T))
    what = "Projected on scalings_ the rows have variance one within classes and no covariances"
    claims = [entries_claim("orthonormal", what, crossed, tol, rounding, excuse)]
    what, residual = "Every direction solves S_B v = λ S_W v, relative to λ", np.linalg.norm(M @ Y - Y * ratios, axis=0)
    claims.append(entries_claim("eigen_residual", what, residual / top / size, tol, rounding / size, excuse / size))
    claims.append(
        at_most(
            "largest",
            f"No direction has a ratio of scatter between to scatter within classes above {float(values[0]):.6g}, that "
            "of the first; the others follow in order. Largest difference, relative to the ratio.",
            Grade.OPTIMAL, off[worst], tol, {"ratios": values[: min(wanted, 10)].tolist()},
            error=rounding / size[worst], excuse=excuse / size[worst],
            failure="scalings_ are not the directions of the largest ratios, in order: fit again on these rows.",
        )
    )  # fmt: skip
    if total > 1e-12 * top:
        off, loose = np.abs(shares - values[:used] / total), top * len(values) / total
        what = "explained_variance_ratio_ is the share of every direction in the sum of the ratios"
        claims.append(entries_claim("explained", what, off, tol, rounding * loose, excuse * loose))
    if own is not None:
        what, off = "fisher_eigenvalues_ are the ratios, relative to the largest", np.abs(own - values[:used]) / top
        claims.append(entries_claim("fisher_eigenvalues_", what, off, tol, rounding, excuse))
    return claims
