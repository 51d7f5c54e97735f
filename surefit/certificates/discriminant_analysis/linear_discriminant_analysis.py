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

from surefit.certificates.attributes import Attributes, bad_attributes, numbers_claim, real, sample_rows
from surefit.certificates.blocks import F64, Blocks, Findings, checker
from surefit.certificates.claim import UNIT, Claim, failed, gamma, refuted
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.theorems.class_statistics.class_claims import (
    TEN,
    entries_claim,
    posterior_claims,
    priors_claim,
    read_numbers,
    roundings,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_spread import Spread, class_spread
from surefit.certificates.theorems.class_statistics.covariances import (
    Shrinkage,
    arithmetic,
    class_covariances,
    estimates,
    read_shrinkage,
    shrunk,
    total_covariance,
)
from surefit.certificates.theorems.class_statistics.fisher import components, fisher_claims
from surefit.certificates.theorems.class_statistics.whitening import EPS, Metric, metric

MAX_COLUMNS = 3000  # beyond, no d × d matrix is formed


@dataclass
class Fit:
    """What the model says, with a row of zeros for the first of two classes."""

    coef: F64  # (K, d)
    intercept: F64  # (K,)
    solver: str
    tol: float
    foreign: bool  # scikit-learn's class, or one derived from it
    u: float  # the rounding unit of the fit

    @property
    def raw(self) -> bool:
        """Whether directions that the covariance lacks are those of the columns as they are."""
        return self.foreign and self.solver == "lsqr"


@dataclass
class Truth:
    """What the data say."""

    data: Spread
    priors: F64
    center: F64  # x̄, rounded: means are taken relative to it
    means: F64  # μ_k − center, (K, d)
    errors: F64  # of these
    stored: F64  # Σ π_k C_k, what covariance_ is
    sigma: F64  # Σ
    between: F64 | None  # the covariance of all rows less Σ; None for svd, where means alone count
    gamma: float  # of the entries of all these


@checker(
    *("classes_", "priors_", "means_", "covariance_", "coef_", "intercept_", "xbar_", "scalings_"),
    *("explained_variance_ratio_", "fisher_eigenvalues_"),
    *("predict", "predict_proba", "predict_log_proba", "decision_function", "transform"),
)
@reads_labels
def check_linear_discriminant_analysis(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes over the data (more with automatic shrinkage), one eigendecomposition of d × d."""
    attrs = Attributes(model, "coef_")
    k, d, n = read_classes(attrs), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    means, priors, used = attrs.array("means_", (k, d)), attrs.array("priors_", (k,)), components(model, k, d)
    given, shrinkage, fit = read_numbers(attrs, "priors", k), read_shrinkage(attrs), _read(attrs, k, d)
    if used < 0 or (fit is not None and fit.solver == "svd" and shrinkage is not None):
        attrs.faults.append("n_components is not a number from 1 to min(K − 1, d), or svd is asked to shrink")
    if fit is None or means is None or priors is None or attrs.faults:
        return [bad_attributes(attrs)], "no pass"
    if d > MAX_COLUMNS:
        return [failed("within", f"More than {MAX_COLUMNS} columns: the covariance is not formed.")], "no pass"
    data = class_spread(blocks, k)
    if not (data.classes > 0).all():
        return [failed("data", "A class of classes_ has no rows, or none with a weight.")], "two passes"
    truth = _estimate(attrs, blocks, data, given, shrinkage, fit)
    g = truth.gamma
    claims = [
        priors_claim("priors_", np.log(priors), truth.priors, n, tol, unit(model.priors_)),
        *_estimates(attrs, truth, means, fit, tol, g),
    ]
    offsets = np.abs(data.base).max(axis=0)
    space = metric(truth.sigma, offsets, fit.tol**2 if fit.solver == "svd" else 0.0, g)
    if attrs.faults:
        return [bad_attributes(attrs)], "three passes"
    if space is None or not space.eta < 0.1:
        claims.append(
            failed("scores", "The covariance within classes is zero, or too close to singular to measure by.")
        )
        return claims, "three passes"
    claims += _linear(fit, truth, space, tol, g) + _fisher(attrs, fit, truth, space, used, tol)
    if attrs.faults:
        return [bad_attributes(attrs)], "three passes"
    if all(claim.holds for claim in claims):
        claims += _answers(model, sample_rows(blocks), fit, used)
    return claims, f"three passes over the rows, {2.0 * n * d * d + 20.0 * d**3:.1e} operations"


def _read(attrs: Attributes, k: int, d: int) -> Fit | None:
    rows, model = 1 if k == 2 else k, attrs.model
    coef, intercept = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,), finite=False)
    solver, tol = attrs.text("solver", "svd"), real(attrs.parameter("tol", 1e-4))
    if solver not in ("svd", "lsqr", "eigen") or not 0 <= tol <= 1e100:
        attrs.faults.append("solver is none of 'svd', 'lsqr' and 'eigen', or tol not a number from 0 to 1e100")
    if coef is None or intercept is None or attrs.faults:
        return None
    if k == 2:
        coef, intercept = np.vstack([np.zeros(d), coef]), np.concatenate([[0.0], intercept])
    foreign = any(c.__module__.startswith("sklearn.discriminant") for c in type(model).__mro__)
    return Fit(coef, intercept, solver, tol, foreign, unit(model.coef_, model.means_))


def _estimate(
    attrs: Attributes, blocks: Blocks, data: Spread, given: F64 | None, shrinkage: Shrinkage, fit: Fit
) -> Truth:
    share = data.classes / data.classes.sum()
    priors = share if given is None else given
    priors = priors / priors.sum() if abs(float(priors.sum()) - 1.0) > 1e-5 else priors
    estimator = getattr(attrs.model, "covariance_estimator", None)
    d, amount = blocks.n_features, None if isinstance(shrinkage, str) else shrinkage
    stored, pooled, (_, g) = np.zeros((d, d)), np.zeros((d, d)), arithmetic(blocks)
    separate = isinstance(shrinkage, str) or estimator is not None
    for k, C in class_covariances(blocks, data):
        stored, pooled = stored + priors[k] * C, pooled + share[k] * C
    if separate:
        stored = np.zeros((d, d))
        for k, C, own in estimates(blocks, data, shrinkage, estimator):
            stored, g = stored + priors[k] * C, max(g, own)
    elif amount is not None:
        stored = shrunk(stored, amount)
    center = priors @ data.base
    means = (data.base - center) + data.shift
    errors = data.shift_error + 4 * UNIT * np.abs(means)
    between = None
    if fit.solver != "svd" and attrs.has("scalings_"):
        off = means - share @ means
        plain = pooled + off.T @ (off * share[:, None])
        total, own = total_covariance(blocks, data, plain, center + share @ means, shrinkage, estimator)
        between, g = total - stored, max(g, own)
    return Truth(data, priors, center, means, errors, stored, pooled if fit.solver == "svd" else stored, between, g)


def _estimates(attrs: Attributes, truth: Truth, means: F64, fit: Fit, tol: float, g: float) -> list[Claim]:
    """means_, xbar_ and covariance_, in standard deviations within classes."""
    model, d = attrs.model, len(truth.center)
    size = np.abs(truth.data.base).max(axis=0)
    deviation = _deviations(truth.sigma, size)
    off = np.abs((means - truth.data.base) - truth.data.shift)
    excuse = roundings(np.abs(truth.data.base) / deviation, unit(model.means_))
    what = "means_ are the means of every class, in standard deviations within classes"
    claims = [entries_claim("means_", what, off / deviation, tol, truth.data.shift_error / deviation, excuse)]
    if attrs.has("xbar_") or fit.solver == "svd":
        xbar = attrs.array("xbar_", (d,))
        if xbar is not None:
            off = np.abs((xbar - truth.center) - truth.priors @ truth.means) / deviation
            error = (truth.priors @ truth.errors) / deviation + 4 * UNIT * off
            what = "xbar_ is the mean of the class means by the priors, in standard deviations within classes"
            excuse = roundings(size / deviation, unit(model.xbar_))
            claims.append(entries_claim("xbar_", what, off, tol, error, excuse))
    if attrs.has("covariance_") or fit.solver != "svd" or attrs.flag("store_covariance", False):
        covariance = attrs.array("covariance_", (d, d))
        if covariance is not None:
            spread = _deviations(truth.stored, size)
            off = (np.abs(covariance - truth.stored) / np.outer(spread, spread)).astype(np.float64)
            what = "covariance_ is the covariance within the classes by the priors, relative to the standard deviations"
            claims.append(entries_claim("covariance_", what, off, tol, g, TEN * fit.u))
    return claims


def _deviations(sigma: F64, size: F64) -> F64:
    """Standard deviations; the size of a column's means where it varies less than these are rounded: none uses it."""
    deviation = np.sqrt(np.maximum(np.diag(sigma).astype(np.float64), 0.0))
    deviation = np.where(deviation > 2 * EPS * size, deviation, size)
    return np.where(deviation > 0, deviation, 1.0)


def _linear(fit: Fit, truth: Truth, space: Metric, tol: float, g: float) -> list[Claim]:
    """The scores of every two classes: directions relative to the distance of the classes, and values at x̄.

    With V = w_j − w_k the error of a score over rows of a class has the standard deviation ‖Wᵀ(ΣV − (μ_j − μ_k))‖.
    """
    means = space.within(truth.means) if fit.raw else truth.means
    full = (means @ space.W).astype(np.float64)
    Z = full
    if fit.solver == "svd":
        _, s, Vt = np.linalg.svd(full * np.sqrt(truth.priors)[:, None], full_matrices=False)
        Vt = Vt[: len(full) - 1][s[: len(full) - 1] > fit.tol * s[0]]
        Z = full @ Vt.T @ Vt
    likely = int(np.argmax(truth.priors))  # errors are taken relative to this class
    V, deviation = fit.coef - fit.coef[likely], np.sqrt(np.maximum(np.diag(space.sigma).astype(np.float64), 0.0))
    E = ((V @ space.sigma) @ space.W - (Z - Z[likely])).astype(np.float64)
    u = TEN * fit.u
    moved = space.lengths(truth.errors + g * np.abs(means))
    error = g * float(space.lengths(deviation)) * (np.abs(V) @ deviation) + moved
    error = error + space.eta * np.linalg.norm(E, axis=1)
    size = np.linalg.norm((fit.coef @ space.sigma) @ space.W, axis=1).astype(np.float64)
    excuse = TEN * space.stored(fit.u) * size + u * space.lengths(truth.data.base)
    # scores at the center: w·x̄ + b = log π − ½‖μ − x̄‖² up to what all classes share
    logs, x = np.log(truth.priors), truth.center.astype(np.longdouble)
    squares = (Z**2).sum(axis=1)
    at = (V.astype(np.longdouble) @ x + (fit.intercept.astype(np.longdouble) - fit.intercept[likely])).astype(
        np.float64
    )
    value = at - (logs - logs[likely]) + 0.5 * (squares - squares[likely])
    value_error = space.eta * squares + np.sqrt(squares) * moved + 64 * UNIT * (1 + np.abs(logs) + squares)
    stored = u * (np.abs(fit.coef) @ np.abs(truth.center) + np.abs(fit.intercept))
    stored = stored + TEN * space.stored(fit.u) * squares + np.sqrt(squares) * u * space.lengths(truth.data.base)
    # of coefficients in columns as they are, what has no effect on the classes is free
    outside = np.abs((V - space.within(V)) @ truth.means.T) if fit.raw else space.outside(V)
    claims = [
        _pairs("scores", SCORES, E, error, excuse, full, tol, absolute=False),
        entries_claim("span", SPAN, outside, tol, 8 * len(x) * EPS, TEN * space.stored(fit.u)),
    ]
    there = np.isfinite(logs)
    wrong = fit.intercept[1] != logs[1] - logs[0] if len(logs) == 2 else (fit.intercept[~there] != -np.inf).any()
    if not there.all() and wrong:
        return [*claims, refuted("intercept", "A class with a prior of zero has no intercept of −∞.")]
    value, value_error, stored, full = (a[there] for a in (value, value_error, stored, full))
    if len(value) > 1:
        claims.append(_pairs("intercept", VALUES, value[:, None], value_error, stored, full, tol, absolute=True))
    return claims if len(logs) == 2 else [*claims, _common(fit, truth, space, Z, excuse, stored, tol)]


def _common(fit: Fit, truth: Truth, space: Metric, Z: F64, excuse: F64, stored: F64, tol: float) -> Claim:
    """What all classes share: Σ π w solves Σ w = x̄ − c, and Σ π (w·x̄ + b − log π + ½‖μ − x̄‖²) = ½‖x̄ − c‖²."""
    there = truth.priors > 0
    pi, origin = truth.priors[there], truth.center if fit.solver != "svd" else np.zeros_like(truth.center)
    place = ((space.within(origin[None]) if fit.raw else origin[None]) @ space.W)[0].astype(np.float64)
    E = (pi @ fit.coef[there] @ space.sigma @ space.W).astype(np.float64) - place
    t, size = 0.5 * float(place @ place), max(1.0, float(np.linalg.norm(Z, axis=1).max()))
    at = fit.coef[there].astype(np.longdouble) @ truth.center + fit.intercept[there]
    value = float(pi @ (at - np.log(pi) + 0.5 * (Z[there] ** 2).sum(axis=1))) - t
    off = np.array([np.linalg.norm(E) / max(size, np.sqrt(2 * t)), abs(value) / max(size, t)])
    error = 4 * space.eta + 64 * len(origin) * UNIT + np.sqrt(2 * t) * EPS
    return entries_claim("common", COMMON, off, tol, error, np.array([excuse.max(), stored.max()]) / size)


SCORES = (
    "The scores of every two classes go in the direction Σ⁻¹(μ_j − μ_k): error in standard deviations of a row, "
    "relative to the distance of the two classes"
)
SPAN = "The coefficients have no part that counts in directions that the covariance lacks"
COMMON = "What the scores of all classes share, which changes no probability, is that of the definition, relative"
VALUES = (
    "At the mean of the classes the scores of every two differ by log π_j/π_k − ½ the difference of their squared "
    "distances; relative to their distance where that is above one"
)


def _pairs(name: str, what: str, E: F64, error: F64, excuse: F64, places: F64, tol: float, *, absolute: bool) -> Claim:
    """‖E_j − E_k‖ over the distance of classes j and k (at least one if `absolute`), for every two classes."""
    found = []
    for j in range(len(E) - 1):
        distance = np.linalg.norm(places[j + 1 :] - places[j], axis=1)
        distance = np.maximum(distance, 1.0 if absolute else 1e-300)
        off = np.linalg.norm(E[j + 1 :] - E[j], axis=1)
        found.append(np.stack([off, error[j + 1 :] + error[j], excuse[j + 1 :] + excuse[j]]) / distance)
    off, error, excuse = np.concatenate(found, axis=1)
    return entries_claim(name, what, off, tol, error, excuse)


def _fisher(attrs: Attributes, fit: Fit, truth: Truth, space: Metric, used: int, tol: float) -> list[Claim]:
    if fit.solver == "lsqr" and not attrs.has("scalings_"):
        return []
    F = (truth.means * np.sqrt(truth.priors)[:, None]) @ space.W
    M = F.T @ F if truth.between is None else space.W.T @ truth.between @ space.W
    wanted = np.ones(len(M), dtype=bool)
    if truth.between is None:
        s = np.linalg.svd(F.astype(np.float64), compute_uv=False)[: len(F) - 1]
        wanted = np.zeros(len(M), dtype=bool)
        wanted[: len(s)] = s > fit.tol * s[0]
    root = max(float(np.linalg.norm(F)), 1e-300)
    excuse = TEN * (space.stored(fit.u) + fit.u * float(space.lengths(np.abs(truth.data.base).max(axis=0))) / root)
    return fisher_claims(attrs, space, M, wanted, used, tol, excuse)


def _answers(model: Any, X: NDArray, fit: Fit, used: int) -> list[Claim]:
    d, x, two = X.shape[1], np.asarray(X, dtype=np.float64), len(fit.coef) == 2
    u = unit(np.zeros(0, np.result_type(X, model.coef_)))  # what products of rows and coefficients are formed in
    score = x @ fit.coef.T + fit.intercept
    finite = np.where(np.isfinite(fit.intercept), np.abs(fit.intercept), 0.0)
    r = gamma(d + 8, u) * (np.abs(x) @ np.abs(fit.coef.T) + finite)
    # scikit-learn answers logarithms of probabilities, and of two classes the first has one less the other
    formed = np.array([8 * u, 0.0]) if two else np.zeros(len(fit.coef))
    claims = posterior_claims(model, X, score, r.max(axis=1), u, formed if fit.foreign else None)
    claims.append(numbers_claim(model, "decision_function", X, score[:, 1] if two else score, r[:, 1] if two else r))
    if getattr(model, "scalings_", None) is None:
        return claims
    S = np.asarray(model.scalings_, dtype=np.float64)[:, :used]
    shift = np.asarray(model.xbar_, dtype=np.float64) if fit.solver == "svd" else np.zeros(d)
    r = gamma(d + 8, unit(X, model.scalings_)) * ((np.abs(x) + np.abs(shift)) @ np.abs(S))
    return [*claims, numbers_claim(model, "transform", X, (x - shift) @ S, r)]
