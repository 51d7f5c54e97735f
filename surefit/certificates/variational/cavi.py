"""Checker of CAVI: the ELBO never fell, one more round gains nothing, and it is not above the evidence.

log p(x) = ELBO(g) + KL(g ‖ p(θ | x)) ≥ ELBO(g); with the other factors fixed no factor is better than its update.
"""

from __future__ import annotations

from typing import Any

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.variational.user_model import (
    ROUNDING,
    asked,
    data_of,
    history_of,
    next_gain,
    recounted,
    rises,
    says,
    value_of,
)


@checker("factors_", "elbo_", "history_", "n_iter_", "converged_", any_input=True)
def check_cavi(cavi: Any, blocks: Blocks, tol: float) -> Findings:
    """One update of each factor, and an ELBO after each."""
    attrs, X, model = Attributes(cavi, "factors_"), data_of(blocks), getattr(cavi, "model", None)
    claimed, history, n_iter = attrs.number("elbo_"), history_of(attrs), attrs.number("n_iter_")
    factors = cavi.factors_
    if not isinstance(factors, dict) or not factors:
        attrs.faults.append("factors_ is no dict of factors")
    if attrs.faults or claimed is None or history is None or n_iter is None:
        return [bad_attributes(attrs)], "nothing"
    here = value_of(model, "elbo", X, factors)
    falls, after, own_tol = "", here, real(getattr(cavi, "tol", 0.0))
    for name in list(factors):
        factors = {**factors, name: asked(model, "update", name, X, factors)}
        value = value_of(model, "elbo", X, factors)
        falls = falls or (name if value < after - ROUNDING * (1 + abs(after)) else "")
        after = value
    claims = [
        recounted("elbo", "elbo_", claimed, here, tol),
        rises(history, claimed, "The ELBO"),
        next_gain("One more round of updates", here, after, own_tol, tol),
        *_counts(cavi, history, n_iter, len(factors), own_tol),
    ]
    if falls:
        claims.append(failed("updates", f"The update of {falls!r} lowers the ELBO: it is not that factor's maximum."))
    if callable(getattr(model, "log_evidence", None)):
        claims.append(_evidence(here, history, value_of(model, "log_evidence", X)))
    return claims, "one update of each factor, and an ELBO after each"


def _counts(cavi: Any, history: F64, n_iter: float, n_factors: int, own_tol: float) -> list[Claim]:
    """n_iter_ and converged_ are what the history says: one number at the start, one for each factor and round."""
    if n_iter < 1 or len(history) != 1 + n_iter * n_factors:
        return [refuted("counts", f"history_ has {len(history)} numbers, not 1 + {n_iter:g} rounds × {n_factors}.")]
    before = history[-1 - n_factors]
    stopped = history[-1] - before <= own_tol * (1 + abs(before))
    if not says(cavi, "converged_", bool(stopped)):
        return [refuted("counts", "converged_ is not what history_ and tol say.")]
    return []


def _evidence(here: float, history: F64, evidence: float) -> Claim:
    above = max(here, float(history.max())) - evidence
    return at_most(
        "evidence",
        f"No ELBO is above log p(x) = {evidence:.10g}, which lies {evidence - here:.4g} above the last: the divergence "
        "of the factors from the posterior.",
        Grade.BOUNDED, max(0.0, above) / (1 + abs(evidence)), ROUNDING, {"divergence": evidence - here},
        failure=f"An ELBO is {above:.3g} above log p(x) = {evidence:.10g}: `elbo` or `log_evidence` is wrong.",
    )  # fmt: skip
