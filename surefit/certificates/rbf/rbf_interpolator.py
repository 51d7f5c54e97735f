"""Checker of RBFInterpolator: f(x) = Σⱼ wⱼ φ(‖x − cⱼ‖) + p(x) fulfils the equations that define it.

    f(xᵢ) + s λ wᵢ/Ωᵢ = ȳᵢ at every point,   Σⱼ wⱼ q(cⱼ) = 0 for every monomial q of p,

λ = `smoothing`, s the sign with which φ is conditionally positive definite. Points that repeat are one, with the sum of
their weights Ω and the weighted mean ȳ of their targets.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, LONG_UNIT, apply
from surefit.certificates.theorems.kernel_machine.groups import group_rows
from surefit.certificates.theorems.kernel_machine.radial import DEGREE, SIGN, read_radial

EXCUSED, MOST_EXCUSED = 10.0, 0.1


class Surface:
    """p with its coordinates; (value, error, size) of f at rows."""

    def __init__(self, attrs: Attributes, centers: F64, W: F64, t: int) -> None:
        d = centers.shape[1]
        self.radial: Any = read_radial(attrs)
        self.centers, self.W = centers, W
        self.powers: Any = attrs.array("powers_")
        self.C: Any = attrs.array("polynomial_")
        self.shift: Any = attrs.array("shift_", (d,))
        self.scale: Any = attrs.array("scale_", (d,))
        if self.powers is not None and self.powers.size % d:
            attrs.faults.append("powers_ does not have one exponent for each column")
            self.powers = None
        if self.powers is not None and self.C is not None:
            self.powers = self.powers.reshape(-1, d)
            if self.C.size != len(self.powers) * t or (self.scale is not None and not (self.scale > 0).all()):
                attrs.faults.append("polynomial_ and powers_ do not belong together, or scale_ is not above zero")
            else:
                self.C = self.C.reshape(-1, t)

    def monomials(self, X: F64) -> F64:
        """In long double; each has a relative error of at most three roundings for every factor."""
        Z = (X.astype(LONG) - self.shift) / self.scale
        P = np.ones((len(X), len(self.powers)), LONG)
        for m, power in enumerate(self.powers):
            for j in np.flatnonzero(power):
                P[:, m] *= Z[:, j] ** power[j]
        return P

    def at(self, X: F64, raw: float = 0.0) -> tuple[F64, F64, F64]:
        """f, its error (with a `raw` precision also that of a model that has it), and the sum of its terms' sizes."""
        P = self.monomials(X)
        terms = np.abs(P).astype(np.float64) @ np.abs(self.C)
        value, error, size = apply(replace(self.radial, raw=raw), X, self.centers, self.W)
        many = gamma(64 + self.C.size, max(LONG_UNIT, raw))
        return value + P @ self.C, error + many * terms, size + terms


@checker("centers_", "weights_", "width_", "polynomial_", "powers_", "shift_", "scale_", "predict")
def check_rbf_interpolator(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All pairs of points and centers, in blocks."""
    attrs, groups = Attributes(model, "weights_"), group_rows(blocks)
    d, t = blocks.n_features, groups.y.shape[1]
    centers = attrs.array("centers_")
    if centers is not None and (centers.ndim != 2 or centers.shape[1] != d):
        attrs.faults.append(f"centers_ has shape {centers.shape}, expected rows of {d} columns")
    n = 0 if centers is None else len(centers)
    W = attrs.array("weights_", *([(n,), (n, 1)] if t == 1 else [(n, t)]))
    smoothing = real(attrs.parameter("smoothing", 0.0))
    if centers is None or W is None or attrs.faults or not smoothing >= 0:
        attrs.faults += [] if smoothing >= 0 else ["smoothing is not a number ≥ 0"]
        return [bad_attributes(attrs)], "one pass"
    W, at, kept = W.reshape(n, t), groups.of(centers), np.flatnonzero(groups.weight > 0)
    if not np.array_equal(np.sort(at), kept):
        return [refuted("centers", "centers_ are not the distinct rows of the data that have a weight.")], "one pass"
    f = Surface(attrs, centers, W, t)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    unit = epsilon(groups.single, np.asarray(model.weights_)) / 2
    value, error, size = f.at(centers)
    ridge = SIGN.get(f.radial.name, 1.0) * smoothing * W / groups.weight[at][:, None]
    y, y_off = groups.y[at], groups.y_error[at]
    off, bound = np.abs(y - value - ridge), error + y_off + 8 * LONG_UNIT * (np.abs(y) + size + np.abs(ridge))
    spread = np.maximum(np.ptp(y, axis=0), 1e-300 + 1e-12 * np.abs(y).max(axis=0)).astype(np.float64)
    excuse = EXCUSED * unit * ((size + np.abs(y) + np.abs(ridge)).max(axis=0) / spread).astype(np.float64)
    j = int(np.argmax(((off + bound).max(axis=0) / spread).astype(np.float64) / (tol + excuse)))
    through = "The surface goes through every point" if smoothing == 0 else "Every point has the equation of smoothing"
    claims = [
        at_most("centers", "centers_ are the distinct rows of the data.", Grade.EXACT, 0, 0),
        at_most("points", f"{through}; largest difference, relative to the range of y.", Grade.EXACT,
                float(off[:, j].max() / spread[j]), tol, error=float(bound[:, j].max() / spread[j]),
                excuse=min(MOST_EXCUSED, float(excuse[j])),
                failure=f"A point is missed by {float(off[:, j].max() / spread[j]):.2g} of the range of y: the matrix "
                "is badly conditioned; take a smaller width, or smoothing > 0."),
        _polynomial(attrs, f, W, unit, tol),
        _predict(model, blocks, f, unit, np.ndim(model.weights_) == 1),
    ]  # fmt: skip
    return claims, f"{n}² pairs of points"


def _polynomial(attrs: Attributes, f: Surface, W: F64, unit: float, tol: float) -> Claim:
    """All monomials up to the degree that is asked for, or needed; the weights are orthogonal to them."""
    needed = DEGREE.get(f.radial.name, -1)
    asked = getattr(attrs.model, "degree", None)
    degree, d = needed if asked is None else int(real(asked)) if np.isfinite(real(asked)) else -2, f.centers.shape[1]
    if f.radial.call is not None and asked is None:  # what a function needs is not known
        degree = int(f.powers.sum(axis=1).max(initial=-1))
    wanted = sorted(
        tuple(np.bincount(np.array(c, int), minlength=d)) for k in range(degree + 1)
        for c in combinations_with_replacement(range(d), k)
    )  # fmt: skip
    if sorted(tuple(p) for p in f.powers.astype(int)) != wanted:
        return refuted("polynomial", f"powers_ are not the monomials up to degree {degree}.")
    P = f.monomials(f.centers)
    sums, size = np.abs(P.T @ W.astype(LONG)), np.abs(P).T @ np.abs(W)
    share = np.divide(sums, size, out=np.zeros_like(sums), where=size > 0)
    return at_most(
        "polynomial",
        f"p has all {len(wanted)} monomials up to degree {degree}, and the weights are orthogonal to them; largest "
        "sum, relative to its terms.",
        Grade.EXACT, float(share.max(initial=0.0)), tol, error=gamma(len(W) + 64, LONG_UNIT), excuse=EXCUSED * unit,
        failure="The weights are not orthogonal to the polynomial.",
    )  # fmt: skip


def _predict(model: Any, blocks: Blocks, f: Surface, unit: float, flat: bool) -> Claim:
    X = sample_rows(blocks)
    expected, error, size = f.at(X.astype(np.float64), raw=unit)
    expected, rounding = expected.astype(np.float64), error + gamma(64, unit) * size
    return numbers_claim(
        model, "predict", X, expected[:, 0] if flat else expected, rounding[:, 0] if flat else rounding
    )
