"""Checker of ClassicalMDS: coordinates from the leading eigenpairs of B = −½ P D² P, P = I − 11ᵀ/n, D the distances.

The model has Y = `embedding_` = V√Λ with λ = `eigenvalues_`: YᵀY = Λ and BY = YΛ. B is formed from X by the metric
asked for, not from `dissimilarity_matrix_`, which is checked by itself (docs/certificates/manifold.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.manifold.double_centered import centered, eigen_claims
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.spectral.eigen_basis import eigen_basis
from surefit.certificates.theorems.graphs.distance_matrix import all_distances, matrix_claim
from surefit.certificates.theorems.spectral.all_eigenvalues import MOST_ORDER, all_eigenvalues

MOST_ROWS = 6000


@checker("embedding_", "eigenvalues_", "dissimilarity_matrix_", "negative_share_")
def check_classical_mds(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All distances, one product with the embedding, one Cholesky factor; for few rows all eigenvalues."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    if attrs.has("landmarks"):
        return [failed("landmarks", "Coordinates from landmarks are not checked.")], "nothing"
    D, error, single = all_distances(attrs, blocks, attrs.parameter("metric", "euclidean"), MOST_ROWS)
    Y, lam = attrs.array("embedding_"), attrs.array("eigenvalues_")
    if Y is not None and (Y.ndim != 2 or len(Y) != n or lam is None or lam.shape != (Y.shape[1],)):
        attrs.faults.append(f"embedding_ and eigenvalues_ are not {n} rows and one number for each column")
    if lam is not None and (lam.ndim != 1 or (lam < 0).any() or (np.diff(lam) > 0).any()):
        attrs.faults.append("eigenvalues_ is not a descending list of numbers ≥ 0")
    if attrs.faults or Y is None or lam is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(single, np.asarray(model.embedding_))
    B, off, rounding = centered(D, error, eps)
    claims = [_count(attrs, Y), matrix_claim(attrs, D, error, eps, tol)]
    claims += eigen_claims(Y, lam, B, off, rounding, eps, tol)
    if attrs.has("negative_share_"):
        claims.append(_negative(attrs, B, off, rounding, tol))
    return claims, f"{n}² distances of {blocks.n_features} columns, and a factor: {n**3 / 3.0:.1e} operations"


def _count(attrs: Attributes, Y: F64) -> Claim:
    asked = real(attrs.parameter("n_components", 2))
    if min(asked, len(Y)) != Y.shape[1]:
        return refuted("n_components", f"n_components={asked:g} asks for another number of columns than {Y.shape[1]}.")
    return at_most("n_components", f"The embedding has the {Y.shape[1]} columns asked for.", Grade.EXACT, 0, 0)


def _negative(attrs: Attributes, B: F64, error: float, rounding: float, tol: float) -> Claim:
    """|negative eigenvalues| over the sum of all |eigenvalues|: how far the distances are from Euclidean ones."""
    share = attrs.number("negative_share_")
    if share is None:
        return refuted("negative_share", "negative_share_ is not a number.")
    if len(B) > MOST_ORDER:
        sentence = "negative_share_ is not checked: there are too many rows for all eigenvalues."
        return Claim("negative_share", sentence, Grade.UNPROVED, share, None, True)
    lam, error = all_eigenvalues(B, error, *eigen_basis(B))
    total = float(np.abs(lam).sum())
    truth = float(-lam[lam < 0].sum()) / total if total > 0 else 0.0
    off = 2 * len(lam) * error / total if total > 0 else 0.0
    return at_most(
        "negative_share",
        f"Negative eigenvalues have a share of {truth:.4g} of all: zero for Euclidean distances. Difference to "
        "negative_share_.",
        Grade.EXACT, abs(share - truth), tol, error=off, excuse=len(lam) * rounding / total if total > 0 else 0.0,
        failure=f"negative_share_ is {share:.6g}, recomputed as {truth:.6g}.",
    )  # fmt: skip
