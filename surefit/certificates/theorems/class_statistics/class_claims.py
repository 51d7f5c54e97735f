"""Claims that classifiers with a model of every class share: entries against a recount, priors, and what is predicted.

Everything is measured as predictions feel it: means in standard deviations of their class, counts and probabilities by
their logarithms, which is relative to themselves. An attribute stored in a type with rounding unit u is excused ten
roundings of its own size, entry by entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim
from surefit.certificates.predictions import numbers_claim
from surefit.certificates.rounding import UNIT, gamma

TEN = 10.0
FELT = 1e-3  # deviations by which a mean may be off before answers change in a way that nobody calls rounding
AGAIN = "was it fitted to these rows, weights and parameters, and in a precision that holds its sums?"


def unit(*arrays: Any) -> float:
    """The coarsest rounding unit among the arrays' types."""
    kinds = [np.asarray(a).dtype for a in arrays]
    return max((float(np.finfo(t).eps) / 2 for t in kinds if t.kind == "f"), default=UNIT)


def entries_claim(name: str, what: str, off: F64, limit: float, error: F64 | float, excuse: F64 | float) -> Claim:
    """off + error ≤ limit + excuse for every entry; shown are the largest, or the one farthest above its limit."""
    off, error, excuse = (np.append(a, 0.0) for a in np.broadcast_arrays(off, error, excuse))
    excuse = np.where(np.isfinite(excuse), excuse, 0.0)
    above = off + error - excuse
    i = int(np.argmax(off + error if (above <= limit).all() else above))
    sentence, failure = f"{what}; largest difference.", f"Not so: {what}; differs by up to {off[i]:.3g}: {AGAIN}"
    return at_most(name, sentence, Grade.EXACT, off[i], limit, error=error[i], excuse=excuse[i], failure=failure)


def means_off(means: F64, base: F64, shift: F64, known: F64, deviation: F64, u: float) -> tuple[F64, F64, F64]:
    """How far stated means are off base + shift, what that is known to, and what storing them in units of u excuses.

    All in deviations. Excused are ten roundings; of those that are felt only the one that storing costs.
    """
    off, size = np.abs((means - base) - shift), np.abs(base) / deviation
    error = (known + 2 * UNIT * np.abs(means - base)) / deviation
    return off / deviation, error, np.maximum(1.001 * u * size, np.minimum(TEN * u * size, FELT))


def logs_claim(
    attrs: Attributes, name: str, what: str, stated: F64, truth: F64, tol: float, n: float, stored: F64 | None = None
) -> Claim:
    """Logarithms of ratios of sums over n terms: a difference is a relative error of the ratio. −∞ must be −∞.

    One row among n is above the limit. Ten roundings of what is stored are excused: the logarithms, or `stored`.
    """
    off = np.where((stated == truth) | (np.isnan(stated) & np.isnan(truth)), 0.0, np.abs(stated - truth))
    size = np.where(np.isfinite(truth), 1.0 + np.abs(truth), 1.0)
    held = getattr(attrs.model, name)
    u = unit(*held) if isinstance(held, list) else unit(held)
    off, excuse = np.where(np.isnan(off), np.inf, off), TEN * u * (size if stored is None else stored)
    return entries_claim(name, f"{what}, by logarithms", off, min(tol, 0.5 / n), gamma(2 * n + 16) * size, excuse)


def counts_claim(attrs: Attributes, name: str, stated: F64, truth: F64, tol: float, n: int) -> Claim:
    """Sums of what is not negative; a sum of zero is zero."""
    what = f"{name} is what a recount of the rows gives"
    return logs_claim(attrs, name, what, np.log(stated), np.log(truth), tol, n, np.ones(()))


def read_numbers(attrs: Attributes, name: str, n: int) -> F64 | None:
    """A parameter that is None or n numbers that are not negative; a fault for anything else."""
    given = attrs.array(name, (n,)) if attrs.has(name) else None
    if given is not None and (given < 0).any():
        attrs.faults.append(f"{name} has negative entries")
    return given


def priors_claim(attrs: Attributes, name: str, stated: F64, truth: F64, tol: float, n: int) -> Claim:
    what = f"{name} are the shares of the weights, the ones asked for, or all alike"
    return logs_claim(attrs, name, what, stated, np.log(truth), tol, n)


def class_count_claims(attrs: Attributes, classes: F64, n: int, tol: float) -> list[Claim]:
    """class_count_, class_log_prior_ and class_prior_: the priors asked for, the classes' shares, or all alike."""
    k = len(classes)
    count, prior = attrs.array("class_count_", (k,)), attrs.array("class_log_prior_", (k,), finite=False)
    truth = read_numbers(attrs, "class_prior", k)
    if count is None or prior is None:
        return []
    if truth is None:
        truth = classes / classes.sum() if attrs.flag("fit_prior", True) else np.full(k, 1.0 / k)
    claims = [
        counts_claim(attrs, "class_count_", count, classes, tol, n),
        priors_claim(attrs, "class_log_prior_", prior, truth, tol, n),
    ]
    shares = attrs.array("class_prior_", (k,)) if hasattr(attrs.model, "class_prior_") else None
    return claims if shares is None else [*claims, priors_claim(attrs, "class_prior_", np.log(shares), truth, tol, n)]


def posterior_claims(
    model: Any, X: NDArray, likely: F64, prior: F64, rounding: F64, u: float, formed: bool = False
) -> list[Claim]:
    """What there is of predict, predict_proba, predict_log_proba, predict_joint_log_proba and decision_function.

    Scores are log P(row | class), `likely`, rounded by at most `rounding`, and log P(class): with scores within r every
    logarithm of a posterior is within 2r. A row without a finite score (a count that no class allows), or with one that
    is not known, is left out. `formed`: logarithms are taken of probabilities, of two the first is one less the other.
    """
    scores = likely + prior
    r = np.where(np.isfinite(scores), rounding + 4 * u * np.abs(prior), 0.0).max(axis=1)
    known = np.isfinite(scores.max(axis=1) + r)
    if not known.any():
        return [failed("predict", "No sampled row has finite scores: what is predicted cannot be checked.")]
    X, scores, r = X[known], scores[known], r[known, None]
    logs = scores - scores.max(axis=1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    p, wide, absolute = np.exp(logs), 2 * r + (scores.shape[1] + 8) * u, 16 * u if formed else 0.0
    logs = np.maximum(logs, -700.0) if formed else logs  # where such a probability is zero
    felt, two = r + 4 * u * np.abs(scores), scores.shape[1] == 2
    expected: dict[str, tuple[F64, F64]] = {
        "predict_proba": (p, np.expm1(np.minimum(wide, 50.0)) * p + u * u + absolute),
        "predict_log_proba": (logs, wide + 4 * u * np.abs(logs) + absolute * np.exp(np.minimum(-logs, 700.0))),
        "predict_joint_log_proba": (scores, felt),
        "decision_function": (scores[:, 1] - scores[:, 0], felt.sum(axis=1)) if two else (scores, felt),
    }
    claims = [labels_claim(model, X, scores, r[:, 0])] if callable(getattr(type(model), "predict", None)) else []
    there = [name for name in expected if callable(getattr(type(model), name, None))]
    return claims + [numbers_claim(model, name, X, *expected[name]) for name in there]
