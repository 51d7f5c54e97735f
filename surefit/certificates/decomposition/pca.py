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
from surefit.certificates.search.spectral.larger_direction import larger_direction
from surefit.certificates.search.spectral.principal_axes import principal_axes
from surefit.certificates.theorems.spectral.centered import Center, centered, first_pass
from surefit.certificates.theorems.spectral.spectrum import Spectrum, spectrum

ROUNDINGS = 10.0
RANDOMIZED = 0.25  # what a randomised fit may miss of a variance, and how far a component may be off


APART = "explained_variance_ and components_ do not belong together"
DIRECTIONS = (
    "Each component is a direction of its variance: what it holds of directions whose variance differs by a relative g "
    "is at most this number over g."
)


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
    """Three passes, one factor and one spectrum of order min(n, d); a dozen passes where that is too much."""
    attrs = Attributes(model, "components_")
    center = first_pass(blocks)
    fit = _read(attrs, blocks, center)
    if fit is None:
        return [bad_attributes(attrs)], "one pass"
    axes, n, d = principal_axes(blocks, center.long_mean), blocks.n_rows, blocks.n_features
    s = spectrum(blocks, center, fit.V if axes is None else axes)
    if not (np.isfinite(s.high).all() and (s.total == 0 or s.total > 1e-280) and center.weight > 1):
        return [failed("finite", "Squares of the data overflow or underflow, or there is one row.")], "three passes"
    claims = [
        _count(attrs, fit, s.total / (center.weight - 1)),
        *_columns(attrs, fit, s, center, tol),
        _orthonormal(fit, tol),
        *(_leading(fit, blocks, center, s, tol) if axes is None else _components(fit, s, center.weight - 1, tol)),
        _derived(attrs, n, center, fit, s, axes is not None, tol),
        *_answers(attrs, model, blocks, fit, s, center),
    ]
    return claims, f"three to a dozen passes over the rows, at most {5.0 * n * d * min(n, d):.1e} operations"


def _read(attrs: Attributes, blocks: Blocks, center: Center) -> Fit | None:
    n, d, k = blocks.n_rows, blocks.n_features, np.size(getattr(attrs.model, "explained_variance_", ()))
    V, lam = attrs.array("components_", (k, d)), attrs.array("explained_variance_", (k,))
    mean = attrs.array("mean_", (d,))
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


def _count(attrs: Attributes, fit: Fit, total: float) -> Claim:
    """The number kept is the number asked for; of a share the least whose variances add up to more, up to rounding."""
    k, asked = len(fit.V), getattr(attrs.model, "n_components", None)
    if isinstance(asked, str):
        return failed("n_components", f"n_components={asked!r}: how many components that asks for is not recomputed.")
    if asked is None:
        right = k == fit.most - (attrs.text("svd_solver", "auto") == "arpack")
    elif isinstance(asked, (float, np.floating)) and 0 < asked < 1:
        sums, slack = np.append(0.0, np.cumsum(fit.lam)), ROUNDINGS * fit.eps
        least, enough = (asked - slack) * total, (asked + slack) * total
        right = k >= 1 and sums[k - 1] <= enough and (k == fit.most or sums[k] >= least)
    else:
        right = real(asked) == k
    if not right:
        return refuted("n_components", f"n_components={asked!r} asks for another number of components than {k}.")
    return at_most("n_components", f"n_components={asked!r} means {k} components here.", Grade.EXACT, 0, 0)


def _columns(attrs: Attributes, fit: Fit, s: Spectrum, center: Center, tol: float) -> list[Claim]:
    """Means, in deviations; var_, and of a column that varies less than its mean is rounded, relative to that."""
    size, deviation, tiny = np.abs(center.mean), np.sqrt(s.spread / center.weight), np.finfo(float).tiny
    excuse = ROUNDINGS * fit.eps * (size + deviation)
    unit = np.where(deviation > excuse, deviation, np.maximum(size, tiny))
    off, error = np.abs(fit.mean - center.mean) / unit, s.mean_error / unit
    sentence, wrong = "mean_ is the mean of every column, in deviations.", "mean_ is not the mean"
    mean = worst("mean", sentence, Grade.EXACT, off, tol, error, excuse / unit, wrong)
    if not attrs.has("var_"):
        return [mean]
    unit = np.maximum(np.maximum(deviation, fit.eps * size) ** 2, tiny)
    off, excuse = np.abs(attrs.model.var_ - deviation**2) / unit, ROUNDINGS * fit.eps * (1 + size / np.sqrt(unit))
    error = 2 * gamma(center.counting + 8) + s.mean_error**2 / unit
    sentence, wrong = "var_ is the variance of each column, relative to itself.", "var_ is not the variance of a column"
    return [mean, worst("columns", sentence, Grade.EXACT, off, tol, error, excuse, wrong)]


def _orthonormal(fit: Fit, tol: float) -> Claim:
    d, eps = fit.V.shape[1], fit.eps
    off = np.append(np.abs(fit.V @ fit.V.T - np.eye(len(fit.V))).max(axis=0), 0.0)
    sentence, wrong = "The components have length one and right angles: VVᵀ − I.", "The components are not orthonormal"
    return worst("orthonormal", sentence, Grade.EXACT, off, tol, 2 * gamma(d + 2), ROUNDINGS * eps * np.sqrt(d), wrong)


def _components(fit: Fit, s: Spectrum, degrees: float, tol: float) -> list[Claim]:
    """Each variance and each direction, against the variance at its place; those without variance together."""
    k, d = fit.V.shape
    low, high = (np.pad(bound, (0, max(0, k - bound.size)))[:k] / degrees for bound in (s.low, s.high))
    total, eta = s.total / degrees, s.eta / np.sqrt(degrees)
    level = max(ROUNDINGS * fit.eps if fit.squares else ROUNDINGS**2 * d * fit.eps**2, 5 * eta**2 / max(total, 1e-300))
    null = high <= level * total
    c = s.W @ fit.V.T
    along = np.einsum("ij,i,ij->j", c, s.D / degrees, c)  # vᵀCv
    claims = [] if not null.any() else [_null(fit, null, along, high, total, max(level, tol**2), eta)]
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
    sentence = f"explained_variance_ are the {k} largest variances there are, each relative to itself."
    wrong = "explained_variance_ is not the variance at its place"
    claims.append(worst("variances", sentence, grade, off, bound, known, excuse, wrong))
    wrong = "Components are not directions of the variance at their place"
    claims.append(worst("directions", DIRECTIONS, grade, e, bound, error, excuse, wrong))
    if not exact:  # Ritz values of a randomised fit: 0 ≤ vᵀCv/λ − 1 ≤ Σᵢ cᵢ²(μᵢ − λ)²/(μᵢλ), its second order
        lam = np.maximum(fit.lam[at], 1e-300)
        limit = tol + (c[:, at] ** 2 * (mu - lam) ** 2 / (mu * lam)).sum(axis=0)
        sentence = "explained_variance_ is the variance along its component, to the second order of a randomised fit."
        off = np.abs(along[at] / lam - 1)
        claims.append(worst("own_variance", sentence, Grade.BOUNDED, off, limit, width, excuse, APART))
    return claims


def _leading(fit: Fit, blocks: Blocks, center: Center, s: Spectrum, tol: float) -> list[Claim]:
    """Of data too large for a spectrum: Cv − λv, and a proposed direction outside, which may vary more."""
    (k, d), lam, degrees = fit.V.shape, np.where(fit.lam > 0, fit.lam, np.nan), center.weight - 1
    B = np.hstack([fit.V.T, larger_direction(blocks, center.mean, fit.V)])
    B /= np.linalg.norm(B, axis=0)
    CB = sum((A.T @ ((A @ B) * omega[:, None]) for A, omega in centered(blocks, center.mean)), 0.0 * B) / degrees
    along, total = np.einsum("ij,ij->j", B, CB), s.total / degrees
    error = 2 * gamma(blocks.n_rows + d + 8) * total + 2 * float(s.mean_error @ s.mean_error)
    rho, excuse = np.linalg.norm(CB[:, :k] - B[:, :k] * lam, axis=0) / lam, fit.excuse(lam, total)
    limit = tol if not fit.loose or (rho + error / lam <= tol + excuse).all() else RANDOMIZED
    sentence = "That these are the largest variances is not proved: there are too many rows and columns for a spectrum."
    largest, inside = Claim("largest", sentence, Grade.UNPROVED, None, limit, True), np.linalg.norm(fit.V @ B[:, k])
    more = (along[k] - error - 2 * inside * total) / lam.min() - 1
    if more > limit + excuse.max():
        sentence = f"A direction at right angles to the components has {1 + more:.3g} times the smallest variance kept."
        largest = refuted("largest", sentence, more, limit)
    short, sentence = np.maximum(1 - along[:k] / lam, 0.0), "No variance is above that along its component."
    return [
        worst("own_variance", sentence, Grade.BOUNDED, short, tol, error / lam, excuse, APART),
        worst("directions", DIRECTIONS, Grade.BOUNDED, rho, limit, error / lam, excuse, APART),
        largest,
    ]


def worst(name: str, sentence: str, grade: Grade, value: F64, limit: Any, error: Any, excuse: Any, wrong: str) -> Claim:
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


def _derived(attrs: Attributes, n: int, center: Center, fit: Fit, s: Spectrum, whole: bool, tol: float) -> Claim:
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
        solver, left, width = attrs.text("svd_solver", "auto"), max(total - float(lam.sum()), 0.0), 0.0
        if whole and not fit.loose and solver != "arpack":
            left, width = (float(a[k:].sum()) / degrees for a in ((s.low + s.high) / 2, s.high - s.low))
        sums = [fit.noise * max(1, many - k) for many in (fit.most, d if solver == "covariance_eigh" else fit.most)]
        differ("noise_variance_", min(sums, key=lambda one: abs(one - left)), left, base * left + tiny + width)
    rows = {n, center.weight}
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
