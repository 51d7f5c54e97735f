"""The claim that coefficients minimize a piecewise linear function, from whatever point of the dual proves most."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long
from surefit.certificates.theorems.linear_program.piecewise_linear import Program, Proof, measure_at, prove

EXCUSED = 2.0  # roundings of the coefficients in their own precision
NOTHING = 10.0  # P(θ) of so many roundings, and of a thousandth of what the targets are, counts as zero


class Question(NamedTuple):
    """Coefficients, the limit, and the words and sizes that the answer needs."""

    w: F64
    b: float
    tol: float
    unit: float  # of the precision that the coefficients are stored in
    words: str  # the name of P
    typical: float  # size of a target: of y about its mean, or 1
    total: Long  # Σω


def unit_of(*attributes: object) -> float:
    """Half the machine epsilon of the coarsest attribute."""
    single = any(np.asarray(a).dtype == np.float32 for a in attributes)
    return float(np.finfo(np.float32 if single else np.float64).eps) / 2


def relative(proof: Proof, unit: float) -> tuple[float, float]:
    """The gap, and what rounding of the coefficients excuses, relative to the lower bound of the optimum."""
    least = proof.bound.least - proof.gap
    return (
        (float(proof.gap / least), float(EXCUSED * unit * proof.bound.stored / least)) if least > 0 else (np.inf, 0.0)
    )


def below_rounding(proof: Proof, q: Question) -> bool:
    """Whether P(θ) is no more than roundings of θ make of zero, and next to nothing."""
    m = proof.bound
    return bool(m.loss <= np.minimum(NOTHING * q.unit * m.stored, LONG(1e-3) * all_targets(proof, q)))


def all_targets(proof: Proof, q: Question) -> Long:
    """The size of all targets; of targets that are all alike, before their mean is taken off."""
    return q.total * LONG(q.typical) if q.typical > 0 else proof.bound.stored + (proof.bound.stored == 0)


def optimal(p: Program, q: Question, proposed: Long | None, search: Any) -> tuple[Claim, Proof | None]:
    """The claim, and what the proposed point of the dual proves by itself. `search` is not trusted: it proposes."""
    given: Proof | None = None
    proof = Proof(LONG(np.inf), 0, False, measure_at(p, q.w, q.b))
    for delta in search.duals(q.w, q.b, proposed, 0.1 * q.tol):
        other = prove(p, q.w, q.b, delta, search.basis(delta), q.tol, q.typical)
        given = other if delta is proposed else given
        proof = other if other.gap < proof.gap else proof
        if relative(proof, q.unit)[0] <= q.tol or below_rounding(proof, q):
            return _claim(proof, q, 0.0), given
    at, lower = measure_at(p, *search.better), 0.0
    if at.loss < proof.bound.loss:  # large coefficients that cancel are not unavoidable
        lower = max(0.0, float((proof.bound.least - at.loss) / at.loss)) if at.loss > 0 else 0.0
        proof = proof._replace(bound=replace(proof.bound, stored=np.minimum(at.stored, proof.bound.stored)))
    return _claim(proof, q, lower), given


def _claim(proof: Proof, q: Question, lower: float) -> Claim:
    m = proof.bound
    value, excuse = relative(proof, q.unit)
    share, rest = "a relative", ""
    if below_rounding(proof, q):  # nothing is below zero
        scale = all_targets(proof, q)
        share, lower = "a share of all targets of", 0.0
        value, excuse = float(m.loss / scale), float(NOTHING * q.unit * m.stored / scale)
    elif proof.dependent:
        some = f"those of {proof.dependent} dependent columns" if proof.verified else "all"
        rest = f" ({some} followed up to 100,000 typical sizes)"
    is_lower = f"is lower by a relative {lower:.1e} or more" if lower > 0 else "may be lower"
    return at_most(
        "optimal",
        f"No coefficients have a {q.words} lower by more than {share} {value:.1e}{rest}.",
        Grade.OPTIMAL if proof.verified or below_rounding(proof, q) else Grade.BOUNDED,
        value,
        q.tol,
        {
            "objective": float((m.loss + m.least) / 2 / q.total),
            "gap": float(proof.gap / q.total),
            "lower_bound": float(np.maximum(m.least - proof.gap, LONG(0)) / q.total),
            "dependent_columns": proof.dependent,
        },
        excuse=excuse,
        lower=lower,
        failure=f"The least {q.words} {is_lower}, by at most {share} {value:.1e}: fit again with another solver or a "
        "smaller tolerance, or bring the columns to a common scale.",
    )
