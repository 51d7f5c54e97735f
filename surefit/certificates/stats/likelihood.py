"""Checker of maximum likelihood: the likelihood is stationary at the answer, and bends down there in every direction.

With the score s and the curvature J = −∇²ℓ at θ̂, a Newton step raises the log-likelihood by sᵀJ⁻¹s/2 to second order:
at most (‖s‖ + e)²/(2(μ − E)), where μ is the smallest eigenvalue of J and e, E estimate the errors of the differences.
Where the likelihood has no derivatives (at an edge of the support, at a kink) points around θ̂ are tried instead. The
model's own density is taken as it is: what is proved is about the numbers that it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.attributes import real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import CertificateError, Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT

STEP = 0.05  # of the differences, in natural units
DENSITY = 64 * UNIT  # relative error allowed to the model's own log-densities
TRIED = 64  # random directions, beside the axes


@checker("parameters", "log_likelihood", any_input=True)
def check_likelihood(fit: Any, blocks: Blocks, tol: float) -> Findings:
    """Differences of the log-likelihood around the answer."""
    names, parameters = tuple(getattr(fit, "free", ())), getattr(fit, "parameters", None)
    x = np.asarray(getattr(blocks, "all", np.zeros(0)))
    if not isinstance(parameters, dict) or not names or not callable(getattr(fit, "log_density", None)):
        raise CertificateError("This is no fit of a distribution: it has no parameters, free names and log_density.")
    theta = np.array([real(parameters.get(name)) for name in names])
    if not np.isfinite(theta).all():
        return [refuted("parameters", f"The parameters are no finite numbers: {parameters}.")], "nothing"
    x = x[:, 0] if x.ndim == 2 and x.shape[1] == 1 else x
    if x.ndim != 1 or not x.size or x.dtype.kind not in "biuf" or not np.isfinite(x).all():
        raise BadData("a sample of finite numbers is needed: surefit.certify(fit, x)")
    rows = _asked(fit, x, theta)
    if not np.isfinite(rows).all():
        wrong = refuted("log_likelihood", f"{int((~np.isfinite(rows)).sum())} values of x have the density zero.")
        return [wrong], "one pass"
    error = 2 * DENSITY * float(np.abs(rows).sum())

    def gain(change: F64) -> float:
        """ℓ(θ + change) − ℓ(θ), row by row."""
        moved = _asked(fit, x, theta + change)
        return float((moved - rows).astype(np.longdouble).sum()) if np.isfinite(moved).all() else -np.inf

    units = _units(gain, theta, names, float(x.std()))
    claims = [_value(fit, rows, error, tol)]
    smooth = _smooth(gain, units, error, tol)
    claims += smooth if smooth is not None else [_around(gain, units, error, tol)]
    k = len(names)
    return claims, f"{2 * k * (k + 1) + 2 * k + 2} log-likelihoods, or {18 * k + 3 * TRIED} at an edge"


def _asked(fit: Any, x: F64, theta: F64) -> F64:
    try:
        found = np.asarray(fit.log_density(x, theta), dtype=np.float64)
    except Exception as fault:
        raise BadData(f"the density fails with {type(fault).__name__}: {fault}") from fault
    if found.shape != x.shape:
        raise BadData(f"the density gives the shape {found.shape} for {len(x)} values")
    return found


def _value(fit: Any, rows: F64, error: float, tol: float) -> Claim:
    truth, said = float(rows.astype(np.longdouble).sum()), real(getattr(fit, "log_likelihood", None))
    return at_most(
        "log_likelihood", f"log_likelihood is Σ log f(xᵢ) = {truth:.10g}; difference.", Grade.EXACT,
        abs(said - truth) if np.isfinite(said) else np.inf, tol, error=error,
        failure=f"log_likelihood is {said:.10g}, but the density gives {truth:.10g} for this sample.",
    )  # fmt: skip


def _units(gain: Callable[[F64], float], theta: F64, names: tuple[str, ...], spread: float) -> F64:
    """For each parameter the change that costs about 1/2 alone; a thousandth of its size where that is not known."""
    sizes = np.abs(theta) + np.where(np.array(names) == "loc", spread, 0.0)
    units = 1e-3 * np.where(sizes > 0, sizes, 1.0)
    for j, h in enumerate(units.copy()):
        step = h * np.eye(len(theta))[j]
        bend = -(gain(step) + gain(-step)) / h**2
        units[j] = min(bend**-0.5, 100 * h) if np.isfinite(bend) and bend > 0 else h
    return units


def _smooth(gain: Callable[[F64], float], units: F64, error: float, tol: float) -> list[Claim] | None:
    """Score and curvature in natural units; None where there are no derivatives to speak of."""
    k, axes = len(units), np.diag(units)
    at = {(j, m): gain(m * STEP * axes[j]) for j in range(k) for m in (-2, -1, 1, 2)}
    first = np.array([[(at[j, m] - at[j, -m]) / (2 * m * STEP) for m in (1, 2)] for j in range(k)])
    second = np.array([[(at[j, m] + at[j, -m]) / (m * STEP) ** 2 for m in (1, 2)] for j in range(k)])
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return None
    score, e = (4 * first[:, 0] - first[:, 1]) / 3, np.abs(first[:, 0] - first[:, 1]) / 3 * STEP + error / STEP
    J, E = np.diag(-second[:, 0]), np.diag(np.abs(second[:, 0] - second[:, 1])) + 4 * error / STEP**2
    for j in range(k):
        for i in range(j):
            both, cross = axes[i] + axes[j], axes[i] - axes[j]
            pair = [
                (gain(m * STEP * both) + gain(-m * STEP * both) - gain(m * STEP * cross) - gain(-m * STEP * cross))
                / (2 * m * STEP) ** 2
                for m in (1, 2)
            ]
            if not np.isfinite(pair).all():
                return None
            J[i, j] = J[j, i] = -pair[0]
            E[i, j] = E[j, i] = abs(pair[0] - pair[1]) + 4 * error / STEP**2
    values, vectors = np.linalg.eigh(J)
    off = float(np.linalg.norm(E))
    if values[0] < -off:
        better = max(gain(m * units * vectors[:, 0]) for m in (-1.0, -STEP, STEP, 1.0))
        return [_not_a_maximum(values[0], better)]
    if values[0] <= 2 * off:
        return None
    norm, slack = float(np.linalg.norm(score)), float(np.linalg.norm(e))
    rise = (norm + slack) ** 2 / (2 * (values[0] - off))
    step = units * (vectors @ ((vectors.T @ score) / values))
    if rise > tol and not gain(step) > error:  # a kink: the step does not gain what the derivatives promise
        return None
    return [
        at_most(
            "stationary",
            f"The score is zero: a Newton step raises the log-likelihood by at most this much, and moves the "
            f"parameters by {norm / values[0] ** 0.5:.2g} standard errors. The error of the differences is estimated.",
            Grade.STATIONARY, rise, tol, {"score": score.tolist()}, lower=gain(step) - error,
            failure=f"The score is not zero: a step of {norm / values[0] ** 0.5:.2g} standard errors raises the "
            f"log-likelihood by {gain(step):.3g}. This is not the maximum.",
        ),
        at_most("maximum", "The curvature is negative in every direction: a local maximum. Largest curvature, in "
                "natural units.", Grade.STATIONARY, -values[0], 0.0, error=off),
    ]  # fmt: skip


def _not_a_maximum(smallest: float, better: float) -> Claim:
    reason = (
        f"The likelihood bends upward in a direction (curvature {-smallest:.3g} in natural units): this is a saddle or "
        f"a minimum; a point nearby has a log-likelihood higher by {better:.3g}."
    )
    return refuted("maximum", reason, better, 0.0)


def _around(gain: Callable[[F64], float], units: F64, error: float, tol: float) -> Claim:
    """Points on the axes, from near to far, and in random directions."""
    k, rng = len(units), np.random.default_rng(0)
    random = rng.standard_normal((TRIED, k))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    steps = [10.0**-e * axis for e in range(9) for axis in (*np.eye(k), *-np.eye(k))]
    steps += [length * direction for length in (1e-2, 0.1, 1.0) for direction in random]
    best = max(gain(units * step) for step in steps)
    return at_most(
        "edge",
        f"There are no derivatives here (an edge of the support, or a kink); of {len(steps)} parameters "
        "around the answer none has a higher log-likelihood: largest gain.",
        Grade.GREEDY, max(best, 0.0), tol, error=error, lower=best - error,
        failure=f"A point nearby has a log-likelihood higher by {best:.3g}: this is not the maximum.",
    )  # fmt: skip
