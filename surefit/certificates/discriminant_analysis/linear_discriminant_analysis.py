"""Checker of LinearDiscriminantAnalysis: class estimates, the equations Σ w_k = μ_k − c, and Fisher's directions.

One reading per solver, μ_k, C_k and π_k being means, covariances and priors of the classes, x̄ = Σ π_k μ_k:

  svd          Σ = Σ (N_k/N) C_k, c = x̄; left out are directions of R (columns scaled to variance one) with √λ ≤ tol,
               then those in which the means spread by tol of the largest spread or less
  lsqr, eigen  Σ = Σ π_k C_k, each C_k shrunk as asked for, c = 0
A covariance without some directions has many solutions: the shortest in columns scaled to variance one is meant, for
lsqr any whose part in those directions tells no classes from each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, failed, refuted
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.class_claims import (
    TEN,
    entries_claim,
    means_off,
    posterior_claims,
    priors_claim,
    read_numbers,
    unit,
)
from surefit.certificates.theorems.class_statistics.covariances import Moments, class_moments, estimate, read_shrinkage
from surefit.certificates.theorems.class_statistics.fisher import fisher_claims
from surefit.certificates.theorems.class_statistics.whitening import EPS, Metric, metric

SAME = 0.5e-6  # half the distance, in deviations, below which classes are in one place
SCORES = (
    "The scores of every two classes differ as log-posteriors do: root mean square error over rows of a class about x̄, "
    "relative to the distance of the two classes in deviations (a millionth of one at least)"
)
SPAN = "The coefficients have no part that counts in directions that the covariance lacks"


@dataclass
class Fit:
    """What the model says, and what the data say."""

    coef: F64  # (K, d), with zeros for the first of two classes
    intercept: F64
    solver: str
    u: float  # the rounding unit of the fit
    data: Moments
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
    """Two passes over the rows, one more for every class with automatic shrinkage, one eigendecomposition of d × d."""
    attrs = Attributes(model, "coef_")
    k, d, n = read_classes(attrs) or 0, blocks.n_features, blocks.n_rows
    rows, most, shrinkage = 1 if k == 2 else k, min(k - 1, d), read_shrinkage(attrs)
    coef, intercept = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,), finite=False)
    stated, given = attrs.array("priors_", (k,)), read_numbers(attrs, "priors", k)
    solver, cut = attrs.text("solver", "svd"), real(attrs.parameter("tol", 1e-4))
    svd, used = solver == "svd", whole(attrs.parameter("n_components", most))
    if solver not in ("svd", "lsqr", "eigen") or not 0 <= cut < 1e100 or not 1 <= used <= most or (svd and shrinkage):
        attrs.faults.append("solver, tol, n_components or shrinkage are not what this class takes")
    if attrs.faults or coef is None or intercept is None or stated is None:
        return [bad_attributes(attrs)], "no pass"
    if getattr(model, "covariance_estimator", None) is not None:
        return [failed("covariance_", "What covariance_estimator says is not recomputed.")], "no pass"
    if k == 2:
        coef, intercept = np.vstack([0.0 * coef, coef]), np.append(0.0, intercept)
    data = class_moments(blocks, k)
    share = data.classes / data.classes.sum()
    priors = share if given is None else given
    priors = priors / priors.sum() if abs(float(priors.sum()) - 1.0) > 1e-5 else priors
    center = priors @ data.base
    means = (data.base - center) + data.shift
    fit = Fit(coef, intercept, solver, unit(model.coef_, model.means_), data, priors, center, means)
    parts = [
        estimate(blocks, shrinkage, C, data.g, data.base[j] + data.shift[j], data.classes, j)
        for j, C in enumerate(data.covariances)
    ]
    own, g = sum(prior * C for prior, (C, _) in zip(priors, parts, strict=True)), max(known for _, known in parts)
    claims = [priors_claim(attrs, "priors_", np.log(stated), priors, tol, n), *_estimates(attrs, fit, own, tol, g)]
    within = sum(part * C for part, C in zip(share, data.covariances, strict=True))
    space = metric(within if svd else own, np.abs(data.base).max(axis=0), cut**2 if svd else 0.0, g)
    if space is None:
        reason = "The covariance within classes is zero, or too close to singular to measure by."
        return [*claims, failed("scores", reason)], "two passes"
    F, kept = (means * np.sqrt(priors)[:, None]) @ space.W, np.eye(space.W.shape[1])
    M = F.T @ F
    if svd:  # only directions in which the means spread
        _, s, kept = np.linalg.svd(F, full_matrices=False)
        kept = kept[: k - 1][s[: k - 1] > cut * s[0]]
    claims += _scores(fit, space, kept, tol)
    if solver != "lsqr" or attrs.has("scalings_"):
        if not svd:  # the covariance of all rows, shrunk alike, less that within classes
            apart = means - share @ means
            total = estimate(blocks, shrinkage, within + apart.T @ (apart * share[:, None]), data.g,
                             center + share @ means, data.classes)[0]  # fmt: skip
            M = space.W.T @ (total - own) @ space.W
        lost = float(space.lengths(np.abs(data.base).max(axis=0))) / max(float(np.linalg.norm(F)), 1e-300)
        claims += fisher_claims(attrs, space, M, len(kept), used, tol, TEN * fit.u * (space.kappa + lost))
    if attrs.faults:
        return [bad_attributes(attrs)], "two passes"
    if all(claim.holds for claim in claims):
        claims += _answers(model, sample_rows(blocks), fit, used)
    return claims, f"two passes over the rows or more, {2.0 * n * d * d + 20.0 * d**3:.1e} operations"


def _estimates(attrs: Attributes, fit: Fit, own: F64, tol: float, g: float) -> list[Claim]:
    """means_, xbar_, covariance_ in standard deviations; in sizes where a column varies less than it is rounded."""
    claims, deviation, data = [], np.sqrt(np.maximum(np.diag(own).astype(np.float64), 0.0)), fit.data
    size = np.abs(data.base).max(axis=0)
    deviation = np.where(deviation > 2 * EPS * size, deviation, np.where(size > 0, size, 1.0))
    truths = {"means_": (data.base, data.shift, data.shift_error)}
    if fit.solver == "svd" or attrs.has("xbar_"):
        truths["xbar_"] = (fit.center, fit.priors @ fit.means, fit.priors @ data.shift_error + 8 * UNIT * size)
    for name, truth in truths.items():
        stated = attrs.array(name, truth[0].shape)
        if stated is not None:
            what = f"{name} is the mean of every class (or of the means, by the priors), in standard deviations"
            off, error, excuse = means_off(stated, *truth, deviation, unit(getattr(attrs.model, name)))
            claims.append(entries_claim(name, what, off, tol, error, excuse))
    stored = attrs.has("covariance_") or fit.solver != "svd" or attrs.flag("store_covariance", False)
    stated = attrs.array("covariance_", own.shape) if stored else None
    if stated is not None:
        off = (np.abs(stated - own) / np.outer(deviation, deviation)).astype(np.float64)
        what = "covariance_ is the covariance within the classes by the priors, relative to the standard deviations"
        claims.append(entries_claim("covariance_", what, off, tol, g, TEN * fit.u))
    return claims


def _scores(fit: Fit, space: Metric, kept: F64, tol: float) -> list[Claim]:
    """The scores of every class less their mean by the priors, and (of two classes coef_ is a difference) that mean.

    Over rows of a class about x̄ an error of a coefficient vector V moves scores by the standard deviation
    ‖Wᵀ(ΣV − ΣV*)‖, Σw* = μ − c; at x̄ the scores are log π − ½‖μ − x̄‖² + ½‖x̄ − c‖². As one root mean square they are
    held against half the distance to the nearest class: those of two classes are together within their distance. What
    all classes share, which changes no probability, is held against the largest distance (its square at x̄).
    """
    seen, u = fit.priors > 0, TEN * fit.u  # a class with a prior of zero is never predicted
    w, b, priors, logs = fit.coef[seen], fit.intercept[seen], fit.priors[seen], np.log(fit.priors[seen])
    if (fit.intercept[~seen] > -np.inf).any():
        return [refuted("scores", "A class with a prior of zero has an intercept above −∞.")]
    places, shared = fit.means[seen] @ space.W, np.append(np.zeros(len(w)), np.ones(int(len(fit.coef) > 2)))
    Q = np.vstack([np.eye(len(w)) - priors, priors])[: len(shared)].astype(np.longdouble)
    near = np.array([np.append(np.sort(np.linalg.norm(places - place, axis=1)), 1.0)[1] for place in places]) / 2
    places, origin = places @ kept.T @ kept, (0.0 if fit.solver == "svd" else 1.0) * fit.center @ space.W
    V, root, size = Q @ w, np.linalg.norm(places, axis=1), np.abs(Q)
    far = max(1.0, float(root.max()), float(np.linalg.norm(origin)))
    reach = np.maximum(np.append(near, far)[: len(shared)], SAME)
    wide = np.maximum(reach, 0.5) * np.where(shared > 0, far, 1.0)  # for values at x̄, squares of distances
    off = np.linalg.norm(V @ space.sigma @ space.W - Q @ places - np.outer(shared, origin), axis=1)
    rest = b.astype(np.longdouble) - logs + 0.5 * root**2
    level = np.abs(V @ fit.center + Q @ rest - 0.5 * shared * (origin @ origin))
    both = np.hypot(off / reach, level / wide).astype(np.float64)

    def felt(direction: F64, value: F64) -> F64:
        """Errors of the direction and of the value at x̄ of every class, in the same units."""
        return (size @ direction / reach + size @ (root * direction + value) / wide).astype(np.float64)

    own = np.linalg.norm((w @ space.sigma @ space.W).astype(np.float64), axis=1)  # of the classes' directions
    held, fine = np.abs(w) @ np.abs(fit.center) + np.abs(b), 64 * float(np.finfo(np.longdouble).eps)
    moved = space.lengths(fit.data.shift_error[seen] + 64 * UNIT * np.abs(fit.means[seen]))
    eta, stored = space.eta + 64 * len(space.W) * UNIT, u * space.kappa
    error = felt(eta * own + moved, 64 * UNIT * (1 + root**2 + np.abs(logs)) + fine * held) + eta * (both + shared)
    excuse = felt(stored * own + u * space.lengths(np.abs(fit.data.base[seen])), u * held)
    part = ((V * space.scale) @ space.null @ space.null.T / space.scale) @ fit.means.T
    outside = np.abs(part) if fit.solver == "lsqr" else space.outside(w)
    return [
        entries_claim("scores", SCORES, both, tol, error, excuse),
        entries_claim("span", SPAN, outside, tol, 8 * len(space.W) * EPS, stored),
    ]


def _answers(model: Any, X: NDArray, fit: Fit, used: int) -> list[Claim]:
    x, w, b = np.asarray(X, dtype=np.float64), fit.coef, fit.intercept
    u = unit(np.zeros(0, np.result_type(X, model.coef_)))  # what products of rows and coefficients are formed in
    rounding = gamma(len(w.T) + 8, u) * (np.abs(x) @ np.abs(w.T) + np.where(np.isfinite(b), np.abs(b), 0))
    foreign = any(c.__module__.startswith("sklearn.discr") for c in type(model).__mro__)
    claims = posterior_claims(model, X, x @ w.T, b, rounding, u, formed=foreign)
    if getattr(model, "scalings_", None) is None:
        return claims
    S = np.asarray(model.scalings_, dtype=np.float64)[:, :used]
    shift = np.asarray(model.xbar_, dtype=np.float64) if fit.solver == "svd" else np.zeros(len(S))
    rounding = gamma(len(S) + 8, unit(X, model.scalings_)) * ((np.abs(x) + np.abs(shift)) @ np.abs(S))
    return [*claims, numbers_claim(model, "transform", X, (x - shift) @ S, rounding)]
