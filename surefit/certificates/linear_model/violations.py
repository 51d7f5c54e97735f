"""The least sum of violations of a plane that need not separate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim
from surefit.certificates.search.linear.program_in_memory import InMemory
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, Slice, slices
from surefit.certificates.theorems.linear_program.piecewise_linear import Program, read_program
from surefit.certificates.theorems.linear_program.program_claim import Question, optimal
from surefit.certificates.theorems.linear_program.separation import farkas_claims, signs

UNDECIDED = "The fit does not say whether the classes are separable: rounding hid it, or it was stopped too early."


def not_separable(attrs: Attributes, blocks: Blocks, w: F64, b: float, tol: float, unit: float) -> list[Claim]:
    """farkas_ proves that there is none, and the coefficients have the least sum of violations."""
    p = violations(blocks, attrs.flag("fit_intercept", True))
    claims = farkas_claims(attrs, p, w, b, InMemory)
    phi = attrs.array("farkas_", (blocks.n_rows,))
    question = Question(w, b, tol, unit, "sum of violations Σ ω max(0, 1 − σ(x·w + b))")
    return [*claims, optimal(p, question, _largest(blocks, phi), InMemory(p))[0]]


def violations(blocks: Blocks, intercept: bool) -> Program:
    """The linear program of the sum of violations."""

    def terms(part: Slice) -> tuple[F64, F64, Long, Long]:
        w = part.w.astype(LONG)
        return signs(part), np.ones(w.size), np.zeros(w.size, dtype=LONG), w

    return replace(read_program(blocks, terms, intercept, 0.0), spread=1.0)


def _largest(blocks: Blocks, phi: F64 | None) -> Long | None:
    """farkas_ as large as the weights allow: a point of the dual."""
    if phi is None or not (phi >= 0).all() or not phi.any():
        return None
    w = np.concatenate([part.w for part in slices(blocks)]).astype(LONG)
    on = (phi > 0) & (w > 0)
    return phi * (w[on] / phi[on]).min(initial=LONG(np.inf)) if on.any() else None
