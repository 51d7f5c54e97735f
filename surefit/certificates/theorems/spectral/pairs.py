"""Eigenpairs at one end of the spectrum of a symmetric matrix A: three claims about columns U and numbers λ.

pairs      ρ = ‖Au − λu‖: some eigenvalue of A lies within ρ of λ, and u holds at most ρ/g of eigenvectors whose
           eigenvalue is farther than g. Proof. ‖(A − λ)u‖² = Σcᵢ²(μᵢ − λ)², Σcᵢ² = 1. ∎
outermost  If σI − (A − V(M + c)Vᵀ) ≥ 0 then xᵀAx ≤ σ for every unit x at right angles to V, and with its k columns the
           (k + 1)-th largest eigenvalue of A is at most σ, whatever V is. Proof. V(M + c)Vᵀx vanishes with Vᵀx; Courant
           and Fischer. ∎ For the smallest: the same of −A.
orthonormal  UᵀU − I, entry by entry: with it the pairs are k different eigenvalues, counted with multiplicity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.spectral.definite import largest_at_most

ROUNDINGS, MOST_EXCUSED, SEARCHED = 10.0, 0.5, 2000
MOST_ORDER = 6000  # of a matrix that is factored


@dataclass(frozen=True)
class Pairs:
    """Columns u of length one with their numbers λ, and the matrix that they are claimed of."""

    name: str  # of the matrix
    A: Any  # None where it has more rows than are factored: products are handed over
    error: float  # how far A may be from the matrix that is meant, in norm
    U: F64
    lam: F64
    unit: F64  # what residuals are measured by
    rounding: float  # what the model's precision leaves open of the matrix
    eps: float
    propose: Callable[[F64], F64]  # gives a direction with a large xᵀRx, to show by how much a claim fails; not trusted
    loose: float = 0.0  # what the solver was told to leave, relative to the unit

    @property
    def excuse(self) -> F64:
        return np.minimum(MOST_EXCUSED, self.rounding / self.unit)


def orthonormal_claim(pairs: Pairs, tol: float, squares: F64 | float = 1.0) -> Claim:
    """UᵀU = I; with columns of other lengths, the diagonal matrix of their squares."""
    U: Any = pairs.U.astype(np.longdouble)
    (n, k), limit = U.shape, max(tol, pairs.loose)
    off = float(np.abs(U.T @ U - np.eye(k) * squares).max(initial=0.0))
    return at_most(
        "orthonormal", f"The eigenvectors of {pairs.name} have length one and right angles; largest entry of UᵀU − I.",
        Grade.EXACT, off, limit, error=gamma(n + 8), excuse=ROUNDINGS * pairs.eps * np.sqrt(n),
        failure=f"The eigenvectors of {pairs.name} are not orthonormal: an entry of UᵀU − I is {off:.2g}.",
    )  # fmt: skip


def pairs_claim(pairs: Pairs, tol: float, advice: str, product: F64, error: F64) -> Claim:
    """‖Au − λu‖ in units of its own, from the product AU with the error of its columns.

    The limit is tol, or what the solver was told to leave where some column needs that: then the claim is BOUNDED.
    """
    U, lam, excuse, length = pairs.U, pairs.lam, pairs.excuse, np.linalg.norm(pairs.U, axis=0)
    rho = np.sqrt(((product - U * lam) ** 2).sum(axis=0)).astype(np.float64)
    size, u = np.linalg.norm(product.astype(np.float64), axis=0), float(np.finfo(product.dtype).eps) / 2
    value = (rho + 1.01 * error + gamma(len(U) + 8, u) * (rho + size + np.abs(lam) * length)) / pairs.unit
    limit = tol if (value <= tol + excuse).all() else max(tol, pairs.loose)
    j = int(np.argmax(value / (limit + excuse)))
    needed = limit > tol or ((value > tol) & (excuse > tol)).any()
    return at_most(
        "pairs",
        f"Each column is an eigenvector of {pairs.name} with the eigenvalue claimed: some eigenvalue is this near, "
        "relative to it, and what the column holds of eigenvectors whose eigenvalue differs by a relative g is at "
        f"most this over g. Column {j} comes nearest to its limit.",
        Grade.BOUNDED if needed else Grade.OPTIMAL, value[j], limit,
        {"values": value.tolist(), "excuses": excuse.tolist()}, excuse=excuse[j],
        lower=2 * rho[j] / pairs.unit[j] - value[j],
        failure=f"Column {j} is not an eigenvector of {pairs.name} with the eigenvalue claimed: off by a relative "
        f"{rho[j] / pairs.unit[j]:.2g}. {advice}",
    )  # fmt: skip


def outermost_claim(
    pairs: Pairs, tol: float, *, smallest: bool, last: float, unit: float, excuse: float = 0.0, most: float = 0.0
) -> Claim:
    """No x at right angles to the columns has a larger (smaller) xᵀAx than `last`, by more than a share of the unit.
    For the smallest A ≥ 0, so that nothing is below 0.

    most  a share up to which the claim is BOUNDED by its number where rounding hides more
    """
    name, word, sign = ("smallest", "smaller", -1.0) if smallest else ("largest", "larger", 1.0)
    A, V, base, widest = pairs.A, pairs.U, sign * last, max(tol, pairs.loose, most)
    if A is None:
        sentence = f"That no eigenvalue left out is {word} is not proved: {len(V)} rows are too many for a factor."
        return Claim(name, sentence, Grade.UNPROVED, None, tol, True)
    more = sign * pairs.lam + 2 * abs(base) + 2 * widest * unit
    R = sign * A - (V * more) @ V.T
    lengths = float(np.abs(more) @ (V * V).sum(axis=0))
    error = pairs.error + 2 * UNIT * float(np.linalg.norm(R)) + 2 * gamma(len(more) + 4) * lengths
    shares = [0.0, tol / 2, widest / 100, widest / 10, widest / 2, 0.99 * (widest + excuse)]
    bounds = ((largest_at_most(R, base + share * unit) + error - base) / unit for share in shares)
    value = next((b for b in bounds if b <= widest + excuse), np.inf)
    value = max(0.0, min(value, last / unit) if smallest else value)
    limit, found = tol if value <= tol + excuse else widest, 0.0
    if value > widest + excuse and len(V) <= SEARCHED:  # by how much it fails, along a proposed direction
        z = pairs.propose(R)
        z = z - V @ np.linalg.lstsq(V, z, rcond=None)[0]
        slip = 3 * error + 3 * gamma(2 * len(V) + 4) * float(np.linalg.norm(A))
        found = (sign * float(z @ A @ z) / float(z @ z) - slip - base) / unit if z @ z > 0.1 else 0.0
    return at_most(
        name,
        f"No eigenvalue of {pairs.name} that is left out is {word} than {last:.4g}, by more than this share of "
        f"{unit:.4g}.",
        Grade.OPTIMAL if limit <= tol else Grade.BOUNDED, value, limit, excuse=excuse, lower=max(0.0, found),
        failure=f"An eigenvalue of {pairs.name} that is left out is {word} than {last:.4g}"
        + (f", by {found:.2g} of {unit:.4g} at least." if found > limit + excuse else ", or rounding hides it."),
    )  # fmt: skip
