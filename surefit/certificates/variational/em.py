"""Checker of EM: the log-likelihood never fell, one more step gains nothing, and F is the log-likelihood at the E-step.

For any g:  log p(x | θ) = F(g, θ) + KL(g ‖ p(z | x, θ)),  so F(g, θ) ≤ log p(x | θ), with equality at the posterior;
and F(g, θ) ≤ F(g, θ') ≤ log p(x | θ') for the θ' of the M-step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
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

COVERED = ("parameters_", "log_likelihood_", "history_", "free_energy_", "n_iter_", "converged_")


@checker(*COVERED, any_input=True)
def check_em(em: Any, blocks: Blocks, tol: float) -> Findings:
    """One E-step, one M-step and two log-likelihoods of the user's model."""
    attrs, X, model = Attributes(em, "parameters_"), data_of(blocks), getattr(em, "model", None)
    claimed, history, n_iter = attrs.number("log_likelihood_"), history_of(attrs), attrs.number("n_iter_")
    if claimed is None or history is None or n_iter is None:
        return [bad_attributes(attrs)], "nothing"
    here = value_of(model, "log_likelihood", X, em.parameters_)
    posterior = asked(model, "expect", X, em.parameters_)
    proposed = asked(model, "maximize", X, posterior)
    after = value_of(model, "log_likelihood", X, proposed)
    own_tol = real(getattr(em, "tol", 0.0))
    claims = [
        recounted("log_likelihood", "log_likelihood_", claimed, here, tol),
        rises(history, claimed, "The log-likelihood"),
        next_gain("One more E-step and M-step", here, after, own_tol, tol),
        *_counts(em, history, n_iter, own_tol),
    ]
    if callable(getattr(model, "bound", None)):
        at_e, at_m = (value_of(model, "bound", X, posterior, theta) for theta in (em.parameters_, proposed))
        claims += [_free_energy(at_e, at_m, here, after, tol), *_kept(em, history)]
    elif np.size(getattr(em, "free_energy_", ())):
        claims.append(refuted("free_energy_", "free_energy_ has numbers, but the model has no `bound` to give them."))
    return claims, "one E-step, one M-step and two log-likelihoods of the model's own"


def _counts(em: Any, history: F64, n_iter: float, own_tol: float) -> list[Claim]:
    """n_iter_ and converged_ are what the history says."""
    stopped = history[-1] - history[-2] <= own_tol * (1 + abs(history[-1]))
    if n_iter != len(history) - 1 or not says(em, "converged_", bool(stopped)):
        return [refuted("counts", "n_iter_ or converged_ is not what history_ and tol say.")]
    return []


def _free_energy(at_e: float, at_m: float, here: float, after: float, tol: float) -> Claim:
    size = 1 + abs(here)
    off = max(abs(at_e - here), at_e - at_m, at_m - after) / size
    return at_most(
        "free_energy",
        f"F is the log-likelihood at the E-step ({at_e:.10g}), and the M-step raises both; largest breach, as a share.",
        Grade.EXACT, off, max(ROUNDING, min(tol, 1e-6)),
        failure=f"F is {at_e:.10g} at the E-step and {at_m:.10g} after the M-step, the log-likelihood {here:.10g} and "
        f"{after:.10g}: `expect` is not the posterior, or `maximize` not the maximum.",
    )  # fmt: skip


def _kept(em: Any, history: F64) -> list[Claim]:
    """free_energy_ lies between neighbors of the history."""
    try:
        kept = np.asarray(getattr(em, "free_energy_", None), dtype=float)
    except (TypeError, ValueError):
        kept = np.zeros(0)
    if kept.shape != (len(history) - 1, 2):
        return [refuted("free_energy_", f"free_energy_ is no list of {len(history) - 1} pairs of numbers.")]
    size = 1 + np.abs(history[:-1])
    off = np.stack([np.abs(kept[:, 0] - history[:-1]), kept[:, 0] - kept[:, 1], kept[:, 1] - history[1:]]) / size
    worst = float(off.max()) if np.isfinite(off).all() else np.inf
    return [
        at_most("free_energy_", "Each pair of free_energy_ is the log-likelihood before the step, and at most the one "
                "after; largest breach, as a share.", Grade.EXACT, max(0.0, worst), ROUNDING,
                failure=f"free_energy_ does not lie between the log-likelihoods, by a share of {worst:.2g}."),
    ]  # fmt: skip
