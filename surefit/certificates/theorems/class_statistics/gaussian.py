"""Columns that are normal within classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.class_statistics.class_claims import TEN, entries_claim, means_off, unit
from surefit.certificates.theorems.class_statistics.class_spread import Spread


def gaussian_claims(attrs: Attributes, data: Spread, every: Spread, tol: float, loose: bool = False) -> list[Claim]:
    """theta_, var_ and epsilon_, var_smoothing times the largest variance of `every` row; `loose`: as var_ feels it."""
    shape, smoothing = data.base.shape, real(attrs.parameter("var_smoothing", 1e-9))
    theta, var, added = attrs.array("theta_", shape), attrs.array("var_", shape), attrs.array("epsilon_", ())
    if not 0 <= smoothing < np.inf:
        attrs.faults.append("var_smoothing is not a number from 0 up")
    if attrs.faults or theta is None or var is None or added is None:
        return []
    epsilon, epsilon_error = (smoothing * float(a.max(initial=0.0)) for a in (every.variance, every.variance_error))
    truth, u = data.variance + epsilon, unit(attrs.model.theta_)
    # in units of the standard deviation that the model should use; of rounding, where a column varies by no more
    square = np.maximum(truth, (np.finfo(np.float64).eps * data.base) ** 2)
    square = np.where(square > 0, square, 1.0)
    error = (data.variance_error + epsilon_error) / square + 4 * UNIT
    least = float(square.min(initial=np.inf)) if loose or epsilon == 0 else epsilon
    means = "theta_ are the means of every class and column, in standard deviations of that class"
    variances = "var_ are the variances of every class and column plus the smoothing, relative to themselves"
    largest = f"epsilon_ is var_smoothing times the largest variance, relative to {'min var_' if loose else 'itself'}"
    off, known, excuse = means_off(theta, data.base, data.shift, data.shift_error, np.sqrt(square), u)
    felt = np.abs(added - epsilon) / least
    return [
        entries_claim("theta_", means, off, tol, known, excuse),
        entries_claim("var_", variances, np.abs(var - truth) / square, tol, error, TEN * unit(attrs.model.var_)),
        entries_claim("epsilon_", largest, felt, tol, epsilon_error / least, TEN * u * epsilon / least),
    ]


def gaussian_scores(X: NDArray, model: Any) -> tuple[F64, F64]:
    """Σ log N(x; θ, v) over the columns that are not NaN, for every row and class, and the sum of its terms' sizes."""
    theta, var = (np.asarray(a, dtype=np.float64) for a in (model.theta_, model.var_))
    x = np.asarray(X, dtype=np.float64)[:, None, :]
    z = np.where(np.isnan(x), 0.0, (x - theta) ** 2 / var)
    logs = np.where(np.isnan(x), 0.0, np.log(2 * np.pi * var))
    return -0.5 * (logs + z).sum(axis=2), 0.5 * (np.abs(logs) + z).sum(axis=2)
