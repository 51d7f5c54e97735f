"""Claims that classifiers with a model of every class share: entries against a recount, priors, and what is predicted.

Everything is measured as predictions feel it: means in standard deviations of their class, variances relative to
themselves, probabilities by their logarithms. An attribute stored in a type with rounding unit u is excused ten
roundings of its own size, entry by entry, and nothing else; a mean, beyond a thousandth of a deviation, one rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, numbers_claim
from surefit.certificates.blocks import F64
from surefit.certificates.claim import UNIT, Claim, Grade, at_most, gamma
from surefit.certificates.labels import labels_claim

TEN = 10.0
FELT = 1e-3  # deviations by which a mean may be off before answers change in a way that nobody calls rounding
AGAIN = "was it fitted to these rows, weights and parameters, and in a precision that holds its sums?"


def unit(*arrays: Any) -> float:
    """The coarsest rounding unit among the arrays' types."""
    kinds = [np.asarray(a).dtype for a in arrays]
    return max((float(np.finfo(t).eps) / 2 for t in kinds if t.kind == "f"), default=UNIT)


def roundings(size: F64, u: float) -> F64:
    """Ten roundings of a stored mean, `size` in deviations; of those that are felt only the one that storing costs."""
    return np.maximum(1.001 * u * size, np.minimum(TEN * u * size, FELT))


def entries_claim(name: str, what: str, off: F64, limit: float, error: F64 | float, excuse: F64 | float) -> Claim:
    """off + error ≤ limit + excuse for every entry.

    The numbers shown are those of the largest entry where all hold, else of the one that is farthest above its limit.
    """
    off = np.where(np.isnan(off), np.inf, off).ravel()
    error, excuse = (np.broadcast_to(np.asarray(a, dtype=np.float64).ravel(), off.shape) for a in (error, excuse))
    excuse = np.where(np.isfinite(excuse), excuse, 0.0)
    if not off.size:
        return at_most(name, f"{what}; there are none.", Grade.EXACT, 0.0, limit)
    above = off + error - excuse
    i = int(np.argmax(off + error if (above <= limit).all() else above))
    return at_most(
        name,
        f"{what}; largest difference.",
        Grade.EXACT,
        off[i],
        limit,
        error=error[i],
        excuse=excuse[i],
        failure=f"Not so: {what}; differs by up to {off[i]:.3g}: {AGAIN}",
    )


def counts_claim(name: str, stated: F64, truth: F64, limit: float, n: int, u: float) -> Claim:
    """Sums of what is not negative, relative to themselves; a sum of zero is zero."""
    off = np.where(stated == truth, 0.0, np.abs(stated - truth) / np.where(truth > 0, truth, np.abs(stated)))
    return entries_claim(
        name, f"{name} is what a recount of the rows gives, relative", off, limit, gamma(n + 4), TEN * u
    )


def logs_claim(name: str, what: str, stated: F64, truth: F64, limit: float, n: int, u: float) -> Claim:
    """Logarithms of ratios of sums over n terms: a difference is a relative error of the ratio. −∞ must be −∞."""
    same = (stated == truth) | (np.isnan(stated) & np.isnan(truth))
    off = np.where(same, 0.0, np.abs(stated - np.where(same, 0.0, truth)))
    size = np.where(np.isfinite(truth), 1.0 + np.abs(truth), 1.0)
    return entries_claim(name, what, off, limit, gamma(2 * n + 16) * size, TEN * u * size)


def half_a_row(tol: float, n: int) -> float:
    """Counts and shares: a relative error below that of one row among n."""
    return min(tol, 0.5 / max(n, 1))


# --- parameters -----------------------------------------------------------------------------------------------------


def read_numbers(attrs: Attributes, name: str, n: int) -> F64 | None:
    """A parameter that is None or n numbers that are not negative; a fault for anything else."""
    given = getattr(attrs.model, name, None)
    if given is None:
        return None
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):  # ragged lists
        array = np.asarray("")
    if array.dtype.kind not in "biuf" or array.shape != (n,) or not (np.isfinite(array) & (array >= 0)).all():
        attrs.faults.append(f"{name} is neither None nor {n} numbers that are not negative")
        return None
    return array.astype(np.float64)


def priors_claim(name: str, logs: F64, truth: F64, n: int, tol: float, u: float) -> Claim:
    """Prior probabilities by their logarithms."""
    what = f"{name} are the shares of the weights, the ones asked for, or all alike; by their logarithms"
    return logs_claim(name, what, logs, np.log(truth), half_a_row(tol, n), n, u)


def class_count_claims(attrs: Attributes, classes: F64, n: int, tol: float) -> list[Claim]:
    """class_count_ and class_log_prior_: the priors asked for, the shares of the classes, or all alike."""
    k, model = len(classes), attrs.model
    count, prior = attrs.array("class_count_", (k,)), attrs.array("class_log_prior_", (k,), finite=False)
    given = read_numbers(attrs, "class_prior", k)
    if count is None or prior is None:
        return []
    share = classes / classes.sum() if attrs.flag("fit_prior", True) else np.full(k, 1.0 / k)
    truth = share if given is None else given
    return [
        counts_claim("class_count_", count, classes, half_a_row(tol, n), n, unit(model.class_count_)),
        priors_claim("class_log_prior_", prior, truth, n, tol, unit(model.class_log_prior_)),
    ]


# --- predictions ----------------------------------------------------------------------------------------------------


def posterior_claims(
    model: Any, X: NDArray, scores: F64, rounding: F64, u: float, formed: F64 | None = None
) -> list[Claim]:
    """predict, predict_proba, predict_log_proba and predict_joint_log_proba, those that there are, on rows X.

    scores    log P(class) + log P(row | class) by the fitted attributes, (n, K), rounded by at most `rounding` (n,)
    formed    for a model that answers logarithms of probabilities it has formed: their absolute rounding, per class
    With scores within r every logarithm of a posterior is within 2r, and a posterior within 2r of itself. A row
    without a finite score (a count that no class allows) is left out.
    """
    keep = (scores < np.inf).all(axis=1) & np.isfinite(scores.max(axis=1)) & np.isfinite(rounding)
    X, scores, r = X[keep], scores[keep], rounding[keep][:, None]
    if not len(X):
        return [Claim("predict", "No sampled row has finite scores: not compared.", Grade.EXACT, None, None, True)]
    top = scores.max(axis=1, keepdims=True)
    logs = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    p, wide = np.exp(logs), 2 * r + (scores.shape[1] + 8) * u
    log_rounding, coarse = wide + 4 * u * np.abs(logs), np.zeros(scores.shape[1]) if formed is None else formed
    if formed is not None:  # the logarithm of a number below the least is that of the least
        least = np.finfo(np.float32 if u > UNIT else np.float64).smallest_normal
        log_rounding = np.where(p < 2 * least, np.inf, log_rounding + coarse / np.maximum(p, least))
        logs = np.maximum(logs, np.log(least))
    expected: dict[str, tuple[F64, F64]] = {
        "predict_proba": (p, np.expm1(np.minimum(wide, 50.0)) * p + u * u + coarse),
        "predict_log_proba": (logs, log_rounding),
        "predict_joint_log_proba": (scores, r + 4 * u * np.abs(scores)),
    }
    there = [name for name in ("predict", *expected) if callable(getattr(type(model), name, None))]
    claims = [labels_claim(model, X, scores, r[:, 0])] if "predict" in there else []
    return claims + [numbers_claim(model, name, X, *expected[name]) for name in there if name in expected]


def prior_rounding(rounding: F64, prior: F64, u: float) -> F64:
    """The largest rounding of a row's scores with the priors added."""
    return (rounding + 4 * u * np.where(np.isfinite(prior), np.abs(prior), 0.0)).max(axis=1)
