"""Checker of PCA: every component against its own variance.

C = Σω(x − m)(x − m)ᵀ/(N − 1), m the mean, N the number of rows or the sum of the weights; μ₁ ≥ μ₂ ≥ … its eigenvalues.
The reference spectrum is evaluated as `theorems.spectrum` says. A component v at place j is as far off as

    e² = Σᵢ cᵢ² · 2(μᵢ − μⱼ)² / ((μᵢ + μⱼ) μⱼ),   cᵢ its coordinates along the eigenvectors:

zero for every unit vector of the eigenspace of μⱼ; what it holds of directions whose variance differs from μⱼ by a
relative g is at most e/g (docs/certificates/decomposition.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from surefit.certificates.theorems.spectral.dimension import may_be_minka, may_be_share
from surefit.certificates.theorems.spectral.leading import largest, residuals
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
    loose: bool  # the solver may be a randomised one
    tol: float  # what the solver was told to leave, relative
    too_large: bool = False  # the data are, for a reference spectrum

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
    s = spectrum(blocks, center, fit.V if axes is None else axes)
    if not (np.isfinite(s.high).all() and (s.total == 0 or s.total > 1e-280) and center.weight > 1):
        reason = "Squares of the data overflow or underflow, or there is only one row."
        return [failed("finite", reason)], "three passes"
    fit.too_large = axes is None
    if fit.too_large:  # of the variances only those claimed are known, and the sum of all
        claimed = np.append(fit.lam, 0.0) * (center.weight - 1)
        s = replace(s, low=claimed, high=claimed)
    claims = [
        _count(attrs, center, fit, s),
        _mean(fit, s, center, tol),
        _orthonormal(fit, tol),
        *(_leading(fit, blocks, center, tol) if fit.too_large else _components(fit, s, center.weight - 1, tol)),
        _derived(attrs, blocks, center, fit, s, tol),
        *_answers(attrs, model, blocks, fit, s, center),
    ]
    passes, order = ("ten", 3 * len(fit.V) + 50) if fit.too_large else ("three", min(n, d))
    return claims, f"{passes} passes over the rows, {5.0 * n * d * order:.1e} operations"


def _read(attrs: Attributes, blocks: Blocks, center: Center) -> Fit | None:
    V, n, d = attrs.array("components_"), blocks.n_rows, blocks.n_features
    if V is not None and (V.ndim != 2 or V.shape[1] != d):
        attrs.faults.append(f"components_ has shape {V.shape}, expected (k, {d})")
    k = 0 if V is None or attrs.faults else len(V)
    lam, mean = attrs.array("explained_variance_", (k,)), attrs.array("mean_", (d,))
    attrs.array("explained_variance_ratio_", (k,), finite=False)
    attrs.array("singular_values_", (k,))
    if attrs.has("noise_variance_"):
        attrs.number("noise_variance_")
    if attrs.faults or V is None or lam is None or mean is None:
        return None
    solver = attrs.text("svd_solver", "auto")
    few = max(n, d) > 500 and not (d <= 1000 and n >= 10 * d) and 1 <= k < 0.8 * min(n, d)
    loose = solver == "randomized" or (solver == "auto" and few)
    asked = real(attrs.parameter("tol", 0.0)) if solver == "arpack" else 0.0
    eps = epsilon(center.single, np.asarray(attrs.model.components_))
    return Fit(V, lam, mean, eps, solver != "full", loose, asked if 0 <= asked <= RANDOMIZED else 0.0)


def most(center: Center, fit: Fit) -> int:
    """The number of components there are: min(n, d), a row of weight ω standing for ω rows."""
    return min(max(center.counting, int(np.ceil(center.weight))), fit.V.shape[1])


def _count(attrs: Attributes, center: Center, fit: Fit, s: Spectrum) -> Claim:
    """The number kept is the number asked for."""
    k, asked, all_of = len(fit.V), getattr(attrs.model, "n_components", None), most(center, fit)
    mid = (s.low + s.high) / 2
    if asked is None:
        right = k == (all_of - 1 if attrs.text("svd_solver", "auto") == "arpack" else all_of)
    elif isinstance(asked, str):
        if fit.too_large:
            return failed("n_components", "Minka's choice needs all variances; the data are too large for that.")
        error = (s.high - s.low) / np.where(mid > 0, mid, 1.0) + fit.excuse(mid, s.total)
        known = np.maximum(mid, ROUNDINGS * fit.eps * s.total)
        right = asked == "mle" and may_be_minka(k, known / (center.weight - 1), center.weight, error)
    elif isinstance(asked, (float, np.floating)) and 0 < asked < 1:
        slack = ROUNDINGS * fit.eps + float((s.high - s.low).sum() / s.total if s.total > 0 else 0.0)
        right = may_be_share(k, mid, s.total, float(asked), slack)
    else:
        right = real(asked) == k
    if not right:
        return refuted("n_components", f"n_components={asked!r} asks for another number of components than {k}.")
    return at_most("n_components", f"n_components={asked!r} means {k} components here.", Grade.EXACT, 0, 0)


def _mean(fit: Fit, s: Spectrum, center: Center, tol: float) -> Claim:
    deviation = np.sqrt(s.spread / center.weight)
    excuse = ROUNDINGS * fit.eps * (np.abs(s.mean) + deviation)
    unit = np.where(deviation > excuse, deviation, np.maximum(np.abs(s.mean), np.finfo(float).tiny))
    off, error = np.abs(fit.mean - s.mean) / unit, s.mean_error / unit
    sentence = "mean_ is the mean of every column, in deviations."
    return _worst("mean", sentence, Grade.EXACT, off, tol, error, excuse / unit, "mean_ is not the mean")


def _orthonormal(fit: Fit, tol: float) -> Claim:
    d = fit.V.shape[1]
    off = np.append(np.abs(fit.V @ fit.V.T - np.eye(len(fit.V))).max(axis=0), 0.0)
    sentence, wrong = "The components have length one and right angles: VVᵀ − I.", "The components are not orthonormal"
    return _worst(
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
    off, excuse = np.maximum(fit.lam[at] - low[at], high[at] - fit.lam[at]) / safe, fit.excuse(mid, total)
    rest = fit.V[at].T - s.W.T @ c[:, at]
    e = np.sqrt((c[:, at] ** 2 * 2 * (mu - mid) ** 2 / ((mu + mid) * mid)).sum(axis=0) + 2 * (rest**2).sum(axis=0))
    error = 1.1 * width * (1 + e) + 2 * gamma(d + 3) * np.sqrt(2 * (total / mid + d))
    limit, slip = tol + fit.tol, gamma(8) * (1 + off)
    exact = not fit.loose or bool((np.maximum(off + slip, e + error) <= limit + excuse).all())
    grade = Grade.OPTIMAL if exact and fit.tol <= tol else Grade.BOUNDED
    bound = limit if exact else RANDOMIZED
    short = max(1 - along.sum() / max(high.sum(), 1e-300), 0.0)
    sentence = (
        f"explained_variance_ are the {k} largest variances there are, each relative to itself. No {k} directions hold "
        f"more than a share of {short:.1e} above these."
    )
    wrong, least = "explained_variance_ is not the variance at its place", np.abs(fit.lam[at] - mid) / mid - width
    claims.append(_worst("variances", sentence, grade, off, bound, slip, excuse, wrong, least))
    sentence = (
        "Each component is a direction of the variance at its place: what it holds of directions whose variance "
        "differs by a relative g is at most this number over g."
    )
    wrong = "Components are not directions of the variance at their place"
    claims.append(_worst("directions", sentence, grade, e, bound, error, excuse, wrong))
    return claims if exact else [*claims, _own(fit, at, along, c, mu, tol, width, excuse)]


def _leading(fit: Fit, blocks: Blocks, center: Center, tol: float) -> list[Claim]:
    """Data too large for a spectrum: residuals, and a search for something larger."""
    rho, error, total = residuals(blocks, center, fit.V, fit.lam)
    excuse, limit = fit.excuse(fit.lam, total), tol + fit.tol
    bound = limit if not fit.loose or (rho + error <= limit + excuse).all() else RANDOMIZED
    sentence = (
        "Each component is a direction with the variance claimed: some variance of the data is this near, relative "
        "to it, and what it holds of directions whose variance differs by a relative g is at most this over g."
    )
    wrong = "explained_variance_ and components_ do not belong together"
    return [
        _worst("directions", sentence, Grade.BOUNDED, rho, bound, error, excuse, wrong),
        largest(blocks, center, fit.V, fit.lam, total, bound),
    ]


def _worst(
    name: str, sentence: str, grade: Grade, value: F64, limit: F64 | float, error: F64 | float,
    excuse: F64 | float, wrong: str,
    least: F64 | None = None,
) -> Claim:  # fmt: skip
    """The claim about the component or column that comes nearest to its own limit, or is farthest beyond."""
    value, limit, error, excuse = np.broadcast_arrays(value, limit, error, excuse)
    ratio = (value + error) / (limit + excuse)
    j = int(np.argmax(np.where(np.isnan(ratio), np.inf, ratio)))
    grade = Grade.BOUNDED if ((value + error > limit) & (excuse > limit)).any() else grade
    return at_most(
        name, f"{sentence} Number {j} comes nearest to its limit.", grade, value[j], limit[j],
        {"values": (value + error).tolist(), "excuses": excuse.tolist()},
        error=error[j], excuse=excuse[j], lower=None if least is None else least[j],
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
    return _worst(
        "own_variance", sentence, Grade.BOUNDED, np.abs(along[at] / lam - 1), tol + second, width, excuse, wrong
    )


def _derived(attrs: Attributes, blocks: Blocks, center: Center, fit: Fit, s: Spectrum, tol: float) -> Claim:
    """What follows from the variances, each relative to itself; the largest multiple of its own limit."""
    k, degrees, total, lam = len(fit.V), center.weight - 1, s.total / (center.weight - 1), fit.lam
    base, tiny = tol + ROUNDINGS * fit.eps + 2 * s.total_error, ROUNDINGS * fit.eps * total
    off: dict[str, float] = {}

    def differ(name: str, given: Any, truth: F64 | float, room: F64 | float) -> None:
        ratio = np.abs(given - truth) / np.where(room > 0, room, np.finfo(float).tiny)
        off[name] = float(np.max(np.where(np.isnan(ratio), np.inf, ratio), initial=0.0))

    if total > 0:
        ratio = np.asarray(attrs.model.explained_variance_ratio_, dtype=float)
        differ("explained_variance_ratio_", ratio * total, lam, base * np.abs(lam) + fit.eps * tiny)
    sigma = np.asarray(attrs.model.singular_values_, dtype=float)
    differ("singular_values_", sigma, np.sqrt(np.maximum(lam, 0) * degrees), base * sigma + fit.eps * np.sqrt(s.total))
    off["explained_variance_"] = np.inf if (lam < 0).any() or (np.diff(lam) > base * lam[:-1] + tiny).any() else 0.0
    if attrs.has("noise_variance_"):
        # the mean over min(n, d) variances, or over all d where products of columns gave all of them
        noise, solver = np.asarray(attrs.model.noise_variance_, dtype=float), attrs.text("svd_solver", "auto")
        some = fit.loose or solver == "arpack" or fit.too_large
        tail, width = (float(a[k:].sum()) / degrees for a in ((s.low + s.high) / 2, s.high - s.low))
        left, by_products = max(total - float(lam.sum()), 0.0) if some else tail, solver == "covariance_eigh"
        for name, many in (("noise_variance_", most(center, fit)), ("noise_variance_ of all", fit.V.shape[1])):
            differ(name, noise * max(1, many - k), left, base * left + tiny + width)
        over_all = off.pop("noise_variance_ of all")
        off["noise_variance_"] = min(off["noise_variance_"], over_all if by_products else np.inf)
    for name, right in (("n_components_", {k}), ("n_samples_", {blocks.n_rows, center.weight})):
        off[name] = np.inf if attrs.has(name) and attrs.number(name) not in right else 0.0
    worst = max(off, key=lambda name: off[name])
    sentence = f"Ratios, singular values, noise variance, order and counts follow from the variances within {base:.1e}."
    failure = f"{worst} does not follow from the variances: off by {off[worst]:.2g} times what is allowed."
    return at_most("derived", sentence, Grade.EXACT, off[worst], 1.0, off, failure=failure)


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
