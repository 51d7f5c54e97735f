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

ROUNDINGS, MOST_EXCUSED = 10.0, 0.1
MOST_ROUNDED = 0.01  # of the first eigenvalue
MOST_ROWS = 6000
RANDOMIZED = 0.25  # what a randomised fit may be off
ZERO = 1e-12, 2e-7  # of the first: an eigenvalue that is called zero, in float64 and float32


@dataclass
class Fit:
    """What the model says, and M. k components, n rows."""

    kernel: Kernel
    X: F64  # (n, d)
    omega: F64  # (n,)
    lam: F64
    U: F64  # (n, k), √ω a
    eps: float
    loose: float  # what the solver was told to leave, relative
    M: F64
    off: float  # of M, in Frobenius's norm
    rounding: float  # of the model's Gram matrix, at most a share of the first eigenvalue
    drops: bool  # components with an eigenvalue of zero are left out

    @property
    def first(self) -> float:
        return float(self.lam.max(initial=0.0)) or 1.0

    @property
    def level(self) -> float:
        """Up to which an eigenvalue is rounding."""
        return max(ZERO[self.eps > 1e-10] * self.first, self.rounding)


@checker("eigenvalues_", "eigenvectors_", "X_fit_", "gamma_", "transform", "dual_coef_", "X_transformed_fit_",
         "inverse_transform")  # fmt: skip
def check_kernel_pca(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The Gram matrix as a whole, and one Cholesky factor."""
    attrs = Attributes(model, "eigenvalues_")
    fit = _read(attrs, blocks)
    if fit is None:
        return [bad_attributes(attrs)], "one pass"
    claims = [_count(attrs, fit), _orthonormal(fit, tol), *_pairs(fit, tol), _largest(fit, tol)]
    claims.append(_transform(model, blocks, fit))
    if attrs.flag("fit_inverse_transform", False):
        claims += _inverse(attrs, model, fit, tol)
    n = len(fit.X)
    return claims, f"{n}² entries of the Gram matrix, and a factor of it: {n**3 / 3.0:.1e} operations"


def _read(attrs: Attributes, blocks: Blocks) -> Fit | None:
    n, d = blocks.n_rows, blocks.n_features
    if n > MOST_ROWS:
        raise BadData(f"the Gram matrix of {n} rows is too large to hold")
    parts = [(dense(X), np.ones(X.shape[0]) if w is None else np.asarray(w, float), X.dtype) for X, _, w in blocks]
    X, omega = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
    if X.shape != (n, d) or not (all_finite(X) and all_finite(omega) and (omega >= 0).all() and omega.sum() > 0):
        raise BadData("the data have entries that are NaN or infinite, or weights that are negative or all zero")
    kernel, Z = read_kernel(attrs, X, gamma=1.0 / d, coef0=1.0), attrs.array("X_fit_", (n, d))
    lam = attrs.array("eigenvalues_")
    V = attrs.array("eigenvectors_", (n, 0 if lam is None else lam.size))
    if kernel.name != "precomputed" and Z is not None and not np.array_equal(Z, X):
        attrs.faults.append("X_fit_ is not the data")
    if lam is not None and (lam.ndim != 1 or (lam < 0).any() or (np.diff(lam) > 0).any()):
        attrs.faults.append("eigenvalues_ is not a descending list of numbers ≥ 0")
    if attrs.faults or lam is None or V is None:
        return None
    eps = epsilon(any(p[2] == np.float32 for p in parts), np.asarray(attrs.model.eigenvectors_))
    asked, linear = real(attrs.parameter("tol", 0.0)), kernel.name == "linear"
    loose = asked if 0 < asked < RANDOMIZED else 0.0
    loose = RANDOMIZED if attrs.text("eigen_solver", "auto") == "randomized" else loose
    # a shift of the rows leaves M as it is for a linear kernel
    S, off = weighted_gram(kernel, X - X.mean(axis=0) if linear else X, omega)
    A, root = np.sqrt(omega)[:, None] * X, np.sqrt(omega / omega.sum())
    v = S.astype(LONG) @ root
    M = (S - np.outer(root, v) - np.outer(v, root) + (root @ v) * np.outer(root, root)).astype(np.float64)
    off += 2 * UNIT * float(np.linalg.norm(M) + np.linalg.norm(S))
    rounding = ROUNDINGS * eps * float(np.linalg.norm(A.T @ A if linear else S))
    rounding = min(rounding, MOST_ROUNDED * float(lam.max(initial=0.0)))
    drops = getattr(attrs.model, "n_components", None) is None or attrs.flag("remove_zero_eig", False)
    return Fit(kernel, X, omega, lam, np.sqrt(omega)[:, None] * V, eps, loose, M, off, rounding, drops)


def _count(attrs: Attributes, fit: Fit) -> Claim:
    """The number asked for, or what of it is not called zero."""
    asked, k = getattr(attrs.model, "n_components", None), fit.lam.size
    most = len(fit.X) if asked is None else min(len(fit.X), real(asked))
    if not (k <= most if fit.drops else k == most):
        return refuted("n_components", f"n_components={asked!r} asks for another number of components than {k}.")
    return at_most("n_components", f"n_components={asked!r} means {k} components here.", Grade.EXACT, 0, 0)


def _orthonormal(fit: Fit, tol: float) -> Claim:
    U = fit.U[:, fit.lam > fit.level]
    off = float(np.abs(U.T @ U - np.eye(U.shape[1])).max(initial=0.0))
    return at_most(
        "orthonormal",
        "Eigenvectors with an eigenvalue above rounding have length one and right angles; largest entry of UᵀU − I.",
        Grade.EXACT, off, tol, error=2 * gamma(len(U) + 4), excuse=ROUNDINGS * fit.eps * np.sqrt(len(U)),
        failure=f"The eigenvectors are not orthonormal: an entry of UᵀU − I is {off:.2g}.",
    )  # fmt: skip


def _pairs(fit: Fit, tol: float) -> list[Claim]:
    """‖Mu − λu‖, relative to λ; those whose eigenvalue is called zero together, relative to the first."""
    kind: Any = LONG if float(fit.M.size) * fit.lam.size <= LONG_SUMS else np.float64
    U, unit, first = fit.U.astype(kind), float(np.finfo(kind).eps) / 2, fit.first
    rho = np.sqrt(((fit.M.astype(kind) @ U - U * fit.lam) ** 2).sum(axis=0)).astype(np.float64)
    own = gamma(2 * len(U) + 16, unit) * (float(np.linalg.norm(fit.M)) + fit.lam)
    error, null, claims = 1.01 * (fit.off + own) * np.linalg.norm(fit.U, axis=0), fit.lam <= fit.level, []
    if null.any():
        most = float((rho + error + fit.lam)[null].max()) / first
        claims.append(at_most(
            "zero",
            f"{int(null.sum())} components have an eigenvalue that is rounding; largest ‖Mu‖, relative to the first.",
            Grade.EXACT, most, fit.level / first, excuse=fit.rounding / first,
            lower=float((rho - error - fit.lam)[null].max()) / first,
            failure=f"A component with an eigenvalue near 0 has ‖Mu‖ = {most:.2g} of the first eigenvalue.",
        ))  # fmt: skip
    if null.all():
        return claims
    at, lam = np.flatnonzero(~null), fit.lam[~null]
    value, off, excuse = rho[~null] / lam, error[~null] / lam, np.minimum(MOST_EXCUSED, fit.rounding / lam)
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


def _largest(fit: Fit, tol: float) -> Claim:
    """xᵀMx ≤ σ for all unit x at right angles to U: the eigenvalues kept are the largest, whatever U is.

    For these x it is xᵀRx, R = M − U(Λ + c)Uᵀ with any c, and a Cholesky factor bounds the largest eigenvalue of R.
    """
    k = fit.lam.size
    kind: Any = LONG if float(fit.M.size) * k <= LONG_SUMS else np.float64
    U, more = fit.U.astype(kind), fit.lam + max(tol, fit.loose) * fit.first  # c: roundings along U do not count
    R = (fit.M - (U * more) @ U.T).astype(np.float64)
    own = gamma(k + 4, float(np.finfo(kind).eps) / 2) * float(more @ (fit.U**2).sum(axis=0))
    error = fit.off + UNIT * float(np.linalg.norm(R)) + 2 * own
    last = float(fit.lam[-1]) if k else 0.0
    small = fit.drops or last <= fit.level  # then all that is left out must be called zero
    unit, base = (fit.first, 0.0) if small else (last, last)
    limit = max(fit.level / unit, 1e-4 * tol) if small else max(tol, fit.loose)
    excuse = min(MOST_EXCUSED, fit.rounding / unit)
    steps = (base + share * unit for share in (0.0, 0.1 * limit, 0.9 * limit, 0.999 * (limit + excuse) - error / unit))
    bounds = (largest_at_most(R, step) for step in steps)
    sigma, found = next((bound for bound in bounds if np.isfinite(bound)), np.inf) + error, 0.0
    if not sigma - base <= (limit + excuse) * unit:
        z = largest_direction(R)
        z = z - fit.U @ (fit.U.T @ z)
        found = max(0.0, float(z @ fit.M @ z) / float(z @ z) - 3 * error - base) / unit if z @ z > 0.1 else 0.0
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
    """(K b)(x) − qᵀK b − ((K q)(x) − qᵀK q) Σb for q = ω/Σω, b = ωa/√λ (0 where λ is), within its roundings.

    Σb is zero but for what M a = λa is off by, which `pairs` bounds: a model may leave its term out.
    """
    rows, q, kernel = sample_rows(blocks), (fit.omega / fit.omega.sum())[:, None], replace(fit.kernel, raw=fit.eps / 2)
    scale = np.divide(1.0, np.sqrt(fit.lam), out=np.zeros_like(fit.lam), where=fit.lam > 0)
    B = (np.sqrt(fit.omega)[:, None] * fit.U * scale).astype(LONG)
    at_rows = apply(kernel, rows.astype(np.float64), fit.X, np.hstack([B, q]))
    means = apply(kernel, fit.X, fit.X, q)

    def joined(at_rows: F64, mean: F64, B: F64, sign: float) -> F64:
        total = B.sum(axis=0)
        return (at_rows[:, :-1] + sign * (at_rows[:, -1:] * total + mean.T @ B) + (q.T @ mean) * total).astype(float)

    value = joined(at_rows[0], means[0], B, -1.0)
    error, size = (joined(at_rows[i], means[i], np.abs(B), 1.0) for i in (1, 2))
    error += np.abs((at_rows[0][:, -1:] - q.T @ means[0]) * B.sum(axis=0)).astype(np.float64)
    return numbers_claim(model, "transform", rows, value, error + gamma(2 * len(q) + 32, fit.eps / 2) * size)


def _inverse(attrs: Attributes, model: Any, fit: Fit, tol: float) -> list[Claim]:
    """The way back: kernel ridge regression from the projections √λ a to the rows, with the penalty `alpha`."""
    if attrs.text("pre_image", "ridge") != "ridge":
        sentence = f"inverse_transform by pre_image={model.pre_image!r} is not checked."
        return [Claim("inverse_transform", sentence, Grade.UNPROVED, None, None, True)]
    (n, d), k, V = fit.X.shape, fit.lam.size, np.asarray(model.eigenvectors_, dtype=np.float64)
    Z, dual, alpha = attrs.array("X_transformed_fit_", (n, k)), attrs.array("dual_coef_", (n, d)), attrs.number("alpha")
    if Z is None or dual is None or alpha is None or alpha < 0:
        return [bad_attributes(attrs) if attrs.faults else refuted("attributes", "alpha is negative.")]
    off, unit = np.abs(Z - V * np.sqrt(fit.lam)), np.sqrt(fit.lam) if fit.lam.all() else np.ones(k)
    claims = [at_most(
        "projections", "X_transformed_fit_ are the projections √λ a of the rows; largest difference, relative to √λ.",
        Grade.EXACT, float((off / unit).max(initial=0.0)), tol, excuse=ROUNDINGS * fit.eps,
        failure="X_transformed_fit_ are not the projections of the rows.",
    )]  # fmt: skip
    claims.append(_pre_images(fit, Z, dual * (fit.omega > 0)[:, None], alpha, tol))
    some = Z[np.unique(np.linspace(0, n - 1, min(64, n)).astype(int))]
    expected, rounding, _ = apply(replace(fit.kernel, raw=fit.eps / 2), some, Z, dual)
    given = some.astype(np.asarray(model.X_transformed_fit_).dtype)
    claims.append(numbers_claim(model, "inverse_transform", given, expected.astype(np.float64), rounding))
    return claims


def _pre_images(fit: Fit, Z: F64, a: F64, alpha: float, tol: float) -> Claim:
    """√Σωδ² over √Σωx² with δ = x − K a − αa/ω, the residual of kernel ridge regression: the worst column of X."""
    W = fit.omega[:, None]
    image, off, size = apply(fit.kernel, Z, Z, a)
    own = alpha * a / np.where(W > 0, W, 1.0)
    parts = fit.X - image - own, off + 4 * UNIT * (np.abs(fit.X) + size + np.abs(own)), size + np.abs(own), fit.X
    left, slip, stored, length = (np.sqrt((W * part**2).sum(axis=0)).astype(np.float64) for part in parts)
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
