"""Checker of LinearDiscriminantAnalysis: class estimates, the equations Σ w_k = μ_k − c, and Fisher's directions.

One reading per solver, μ_k, C_k and π_k being means, covariances and priors of the classes, x̄ = Σ π_k μ_k:

  svd          Σ = Σ (N_k/N) C_k, c = x̄; left out are directions of R (columns scaled to variance one) with √λ ≤ tol,
               then those in which the means spread by tol of the largest spread or less
  lsqr, eigen  Σ = Σ π_k C_k, each C_k shrunk or estimated as asked for, c = 0
A covariance without some directions has many solutions: the shortest in columns scaled to variance one is meant. For
scikit-learn's lsqr it is one whose part in those directions, columns as they are, tells no classes from each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, failed
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.class_claims import (
    TEN,
    entries_claim,
    posterior_claims,
    priors_claim,
    read_numbers,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_spread import OneClass, Spread, class_spread
from surefit.certificates.theorems.class_statistics.covariances import (
    arithmetic,
    covariance,
    estimates,
    read_shrinkage,
    shrunk,
)
from surefit.certificates.theorems.class_statistics.fisher import components, fisher_claims
from surefit.certificates.theorems.class_statistics.whitening import EPS, Metric, metric


@dataclass
class Fit:
    """What the model says, with a row of zeros for the first of two classes, and what the data say."""

    coef: F64  # (K, d)
    intercept: F64  # (K,)
    solver: str
    cut: float  # the model's tol
    u: float  # the rounding unit of the fit
    raw: bool  # whether directions that the covariance lacks are those of the columns as they are
    data: Spread
    priors: F64
    center: F64  # x̄, rounded: means are taken relative to it
    means: F64  # μ_k − center, (K, d)


@checker(
    *("classes_", "priors_", "means_", "covariance_", "coef_", "intercept_", "xbar_", "scalings_"),
    *("explained_variance_ratio_", "fisher_eigenvalues_"),
    *("predict", "predict_proba", "predict_log_proba", "decision_function", "transform"),
)
@reads_labels
def check_linear_discriminant_analysis(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Four passes over the data (more with automatic shrinkage), one eigendecomposition of d × d."""
    attrs = Attributes(model, "coef_")
    k, d, n = read_classes(attrs), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    rows, used, shrinkage = 1 if k == 2 else k, components(model, k, d), read_shrinkage(attrs)
    coef, intercept = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,), finite=False)
    stated, given = attrs.array("priors_", (k,)), read_numbers(attrs, "priors", k)
    solver, cut = attrs.text("solver", "svd"), real(attrs.parameter("tol", 1e-4))
    if solver not in ("svd", "lsqr", "eigen") or not 0 <= cut < 1e100 or used < 0 or (solver == "svd" and shrinkage):
        attrs.faults.append("solver, tol, n_components or shrinkage are not what this class takes")
    if attrs.faults or coef is None or intercept is None or stated is None:
        return [bad_attributes(attrs)], "no pass"
    if k == 2:
        coef, intercept = np.vstack([np.zeros(d), coef]), np.append(0.0, intercept)
    data = class_spread(blocks, k)
    if not (data.classes > 0).all():
        raise BadData("a class of classes_ has no rows, or none with a weight")
    share = data.classes / data.classes.sum()
    priors = share if given is None else given
    priors = priors / priors.sum() if abs(float(priors.sum()) - 1.0) > 1e-5 else priors
    center, foreign = priors @ data.base, any(c.__module__.startswith("sklearn.discr") for c in type(model).__mro__)
    means, u = (data.base - center) + data.shift, unit(model.coef_, model.means_)
    fit = Fit(coef, intercept, solver, cut, u, foreign and solver == "lsqr", data, priors, center, means)
    estimator, g = getattr(model, "covariance_estimator", None), arithmetic(blocks)[1]
    if isinstance(shrinkage, str) or estimator is not None:
        parts = list(estimates(blocks, data, shrinkage, estimator))
        own, g = sum(priors[j] * C for j, C, _ in parts), max(g, *(error for _, _, error in parts))
    else:
        own = shrunk(covariance(blocks, data, priors), shrinkage or 0.0)
    sigma, between = covariance(blocks, data, share) if solver == "svd" else own, None
    if solver != "svd" and attrs.has("scalings_"):  # the covariance of all rows less Σ; for svd means alone count
        whole = OneClass(blocks)
        (_, total, error), *_ = estimates(whole, class_spread(whole, 1), shrinkage, estimator)
        between, g = total - own, max(g, error)
    claims = [
        priors_claim(attrs, "priors_", np.log(stated), priors, tol, n),
        *_estimates(attrs, fit, sigma, own, tol, g),
    ]
    space = metric(sigma, np.abs(data.base).max(axis=0), cut**2 if solver == "svd" else 0.0, g)
    if space is None or not space.eta < 0.1:
        reason = "The covariance within classes is zero, or too close to singular to measure by."
        return [*claims, failed("scores", reason)], "four passes"
    claims += _linear(fit, space, tol, g)
    if solver != "lsqr" or attrs.has("scalings_"):
        claims += _fisher(attrs, fit, space, between, used, tol)
    if attrs.faults:
        return [bad_attributes(attrs)], "four passes"
    if all(claim.holds for claim in claims):
        claims += _answers(model, sample_rows(blocks), fit, used, foreign)
    return claims, f"four passes over the rows, {2.0 * n * d * d + 20.0 * d**3:.1e} operations"


def _estimates(attrs: Attributes, fit: Fit, sigma: F64, own: F64, tol: float, g: float) -> list[Claim]:
    """means_, xbar_ and covariance_, in standard deviations within classes."""
    data, d, size = fit.data, len(fit.center), np.abs(fit.data.base).max(axis=0)
    claims, means = [], attrs.array("means_", fit.means.shape)
    if means is not None:
        what = "means_ are the means of every class, in standard deviations within classes"
        off, error, excuse = data.means_off(means, _deviations(sigma, size), unit(attrs.model.means_))
        claims.append(entries_claim("means_", what, off, tol, error, excuse))
    xbar = attrs.array("xbar_", (d,)) if attrs.has("xbar_") or fit.solver == "svd" else None
    if xbar is not None:  # as if it were the mean of a class
        mean = Spread(data.classes, fit.center, fit.priors @ fit.means, fit.priors @ data.shift_error, size, size)
        what = "xbar_ is the mean of the class means by the priors, in standard deviations within classes"
        off, error, excuse = mean.means_off(xbar, _deviations(sigma, size), unit(attrs.model.xbar_))
        rounded = 8 * UNIT * size / _deviations(sigma, size)
        claims.append(entries_claim("xbar_", what, off, tol, error + rounded, np.maximum(excuse, rounded)))
    if attrs.has("covariance_") or fit.solver != "svd" or attrs.flag("store_covariance", False):
        stated, spread = attrs.array("covariance_", (d, d)), _deviations(own, size)
        if stated is not None:
            off = (np.abs(stated - own) / np.outer(spread, spread)).astype(np.float64)
            what = "covariance_ is the covariance within the classes by the priors, relative to the standard deviations"
            claims.append(entries_claim("covariance_", what, off, tol, g, TEN * fit.u))
    return claims


def _deviations(sigma: F64, size: F64) -> F64:
    """Standard deviations; the size of a column's means where it varies less than these are rounded: none uses it."""
    deviation = np.sqrt(np.maximum(np.diag(sigma).astype(np.float64), 0.0))
    deviation = np.where(deviation > 2 * EPS * size, deviation, size)
    return np.where(deviation > 0, deviation, 1.0)


def _linear(fit: Fit, space: Metric, tol: float, g: float) -> list[Claim]:
    """The scores of every class less those of the likeliest: their directions, and their values at x̄.

    With V = w_j − w_k the error of a score over rows of a class has the standard deviation ‖Wᵀ(ΣV − (μ_j − μ_k))‖. At x̄
    the scores are log π − ½‖μ − x̄‖² + ½‖x̄ − c‖². An error is held against half the distance to the nearest class:
    then those of two classes are together within their distance. What all classes share, which changes no
    probability, is a last row: Σ π w solves Σ w = x̄ − c, held against the largest distance.
    """
    means, d = space.within(fit.means) if fit.raw else fit.means, len(fit.center)
    places, origin = means @ space.W, np.zeros(space.W.shape[1])
    if fit.solver == "svd":  # only directions in which the means spread
        _, s, Vt = np.linalg.svd((places * np.sqrt(fit.priors)[:, None]).astype(np.float64), full_matrices=False)
        Vt = Vt[: len(places) - 1][s[: len(places) - 1] > fit.cut * s[0]]
        Z = places @ Vt.T @ Vt
    else:
        Z, origin = places, (space.within(fit.center[None]) if fit.raw else fit.center[None])[0] @ space.W
    first, there = int(np.argmax(fit.priors)), fit.priors > 0
    others = np.arange(len(Z)) != first
    squares, logs = (Z**2).sum(axis=1), np.log(fit.priors).astype(np.longdouble)
    b, scores = fit.intercept.astype(np.longdouble), logs - 0.5 * squares
    V = np.vstack([(fit.coef - fit.coef[first])[others], fit.priors[there] @ fit.coef[there]])
    aims = np.vstack([(Z - Z[first])[others], origin])
    shared = fit.priors[there] @ (b - scores)[there] - 0.5 * origin @ origin
    at = V.astype(np.longdouble) @ fit.center + np.append((b - b[first])[others], shared)
    values = np.append((scores - scores[first])[others], 0.0)
    # what each is known to, and what the roundings of the model's precision excuse, class by class
    L, deviation = space.lengths, np.sqrt(np.maximum(np.diag(space.sigma).astype(np.float64), 0.0))
    moved = L(fit.data.shift_error + (4 * UNIT + g) * np.abs(means))
    length = np.linalg.norm(fit.coef @ space.sigma @ space.W, axis=1)
    u, stored, root = TEN * fit.u, TEN * space.stored(fit.u), np.sqrt(squares)
    excuse = stored * length + u * L(fit.data.base)
    value_error = space.eta * squares + root * moved + 64 * UNIT * (1 + np.abs(np.where(there, logs, 0.0)) + squares)
    value_excuse = u * (np.abs(fit.coef) @ np.abs(fit.center) + np.abs(np.where(there, b, 0.0)))
    value_excuse = value_excuse + stored * squares + root * u * L(fit.data.base)

    def joint(a: F64) -> F64:
        """Of a class and the likeliest together; of the last row the largest."""
        return np.append(a[others] + a[first], a.max()).astype(np.float64)

    nearest = np.array([np.sort(np.linalg.norm(places - place, axis=1))[1] for place in places], dtype=np.float64)
    near, far = np.maximum(nearest[others] / 2, SAME), max(1.0, float(root.max()), float(np.linalg.norm(origin)))
    E = np.linalg.norm((V @ space.sigma) @ space.W - aims, axis=1).astype(np.float64)
    error = g * float(L(deviation)) * (np.abs(V) @ deviation) + joint(moved) + space.eta * E
    error = error + 64 * d * UNIT * np.linalg.norm(aims, axis=1)
    off = np.where(at == values, 0.0, np.abs(at - values)).astype(np.float64)
    last = len(E) if len(Z) > 2 else len(E) - 1  # two classes share nothing
    unit_of_score, unit_of_value = np.append(near, far)[:last], np.append(np.maximum(near, 0.5), far**2)[:last]
    value_error = joint(value_error) + 64 * d * UNIT * (np.linalg.norm(aims, axis=1) ** 2)
    outside = np.abs((V - space.within(V)) @ fit.means.T) if fit.raw else space.outside(V[:-1])
    excuse, value_excuse = joint(excuse), joint(value_excuse)
    off, E, error, excuse = off[:last] / unit_of_value, *(a[:last] / unit_of_score for a in (E, error, excuse))
    value_error, value_excuse = value_error[:last] / unit_of_value, value_excuse[:last] / unit_of_value
    claims = [
        entries_claim("scores", SCORES, E, tol, error, excuse),
        entries_claim("intercept", VALUES, off, tol, value_error, value_excuse),
    ]
    return [*claims, entries_claim("span", SPAN, outside, tol, 8 * d * EPS, stored)]


SAME = 0.5e-6  # half the distance, in deviations, below which classes are in one place
SCORES = (
    "The scores of every two classes go in the direction Σ⁻¹(μ_j − μ_k): error in standard deviations of a row, "
    "relative to the distance of the two classes (a millionth of a deviation at least)"
)
SPAN = "The coefficients have no part that counts in directions that the covariance lacks"
VALUES = (
    "At the mean of the classes the scores of every two differ by log π_j/π_k − ½ the difference of their squared "
    "distances; relative to their distance where that is above one"
)


def _fisher(attrs: Attributes, fit: Fit, space: Metric, between: F64 | None, used: int, tol: float) -> list[Claim]:
    F = (fit.means * np.sqrt(fit.priors)[:, None]) @ space.W
    M = F.T @ F if between is None else space.W.T @ between @ space.W
    s = np.linalg.svd(F.astype(np.float64), compute_uv=False)[: len(F) - 1]
    wanted = len(M) if between is not None else int(np.count_nonzero(s > fit.cut * s[0]))
    root = max(float(np.linalg.norm(F)), 1e-300)
    excuse = TEN * (space.stored(fit.u) + fit.u * float(space.lengths(np.abs(fit.data.base).max(axis=0))) / root)
    return fisher_claims(attrs, space, M, wanted, used, tol, excuse)


def _answers(model: Any, X: NDArray, fit: Fit, used: int, foreign: bool) -> list[Claim]:
    d, x, two = X.shape[1], np.asarray(X, dtype=np.float64), len(fit.coef) == 2
    u = unit(np.zeros(0, np.result_type(X, model.coef_)))  # what products of rows and coefficients are formed in
    score = x @ fit.coef.T
    r = gamma(d + 8, u) * (
        np.abs(x) @ np.abs(fit.coef.T) + np.where(np.isfinite(fit.intercept), np.abs(fit.intercept), 0)
    )
    # scikit-learn answers logarithms of probabilities, and of two classes the first has one less the other
    formed = np.array([8 * u, 0.0]) if two else np.zeros(len(fit.coef))
    claims = posterior_claims(model, X, score, fit.intercept, r, u, formed if foreign else None)
    score = score + fit.intercept
    claims.append(numbers_claim(model, "decision_function", X, score[:, 1] if two else score, r[:, 1] if two else r))
    if getattr(model, "scalings_", None) is None:
        return claims
    S = np.asarray(model.scalings_, dtype=np.float64)[:, :used]
    shift = np.asarray(model.xbar_, dtype=np.float64) if fit.solver == "svd" else np.zeros(d)
    r = gamma(d + 8, unit(X, model.scalings_)) * ((np.abs(x) + np.abs(shift)) @ np.abs(S))
    return [*claims, numbers_claim(model, "transform", X, (x - shift) @ S, r)]
