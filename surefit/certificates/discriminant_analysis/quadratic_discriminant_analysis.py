"""Checker of QuadraticDiscriminantAnalysis: the estimates of every class, and axes that make its covariance one.

T_k is the covariance of class k: (1 − reg_param) C_k + reg_param I for the svd solver, shrunk or estimated for eigen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, failed
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.class_statistics.class_claims import (
    TEN,
    entries_claim,
    means_off,
    posterior_claims,
    priors_claim,
    read_numbers,
    unit,
)
from surefit.certificates.theorems.class_statistics.covariances import class_moments, estimate, read_shrinkage

EPS = float(np.finfo(np.float64).eps)
SENTENCES = {
    "means_": "means_ are the means of every class, in standard deviations of that class",
    "whitened": "Along the axes of a class, in units of √scalings_, its rows have variance one and no covariances: "
    "distances and determinants are those of its covariance, relative",
    "orthonormal": "The axes of every class (rotations_) have length one and right angles",
    "descending": "The variances along the axes fall",
    "covariance_": "covariance_ holds the covariance of every class, relative to the standard deviations",
}


@checker(
    *("classes_", "priors_", "means_", "rotations_", "scalings_", "covariance_"),
    *("predict", "predict_proba", "predict_log_proba", "decision_function"),
)
@reads_labels
def check_quadratic_discriminant_analysis(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the data, and one for every class (two with automatic shrinkage)."""
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
    if getattr(model, "covariance_estimator", None) is not None:
        return [failed("covariance_", "What covariance_estimator says is not recomputed.")], "no pass"
    data = class_moments(blocks, k)
    u = unit(model.means_, *model.rotations_, *model.scalings_)
    found: dict[str, list[tuple[F64, Any, Any]]] = {name: [] for name in SENTENCES}
    square = np.zeros((k, d))
    for j, own in enumerate(data.covariances):
        C, g = estimate(blocks, shrinkage, own, data.g, data.base[j] + data.shift[j], data.classes, j)
        T = (1.0 - ridge) * C + ridge * np.eye(d) if solver == "svd" else C
        square[j] = np.maximum(np.diag(T).astype(np.float64), (EPS * data.base[j]) ** 2)
        square[j] = np.where(square[j] > 0, square[j], 1.0)
        M = axes[j] / np.sqrt(variances[j])
        sizes = np.abs(M).T @ np.sqrt(square[j])
        E = (M.T @ T @ M - np.eye(d)).astype(np.float64)
        white = np.abs(np.linalg.eigvalsh(0.5 * (E + E.T))).max()
        rounded = TEN * u * float(np.linalg.norm(np.abs(M.T) @ np.abs(T) @ np.abs(M)))
        found["whitened"].append((np.array(white), g * float(sizes @ sizes), rounded))
        found["orthonormal"].append((np.abs(axes[j].T @ axes[j] - np.eye(d)), gamma(d + 4), TEN * u * np.sqrt(d)))
        found["descending"].append((np.maximum(np.diff(variances[j]) / variances[j][:-1], 0.0), EPS, TEN * u))
        if covariance is not None:
            outer = np.sqrt(np.multiply.outer(square[j], square[j]))
            found["covariance_"].append((np.abs(covariance[j] - T) / outer, g, TEN * u))
    found["means_"].append(means_off(means, data.base, data.shift, data.shift_error, np.sqrt(square), u))
    truth = data.classes / data.classes.sum() if given is None else given
    claims = [priors_claim(attrs, "priors_", np.log(priors), truth, tol, n)]
    for name, parts in found.items():
        columns = [[np.ravel(a) for a in np.broadcast_arrays(*part)] for part in parts]
        if columns:
            off, error, excuse = (np.concatenate(many).astype(np.float64) for many in zip(*columns, strict=True))
            claims.append(entries_claim(name, SENTENCES[name], off, tol, error, excuse))
    if all(claim.holds for claim in claims):
        claims += _answers(model, sample_rows(blocks), means, priors, axes, variances)
    return claims, f"{k + 2} passes over the rows, {2.0 * n * d * d + 20.0 * k * d**3:.1e} operations"


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
    return posterior_claims(model, X, score, np.log(priors), rounding, u)
