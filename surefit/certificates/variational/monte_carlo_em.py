"""Checker of MonteCarloEM: with new draws one more step gains at most tol, with a stated confidence.

Q(θ') − Q(θ) = E[d],  d = log p(x, z | θ') − log p(x, z | θ),  z from the posterior at θ, is a lower bound of the gain
of log-likelihood. θ' comes from one sample, the mean of d from another, so that the mean is not biased by the choice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.variational.user_model import asked, data_of

SEED = 20_240_229
CONFIDENCE, QUANTILE = 0.999, 3.0903  # of the normal distribution
MORE = 100  # times the draws of the last E-step
MOST_DRAWS = 200_000


@checker("parameters_", "history_", any_input=True)
def check_monte_carlo_em(em: Any, blocks: Blocks, tol: float) -> Findings:
    """Two samples from the user's model, each 100 times the last of the fit."""
    attrs, X, model = Attributes(em, "parameters_"), data_of(blocks), getattr(em, "model", None)
    history, last, own_tol = attrs.array("history_"), whole(getattr(em, "n_draws_", None)), real(em.tol)
    if history is not None and history.size and (history.ndim != 2 or history.shape[1] != 2):
        attrs.faults.append("history_ is no list of pairs (gain, standard error)")
    if last < 2:
        attrs.faults.append("n_draws_ is no whole number of two or more")
    if attrs.faults or history is None:
        return [bad_attributes(attrs)], "nothing"
    n_draws, rng = min(MORE * last, MOST_DRAWS), np.random.default_rng(SEED)
    proposed = asked(model, "maximize", X, asked(model, "sample", X, em.parameters_, n_draws, rng))
    draws = asked(model, "sample", X, em.parameters_, n_draws, rng)
    after, before = (np.asarray(asked(model, "log_joint", X, draws, theta)) for theta in (proposed, em.parameters_))
    if after.shape != (n_draws,) or before.shape != (n_draws,) or not np.isfinite(after - before).all():
        raise BadData(f"the model's log_joint does not give one finite number for each of {n_draws} draws")
    gains = after - before
    mean, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(n_draws))
    return [_next_gain(mean, error, n_draws, own_tol), _taken(history)], f"two samples of {n_draws} draws"


def _next_gain(mean: float, error: float, n_draws: int, own_tol: float) -> Claim:
    odds = f"with a confidence of {CONFIDENCE:g} (normal approximation, {n_draws} new draws)"
    return at_most(
        "next_gain",
        f"One more step gains at most this, in units of log-likelihood, {odds}; estimated as {mean:.2g} ± {error:.1g}. "
        "The model's own functions are taken as they are.",
        Grade.STATISTICAL, mean + QUANTILE * error, own_tol, {"estimate": mean, "standard_error": error},
        lower=mean - QUANTILE * error,
        failure=f"One more step gains {mean:.3g} ± {error:.2g} {odds}, which may be more than tol={own_tol:g}: raise "
        "max_iter or max_draws.",
    )  # fmt: skip


def _taken(history: np.ndarray) -> Claim:
    """Steps without a gain are not taken."""
    gains, errors = history.reshape(-1, 2).T
    wrong = int(np.count_nonzero(~((gains > 0) & (errors >= 0))))
    return at_most(
        "history", f"All {len(gains)} steps taken had an estimated gain above zero; steps that had not.",
        Grade.EXACT, wrong, 0, failure=f"{wrong} of {len(gains)} steps in history_ gained nothing.",
    )  # fmt: skip
