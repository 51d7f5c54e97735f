"""Checker of PCA: every component against its own variance.

C = Σω(x − m)(x − m)ᵀ/(N − 1), m the mean, N the number of rows or the sum of the weights; μ₁ ≥ μ₂ ≥ … its eigenvalues.
The reference spectrum is evaluated as `theorems.spectrum` says. A component v at place j is as far off as

    e² = Σᵢ cᵢ² · 2(μᵢ − μⱼ)² / ((μᵢ + μⱼ) μⱼ),   cᵢ its coordinates along the eigenvectors:

zero for every unit vector of the eigenspace of μⱼ; what it holds of directions whose variance differs from μⱼ by a
relative g is at most e/g (docs/certificates/decomposition.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.spectral.principal_axes import principal_axes
from surefit.certificates.theorems.spectral.centered import Center, first_pass
from surefit.certificates.theorems.spectral.spectrum import Spectrum, spectrum

ROUNDINGS = 10.0
RANDOMIZED = 0.25  # what a randomised fit may miss of a variance, and how far a component may be off


@dataclass
class Fit:
    """What the model says, and what its solver could know."""

    V: F64  # components_, (k, d)
    lam: F64  # explained_variance_
    mean: F64
    eps: float
    squares: bool  # the solver works on products of columns: variances below eps times the largest are not known
    loose: bool  # the solver may be a randomised one, or was told to stop early
    most: int  # components there are: min(n, d), a row of weight ω standing for ω rows
    noise: float | None  # noise_variance_

    def excuse(self, variance: F64, total: float) -> F64:
        """A relative error of the variance (or of e) that ten roundings of the data or of the products explain."""
        ratio = total / np.where(variance > 0, variance, np.inf)
        return ROUNDINGS * self.eps * (np.sqrt(ratio) + (ratio if self.squares else self.eps * ratio))


@checker(
    "components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "n_components_",
    "n_samples_", "noise_variance_", "transform", "inverse_transform",
)  # fmt: skip
def check_pca(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes, one factor and one spectrum of order min(n, d)."""
    attrs = Attributes(model, "components_")
    center = first_pass(blocks)
    fit = _read(attrs, blocks, center)
    if fit is None:
        return [bad_attributes(attrs)], "one pass"
    axes, n, d = principal_axes(blocks, center.long_mean), blocks.n_rows, blocks.n_features
    if axes is None:
        reason = f"{n} × {d} numbers are too many for a spectrum here: nothing is recomputed."
        return [failed("components", reason)], "one pass"
    s = spectrum(blocks, center, axes)
    if not (np.isfinite(s.high).all() and (s.total == 0 or s.total > 1e-280) and center.weight > 1):
        reason = "Squares of the data overflow or underflow, or there is only one row."
        return [failed("finite", reason)], "three passes"
    claims = [
        _count(attrs, fit, s),
        _mean(fit, s, center, tol),
        _orthonormal(fit, tol),
        *_components(fit, s, center.weight - 1, tol),
        _derived(attrs, blocks, center, fit, s, tol),
        *_answers(attrs, model, blocks, fit, s, center),
    ]
    return claims, f"three passes over the rows, {5.0 * n * d * min(n, d):.1e} operations"


def _read(attrs: Attributes, blocks: Blocks, center: Center) -> Fit | None:
    V, n, d = attrs.array("components_"), blocks.n_rows, blocks.n_features
    if V is not None and (V.ndim != 2 or V.shape[1] != d):
        attrs.faults.append(f"components_ has shape {V.shape}, expected (k, {d})")
    k = 0 if V is None or attrs.faults else len(V)
    lam, mean = attrs.array("explained_variance_", (k,)), attrs.array("mean_", (d,))
    attrs.array("explained_variance_ratio_", (k,), finite=False)
    attrs.array("singular_values_", (k,))
    noise = attrs.number("noise_variance_") if attrs.has("noise_variance_") else None
    if attrs.faults or V is None or lam is None or mean is None:
        return None
    solver = attrs.text("svd_solver", "auto")
    few = max(n, d) > 500 and not (d <= 1000 and n >= 10 * d) and 1 <= k < 0.8 * min(n, d)
    told = solver == "randomized" or (solver == "arpack" and real(attrs.parameter("tol", 0.0)) > 0)
    eps = epsilon(center.single, np.asarray(attrs.model.components_))
    most = min(max(center.counting, int(np.ceil(center.weight))), d)
    return Fit(V, lam, mean, eps, solver != "full", told or (solver == "auto" and few), most, noise)


def _count(attrs: Attributes, fit: Fit, s: Spectrum) -> Claim:
    """The number kept is the number asked for; of a share the least whose variances add up to more, up to rounding."""
    k, asked = len(fit.V), getattr(attrs.model, "n_components", None)
    if isinstance(asked, str):
        return failed("n_components", f"n_components={asked!r}: how many components that asks for is not recomputed.")
    if asked is None:
        right = k == fit.most - (attrs.text("svd_solver", "auto") == "arpack")
    elif isinstance(asked, (float, np.floating)) and 0 < asked < 1:
        sums = np.append(0.0, np.cumsum(s.low + s.high)) / 2
        slack = ROUNDINGS * fit.eps * s.total + float((s.high - s.low).sum())
        least, enough = asked * s.total - slack, asked * s.total + slack
        right = 1 <= k < len(sums) and sums[k - 1] <= enough and (k == len(sums) - 1 or not sums[k] < least)
    else:
        right = real(asked) == k
    if not right:
        return refuted("n_components", f"n_components={asked!r} asks for another number of components than {k}.")
    return at_most("n_components", f"n_components={asked!r} means {k} components here.", Grade.EXACT, 0, 0)


def _mean(fit: Fit, s: Spectrum, center: Center, tol: float) -> Claim:
    deviation = np.sqrt(s.spread / center.weight)
    excuse = ROUNDINGS * fit.eps * (np.abs(center.mean) + deviation)
    unit = np.where(deviation > excuse, deviation, np.maximum(np.abs(center.mean), np.finfo(float).tiny))
    off, error = np.abs(fit.mean - center.mean) / unit, s.mean_error / unit
    sentence = "mean_ is the mean of every column, in deviations."
    return worst("mean", sentence, Grade.EXACT, off, tol, error, excuse / unit, "mean_ is not the mean")


def _orthonormal(fit: Fit, tol: float) -> Claim:
    d = fit.V.shape[1]
    off = np.append(np.abs(fit.V @ fit.V.T - np.eye(len(fit.V))).max(axis=0), 0.0)
    sentence, wrong = "The components have length one and right angles: VVᵀ − I.", "The components are not orthonormal"
    return worst(
        "orthonormal", sentence, Grade.EXACT, off, tol, 2 * gamma(d + 2), ROUNDINGS * fit.eps * np.sqrt(d), wrong
    )


def _components(fit: Fit, s: Spectrum, degrees: float, tol: float) -> list[Claim]:
    """Each variance and each direction, against the variance at its place; those without variance together."""
    k, d = fit.V.shape
    low, high = (np.pad(bound, (0, max(0, k - bound.size)))[:k] / degrees for bound in (s.low, s.high))
    total, eta = s.total / degrees, s.eta / np.sqrt(degrees)
    level = max(ROUNDINGS * fit.eps if fit.squares else ROUNDINGS**2 * d * fit.eps**2, 5 * eta**2 / max(total, 1e-300))
    null = high <= level * total
    c = s.W @ fit.V.T
    along = np.einsum("ij,i,ij->j", c, s.D / degrees, c)  # vᵀCv
    claims = [] if not null.any() else [_null(fit, null, along, high, total, level, eta)]
    at = np.flatnonzero(~null)
    if not at.size:
        return claims
    safe, mu = np.where(low[at] > 0, low[at], np.nan), s.D[:, None] / degrees
    mid, width = (low[at] + high[at]) / 2, (high[at] - low[at]) / safe
    off, excuse = np.abs(fit.lam[at] - mid) / mid, fit.excuse(mid, total)
    rest = fit.V[at].T - s.W.T @ c[:, at]
    e = np.sqrt((c[:, at] ** 2 * 2 * (mu - mid) ** 2 / ((mu + mid) * mid)).sum(axis=0) + 2 * (rest**2).sum(axis=0))
    error = 1.1 * width * (1 + e) + 2 * gamma(d + 3) * np.sqrt(2 * (total / mid + d))
    known = (1 + off) * (width + gamma(8))
    exact = not fit.loose or bool((np.maximum(off + known, e + error) <= tol + excuse).all())
    grade, bound = (Grade.OPTIMAL, tol) if exact else (Grade.BOUNDED, RANDOMIZED)
    short = max(1 - along.sum() / max(high.sum(), 1e-300), 0.0)
    sentence = (
        f"explained_variance_ are the {k} largest variances there are, each relative to itself. No {k} directions hold "
        f"more than a share of {short:.1e} above these."
    )
    wrong = "explained_variance_ is not the variance at its place"
    claims.append(worst("variances", sentence, grade, off, bound, known, excuse, wrong))
    sentence = (
        "Each component is a direction of the variance at its place: what it holds of directions whose variance "
        "differs by a relative g is at most this number over g."
    )
    wrong = "Components are not directions of the variance at their place"
    claims.append(worst("directions", sentence, grade, e, bound, error, excuse, wrong))
    return claims if exact else [*claims, _own(fit, at, along, c, mu, tol, width, excuse)]


def worst(
    name: str, sentence: str, grade: Grade, value: F64, limit: F64 | float, error: F64 | float, excuse: F64 | float,
    wrong: str,
) -> Claim:  # fmt: skip
    """The claim about the component or column that comes nearest to its own limit, or is farthest beyond."""
    value, limit, error, excuse = np.broadcast_arrays(value, limit, error, excuse)
    ratio = (value + error) / (limit + excuse)
    j = int(np.argmax(np.where(np.isnan(ratio), np.inf, ratio)))
    grade = Grade.BOUNDED if ((value + error > limit) & (excuse > limit)).any() else grade
    return at_most(
        name, f"{sentence} Number {j} comes nearest to its limit.", grade, value[j], limit[j],
        {"values": (value + error).tolist(), "excuses": excuse.tolist()},
        error=error[j], excuse=excuse[j],
        failure=f"{wrong}, or rounding hides it: number {j} is off by a relative {value[j] + error[j]:.2g} at most.",
    )  # fmt: skip


def _null(fit: Fit, null: F64, along: F64, high: F64, total: float, level: float, eta: float) -> Claim:
    held = (np.sqrt(np.maximum(along[null], 0.0)) + eta) ** 2
    most = float(np.max([np.abs(fit.lam[null]), held, high[null]])) / (total if total > 0 else 1.0)
    sentence = f"{int(null.sum())} components have no variance that this solver could tell from zero, relative to all."
    failure = f"A component claims or holds a share of {most:.2g} of the variance where the data have none."
    return at_most("no_variance", sentence, Grade.EXACT, most, level, failure=failure)


def _own(fit: Fit, at: F64, along: F64, c: F64, mu: F64, tol: float, width: F64, excuse: F64) -> Claim:
    """Ritz values of a randomised fit: 0 ≤ vᵀCv/λ − 1 ≤ Σᵢ cᵢ²(μᵢ − λ)²/(μᵢλ), its second order."""
    lam = np.maximum(fit.lam[at], 1e-300)
    second = (c[:, at] ** 2 * (mu - lam) ** 2 / (mu * lam)).sum(axis=0)
    sentence = "explained_variance_ is the variance along its own component, to the second order of a randomised fit."
    wrong = "explained_variance_ is not the variance along the components"
    return worst(
        "own_variance", sentence, Grade.BOUNDED, np.abs(along[at] / lam - 1), tol + second, width, excuse, wrong
    )


def _derived(attrs: Attributes, blocks: Blocks, center: Center, fit: Fit, s: Spectrum, tol: float) -> Claim:
    """What follows from the variances, each relative to itself; the largest multiple of its own limit."""
    (k, d), degrees, total, lam = fit.V.shape, center.weight - 1, s.total / (center.weight - 1), fit.lam
    base, tiny = tol + ROUNDINGS * fit.eps + 2 * s.total_error, ROUNDINGS * fit.eps * total
    off: dict[str, float] = {}

    def differ(name: str, given: Any, truth: F64 | float, room: F64 | float) -> None:
        ratio = np.abs(given - truth) / np.where(room > 0, room, np.finfo(float).tiny)
        off[name] = float(np.max(np.where(np.isnan(ratio), np.inf, ratio), initial=0.0))

    shares, sigma = (np.asarray(a) for a in (attrs.model.explained_variance_ratio_, attrs.model.singular_values_))
    if total > 0:
        differ("explained_variance_ratio_", shares * total, lam, base * np.abs(lam) + fit.eps * tiny)
    differ("singular_values_", sigma, np.sqrt(np.maximum(lam, 0) * degrees), base * sigma + fit.eps * np.sqrt(s.total))
    off["explained_variance_"] = np.inf if (lam < 0).any() or (np.diff(lam) > base * lam[:-1] + tiny).any() else 0.0
    if fit.noise is not None:  # the mean of those left out of min(n, d), or of d where products gave all of them
        solver = attrs.text("svd_solver", "auto")
        rest, width = (float(a[k:].sum()) / degrees for a in ((s.low + s.high) / 2, s.high - s.low))
        left = max(total - float(lam.sum()), 0.0) if fit.loose or solver == "arpack" else rest
        sums = [fit.noise * max(1, many - k) for many in (fit.most, d if solver == "covariance_eigh" else fit.most)]
        differ("noise_variance_", min(sums, key=lambda one: abs(one - left)), left, base * left + tiny + width)
    rows = {blocks.n_rows, center.weight}
    for name, right in {"n_components_": {k}, "n_samples_": rows, "n_samples_seen_": rows}.items():
        off[name] = np.inf if attrs.has(name) and attrs.number(name) not in right else 0.0
    farthest = max(off, key=lambda name: off[name])
    sentence = f"Ratios, singular values, noise variance, order and counts follow from the variances within {base:.1e}."
    failure = f"{farthest} does not follow from the variances: off by {off[farthest]:.2g} times what is allowed."
    return at_most("derived", sentence, Grade.EXACT, off[farthest], 1.0, off, failure=failure)


def _answers(attrs: Attributes, model: Any, blocks: Blocks, fit: Fit, s: Spectrum, center: Center) -> list[Claim]:
    """transform and inverse_transform on sampled rows; components without variance are left open when whitened."""
    X, (k, d), whiten = sample_rows(blocks), fit.V.shape, attrs.flag("whiten", False)
    A, size = np.asarray(X, dtype=float) - fit.mean, np.abs(X).astype(float) + np.abs(fit.mean)
    scale = np.sqrt(np.maximum(fit.lam, 0.0)) if whiten else np.ones(k)
    known = fit.lam * (center.weight - 1) > ROUNDINGS * fit.eps * s.total if whiten else np.ones(k, dtype=bool)
    unit = np.where(known, scale, 1.0)
    codes = A @ fit.V.T / unit
    rounding = np.where(known, (d + 8) * fit.eps * (size @ np.abs(fit.V).T) / unit, np.inf)
    back = codes.astype(X.dtype if X.dtype.kind == "f" else float)
    there = (np.asarray(back, dtype=float) * scale) @ fit.V + fit.mean
    slack = (k + 8) * fit.eps * ((np.abs(codes) * scale) @ np.abs(fit.V) + np.abs(fit.mean))
    return [
        numbers_claim(model, "transform", X, codes, rounding),
        numbers_claim(model, "inverse_transform", back, there, slack),
    ]
