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
from surefit.certificates.search.principal_axes import principal_axes
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
        return [
            failed("finite", "Squares of the data overflow or underflow, or there is only one row.")
        ], "three passes"
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
    if fit.too_large:
        return claims, f"ten passes over the rows, {4.0 * n * d * (3 * len(fit.V) + 50):.1e} operations"
    return claims, f"three passes over the rows, {5.0 * n * d * min(n, d):.1e} operations, all {min(n, d)} variances"


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
    error = s.mean_error
    off, room = np.abs(fit.mean - s.mean), tol * deviation
    excuse = ROUNDINGS * fit.eps * (np.abs(s.mean) + deviation)
    j = int(np.argmax((off + error) / np.where(room + excuse > 0, room + excuse, np.inf)))
    unit = deviation[j] if deviation[j] > excuse[j] else max(abs(s.mean[j]), np.finfo(float).tiny)
    return at_most(
        "mean",
        f"mean_ is the mean of every column; column {j} comes nearest to its limit, off by this many deviations.",
        Grade.EXACT, off[j] / unit, tol, error=error[j] / unit, excuse=excuse[j] / unit,
        failure=f"mean_ is not the mean of column {j}: off by a relative {off[j] / unit:.2g}.",
    )  # fmt: skip


def _orthonormal(fit: Fit, tol: float) -> Claim:
    k, d = fit.V.shape
    off = np.abs(fit.V @ fit.V.T - np.eye(k)).max(initial=0.0)
    return at_most(
        "orthonormal",
        "The components have length one and right angles; largest entry of VVᵀ − I.",
        Grade.EXACT, off, tol, error=2 * gamma(d + 2), excuse=ROUNDINGS * fit.eps * np.sqrt(d),
        failure=f"The components are not orthonormal: an entry of VVᵀ − I is {off:.2g}.",
    )  # fmt: skip


def _components(fit: Fit, s: Spectrum, degrees: float, tol: float) -> list[Claim]:
    """Each variance and each direction, against the variance at its place; those without variance together."""
    k, d = fit.V.shape
    low, high = (np.pad(bound, (0, max(0, k - bound.size)))[:k] / degrees for bound in (s.low, s.high))
    total, eta = s.total / degrees, (s.eta[-1] if len(s.W) else np.sqrt(s.total)) / np.sqrt(degrees)
    level = max(ROUNDINGS * fit.eps if fit.squares else ROUNDINGS**2 * d * fit.eps**2, 5 * eta**2 / max(total, 1e-300))
    null = high <= level * total
    c = s.W @ fit.V.T
    along = np.einsum("ij,i,ij->j", c, s.D / degrees, c)  # vᵀCv
    claims = [] if not null.any() else [_null(fit, null, along, high, total, level, eta)]
    real_ones = np.flatnonzero(~null)
    if not real_ones.size:
        return claims
    at = real_ones
    safe = np.where(low[at] > 0, low[at], np.nan)
    mid, width = (low[at] + high[at]) / 2, (high[at] - low[at]) / safe
    excuse = fit.excuse(mid, total)
    off, least = np.maximum(fit.lam[at] - low[at], high[at] - fit.lam[at]) / safe, np.abs(fit.lam[at] - mid) / mid
    least = np.maximum(least - width, 0.0)
    mu = s.D[:, None] / degrees
    rest = fit.V[at].T - s.W.T @ c[:, at]
    e = np.sqrt((c[:, at] ** 2 * 2 * (mu - mid) ** 2 / ((mu + mid) * mid)).sum(axis=0) + 2 * (rest**2).sum(axis=0))
    error = 1.1 * width * (1 + e) + 2 * gamma(d + 3) * np.sqrt(2 * (total / mid + d))
    limit, slip = tol + fit.tol, gamma(8) * (1 + off)
    exact = not fit.loose or bool((np.maximum(off + slip, e + error) <= limit + excuse).all())
    grade = Grade.OPTIMAL if exact and fit.tol <= tol else Grade.BOUNDED
    bound = limit if exact else RANDOMIZED
    short = 1 - along.sum() / max(high.sum(), 1e-300)
    claims += [
        _worst(
            "variances",
            f"explained_variance_ are the {k} largest variances there are, each relative to itself. No {k} directions "
            f"hold more than a share of {max(short, 0.0):.1e} above these.",
            grade, at, off, bound, slip, excuse, least,
            "explained_variance_ is not the variance at its place",
        ),
        _worst(
            "directions",
            "Each component is a direction of the variance at its place: what it holds of directions whose variance "
            "differs by a relative g is at most this number over g.",
            grade, at, e, bound, error, excuse, np.maximum(e - error, 0.0),
            "Components are not directions of the variance at their place",
        ),
    ]  # fmt: skip
    if not exact:
        claims.append(_own(fit, at, along, c, mu, tol, width, excuse))
    return claims


def _leading(fit: Fit, blocks: Blocks, center: Center, tol: float) -> list[Claim]:
    """Data too large for a spectrum: residuals, and a search for something larger."""
    rho, error, total = residuals(blocks, center, fit.V, fit.lam)
    excuse, limit = fit.excuse(fit.lam, total), tol + fit.tol
    exact = not fit.loose or bool((rho + error <= limit + excuse).all())
    bound = limit if exact else RANDOMIZED
    sentence = (
        "Each component is a direction with the variance claimed: some variance of the data is this near, relative "
    )
    sentence += "to it, and what it holds of directions whose variance differs by a relative g is at most this over g."
    wrong = "explained_variance_ and components_ do not belong together"
    at, least = np.arange(len(rho)), np.maximum(rho - error, 0.0)
    return [
        _worst("directions", sentence, Grade.BOUNDED, at, rho, bound, error, excuse, least, wrong),
        largest(blocks, center, fit.V, fit.lam, total, bound),
    ]


def _worst(
    name: str, sentence: str, grade: Grade, at: F64, value: F64, limit: float, error: F64, excuse: F64, least: F64,
    wrong: str,
) -> Claim:  # fmt: skip
    """The claim about the component that comes nearest to its own limit, or is farthest beyond."""
    ratio = (value + error) / (limit + excuse)
    j = int(np.argmax(np.where(np.isnan(ratio), np.inf, ratio)))
    if ((value + error > limit) & (excuse > limit)).any():
        grade = Grade.BOUNDED
    return at_most(
        name,
        f"{sentence} Component {at[j]} comes nearest to its limit.",
        grade, value[j], limit, {"values": (value + error).tolist(), "excuses": excuse.tolist()},
        error=error[j], excuse=excuse[j], lower=least[j],
        failure=f"{wrong}: component {at[j]} is off by a relative {value[j]:.2g}. "
        "PCA with svd_solver='full' keeps most digits."
        if least[j] > limit + excuse[j] else
        f"{wrong}, or rounding hides it: component {at[j]} is off by a relative {value[j] + error[j]:.2g} at most.",
    )  # fmt: skip


def _null(fit: Fit, null: F64, along: F64, high: F64, total: float, level: float, eta: float) -> Claim:
    held = np.maximum(np.sqrt(np.maximum(along[null], 0.0)) + eta, 0.0) ** 2
    most = float(np.max([np.abs(fit.lam[null]), held, high[null]])) / total if total > 0 else float(fit.lam[null].max())
    return at_most(
        "no_variance",
        f"{int(null.sum())} components have no variance that this solver could tell from zero; the largest, relative "
        "to all variance.",
        Grade.EXACT, most, level,
        failure=f"A component claims or holds a share of {most:.2g} of the variance where the data have none.",
    )  # fmt: skip


def _own(fit: Fit, at: F64, along: F64, c: F64, mu: F64, tol: float, width: F64, excuse: F64) -> Claim:
    """Ritz values of a randomised fit: 0 ≤ vᵀCv/λ − 1 ≤ Σᵢ cᵢ²(μᵢ − λ)²/(μᵢλ), its second order."""
    lam = np.maximum(fit.lam[at], 1e-300)
    second = (c[:, at] ** 2 * (mu - lam) ** 2 / (mu * lam)).sum(axis=0)
    off = np.abs(along[at] / lam - 1)
    j = int(np.argmax((off + width) / (tol + second + excuse)))
    return at_most(
        "own_variance",
        f"explained_variance_ is the variance along its own component, to the second order of a randomised fit; "
        f"component {at[j]} comes nearest to its limit.",
        Grade.BOUNDED, off[j], tol + second[j], error=width[j], excuse=excuse[j],
        failure=f"explained_variance_ is not the variance along component {at[j]}: off by a relative {off[j]:.2g}.",
    )  # fmt: skip


def _derived(attrs: Attributes, blocks: Blocks, center: Center, fit: Fit, s: Spectrum, tol: float) -> Claim:
    """What follows from the variances, each relative to itself; the largest multiple of its own limit."""
    k, degrees, total = len(fit.V), center.weight - 1, s.total / (center.weight - 1)
    base, tiny = tol + ROUNDINGS * fit.eps + 2 * s.total_error, ROUNDINGS * fit.eps * total
    lam, off = fit.lam, {}

    def differ(name: str, given: F64, truth: F64, room: F64 | float) -> None:
        ratio = np.abs(given - truth) / np.where(room > 0, room, np.finfo(float).tiny)
        off[name] = float(np.max(np.where(np.isnan(ratio), np.inf, ratio), initial=0.0))

    if total > 0:
        ratio = np.asarray(attrs.model.explained_variance_ratio_, dtype=float)
        differ("explained_variance_ratio_", ratio * total, lam, base * np.abs(lam) + fit.eps * tiny)
    sigma = np.asarray(attrs.model.singular_values_, dtype=float)
    differ("singular_values_", sigma, np.sqrt(np.maximum(lam, 0) * degrees), base * sigma + fit.eps * np.sqrt(s.total))
    off["explained_variance_"] = np.inf if (lam < 0).any() or (np.diff(lam) > base * lam[:-1] + tiny).any() else 0.0
    if attrs.has("noise_variance_"):
        noise, solver = attrs.number("noise_variance_"), attrs.text("svd_solver", "auto")
        tail = float(((s.low + s.high) / 2)[k:].sum()) / degrees
        some = fit.loose or solver == "arpack" or fit.too_large
        left = max(total - float(lam.sum()), 0.0) if some else tail
        room = base * left + tiny + float((s.high - s.low)[k:].sum()) / degrees
        # the mean over min(n, d) variances, or over all d where products of columns gave all of them
        counts = [most(center, fit) - k] + [fit.V.shape[1] - k] * (solver == "covariance_eigh")
        for count in counts:
            differ(f"noise_variance_ {count}", np.array([noise]), left / max(1, count), room / max(1, count))
        off["noise_variance_"] = min(off.pop(f"noise_variance_ {count}") for count in dict.fromkeys(counts))
    for name, right in (("n_components_", {k}), ("n_samples_", {blocks.n_rows, center.weight})):
        off[name] = np.inf if attrs.has(name) and attrs.number(name) not in right else 0.0
    worst = max(off, key=lambda name: off[name])
    return at_most(
        "derived",
        f"Ratios, singular values, noise variance, order and counts follow from the variances within {base:.1e} of "
        f"themselves; largest multiple of that, in {worst}.",
        Grade.EXACT, off[worst], 1.0, off,
        failure=f"{worst} does not follow from the variances: off by {off[worst]:.2g} times what is allowed.",
    )  # fmt: skip


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
