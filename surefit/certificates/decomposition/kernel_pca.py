"""Checker of KernelPCA: eigenpairs of the Gram matrix about the mean of the features, each against its own eigenvalue.

M = P S P, S = √W K √W, P = I − √q√qᵀ, q = ω/Σω; rows of weight ω count ω times. The model has λ = `eigenvalues_` and
u = √ω a, a = `eigenvectors_`. Some eigenvalue of M lies within ρ = ‖Mu − λu‖ of λ, and u holds at most ρ/(gλ) of
directions whose eigenvalue differs by a relative g (docs/certificates/decomposition.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, LONG_SUMS, apply
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel
from surefit.certificates.theorems.kernel_machine.weighted_gram import weighted_gram
from surefit.certificates.theorems.spectral.definite import largest_at_most

ROUNDINGS, MOST_EXCUSED = 10.0, 0.5
MOST_ROWS, MOST_ENTRIES = 6000, 1 << 30
RANDOMIZED = 0.25  # what a randomised fit may be off
ZERO = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 2e-7}  # of the first: an eigenvalue that is called zero


@dataclass
class Fit:
    """What the model says. k components, n rows."""

    kernel: Kernel
    X: F64  # (n, d)
    omega: F64  # (n,)
    lam: F64
    U: F64  # (n, k), √ω a
    eps: float
    zero: float
    loose: float  # what the solver was told to leave, relative

    @property
    def first(self) -> float:
        return float(self.lam.max(initial=0.0)) or 1.0

    @property
    def root(self) -> F64:
        """√q: the direction of the mean."""
        return np.sqrt(self.omega / self.omega.sum())


@checker("eigenvalues_", "eigenvectors_", "X_fit_", "gamma_", "transform", "dual_coef_", "X_transformed_fit_",
         "inverse_transform")  # fmt: skip
def check_kernel_pca(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The Gram matrix once for the residuals, once as a whole, one Cholesky factor."""
    attrs = Attributes(model, "eigenvalues_")
    fit = _read(attrs, blocks)
    if fit is None:
        return [bad_attributes(attrs)], "one pass"
    # a shift of the rows leaves M as it is for a linear kernel
    shifted = fit.X - fit.X.mean(axis=0) if fit.kernel.name == "linear" else fit.X
    n, (S, e_S) = len(fit.X), weighted_gram(fit.kernel, shifted, fit.omega)
    A = np.sqrt(fit.omega)[:, None] * fit.X
    rounding = (
        ROUNDINGS * fit.eps * float(np.linalg.norm(A.T @ A if fit.kernel.name == "linear" else S))
    )  # of K as it is
    level = max(fit.zero * fit.first, rounding)
    claims = [_count(attrs, fit), _orthonormal(fit, level, tol), *_pairs(fit, S, e_S, level, rounding, tol)]
    claims += [_largest(attrs, fit, S, e_S, level, rounding, tol), _transform(model, blocks, fit)]
    if attrs.flag("fit_inverse_transform", False):
        claims += _inverse(attrs, model, fit, tol)
    return claims, f"{n}² entries of the Gram matrix, and a factor of it: {n**3 / 3.0:.1e} operations"


def _read(attrs: Attributes, blocks: Blocks) -> Fit | None:
    n, d = blocks.n_rows, blocks.n_features
    if n > MOST_ROWS or n * d > MOST_ENTRIES:
        raise BadData(f"the Gram matrix of {n} rows is too large to hold")
    parts = [(dense(X), np.ones(X.shape[0]) if w is None else np.asarray(w, float), X.dtype) for X, _, w in blocks]
    X, omega = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
    if X.shape != (n, d) or not (all_finite(X) and all_finite(omega) and (omega >= 0).all() and omega.sum() > 0):
        raise BadData("the data have entries that are NaN or infinite, or weights that are negative or all zero")
    kernel = read_kernel(attrs, blocks, gamma=1.0 / d, coef0=1.0)
    width, stated = real(attrs.parameter("gamma", 1.0 / d)), real(getattr(attrs.model, "gamma_", None))
    if not abs(stated - width) <= 1e-12 * width:
        attrs.faults.append(f"gamma_ is {stated}, expected {width}")
    lam, Z = attrs.array("eigenvalues_"), attrs.array("X_fit_", (n, d))
    V = attrs.array("eigenvectors_", (n, 0 if lam is None else lam.size))
    used = kernel is not None and kernel.name != "precomputed"
    if used and Z is not None and not np.array_equal(Z, X):
        attrs.faults.append("X_fit_ is not the data")
    if lam is not None and (lam.ndim != 1 or (lam < 0).any() or (np.diff(lam) > 0).any()):
        attrs.faults.append("eigenvalues_ is not a descending list of numbers ≥ 0")
    if attrs.faults or kernel is None or lam is None or V is None:
        return None
    single = any(p[2] == np.float32 for p in parts)
    eps = epsilon(single, np.asarray(attrs.model.eigenvectors_))
    solver, asked = attrs.text("eigen_solver", "auto"), real(attrs.parameter("tol", 0.0))
    loose = RANDOMIZED if solver == "randomized" else asked if 0 < asked < RANDOMIZED else 0.0
    zero = ZERO[np.dtype(np.float32 if eps > 1e-10 else np.float64)]
    return Fit(kernel, X, omega, lam, np.sqrt(omega)[:, None] * V, eps, zero, loose)


def _count(attrs: Attributes, fit: Fit) -> Claim:
    """The number asked for, or what of it is not called zero."""
    n, k = fit.U.shape
    asked = getattr(attrs.model, "n_components", None)
    right = k <= n if asked is None else k <= min(n, real(asked)) if _drops(attrs) else k == min(n, real(asked))
    if not right:
        return refuted("n_components", f"n_components={asked!r} asks for another number of components than {k}.")
    return at_most("n_components", f"n_components={asked!r} means {k} components here.", Grade.EXACT, 0, 0)


def _drops(attrs: Attributes) -> bool:
    """Whether components with an eigenvalue of zero are left out."""
    return getattr(attrs.model, "n_components", None) is None or attrs.flag("remove_zero_eig", False)


def _orthonormal(fit: Fit, level: float, tol: float) -> Claim:
    n, U = len(fit.U), fit.U[:, fit.lam > level]
    off = float(np.abs(U.T @ U - np.eye(U.shape[1])).max(initial=0.0))
    return at_most(
        "orthonormal",
        "Eigenvectors with an eigenvalue above rounding have length one and right angles; largest entry of UᵀU − I.",
        Grade.EXACT, off, tol, error=2 * gamma(n + 4), excuse=ROUNDINGS * fit.eps * np.sqrt(n),
        failure=f"The eigenvectors are not orthonormal: an entry of UᵀU − I is {off:.2g}.",
    )  # fmt: skip


def _pairs(fit: Fit, S: F64, e_S: float, level: float, rounding: float, tol: float) -> list[Claim]:
    """‖Mu − λu‖, relative to λ; those whose eigenvalue is called zero together, relative to the first."""
    (n, k), root = fit.U.shape, fit.root
    kind: Any = LONG if float(n) ** 2 * k <= LONG_SUMS else np.float64
    u, size, U = float(np.finfo(kind).eps) / 2, float(np.linalg.norm(S)), fit.U.astype(kind)
    image = S.astype(kind) @ (U - np.outer(root, root @ U))
    rest = image - np.outer(root, root @ image) - U * fit.lam
    rho = np.sqrt((rest * rest).sum(axis=0)).astype(np.float64)
    error = 1.01 * (e_S + 4 * gamma(2 * n + 16, u) * (size + fit.lam)) * np.linalg.norm(fit.U, axis=0)
    first, null, claims = fit.first, fit.lam <= level, []
    if null.any():
        most = float((rho + error + fit.lam)[null].max())
        claims.append(at_most(
            "zero",
            f"{int(null.sum())} components have an eigenvalue that is rounding; largest ‖Mu‖, relative to the first.",
            Grade.EXACT, most / first, level / first, excuse=rounding / first,
            lower=float((rho - error - fit.lam)[null].max()) / first,
            failure=f"A component with an eigenvalue near 0 has ‖Mu‖ = {most / first:.2g} of the first eigenvalue.",
        ))  # fmt: skip
    if null.all():
        return claims
    at, lam = np.flatnonzero(~null), fit.lam[~null]
    value, off, excuse = rho[~null] / lam, error[~null] / lam, np.minimum(MOST_EXCUSED, rounding / lam)
    limit = tol if (value + off <= tol + excuse).all() else max(tol, fit.loose)
    j = int(np.argmax((value + off) / (limit + excuse)))
    needed = bool(((value + off > limit) & (excuse > limit)).any())
    claims.append(at_most(
        "pairs",
        "Each component is a direction with the eigenvalue claimed: some eigenvalue of the centered Gram matrix is "
        "this near, relative to it, and what it holds of directions whose eigenvalue differs by a relative g is at "
        f"most this over g. Component {at[j]} comes nearest to its limit.",
        Grade.OPTIMAL if limit == tol and not needed else Grade.BOUNDED, value[j], limit,
        {"values": (value + off).tolist(), "excuses": excuse.tolist()}, error=off[j], excuse=excuse[j],
        failure=f"eigenvalues_ and eigenvectors_ are not those of the centered Gram matrix: component {at[j]} is off "
        f"by a relative {value[j]:.2g}. eigen_solver='dense' in float64 keeps most digits.",
    ))  # fmt: skip
    return claims


def _largest(attrs: Attributes, fit: Fit, S: F64, e_S: float, level: float, rounding: float, tol: float) -> Claim:
    """xᵀMx ≤ σ for all unit x at right angles to U: the eigenvalues kept are the largest, whatever U is.

    For these x it is xᵀRx, R = M − U(Λ + c)Uᵀ with any c, and a Cholesky factor bounds the largest eigenvalue of R.
    """
    (n, k), root, size = fit.U.shape, fit.root, float(np.linalg.norm(S))
    kind: Any = LONG if float(n) ** 2 * k <= LONG_SUMS else np.float64
    v, U = S.astype(LONG) @ root, fit.U.astype(kind)
    M = S - np.outer(root, v) - np.outer(v, root) + (root @ v) * np.outer(root, root)
    more = fit.lam + max(tol, fit.loose) * fit.first  # c: roundings along U do not count
    R = (M - (U * more) @ U.T).astype(np.float64)
    total = float(more @ (fit.U**2).sum(axis=0))
    error = e_S + 2 * UNIT * (size + float(np.linalg.norm(R))) + 2 * gamma(k + 4, float(np.finfo(kind).eps) / 2) * total
    last = float(fit.lam[-1]) if k else 0.0
    small = _drops(attrs) or last <= level  # then all that is left out must be called zero
    unit, base = (fit.first, 0.0) if small else (last, last)
    limit, excuse = (level / unit if small else max(tol, fit.loose)), min(MOST_EXCUSED, rounding / unit)
    steps = (base + share * unit for share in (0.0, 0.1 * limit, 0.9 * limit, 0.999 * (limit + excuse) - error / unit))
    sigma = (
        next((bound for bound in (largest_at_most(R, step) for step in steps) if np.isfinite(bound)), np.inf) + error
    )
    found = 0.0
    if not sigma - base <= (limit + excuse) * unit:
        z = largest_direction(R)
        z = z - fit.U @ (fit.U.T @ z)
        found = float(z @ M @ z) / float(z @ z) - 3 * error - base if float(z @ z) > 0.1 else 0.0
    found = max(0.0, found / unit)
    than = "zero, by more than this share of the first" if small else "the smallest kept, by more than this share of it"
    return at_most(
        "largest",
        f"No direction left out has a larger eigenvalue than {than}.",
        Grade.OPTIMAL if small or limit <= tol else Grade.BOUNDED, max(0.0, (sigma - base) / unit), limit,
        excuse=excuse, lower=found,
        failure="A direction left out has a larger eigenvalue than one kept"
        + (f", by {found:.2g} of it at least." if found > limit + excuse else ", or rounding hides that none has."),
    )  # fmt: skip


def _transform(model: Any, blocks: Blocks, fit: Fit) -> Claim:
    """Σⱼ K_c(x, xⱼ) ωⱼ aⱼ/√λ, within the roundings of raw kernels, of their means and of the sum; 0 where λ is."""
    X, q, unit = sample_rows(blocks), (fit.omega / fit.omega.sum())[:, None], fit.eps / 2
    scale = np.divide(1.0, np.sqrt(fit.lam), out=np.zeros_like(fit.lam), where=fit.lam > 0)
    B = (np.sqrt(fit.omega)[:, None] * fit.U * scale).astype(LONG)
    rows, size = X.astype(np.float64), np.abs(B).astype(np.float64)

    def triples(kernel: Kernel) -> Any:
        """(value, error, size) of K(x, ·)B, K(x, ·)q and K q."""
        return [apply(kernel, A, fit.X, C) for A, C in ((rows, B), (rows, q), (fit.X, q))]

    def joined(parts: Any, C: F64, sign: float) -> Any:
        own, x_mean, mean = parts
        return own + sign * (x_mean * C.sum(axis=0) + mean.T @ C) + (q.T @ mean) * C.sum(axis=0)

    exact, raw = triples(fit.kernel), triples(replace(fit.kernel, center=np.zeros(X.shape[1])))
    expected = joined([t[0] for t in exact], B, -1.0).astype(np.float64)
    rounding = joined([t[1] for t in exact], size, 1.0) + joined([t[1] for t in raw], size, 1.0) * (unit / UNIT)
    rounding = rounding + gamma(2 * len(fit.X) + 32, unit) * joined([t[2] for t in exact], size, 1.0)
    return numbers_claim(model, "transform", X, expected, rounding)


def _inverse(attrs: Attributes, model: Any, fit: Fit, tol: float) -> list[Claim]:
    """The way back: kernel ridge regression from the projections √λ a to the rows, with the penalty `alpha`."""
    if attrs.text("pre_image", "ridge") != "ridge":
        sentence = f"inverse_transform by pre_image={model.pre_image!r} is not checked."
        return [Claim("inverse_transform", sentence, Grade.UNPROVED, None, None, True)]
    (n, d), k, V = fit.X.shape, fit.lam.size, np.asarray(model.eigenvectors_, dtype=np.float64)
    Z, dual, alpha = attrs.array("X_transformed_fit_", (n, k)), attrs.array("dual_coef_", (n, d)), attrs.number("alpha")
    if Z is None or dual is None or alpha is None or alpha < 0:
        return [bad_attributes(attrs) if attrs.faults else refuted("attributes", "alpha is negative.")]
    off = np.abs(Z - V * np.sqrt(fit.lam))
    share = (
        float((off / np.maximum(np.sqrt(fit.lam), 1e-300)).max(initial=0.0))
        if fit.lam.all()
        else float(off.max(initial=0.0))
    )
    claims = [at_most(
        "projections", "X_transformed_fit_ are the projections √λ a of the rows; largest difference, relative to √λ.",
        Grade.EXACT, share, tol, excuse=ROUNDINGS * fit.eps,
        failure="X_transformed_fit_ are not the projections of the rows.",
    )]  # fmt: skip
    kernel = replace(fit.kernel, center=np.zeros(k))
    claims.append(_pre_images(fit, kernel, Z, dual * (fit.omega > 0)[:, None], alpha, tol))
    some = Z[np.unique(np.linspace(0, n - 1, min(64, n)).astype(int))]
    expected, error, size = apply(kernel, some, Z, dual.astype(LONG))
    rounding = error * (1 + fit.eps / 2 / UNIT) + gamma(n + 16, fit.eps / 2) * size
    given = some.astype(np.asarray(model.X_transformed_fit_).dtype)
    claims.append(numbers_claim(model, "inverse_transform", given, expected.astype(np.float64), rounding))
    return claims


def _pre_images(fit: Fit, kernel: Kernel, Z: F64, a: F64, alpha: float, tol: float) -> Claim:
    """√Σωδ² over √Σωx² with δ = x − K a − αa/ω, the residual of kernel ridge regression: the worst column of X."""
    W = fit.omega[:, None]
    image, off, size = apply(kernel, Z, Z, a.astype(LONG))
    own = alpha * a / np.where(W > 0, W, 1.0)
    delta = (fit.X - image - own).astype(np.float64)
    left, slip, stored = (
        np.sqrt((W * part**2).sum(axis=0))
        for part in (delta, off + 4 * UNIT * (np.abs(fit.X) + size + np.abs(own)), size + np.abs(own))
    )
    length = np.sqrt((W * fit.X**2).sum(axis=0))
    unit = np.where(length > 0, length, 1.0)
    excuse = np.minimum(MOST_EXCUSED, ROUNDINGS * fit.eps * stored / unit)
    j = int(np.argmax((left + slip) / unit / (tol + excuse)))
    return at_most(
        "pre_images",
        "dual_coef_ solves the linear system of the way back, kernel ridge regression with the penalty alpha: length "
        "of what is left of a column of X, relative to it.",
        Grade.EXACT, float(left[j] / unit[j]), tol, error=float(slip[j] / unit[j]), excuse=float(excuse[j]),
        failure="dual_coef_ does not solve the linear system of the way back, or rounding hides it.",
    )  # fmt: skip
