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
from surefit.certificates.claim import Claim, Grade, at_most
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


def orthonormal_claim(U: F64, eps: float, limit: float) -> Claim:
    n, k = U.shape
    U = U.astype(LONG)
    off = float(np.abs(U.T @ U - np.eye(k)).max(initial=0.0))
    return at_most(
        "orthonormal",
        "The eigenvectors have length one and right angles; largest entry of UᵀU − I.",
        Grade.EXACT, off, limit, error=gamma(n + 8), excuse=ROUNDINGS * eps * np.sqrt(n),
        failure=f"The eigenvectors are not orthonormal: an entry of UᵀU − I is {off:.2g}.",
    )  # fmt: skip


def times(A: F64, U: F64, error: float) -> tuple[F64, F64]:
    """A U for a dense A that is known to ‖error‖, and bounds of the errors of its columns."""
    n, k = U.shape
    kind: Any = LONG if float(n) ** 2 * k <= LONG_SUMS else np.float64
    slip = error + gamma(n + 8, float(np.finfo(kind).eps) / 2) * float(np.linalg.norm(A))
    return A.astype(kind) @ U.astype(kind), 1.01 * slip * np.linalg.norm(U, axis=0)


def pairs_claim(pairs: Pairs, product: F64, error: F64, tol: float, matrix: str, advice: str) -> Claim:
    """‖Au − λu‖ in units of its own, for the product AU that is known to the error (of each column).

    The limit is tol, or what the solver was told to leave where some column needs that: then the claim is BOUNDED.
    """
    U, lam, u = pairs.U.astype(product.dtype), pairs.lam, float(np.finfo(product.dtype).eps) / 2
    rho = np.sqrt(((product - U * lam) ** 2).sum(axis=0)).astype(np.float64)
    size = np.linalg.norm(product.astype(np.float64), axis=0) + np.abs(lam) * np.linalg.norm(pairs.U, axis=0)
    value = (rho + 1.01 * error + gamma(len(U) + 8, u) * (rho + size)) / pairs.unit
    limit = tol if (value <= tol + pairs.excuse).all() else max(tol, pairs.loose)
    j = int(np.argmax(value / (limit + pairs.excuse)))
    needed = limit > tol or ((value > tol) & (pairs.excuse > tol)).any()
    return at_most(
        "pairs",
        f"Each column is an eigenvector of {matrix} with the eigenvalue claimed: some eigenvalue is this near, "
        "relative to it, and what the column holds of eigenvectors whose eigenvalue differs by a relative g is at "
        f"most this over g. Column {j} comes nearest to its limit.",
        Grade.BOUNDED if needed else Grade.OPTIMAL, value[j], limit,
        {"values": value.tolist(), "excuses": pairs.excuse.tolist()}, excuse=pairs.excuse[j],
        lower=2 * rho[j] / pairs.unit[j] - value[j],
        failure=f"Column {j} is not an eigenvector of {matrix} with the eigenvalue claimed: off by a relative "
        f"{rho[j] / pairs.unit[j]:.2g}. {advice}",
    )  # fmt: skip


def outermost_claim(
    pairs: Pairs, form: Callable[[], F64], error: float, tol: float, *, last: float, unit: float, smallest: bool,
    matrix: str, propose: Callable[[F64], F64], rounding: float = 0.0, most: float = 0.0,
) -> Claim:  # fmt: skip
    """No x at right angles to U has a larger (smaller) xᵀAx than `last`, by more than a share of the unit. For the
    smallest A ≥ 0, so that nothing is below 0.

    most     a share up to which the claim is BOUNDED by its number where rounding hides more
    propose  gives a direction with a large xᵀRx, to show by how much the claim fails; not trusted
    """
    name, word, sign = ("smallest", "smaller", -1.0) if smallest else ("largest", "larger", 1.0)
    U, k, base = pairs.U, pairs.U.shape[1], sign * last
    if len(U) > MOST_ORDER:
        sentence = f"That no eigenvalue left out is {word} is not proved: {len(U)} rows are too many for a factor."
        return Claim(name, sentence, Grade.UNPROVED, None, tol, True)
    A, excuse, widest = form(), min(MOST_EXCUSED, rounding / unit), max(tol, pairs.loose, most)
    more = sign * pairs.lam + 2 * abs(base) + 2 * widest * unit
    R = sign * A - (U * more) @ U.T
    error += 2 * UNIT * float(np.linalg.norm(R)) + 2 * gamma(k + 4) * float(np.abs(more) @ (U * U).sum(axis=0))
    shares = np.array([0.0, 0.5 * tol, 0.01 * widest, 0.1 * widest, 0.5 * widest, 0.99 * (widest + excuse)])
    bounds = ((largest_at_most(R, base + share * unit) + error - base) / unit for share in shares)
    value = next((b for b in bounds if b <= widest + excuse), np.inf)
    value = max(0.0, min(value, last / unit) if smallest else value)
    limit, found = tol if value <= tol + excuse else widest, 0.0
    if value > widest + excuse and len(U) <= SEARCHED:
        z = propose(R)
        z = z - U @ np.linalg.lstsq(U, z, rcond=None)[0]
        slip = 3 * error + 3 * gamma(2 * len(U) + 4) * float(np.linalg.norm(A))
        found = (sign * float(z @ A @ z) / float(z @ z) - slip - base) / unit if z @ z > 0.1 else 0.0
    return at_most(
        name,
        f"No eigenvalue of {matrix} that is left out is {word} than {last:.4g}, by more than this share of {unit:.4g}.",
        Grade.OPTIMAL if limit <= tol else Grade.BOUNDED, value, limit, excuse=excuse, lower=max(0.0, found),
        failure=f"An eigenvalue of {matrix} that is left out is {word} than {last:.4g}"
        + (f", by {found:.2g} of {unit:.4g} at least." if found > limit + excuse else ", or rounding hides it."),
    )  # fmt: skip
