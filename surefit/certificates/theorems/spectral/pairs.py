"""Eigenpairs at one end of the spectrum of a symmetric matrix: three claims about columns U and numbers λ.

pairs      ρ = ‖Au − λu‖: some eigenvalue of A lies within ρ of λ, and u holds at most ρ/g of eigenvectors whose
           eigenvalue is farther than g. Proof. ‖(A − λ)u‖² = Σcᵢ²(μᵢ − λ)², Σcᵢ² = 1. ∎
outermost  If σI − (A − U(Λ + c)Uᵀ) ≥ 0 then xᵀAx ≤ σ for every unit x at right angles to U, and the (k + 1)-th largest
           eigenvalue of A is at most σ, whatever U is. Proof. U(Λ + c)Uᵀx vanishes with Uᵀx; Courant and Fischer. ∎
           For the smallest: the same of −A.
orthonormal  UᵀU − I, entry by entry: with it the pairs are k different eigenvalues, counted with multiplicity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.spectral.definite import largest_at_most

ROUNDINGS, MOST_EXCUSED = 10.0, 0.5
LONG_SUMS, MOST_ORDER, SEARCHED = 3e8, 6000, 2000
LONG: Any = np.longdouble


@dataclass(frozen=True)
class Pairs:
    """Columns u of length one with their numbers λ; what each residual is measured by, and what rounding excuses."""

    U: F64
    lam: F64
    unit: F64
    excuse: F64  # relative to the unit
    eps: float
    loose: float = 0.0  # what the solver was told to leave, relative to the unit

    def limit(self, tol: float, values: F64) -> tuple[float, Grade]:
        """tol, or where some value needs it what the solver was told to leave; then the grade is BOUNDED."""
        fine = bool((values <= tol + self.excuse).all())
        needed = bool(((values > tol) & (self.excuse > tol)).any())
        return (tol if fine else max(tol, self.loose)), (Grade.BOUNDED if needed or not fine else Grade.OPTIMAL)


def orthonormal_claim(U: F64, eps: float, limit: float, excuse: float = 0.0) -> Claim:
    n, k = U.shape
    U = U.astype(LONG)
    off = float(np.abs(U.T @ U - np.eye(k)).max(initial=0.0))
    error = 2 * gamma(n + 4, float(np.finfo(LONG).eps) / 2) + 4 * UNIT
    return at_most(
        "orthonormal",
        "The eigenvectors have length one and right angles; largest entry of UᵀU − I.",
        Grade.EXACT, off, limit, error=error, excuse=ROUNDINGS * eps * np.sqrt(n) + excuse,
        failure=f"The eigenvectors are not orthonormal: an entry of UᵀU − I is {off:.2g}.",
    )  # fmt: skip


def times(A: F64, U: F64, error: float) -> tuple[F64, F64]:
    """A U for a dense A that is known to ‖error‖, and bounds of the errors of its columns."""
    n, k = U.shape
    kind: Any = LONG if float(n) ** 2 * k <= LONG_SUMS else np.float64
    u, size = float(np.finfo(kind).eps) / 2, float(np.linalg.norm(A))
    product = A.astype(kind) @ U.astype(kind)
    return product, 1.01 * (error + gamma(n + 8, u) * size) * np.linalg.norm(U, axis=0)


def pairs_claim(pairs: Pairs, product: F64, error: F64, tol: float, matrix: str, advice: str) -> Claim:
    """‖Au − λu‖ in units of its own, for the product AU that is known to the error (of each column)."""
    U, lam = pairs.U.astype(product.dtype), pairs.lam
    rho = np.sqrt(((product - U * lam) ** 2).sum(axis=0)).astype(np.float64) / pairs.unit
    u = float(np.finfo(product.dtype).eps) / 2
    length = np.linalg.norm(pairs.U, axis=0)
    off = (error * (1 + 1e-9) + 4 * u * (np.linalg.norm(product.astype(np.float64), axis=0) + np.abs(lam) * length)) / (
        pairs.unit
    ) + gamma(len(U) + 8, u) * rho
    value = np.where(np.isnan(rho + off), np.inf, rho + off)
    limit, grade = pairs.limit(tol, value)
    j = int(np.argmax(value / (limit + pairs.excuse)))
    return at_most(
        "pairs",
        f"Each column is an eigenvector of {matrix} with the eigenvalue claimed: some eigenvalue is this near, "
        "relative to it, and what the column holds of eigenvectors whose eigenvalue differs by a relative g is at "
        f"most this over g. Column {j} comes nearest to its limit.",
        grade, rho[j], limit, {"values": value.tolist(), "excuses": pairs.excuse.tolist()},
        error=off[j], excuse=pairs.excuse[j],
        failure=f"Column {j} is not an eigenvector of {matrix} with the eigenvalue claimed: off by a relative "
        f"{rho[j]:.2g}. {advice}",
    )  # fmt: skip


def outermost_claim(
    pairs: Pairs, A: F64, error: float, tol: float, *, last: float, unit: float, smallest: bool, matrix: str,
    propose: Callable[[F64], F64], rounding: float = 0.0, most: float = 0.0,
) -> Claim:  # fmt: skip
    """No x at right angles to U has a larger (smaller) xᵀAx than `last`, by more than a share of the unit.

    most     a share up to which the claim is BOUNDED by its number where rounding hides more
    propose  gives a direction with a large xᵀRx, to show by how much the claim fails; not trusted
    """
    name, word = ("smallest", "smaller") if smallest else ("largest", "larger")
    (n, k), sign = pairs.U.shape, -1.0 if smallest else 1.0
    if n > MOST_ORDER:
        return failed(name, f"That no eigenvalue left out is {word} is not proved: {n} rows are too many for a factor.")
    lam, base, limit = sign * pairs.lam, sign * last, max(tol, pairs.loose)
    excuse = min(MOST_EXCUSED, rounding / unit)
    more, kind = lam + 2 * abs(base) + 2 * limit * unit, LONG if float(n) ** 2 * k <= LONG_SUMS else np.float64
    U: Any = pairs.U.astype(kind)
    R = (sign * A - (U * more) @ U.T).astype(np.float64)
    total = float(np.abs(more) @ (pairs.U**2).sum(axis=0))
    error += 2 * UNIT * float(np.linalg.norm(R)) + 2 * gamma(k + 4, float(np.finfo(kind).eps) / 2) * total
    within = (0.0, 0.1 * limit, 0.5 * limit, 0.999 * (limit + excuse) - error / unit)
    shares = (*within, 0.01 * most, 0.1 * most, 0.9 * most)
    bounds = (largest_at_most(R, base + share * unit) for share in shares if share <= max(limit + excuse, most))
    wide = max(limit + excuse, most) * unit
    sigma = next((b for b in bounds if b + error - base <= wide), np.inf) + error
    if sigma - base > (limit + excuse) * unit:
        limit = max(limit, most)
    found = 0.0
    if not np.isfinite(sigma) and n <= SEARCHED:
        z = propose(R)
        z = z - pairs.U @ np.linalg.lstsq(pairs.U, z, rcond=None)[0]
        size, slip = float(z @ z), error + gamma(2 * n + 4) * float(np.linalg.norm(A))
        found = (sign * float(z @ A @ z) / size - 3 * slip - base) / unit if size > 0.1 else 0.0
    return at_most(
        name,
        f"No eigenvalue of {matrix} that is left out is {word} than {last:.4g}, by more than this share of {unit:.4g}.",
        Grade.OPTIMAL if limit <= tol else Grade.BOUNDED, max(0.0, (sigma - base) / unit), limit,
        excuse=excuse, lower=max(0.0, found),
        failure=f"An eigenvalue of {matrix} that is left out is {word} than {last:.4g}"
        + (f", by {found:.2g} of {unit:.4g} at least." if found > limit + excuse else ", or rounding hides it."),
    )  # fmt: skip
