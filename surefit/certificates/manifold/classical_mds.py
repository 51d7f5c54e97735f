"""Checker of ClassicalMDS: coordinates from the leading eigenpairs of B = −½ P D² P, P = I − 11ᵀ/n, D the distances.

The model has Y = `embedding_` = V√Λ with λ = `eigenvalues_`: YᵀY = Λ and BY = YΛ. B is formed from X by the metric
asked for, not from `dissimilarity_matrix_`, which is checked by itself (docs/certificates/manifold.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.rounding import UNIT, epsilon
from surefit.certificates.search.eigen_basis import eigen_basis
from surefit.certificates.search.largest_direction import largest_direction
from surefit.certificates.theorems.graphs.distance_matrix import SquaredDistances, matrix_claim, squared_distances
from surefit.certificates.theorems.graphs.distances import all_rows, read_metric
from surefit.certificates.theorems.spectral.all_eigenvalues import all_eigenvalues
from surefit.certificates.theorems.spectral.pairs import (
    MOST_EXCUSED,
    MOST_ORDER,
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


@checker("embedding_", "eigenvalues_", "dissimilarity_matrix_", "negative_share_")
def check_classical_mds(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All distances, one product with the embedding, one Cholesky factor; for few rows all eigenvalues."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    metric = read_metric(attrs, attrs.parameter("metric", "euclidean"))
    if attrs.has("landmarks"):
        return [failed("landmarks", "Coordinates from landmarks are not checked.")], "nothing"
    X, single = all_rows(blocks, MOST_ORDER, metric.name == "precomputed")
    Y, lam = attrs.array("embedding_"), attrs.array("eigenvalues_")
    if Y is not None and (Y.ndim != 2 or len(Y) != n or lam is None or lam.shape != (Y.shape[1],)):
        attrs.faults.append(f"embedding_ and eigenvalues_ are not {n} rows and one number for each column")
    if lam is not None and (lam.ndim != 1 or (lam < 0).any() or (np.diff(lam) > 0).any()):
        attrs.faults.append("eigenvalues_ is not a descending list of numbers ≥ 0")
    if attrs.faults or Y is None or lam is None:
        return [bad_attributes(attrs)], "one pass"
    squares = squared_distances(metric, X)
    eps = epsilon(single, np.asarray(model.embedding_))
    b = centered(squares, eps)
    claims = [_count(attrs, Y), matrix_claim(attrs, squares, eps, tol), *eigen_claims(Y, lam, b, eps, tol)]
    if attrs.has("negative_share_"):
        claims.append(_negative(attrs, b, tol))
    return claims, f"{n}² distances of {X.shape[1]} columns, and a factor: {n**3 / 3.0:.1e} operations"


def centered(squares: SquaredDistances, eps: float) -> Centered:
    """−½ P D² P. P is a projection: it does not enlarge an error; forming it costs five roundings of entries."""
    D2 = squares.value
    row = D2.mean(axis=1, dtype=np.longdouble)
    B = (-0.5 * (D2 - row[:, None] - row + row.mean())).astype(np.float64)
    size = float(np.linalg.norm(D2))
    return Centered((B + B.T) / 2, 0.51 * squares.norm_error + 12 * UNIT * size, ROUNDINGS * eps * size / 2)


def _count(attrs: Attributes, Y: F64) -> Claim:
    asked = real(attrs.parameter("n_components", 2))
    if min(asked, len(Y)) != Y.shape[1]:
        return refuted("n_components", f"n_components={asked:g} asks for another number of columns than {Y.shape[1]}.")
    return at_most("n_components", f"The embedding has the {Y.shape[1]} columns asked for.", Grade.EXACT, 0, 0)


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
                pairs, b.B, b.error, tol, last=last, unit=unit, smallest=False, matrix="the centered matrix",
                propose=largest_direction, rounding=b.rounding,
            )
        )  # fmt: skip
    return claims


def _negative(attrs: Attributes, b: Centered, tol: float) -> Claim:
    """|negative eigenvalues| over the sum of all |eigenvalues|: how far the distances are from Euclidean ones."""
    share, known = attrs.number("negative_share_"), all_eigenvalues(b.B, b.error, eigen_basis)
    if share is None:
        return refuted("negative_share", "negative_share_ is not a number.")
    if known is None:
        sentence = "negative_share_ is not checked: there are too many rows for all eigenvalues."
        return Claim("negative_share", sentence, Grade.UNPROVED, share, None, True)
    lam, error = known
    total = float(np.abs(lam).sum())
    truth = float(-lam[lam < 0].sum()) / total if total > 0 else 0.0
    off = 2 * len(lam) * error / total if total > 0 else 0.0
    return at_most(
        "negative_share",
        f"Negative eigenvalues have a share of {truth:.4g} of all: zero for Euclidean distances. Difference to "
        "negative_share_.",
        Grade.EXACT, abs(share - truth), tol, error=off, excuse=len(lam) * b.rounding / total if total > 0 else 0.0,
        failure=f"negative_share_ is {share:.6g}, recomputed as {truth:.6g}.",
    )  # fmt: skip
