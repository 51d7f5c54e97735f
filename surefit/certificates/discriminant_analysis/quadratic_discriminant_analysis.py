"""Checker of QuadraticDiscriminantAnalysis: the estimates of every class, and axes that make its covariance one.

T_k is the covariance of class k: (1 − reg_param) C_k + reg_param I for the svd solver, shrunk or estimated for eigen.
"""

from __future__ import annotations

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
    class_moments,
    read_shrinkage,
    shrunk_covariances,
)
from surefit.certificates.theorems.classes import read_classes

TIGHT = {False: 1e-7, True: 1e-3}
WORST = 1e-3  # the error that rounding of ill-conditioned data may be excused for


@dataclass
class Fit:
    """What the model says."""

    means: F64
    priors: F64
    rotations: F64  # (K, d, d)
    scalings: F64  # (K, d)
    covariance: F64 | None


@dataclass
class Errors:
    """The largest over the classes."""

    orthonormal: float = 0.0
    whitened: float = 0.0
    slack: float = 0.0
    covariance: float = 0.0
    disorder: float = 0.0
    condition: float = 1.0


@checker()
def check_quadratic_discriminant_analysis(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes over the data (five with automatic shrinkage), more where covariances do not fit at once."""
    attrs = Attributes(model, "means_")
    k, d, n = read_classes(attrs), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    moments = class_moments(blocks, k)
    given, shrinkage, reg = read_numbers(attrs, "priors", k), read_shrinkage(attrs), _read_reg(attrs)
    fit = _read(attrs, k, d)
    if fit is None or attrs.faults:
        return [bad_attributes(attrs)], "two passes"
    eps = epsilon(moments.labels.single, np.asarray(model.means_), np.asarray(model.rotations_))
    # the sum of the priors shifts all scores alike: dividing by it changes nothing
    options = prior_options(given, moments.share, normalise=True)
    options += [] if given is None else [given]
    claims = [
        priors_claim("priors_", fit.priors, options, n, eps),
        means_claim("means_", fit.means, moments.means, moments.size, n, eps),
    ]
    if d > MAX_COLUMNS:
        claims.append(failed("axes", f"More than {MAX_COLUMNS} columns: covariances are not formed."))
        return claims, "two passes"
    errors = _errors(attrs, blocks, moments, fit, shrinkage, reg, eps)
    tight = TIGHT[eps > 1e-10]
    claims += [
        at_most(
            "orthonormal",
            "The axes of every class (rotations_) have length one and right angles; largest entry of RᵀR − I.",
            Grade.EXACT,
            errors.orthonormal,
            64.0 * typical(d, eps),
        ),
        at_most(
            "whitened",
            "Along the axes of a class, in units of √scalings_, its rows have variance one and no covariances: "
            "distances and determinants of every class are those of its covariance. Largest relative error.",
            Grade.EXACT,
            errors.whitened,
            tight + errors.slack,
        ),
        at_most(
            "descending",
            "The variances along the axes fall; largest rise, relative to the first.",
            Grade.EXACT,
            errors.disorder,
            tight,
        ),
    ]
    if fit.covariance is not None:
        claims.append(
            at_most(
                "covariance_",
                "covariance_ holds the covariance of every class; largest error relative to the standard deviations.",
                Grade.EXACT,
                errors.covariance,
                tight + errors.slack,
            )
        )
    claims.append(
        Claim(
            "condition",
            "Largest condition number of a class's covariance, columns scaled to variance one.",
            Grade.EXACT,
            errors.condition,
            None,
            True,
        )
    )
    return claims, f"three passes over the rows, {2.0 * n * d * d + 20.0 * k * d**3:.1e} operations"


def _read_reg(attrs: Attributes) -> float:
    given = attrs.parameter("reg_param", 0.0)
    if 0 <= real(given) <= 1:
        return real(given)
    attrs.faults.append("reg_param is not a number between 0 and 1")
    return 0.0


def _read(attrs: Attributes, k: int, d: int) -> Fit | None:
    means, priors = attrs.array("means_", (k, d)), attrs.array("priors_", (k,))
    rotations, scalings = attrs.array("rotations_", (k, d, d)), attrs.array("scalings_", (k, d))
    covariance = None
    if attrs.has("covariance_") or attrs.flag("store_covariance", False):
        covariance = attrs.array("covariance_", (k, d, d))
    if attrs.parameter("solver", "svd") not in ("svd", "eigen"):
        attrs.faults.append("solver is neither 'svd' nor 'eigen'")
    if scalings is not None and not (scalings > 0).all():
        attrs.faults.append("scalings_ has variances that are not positive")
    if means is None or priors is None or rotations is None or scalings is None or attrs.faults:
        return None
    return Fit(means, priors, rotations, scalings, covariance)


def _errors(
    attrs: Attributes, blocks: Blocks, moments: ClassMoments, fit: Fit, shrinkage: Any, reg: float, eps: float
) -> Errors:
    d, out = blocks.n_features, Errors()
    estimator = getattr(attrs.model, "covariance_estimator", None)
    ridge = reg if attrs.parameter("solver", "svd") == "svd" else 0.0
    for k, C in shrunk_covariances(blocks, moments, shrinkage, estimator):
        T = (1.0 - ridge) * C + ridge * np.eye(d)
        R, s = fit.rotations[k], fit.scalings[k]
        scale = np.sqrt(np.maximum(np.diag(T), 0.0))
        scale = np.where(scale > 0, scale, 1.0)
        values = np.linalg.eigvalsh(T / np.outer(scale, scale)) if np.isfinite(T).all() else np.full(d, np.nan)
        plain = np.linalg.eigvalsh(T) if np.isfinite(T).all() else np.full(d, np.nan)
        condition = float(plain[-1] / plain[0]) if plain[0] > 0 else np.inf
        M = R / np.sqrt(s)
        white = _norm(M.T @ T @ M - np.eye(d))
        far = 1.0 + float((moments.size / scale).max())
        slack = 32.0 * typical(float(moments.labels.rows[k]) + d, eps) * (condition + far)
        out.orthonormal = _worst(out.orthonormal, np.abs(R.T @ R - np.eye(d)).max())
        out.whitened = _worst(out.whitened, white)
        out.slack = max(out.slack, min(slack, WORST))
        out.disorder = _worst(out.disorder, (np.diff(s) / s.max()).max(initial=0.0))
        out.condition = max(out.condition, float(values[-1] / values[0]) if values[0] > 0 else np.inf)
        if fit.covariance is not None:
            off = np.abs(fit.covariance[k] - T) / np.outer(scale, scale)
            out.covariance = _worst(out.covariance, off.max())
    return out


def _norm(E: F64) -> float:
    """The spectral norm of a symmetric matrix."""
    return float(np.abs(np.linalg.eigvalsh(0.5 * (E + E.T))).max()) if np.isfinite(E).all() else np.inf


def _worst(a: float, b: float) -> float:
    """The larger; NaN stays."""
    return float(b) if not b <= a else a
