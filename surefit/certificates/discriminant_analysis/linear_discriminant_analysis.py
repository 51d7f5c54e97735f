"""Checker of LinearDiscriminantAnalysis: class estimates, the equations Σ w_k = μ_k − c, and Fisher's directions.

Σ is the covariance within the classes. c is zero, or the mean x̄ of the class means: it drops out of all comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon, typical
from surefit.certificates.theorems.class_claims import means_claim, prior_options, priors_claim, read_numbers
from surefit.certificates.theorems.class_moments import (
    MAX_COLUMNS,
    ClassMoments,
    Estimates,
    class_covariances,
    class_moments,
    read_shrinkage,
    shrunk_covariances,
    total_covariance,
)
from surefit.certificates.theorems.classes import read_classes
from surefit.certificates.theorems.fisher import fisher_claims
from surefit.certificates.theorems.twofold import dot
from surefit.certificates.theorems.whitening import Whitening, condition_unscaled, whitenings

TIGHT = {False: 1e-7, True: 1e-3}
WORST = 1e-3  # the share that rounding of ill-conditioned data may be excused for


@dataclass
class Fit:
    """What the model says."""

    coef: F64
    intercept: F64
    means: F64
    priors: F64
    covariance: F64 | None
    solver: str
    tol: float


@dataclass
class Solution:
    """One reading of Σ and c, with the errors of coef_ under it."""

    white: Whitening
    c: F64
    targets: F64  # what Σ w_k should be, (rows, d)
    scores: float  # largest error of a score's direction relative to the others, Mahalanobis norm
    common: float  # the part of that error which all classes share: it changes no comparison
    spread: float  # the size of that norm for the classes
    backward: float
    condition: float
    raw: float  # Mahalanobis size of what the solver divides: μ_k − c
    a: F64  # (μ_k − x̄) in the coordinates where Σ is one
    common_score: float  # what all scores at x̄ share


@checker()
def check_linear_discriminant_analysis(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes over the data (five with automatic shrinkage), one eigendecomposition of d × d."""
    attrs = Attributes(model, "coef_")
    k = read_classes(attrs)
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    moments = class_moments(blocks, k)
    given, shrinkage = read_numbers(attrs, "priors", k), read_shrinkage(attrs)
    fit = _read(attrs, k, blocks.n_features)
    if fit is None or attrs.faults:
        return [bad_attributes(attrs)], "two passes"
    eps = epsilon(moments.labels.single, np.asarray(model.coef_), np.asarray(model.means_))
    options = prior_options(given, moments.share, normalise=True)
    claims = [
        priors_claim("priors_", fit.priors, options, blocks.n_rows, eps),
        means_claim("means_", fit.means, moments.means, moments.size, blocks.n_rows, eps),
    ]
    if blocks.n_features > MAX_COLUMNS:
        claims.append(failed("within", f"More than {MAX_COLUMNS} columns: the covariance is not formed."))
        return claims, "two passes"
    data = _estimate(attrs, blocks, moments, options[0], shrinkage)
    claims += _covariance(attrs, fit, data, eps, blocks.n_rows)
    if attrs.faults:
        return [bad_attributes(attrs)], "three passes"
    solutions = list(_solutions(fit, data, eps))
    if not solutions:
        claims.append(failed("scores", "The classes have no spread: there is no covariance to divide by."))
        return claims, "three passes"
    best = min(solutions, key=lambda s: (s.scores + s.common) / max(s.spread, 1e-300) if s.scores < np.inf else np.inf)
    claims += _linear(fit, data, best, eps, blocks.n_rows)
    slack = _slack(best, eps, blocks.n_rows)
    claims += fisher_claims(attrs, data, best.white, fit.solver, fit.tol, slack, TIGHT[eps > 1e-10])
    d = blocks.n_features
    return claims, f"three passes over the rows, {2.0 * blocks.n_rows * d * d + 20.0 * d**3:.1e} operations"


def _read(attrs: Attributes, k: int, d: int) -> Fit | None:
    rows = 1 if k == 2 else k
    coef, intercept = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,), finite=False)
    means, priors = attrs.array("means_", (k, d)), attrs.array("priors_", (k,))
    solver, tol = attrs.parameter("solver", "svd"), real(attrs.parameter("tol", 1e-4))
    tol = tol if 0 <= tol < 1 else 1e-4
    if coef is None or intercept is None or means is None or priors is None:
        return None
    if not isinstance(solver, str) or solver not in ("svd", "lsqr", "eigen"):
        attrs.faults.append("solver is none of 'svd', 'lsqr' and 'eigen'")
        return None
    covariance = None
    if attrs.has("covariance_") or solver != "svd" or attrs.flag("store_covariance", False):
        covariance = attrs.array("covariance_", (d, d))
    return Fit(coef, intercept, means, priors, covariance, solver, tol)


def _estimate(attrs: Attributes, blocks: Blocks, moments: ClassMoments, priors: F64, shrinkage: Any) -> Estimates:
    d, share, means = blocks.n_features, moments.share, moments.means
    estimator = getattr(attrs.model, "covariance_estimator", None)
    stored, pooled = np.zeros((d, d)), np.zeros((d, d))
    for k, C in shrunk_covariances(blocks, moments, shrinkage, estimator):
        stored += priors[k] * C
        pooled += share[k] * C
    centre = priors @ means
    within = [stored] if np.allclose(priors, share, rtol=1e-14) else [stored, pooled]
    if attrs.parameter("solver", "svd") == "svd":
        within.reverse()
    total = None
    if attrs.has("scalings_") and attrs.parameter("solver", "svd") != "svd":
        plain = pooled if shrinkage is None and estimator is None else np.zeros((d, d))
        if plain is not pooled:
            for k, C in class_covariances(blocks, moments):
                plain += share[k] * C
        off = means - moments.labels.x_mean
        plain = plain + off.T @ (off * share[:, None])
        total = total_covariance(blocks, moments, plain, shrinkage, estimator)
    return Estimates(moments, priors, centre, stored, within, total)


def _covariance(attrs: Attributes, fit: Fit, data: Estimates, eps: float, n: int) -> list[Claim]:
    if fit.covariance is None:
        return []
    return [covariance_claim(fit.covariance[None], data.stored[None], data.moments.size, eps, n)]


def covariance_claim(stated: F64, truth: F64, size: F64, eps: float, n: int) -> Claim:
    """Entry by entry, relative to the standard deviations; rows far from zero lose digits in any solver."""
    variance = np.einsum("kii->ki", truth)
    spread = np.sqrt(np.maximum(variance, 0.0)) + 16.0 * eps * size
    spread = np.where(spread > 0, spread, 1.0)
    off = np.abs(stated - truth) / (spread[:, :, None] * spread[:, None, :])
    return at_most(
        "covariance_",
        "covariance_ is the (shrunk) covariance within the classes; largest error relative to the standard deviations.",
        Grade.EXACT,
        off.max(initial=0.0),
        64.0 * typical(n, eps) + min(32.0 * eps * float((size / spread).max(initial=0.0)), 1e-2),
    )


def _solutions(fit: Fit, data: Estimates, eps: float) -> Iterator[Solution]:
    """Every reading of the definition: which Σ, its rank where singular, c = 0 or x̄, small directions dropped."""
    means, d = data.moments.means, len(data.centre)
    for sigma in data.within:
        if not np.isfinite(sigma).all():
            continue
        unscaled = condition_unscaled(sigma) if fit.solver == "lsqr" else 0.0
        for white in whitenings(sigma, fit.tol**2 if fit.solver == "svd" else None, eps):
            for c, drop in ((data.centre, False), (data.centre, True), (np.zeros(d), False)):
                solution = _solution(fit, means, data, white, c, drop)
                if solution is not None:
                    solution.condition = max(solution.condition, unscaled)
                    yield solution


def _solution(fit: Fit, means: F64, data: Estimates, white: Whitening, c: F64, drop: bool) -> Solution | None:
    a = (means - c) @ white.W
    centred = (means - data.centre) @ white.W
    if drop:
        # directions in which the classes differ by less than tol of the largest difference
        _, s, Vt = np.linalg.svd(centred * np.sqrt(data.priors)[:, None], full_matrices=False)
        keep = s > fit.tol * s[0] * (1 - 1e-6)
        if keep.all() or fit.solver != "svd":
            return None
        a = a @ Vt[keep].T @ Vt[keep]
        centred = centred @ Vt[keep].T @ Vt[keep]
    spread = float(np.sqrt((centred**2).sum(axis=1)).max())
    plain = a if fit.solver == "svd" else means @ white.W
    raw = float(np.sqrt((plain**2).sum(axis=1)).max())
    wanted = a if len(fit.coef) > 1 else a[1:] - a[:1]
    targets = wanted @ white.W.T @ white.sigma
    got = fit.coef @ white.sigma
    errors = (got - targets) @ white.W
    residual = (got - targets) / white.scale
    size = white.top * np.linalg.norm(fit.coef * white.scale, axis=1) + np.linalg.norm(targets / white.scale, axis=1)
    # a mean of zero is one up to the rounding of its rows
    rounded = typical(data.moments.labels.total) * np.linalg.norm(data.moments.size / white.scale)
    backward = np.maximum(np.linalg.norm(residual, axis=1) - rounded, 0.0) / np.where(size > 0, size, 1.0)
    middle = errors.mean(axis=0) if len(errors) > 1 else np.zeros(white.rank)
    scores = float(np.linalg.norm(errors - middle, axis=1).max()) + white.outside(fit.coef.T) * max(spread, raw)
    common = float(np.linalg.norm(middle))
    shared = 0.5 * float((((data.centre - c) @ white.W) ** 2).sum())
    return Solution(
        white, c, targets, scores, common, spread, float(backward.max()), white.condition, raw, centred, shared
    )


def _slack(best: Solution, eps: float, n: int) -> float:
    """What rounding may do to the scores, relative to the size of what is divided by Σ: condition times ε."""
    return min(32.0 * typical(n + best.white.rank, eps) * min(best.condition, 1e16), WORST)


def _linear(fit: Fit, data: Estimates, best: Solution, eps: float, n: int) -> list[Claim]:
    limit, slack = TIGHT[eps > 1e-10], _slack(best, eps, n)
    scale = np.sqrt(np.maximum(np.diag(best.white.sigma), 0.0))
    offset = float((data.moments.size / np.where(scale > 0, scale, np.inf)).max(initial=0.0))
    # rows far from zero: means are known to ε offset, Σ to a relative ε offset, and this goes times the raw size
    far = slack * (1.0 + best.raw + offset)
    farther = far + 32.0 * eps * min(best.condition, 1e16) * offset * best.raw
    most = WORST * max(best.spread, 1.0)
    scores = best.scores / (best.spread + min(far, most) / limit)
    common = best.common / (best.spread + min(farther, 10 * most) / limit)
    claims = [
        at_most(
            "solves",
            "coef_ solves Σ w = μ − c for every class, Σ the covariance within classes; backward error, columns scaled "
            f"({best.white.how}, rank {best.white.rank}).",
            Grade.EXACT,
            best.backward,
            limit + slack,
        ),
        at_most(
            "scores",
            "The scores of the classes go in the directions Σ⁻¹(μ − c): error in standard deviations of a row, "
            "relative to the distance between classes.",
            Grade.EXACT,
            max(scores, common) if not np.isnan(scores + common) else np.nan,
            limit,
            {"distance": best.spread, "relative_to_others": scores, "shared_by_all": common},
        ),
        _intercept(fit, data, best, limit, slack),
    ]
    claims.append(
        Claim(
            "condition",
            "Condition number of the covariance within classes, columns scaled to variance one.",
            Grade.EXACT,
            best.white.condition,
            None,
            True,
        )
    )
    return claims


def _intercept(fit: Fit, data: Estimates, best: Solution, limit: float, slack: float) -> Claim:
    """The scores at the centre x̄ of the classes: w_k·x̄ + b_k = log π_k − ½‖μ_k − x̄‖² + t, norms those of Σ⁻¹.

    t = ½‖x̄ − c‖² is common to all classes: its error changes no comparison.
    """
    centre, logs = data.centre, np.log(data.priors)
    truth = logs - 0.5 * (best.a**2).sum(axis=1)
    got = np.array([dot(w, centre, float(b)) for w, b in zip(fit.coef, fit.intercept, strict=True)])
    size = 1.0 + np.abs(logs) + 0.5 * best.spread**2
    shared = 0.0
    if len(fit.coef) == 1:
        truth, size = truth[1:] - truth[:1], size[1:] + size[:1]
    finite = np.isfinite(truth)
    same = bool((fit.intercept[~finite] == truth[~finite]).all())
    off = np.where(finite, got - np.where(finite, truth, 0.0), 0.0)
    if len(fit.coef) > 1 and finite.any():
        common = float(off[finite].mean())
        off = np.where(finite, off - common, 0.0)
        shared = abs(common - best.common_score) / (float(size[finite].max()) + abs(best.common_score))
    size = np.where(finite, size, 1.0)
    terms = np.abs(fit.coef) @ np.abs(centre)
    floor = np.minimum(slack * (1.0 + terms + best.raw**2), WORST * size)
    off = np.abs(off) / (size + floor / limit)
    return at_most(
        "intercept",
        "intercept_ makes the score of every class at the mean of the classes log π − ½ its squared distance; largest "
        "error relative to the size of the scores.",
        Grade.EXACT,
        max(off.max(), shared) if same else np.inf,
        limit,
        {"relative_to_others": float(off.max()), "shared_by_all": shared},
    )
