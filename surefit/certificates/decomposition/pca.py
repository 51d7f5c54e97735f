"""Checker of PCA: orthonormal directions, eigenpairs of the covariance, and the largest ones.

C = Σ ω (x − m)(x − m)ᵀ / (N − 1), N the number of rows, or the sum of the weights where weights are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon, typical
from surefit.certificates.theorems.least_squares import Moments, first_pass
from surefit.certificates.theorems.pca_largest import largest_claims
from surefit.certificates.theorems.scatter import (
    centred_product,
    centred_sq_norms,
    centred_transpose,
    column_squares,
    weights,
)

TIGHT = {False: 1e-7, True: 1e-3}  # relative to the first eigenvalue
LOOSE = 0.25  # how far a randomised fit may be from an eigenpair, relative to the first eigenvalue
LOOSE_VALUE = 0.05  # and how far its explained variances from the variance its components hold


@dataclass
class Fit:
    """What the model says."""

    V: F64  # components_, (k, d)
    lam: F64  # explained_variance_
    ratio: F64
    singular: F64
    mean: F64


@dataclass
class Measured:
    """What the data say, divided by N − 1 where it is a variance."""

    n: float  # N
    mean: F64
    column_ms: F64  # mean square of every column, about zero
    total: float  # total variance
    CV: F64  # C Vᵀ, (d, k)
    error: float  # variance left after projecting on the components


@checker()
def check_pca(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes, and one more for the covariance (d ≤ 3000) or six power steps beyond."""
    attrs = Attributes(model, "components_")
    moments = first_pass(blocks, targets=False)
    fit = _read(attrs, blocks.n_features)
    if fit is None:
        return [bad_attributes(attrs)], "one pass"
    data = _measure(blocks, moments, fit.V)
    if not (np.isfinite(data.total) and np.isfinite(data.CV).all() and data.n > 1):
        return [failed("finite", "The covariance overflows, or there is only one row.")], "two passes"
    eps = epsilon(moments.single, np.asarray(model.components_))
    top = max(float(fit.lam.max(initial=0.0)), data.total / max(1, blocks.n_features))
    size = np.sqrt(float(data.column_ms.sum()))
    unavoidable = 16.0 * eps * size / np.sqrt(top) if top > 0 else 0.0
    tight = TIGHT[eps > 1e-10] + unavoidable
    residual = _residual_norm(data.CV - fit.V.T * fit.lam) / top if top > 0 else 0.0
    rough = _may_be_randomised(attrs, blocks) and residual > tight
    bounded = rough or attrs.parameter("svd_solver", "auto") == "randomized"
    grade, limit = (Grade.BOUNDED if bounded else Grade.OPTIMAL), (LOOSE if rough else tight)
    claims = [
        _mean(fit, data, eps),
        _orthonormal(fit, eps),
        at_most(
            "eigen_residual",
            "Each component is a direction of the covariance and explained_variance_ its variance: every value is "
            f"within {residual:.1e} of an eigenvalue, relative to the first.",
            grade,
            residual,
            limit,
            {"absolute": residual * top},
        ),
        _variances(fit, data, grade, LOOSE_VALUE if rough else tight, top),
        _reconstruction(fit, data, grade, LOOSE_VALUE if rough else tight),
    ]
    largest, how = largest_claims(blocks, fit.V, fit.lam, data, grade, limit)
    claims += largest
    claims.append(_derived(attrs, blocks, fit, data, tight))
    return claims, how


def _read(attrs: Attributes, d: int) -> Fit | None:
    V = attrs.array("components_")
    if V is None:
        return None
    if V.ndim != 2 or V.shape[1] != d:
        attrs.faults.append(f"components_ has shape {V.shape}, expected (k, {d})")
        return None
    k = V.shape[0]
    lam = attrs.array("explained_variance_", (k,))
    ratio = attrs.array("explained_variance_ratio_", (k,), finite=False)
    singular = attrs.array("singular_values_", (k,))
    mean = attrs.array("mean_", (d,))
    if lam is None or ratio is None or singular is None or mean is None:
        return None
    return Fit(V, lam, ratio, singular, mean)


def _measure(blocks: Blocks, moments: Moments, V: F64) -> Measured:
    m, k, d = moments.x_mean, V.shape[0], blocks.n_features
    B, inner = np.ascontiguousarray(V.T), V @ V.T
    CV, squares, total, kept, twice, weighted = np.zeros((d, k)), np.zeros(d), 0.0, 0.0, 0.0, False
    for X, _, w in blocks:
        omega = weights(X, w)
        weighted = weighted or w is not None
        Y = centred_product(X, m, B)
        CV += centred_transpose(X, m, Y * omega[:, None])
        total += float(omega @ centred_sq_norms(X, m))
        squares += column_squares(X, omega)
        # ‖a − VᵀVa‖² = ‖a‖² − 2‖Va‖² + (Va)ᵀVVᵀ(Va), for any V
        kept += float(omega @ np.einsum("ij,ij->i", Y, Y))
        twice += float(omega @ np.einsum("ij,ij->i", Y @ inner, Y))
    n = moments.total if weighted else float(blocks.n_rows)
    scale = n - 1 if n > 1 else np.nan
    return Measured(n, m, squares / moments.total, total / scale, CV / scale, (total - 2 * kept + twice) / scale)


def _residual_norm(E: F64) -> float:
    """The spectral norm, from the small Gram matrix."""
    if not E.size:
        return 0.0
    if not np.isfinite(E).all():
        return float("inf")
    scale = float(np.abs(E).max())
    return scale * float(np.linalg.norm(E / scale, 2)) if scale > 0 else 0.0


def _may_be_randomised(attrs: Attributes, blocks: Blocks) -> bool:
    """svd_solver='auto' randomises only large data that are not tall, as scikit-learn documents."""
    solver, n, d = attrs.parameter("svd_solver", "auto"), blocks.n_rows, blocks.n_features
    if solver == "randomized":
        return True
    return solver == "auto" and max(n, d) > 500 and not (d <= 1000 and n >= 10 * d)


def _mean(fit: Fit, data: Measured, eps: float) -> Claim:
    size = np.sqrt(data.column_ms)
    off = np.abs(fit.mean - data.mean) / np.where(size > 0, size, 1.0)
    return at_most(
        "mean",
        "mean_ is the mean of every column; largest error relative to the column's size.",
        Grade.EXACT,
        off.max(initial=0.0),
        32.0 * typical(data.n, eps),
    )


def _orthonormal(fit: Fit, eps: float) -> Claim:
    k, d = fit.V.shape
    off = np.abs(fit.V @ fit.V.T - np.eye(k)).max(initial=0.0)
    return at_most(
        "orthonormal",
        "The components have length one and right angles; largest entry of VVᵀ − I.",
        Grade.EXACT,
        off,
        32.0 * typical(d + k, eps),
    )


def _variances(fit: Fit, data: Measured, grade: Grade, limit: float, top: float) -> Claim:
    held = np.einsum("kd,dk->k", fit.V, data.CV)
    return at_most(
        "variances",
        "explained_variance_ is the variance of the data along each component; largest difference, relative to the "
        "first.",
        grade,
        np.abs(held - fit.lam).max(initial=0.0) / top if top > 0 else 0.0,
        limit,
    )


def _reconstruction(fit: Fit, data: Measured, grade: Grade, limit: float) -> Claim:
    """Σ‖x − x̂‖²/(N − 1) = total variance − Σ explained_variance_."""
    promised = data.total - float(fit.lam.sum())
    scale = data.total if data.total > 0 else 1.0
    return at_most(
        "reconstruction",
        f"Projecting and coming back loses {max(0.0, data.error) / scale:.3%} of the variance: what the eigenvalues "
        "not kept add up to; relative difference.",
        grade,
        abs(data.error - promised) / scale,
        limit,
        {"error": data.error, "discarded": promised, "total": data.total},
    )


def _derived(attrs: Attributes, blocks: Blocks, fit: Fit, data: Measured, tight: float) -> Claim:
    """The attributes that follow from the eigenvalues; the largest relative error among them."""
    k, d, n = fit.V.shape[0], blocks.n_features, data.n
    total = data.total if data.total > 0 else 1.0
    errors: dict[str, float] = {}
    if data.total > 0:
        errors["explained_variance_ratio_"] = float(np.abs(fit.ratio - fit.lam / total).max(initial=0.0))
    squares = fit.lam * (n - 1)
    top = float(squares.max(initial=0.0))
    errors["singular_values_"] = float(np.abs(fit.singular**2 - squares).max(initial=0.0)) / (top if top > 0 else 1.0)
    errors["negative"] = float(max(0.0, -fit.singular.min(initial=0.0), -fit.lam.min(initial=0.0))) / total
    if attrs.has("noise_variance_"):
        noise = attrs.number("noise_variance_")
        discarded = data.total - float(fit.lam.sum())
        counts = {c - k for c in (min(n, d), min(blocks.n_rows, d), d) if c > k}
        options = [abs(noise * c - discarded) / total for c in counts] if noise is not None else [np.inf]
        errors["noise_variance_"] = min(options) if options else abs(noise or 0.0) / total
    for name, truth in (("n_components_", {k}), ("n_samples_", {blocks.n_rows, n})):
        if attrs.has(name):
            value = attrs.number(name)
            errors[name] = 0.0 if value in truth else np.inf
    worst = max(errors, key=lambda name: np.inf if np.isnan(errors[name]) else errors[name])
    return at_most(
        "derived",
        f"Ratios, singular values, noise variance and counts follow from the eigenvalues; largest error, in {worst}.",
        Grade.EXACT,
        errors[worst],
        tight,
        errors,
    )
