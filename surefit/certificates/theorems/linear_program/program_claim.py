"""The claim that coefficients are the optimum of a linear program, from a point of the dual."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long
from surefit.certificates.theorems.linear_program.piecewise_linear import NOTHING, Bound, Program, Proof, measure, prove

EXCUSED = 2.0  # roundings of the coefficients in their own precision
MOST_EXCUSED = 0.1  # beyond, the precision does not suit the data
ROUNDINGS = 10.0  # P(θ) of so many roundings, and of a thousandth of what the targets are, counts as zero


class Question(NamedTuple):
    """Coefficients, the limit, and the words that the answer needs."""

    w: F64
    b: float
    tol: float
    unit: float  # of the precision that the coefficients are stored in
    words: str  # the name of P


def relative(proof: Proof, p: Program, q: Question) -> tuple[float, float, str]:
    """The gap, what rounding of the coefficients excuses, and relative to what: the lower bound of the optimum.

    Where P(θ) is no more than roundings of θ make of zero, and next to nothing, it is compared with the size of all
    targets (of targets that are all alike, before their mean is taken off).
    """
    m, least = proof.bound, proof.bound.least - proof.gap
    targets = p.total * LONG(p.spread) if p.spread > 0 else m.stored + (m.stored == 0)
    if m.loss <= np.minimum(ROUNDINGS * q.unit * m.stored, LONG(1e-3) * targets):
        return float(m.loss / targets), float(ROUNDINGS * q.unit * m.stored / targets), "a share of all targets of"
    if not least > 0:
        return np.inf, 0.0, "a relative"
    return float(proof.gap / least), min(MOST_EXCUSED, float(EXCUSED * q.unit * m.stored / least)), "a relative"


def optimal(p: Program, q: Question, proposed: Long | None, search: Any) -> tuple[Claim, Proof | None]:
    """The claim, and what the proposed point of the dual proves by itself. `search` is not trusted: it proposes."""
    given: Proof | None = None
    proof, lower = Proof(LONG(np.inf), 0, measure_at(p, q.w, q.b)), 0.0
    for delta in search.duals(q.w, q.b, proposed, 0.1 * q.tol):
        other = prove(p, q.w, q.b, delta, search.basis(delta))
        given = other if delta is proposed else given
        proof = other if other.gap < proof.gap else proof
        if relative(proof, p, q)[0] <= q.tol:
            return _claim(proof, p, q, 0.0), given
    at = measure_at(p, *search.better)
    if at.loss < proof.bound.loss:  # large coefficients that cancel are not unavoidable
        lower = max(0.0, float((proof.bound.least - at.loss) / at.loss)) if at.loss > 0 else 0.0
        proof = proof._replace(bound=replace(proof.bound, stored=np.minimum(at.stored, proof.bound.stored)))
    return _claim(proof, p, q, lower), given


def measure_at(p: Program, w: F64, b: Long) -> Bound:
    """P at some coefficients."""
    return measure(p, w, b, np.zeros(p.blocks.n_rows, dtype=LONG), NOTHING)


def _claim(proof: Proof, p: Program, q: Question, lower: float) -> Claim:
    m, (value, excuse, share) = proof.bound, relative(proof, p, q)
    dependent = proof.dependent and share == "a relative"
    some = f"those of {proof.dependent} dependent columns" if m.verified else "all"
    rest = f" ({some} followed up to 100,000 typical sizes)" if dependent else ""
    is_lower = f"is lower by a relative {lower:.1e} or more" if lower > 0 else "may be lower"
    return at_most(
        "optimal",
        f"No coefficients have a {q.words} lower by more than {share} {value:.1e}{rest}.",
        Grade.OPTIMAL if m.verified or not dependent else Grade.BOUNDED,
        value,
        q.tol,
        {
            "objective": float((m.loss + m.least) / 2 / p.total),
            "gap": float(proof.gap / p.total),
            "lower_bound": float(np.maximum(m.least - proof.gap, LONG(0)) / p.total),
            "dependent_columns": proof.dependent,
        },
        excuse=excuse,
        lower=lower if share == "a relative" else 0.0,
        failure=f"The least {q.words} {is_lower}, by at most {share} {value:.1e}: fit again with another solver or a "
        "smaller tolerance, or bring the columns to a common scale.",
    )
