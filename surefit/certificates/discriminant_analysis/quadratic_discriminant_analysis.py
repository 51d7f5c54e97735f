"""Checker of QuadraticDiscriminantAnalysis: the estimates of every class, and axes that make its covariance one.

T_k is the covariance of class k: (1 − reg_param) C_k + reg_param I for the svd solver, shrunk or estimated for eigen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, numbers_claim, real, sample_rows
from surefit.certificates.blocks import F64, Blocks, Findings, checker
from surefit.certificates.claim import Claim, failed, gamma
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.theorems.class_statistics.class_claims import (
    TEN,
    entries_claim,
    posterior_claims,
    prior_rounding,
    priors_claim,
    read_numbers,
    roundings,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_spread import class_spread
from surefit.certificates.theorems.class_statistics.covariances import estimates, read_shrinkage

MAX_COLUMNS = 3000  # beyond, no d × d matrix is formed
EPS = float(np.finfo(np.float64).eps)


@checker(
    *("classes_", "priors_", "means_", "rotations_", "scalings_", "covariance_"),
    *("predict", "predict_proba", "predict_log_proba", "decision_function"),
)
@reads_labels
def check_quadratic_discriminant_analysis(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes over the data (five with automatic shrinkage), more where covariances do not fit at once."""
    attrs = Attributes(model, "means_")
    k, d, n = read_classes(attrs), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    given, shrinkage = read_numbers(attrs, "priors", k), read_shrinkage(attrs)
    ridge, solver = real(attrs.parameter("reg_param", 0.0)), attrs.text("solver", "svd")
    means, priors = attrs.array("means_", (k, d)), attrs.array("priors_", (k,))
    axes, variances = attrs.array("rotations_", (k, d, d)), attrs.array("scalings_", (k, d))
    stored = attrs.has("covariance_") or attrs.flag("store_covariance", False)
    covariance = attrs.array("covariance_", (k, d, d)) if stored else None
    if not 0 <= ridge <= 1 or solver not in ("svd", "eigen") or (variances is not None and not (variances > 0).all()):
        attrs.faults.append("reg_param is not in [0, 1], solver not 'svd' or 'eigen', or scalings_ are not positive")
    if attrs.faults or means is None or priors is None or axes is None or variances is None:
        return [bad_attributes(attrs)], "no pass"
    if d > MAX_COLUMNS:
        return [failed("axes", f"More than {MAX_COLUMNS} columns: covariances are not formed.")], "no pass"
    data = class_spread(blocks, k)
    if not (data.classes > 0).all():
        return [failed("data", "A class of classes_ has no rows, or none with a weight.")], "two passes"
    truth = data.classes / data.classes.sum() if given is None else given
    claims = [priors_claim("priors_", np.log(priors), truth, n, tol, unit(model.priors_))]
    estimator = getattr(model, "covariance_estimator", None)
    found: dict[str, list[tuple[F64, Any, Any]]] = {name: [] for name in SENTENCES}
    u = unit(model.means_, *model.rotations_, *model.scalings_)  # the precision of the fit
    for j, C, g in estimates(blocks, data, shrinkage, estimator):
        T = (1.0 - ridge) * C + ridge * np.eye(d) if solver == "svd" else C
        deviation = np.sqrt(np.maximum(np.diag(T).astype(np.float64), (EPS * data.base[j]) ** 2))
        deviation = np.where(deviation > 0, deviation, 1.0)
        off, error = np.abs(means[j] - data.base[j] - data.shift[j]), data.shift_error[j]
        found["means_"].append((off / deviation, error / deviation, roundings(np.abs(data.base[j]) / deviation, u)))
        M = axes[j] / np.sqrt(variances[j])
        sizes = np.abs(M).T @ deviation
        E = (M.T @ T @ M - np.eye(d)).astype(np.float64)
        white = np.abs(np.linalg.eigvalsh(0.5 * (E + E.T))).max() if np.isfinite(E).all() else np.inf
        rounded = TEN * u * float(np.linalg.norm(np.abs(M.T) @ np.abs(T) @ np.abs(M)))
        found["whitened"].append((np.array([white]), g * float(sizes @ sizes), rounded))
        found["orthonormal"].append((np.abs(axes[j].T @ axes[j] - np.eye(d)), gamma(d + 4), TEN * u * np.sqrt(d)))
        found["descending"].append((np.maximum(np.diff(variances[j]) / variances[j][:-1], 0.0), EPS, TEN * u))
        if covariance is not None:
            outer = np.outer(deviation, deviation)
            found["covariance_"].append((np.abs(covariance[j] - T) / outer, g, TEN * u))
    claims += [_claim(name, parts, tol) for name, parts in found.items() if parts]
    if all(claim.holds for claim in claims):
        claims += _answers(model, sample_rows(blocks), means, priors, axes, variances)
    return claims, f"three passes over the rows, {2.0 * n * d * d + 20.0 * k * d**3:.1e} operations"


SENTENCES = {
    "means_": "means_ are the means of every class, in standard deviations of that class",
    "whitened": "Along the axes of a class, in units of √scalings_, its rows have variance one and no covariances: "
    "distances and determinants are those of its covariance, relative",
    "orthonormal": "The axes of every class (rotations_) have length one and right angles",
    "descending": "The variances along the axes fall",
    "covariance_": "covariance_ holds the covariance of every class, relative to the standard deviations",
}


def _claim(name: str, parts: list[tuple[F64, Any, Any]], tol: float) -> Claim:
    """One claim over the entries of all classes."""
    off = np.concatenate([np.asarray(a, dtype=np.float64).ravel() for a, _, _ in parts])
    error, excuse = (
        np.concatenate([np.broadcast_to(p[i], p[0].shape).ravel() for p in parts]).astype(np.float64) for i in (1, 2)
    )
    return entries_claim(name, SENTENCES[name], off, tol, error, excuse)


def _answers(model: Any, X: NDArray, means: F64, priors: F64, axes: F64, variances: F64) -> list[Claim]:
    """Scores log π − ½ Σ log s − ½‖(x − μ)M‖² by the fitted attributes: z known to δ is z² known to 2|z|δ + δ²."""
    (k, d), u = means.shape, unit(X, model.means_, *model.rotations_, *model.scalings_)
    score, rounding = np.zeros((len(X), k)), np.zeros((len(X), k))
    for j in range(k):
        M, A = axes[j] / np.sqrt(variances[j]), np.asarray(X, dtype=np.float64) - means[j]
        z, delta, logs = A @ M, gamma(d + 16, u) * (np.abs(A) @ np.abs(M)), np.log(variances[j])
        score[:, j] = -0.5 * ((z**2).sum(axis=1) + logs.sum())
        size = (z**2).sum(axis=1) + np.abs(logs).sum()
        rounding[:, j] = ((2 * np.abs(z) + delta) * delta).sum(axis=1) + gamma(d + 16, u) * size
    logs = np.log(priors)
    r = prior_rounding(rounding, logs, u)
    score = score + logs
    decision = score[:, 1] - score[:, 0] if k == 2 else score
    wide = (2 * r if k == 2 else r[:, None]) + 4 * u * np.abs(np.where(np.isfinite(decision), decision, 0.0))
    claims = posterior_claims(model, X, score, r, u)
    return [*claims, numbers_claim(model, "decision_function", X, decision, wide)]
