"""Columns that are normal within classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import UNIT, Claim
from surefit.certificates.theorems.class_statistics.class_claims import TEN, entries_claim, roundings, unit
from surefit.certificates.theorems.class_statistics.class_spread import Spread, class_spread

Columns = NDArray[np.intp] | None


def gaussian_claims(
    attrs: Attributes, blocks: Blocks, data: Spread, tol: float, columns: Columns = None, missing: bool = False
) -> list[Claim]:
    """theta_, var_ and epsilon_ of some columns or all.

    epsilon_ is var_smoothing times the largest variance of a column over all rows: weighted, but as if every row had
    weight one in scikit-learn. Its partial_fit takes the rows of the last call alone, so there epsilon_ is held to what
    it adds to a variance: that much is it felt.
    """
    shape = data.base.shape
    theta, var = attrs.array("theta_", shape, finite=False), attrs.array("var_", shape, finite=False)
    added, smoothing = attrs.number("epsilon_"), real(attrs.parameter("var_smoothing", 1e-9))
    if not 0 <= smoothing < np.inf:
        attrs.faults.append("var_smoothing is not a number from 0 up")
    if attrs.faults or theta is None or var is None or added is None:
        return []
    plain = any(c.__name__ == "GaussianNB" and c.__module__.startswith("sklearn.") for c in type(attrs.model).__mro__)
    every = class_spread(blocks, shape[0], columns, missing=missing, merged=True, weighted=not plain)
    epsilon, epsilon_error = (smoothing * float(a.max(initial=0.0)) for a in (every.variance, every.variance_error))
    u, there = unit(attrs.model.theta_), data.weight > 0
    # in units of the standard deviation that the model should use; of rounding, where a column varies by no more
    rounded = np.finfo(np.float64).eps * np.abs(data.base)
    truth = np.where(there, data.variance, 0.0) + epsilon
    deviation = np.maximum(np.sqrt(truth), rounded)
    deviation = np.where(deviation > 0, deviation, 1.0)
    off = np.abs((theta - data.base) - data.shift)
    error = data.shift_error + 2 * UNIT * np.abs(np.where(there, theta - data.base, 0.0))
    off = np.where(there, off, np.where(np.isnan(theta), 0.0, np.abs(theta)))  # without rows: zero or NaN
    square = deviation**2
    variance_off = np.where(~there & np.isnan(var), 0.0, np.abs(var - truth) / square)
    least = float(square.min(initial=np.inf)) if plain or epsilon == 0 else epsilon
    return [
        entries_claim(
            "theta_",
            "theta_ are the means of every class and column, in standard deviations of that class",
            off / deviation, tol, error / deviation, roundings(np.abs(data.base) / deviation, u),
        ),
        entries_claim(
            "var_",
            "var_ are the variances of every class and column plus the smoothing, relative to themselves",
            variance_off, tol, (data.variance_error + epsilon_error) / square + 4 * UNIT, TEN * unit(attrs.model.var_),
        ),
        entries_claim(
            "epsilon_",
            "epsilon_ is var_smoothing times the largest variance of a column, relative to "
            + ("the least of var_" if plain else "itself"),
            np.array([abs(added - epsilon) / least]), tol, epsilon_error / least, TEN * u * epsilon / least,
        ),
    ]  # fmt: skip


def gaussian_scores(X: NDArray, model: Any) -> tuple[F64, F64]:
    """Σ log N(x; θ, v) over the columns that are not NaN, for every row and class, and the sum of its terms' sizes."""
    theta, var = (np.asarray(a, dtype=np.float64) for a in (model.theta_, model.var_))
    x = np.asarray(X, dtype=np.float64)[:, None, :]
    z = np.where(np.isnan(x), 0.0, (x - theta) ** 2 / var)
    logs = np.where(np.isnan(x), 0.0, np.log(2 * np.pi * var))
    return -0.5 * (logs + z).sum(axis=2), 0.5 * (np.abs(logs) + z).sum(axis=2)
