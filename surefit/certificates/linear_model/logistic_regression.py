"""Checker of LogisticRegression: the distance to the least value by duality, or a ray along which there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.labels import reads_labels
from surefit.certificates.linear_model.logistic_fit import ADVICE, COVERED, Fit, answers, optimal, read_fit
from surefit.certificates.search.linear.logistic_rays import coordinates, propose_rays
from surefit.certificates.theorems.log_loss.log_loss import TIE, LogLoss
from surefit.certificates.theorems.log_loss.log_loss_dual import penalized_least
from surefit.certificates.theorems.log_loss.log_loss_free import free_least


@checker(*COVERED, "rel_gap_", "separation_")
@reads_labels
def check_logistic_regression(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Some twenty passes over the rows, or more where a better point is hard to find."""
    attrs = Attributes(model, "coef_")
    fit = read_fit(attrs, blocks, getattr(model, "C", 1.0), getattr(model, "l1_ratio", 0.0) or 0.0)
    stated = read_ray(attrs, fit) if fit is not None and attrs.has("separation_") else None
    if fit is None or attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    claims = [optimal(fit, tol, penalized_least)] if fit.task.penalized else without_penalty(fit, tol, stated)
    if fit.task.penalized and stated is not None:
        claims.append(refuted("separation_", "separation_ is given, although there is a penalty, and so a minimum."))
    claims += [*stated_gap(attrs, claims[0], tol), *answers(model, fit)]
    return claims, f"some twenty passes over the rows, of {8.0 * blocks.n_rows * fit.theta.size:.1e} operations or more"


def read_ray(attrs: Attributes, fit: Fit) -> F64 | None:
    """separation_, with the intercepts last or without them; None with the fault noted."""
    first, (k, d1) = fit.task.first, fit.theta.shape
    given = attrs.array("separation_", (k - first, d1), (k - first, d1 - 1))
    return None if given is None else np.pad(given, ((first, 0), (0, d1 - given.shape[1])))


def least(task: LogLoss, theta: F64) -> tuple[float, float]:
    return free_least(task, theta, coordinates(task, theta))


def without_penalty(fit: Fit, tol: float, stated: F64 | None) -> list[Claim]:
    """The minimum; or rays along which there is none, and that what the last one leaves tied is at its least."""
    task, theta, _ = fit
    claims, tied = list[Claim](), 1
    for ray in [*([] if stated is None else [stated]), *propose_rays(task, theta, stated)]:
        more, tied = ray_claims(task, ray, theta)
        claims, fit = claims + more, fit._replace(task=replace(task, ray=ray))
    if not tied or not all(claim.holds for claim in claims):
        return claims
    return [*claims, optimal(fit, tol, least, "tied" if claims else "optimal", not any(c.value for c in claims))]


def ray_claims(task: LogLoss, ray: F64, theta: F64) -> tuple[list[Claim], int]:
    """No minimum exists, and θ separates what the ray s does; and how many pairs of rows and classes s leaves tied.

    If no row's own logit loses to another along s, and one gains, then f(θ + s) < f(θ) for every θ.
    """
    loss, counts = 0.0, np.zeros(5, dtype=int)
    for A, code, _ in task.rows():
        (gain, rounding, size), (margin, blur, _) = task.gains(A, code, ray), task.gains(A, code, theta)
        gains = gain > np.maximum(rounding, TIE * size)
        ties = ~gains & (np.arange(len(theta)) != code[:, None])
        lost = np.where(ties, (rounding - gain) / np.where(size > 0, size, 1.0), 0.0)
        loss = float(np.maximum(loss, lost.max(initial=0.0)))  # a NaN, which overflow makes, is kept
        found = ~ties.any(axis=1), gains, gains & ~(margin > blur), gains & (margin <= -blur), ties
        counts += [int(np.count_nonzero(some)) for some in found]
    rows, gained, wrong, surely, tied = counts.tolist()
    how = "surely" if loss == 0 else f"for data changed by a relative {loss:.1e} at most"
    sentence = f"No minimum exists: no row's own class loses along a ray ({how}), and {rows} rows gain; largest loss."
    failure = "separation_ is no ray along which the log-loss falls: some row's own class loses, or none gains."
    loss, detail = loss if gained else np.inf, {"rows_gaining": rows}
    separated = at_most("separated", sentence, Grade.NO_SOLUTION, loss, TIE, detail, lower=0.0, failure=failure)
    sentence = "The coefficients order every pair of a row and a class that the ray separates; pairs that they do not."
    failure = f"The classes can be separated, and {wrong} pairs are on the wrong side: {ADVICE}."
    sides = at_most("sides", sentence, Grade.NO_SOLUTION, wrong, 0, lower=surely, failure=failure)
    return [separated, sides], tied


def stated_gap(attrs: Attributes, proved: Claim, tol: float) -> list[Claim]:
    """rel_gap_, where it is a number, is no less than the gap: that proved, or where there is no minimum, any."""
    stated = real(getattr(attrs.model, "rel_gap_", np.nan))
    if np.isnan(stated) or proved.value is None:
        return []
    gap, grade = (proved.value, Grade.OPTIMAL) if proved.name == "optimal" else (1.0, Grade.NO_SOLUTION)
    sentence = f"rel_gap_ is {stated:.1e}; by how much the proved gap is larger, if there is one."
    more = max(0.0, gap - stated) if 0 <= stated <= 1 else np.inf
    return [at_most("rel_gap", sentence, grade, more, tol, excuse=proved.excuse, lower=0.0)]
