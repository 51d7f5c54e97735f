"""The components of a mixture of normal densities: read, consistent, their log densities, one pass of expectation.

Σ⁻¹ = U Uᵀ. With T = (x − m)U a log density is a constant − ½ ‖T‖² − ½ c tr Σ⁻¹, c a variance of measurement
(reg_covar).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT, gamma

LOG_2PI = float(np.log(2 * np.pi))
ROUNDINGS = 10.0
NEXT_STEP = 4.0  # the step after the last may gain more than the last, by so much
LOOSEST = 1e-2  # a gain of a row, whatever tol or the precision says
LONG = float(np.finfo(np.longdouble).eps)
SLICE_ROWS, MOST_LONG = 256, 400
KINDS = ("full", "tied", "diag", "spherical")


@dataclass
class Model:
    """π, m, Σ as a matrix for each component; every number in double precision."""

    weights: F64
    means: F64
    covariances: F64  # (K, d, d)
    inverses: F64  # what the model says they are, and what their roots say, (2, K, d, d)
    kind: str
    prior: float  # c

    def roots(self) -> F64:
        return np.stack([np.linalg.inv(np.linalg.cholesky(S)).T for S in self.covariances])

    def forms(self, X: F64, U: F64, prior: float) -> F64:
        """−½ ‖T‖² − ½ prior tr Σ⁻¹ of every row and component."""
        T = (X - self.means[:, None]) @ U
        return -0.5 * ((T * T).sum(axis=2).T + prior * (U * U).sum(axis=(1, 2)))

    def inverse_errors(self, U: F64, eps: float) -> F64:
        return np.array([inverse_error(S, V, eps) for S, V in zip(self.covariances, U, strict=True)])

    def rounding(
        self, X: F64, U: F64, joint: F64, eps: float, shares: F64, raw: bool = False, squares: bool = False
    ) -> F64:
        """What arithmetic of precision eps may change in log densities, the inverses of Σ being off by these shares.

        Entries of T are off by τ = eps (d + 8) |x − m||U| (|x| + |m| where xU and mU are taken from each other, `raw`),
        so T²/2 by |T|τ + τ²/2 (by τ²/eps where it is xUUx − 2xUUm + mUUm, `squares`).
        """
        few, m = eps * (X.shape[1] + 8), self.means[:, None]
        T, tau = (X - m) @ U, few * ((np.abs(X) + np.abs(m) if raw else np.abs(X - m)) @ np.abs(U))
        logs = np.abs(np.log(np.abs(np.diagonal(U, axis1=1, axis2=2)))).sum(axis=1)
        traces = (T * T).sum(axis=2).T + X.shape[1] + self.prior * (U * U).sum(axis=(1, 2))
        forms = ((tau / few if squares else np.abs(T)) * tau + tau * tau / 2).sum(axis=2).T
        out = forms + shares * traces + few * (1 + logs + X.shape[1] * LOG_2PI + np.abs(joint))
        return np.where(np.isfinite(joint), out, 0.0)

    def excuse(self, U: F64, eps: float, level: float) -> float:
        """Ten times what storing the parameters and a level costs of the log-likelihood of a row, near its maximum.

        Of means stored to δ = eps |m| it is δᵀΣ⁻¹δ at most, of covariances stored to Δ = eps |Σ| ¼ ‖UᵀΔU‖², up to 1e-3.
        """
        size = np.abs(U)
        moved, turned = np.abs(self.means)[:, None] @ size, size.transpose(0, 2, 1) @ np.abs(self.covariances) @ size
        most = (moved**2).sum(axis=(1, 2)) + np.minimum((turned**2).sum(axis=(1, 2)) / 4, 1e-3 / eps**2)
        return ROUNDINGS * float(eps**2 * most.max() + eps * (1 + abs(level)))


def inverse_error(S: F64, U: F64, eps: float) -> float:
    """By what share quadratic forms and traces of U are off, and by what log det a dimension, in precision eps.

    With UᵀSU = I + E of norm e < 1: e/(1 − e), E in long double where that costs little.
    """
    kind: Any = np.longdouble if len(S) <= MOST_LONG else np.float64
    wide, root, eps = S.astype(kind), U.astype(kind), max(eps, float(np.finfo(kind).eps))
    E, size = root.T @ wide @ root - np.eye(len(S)), np.abs(U.T) @ np.abs(S) @ np.abs(U)
    e = float(np.linalg.norm(E.astype(np.float64))) + 2 * eps * (len(S) + 4) * float(np.linalg.norm(size))
    return e / (1 - e) if e < 0.5 else np.inf


@dataclass
class Pass:
    """Sums over the rows, with responsibilities r ∝ ρ."""

    value: float  # Σω log Σ_k ρ_k
    error: float  # what roundings here may change in it
    weight: float  # Σω
    N: F64  # Σω r_k
    step: F64  # from the means to those of the rows, weighted by ω r_k
    scatter: F64  # about these


def expectation(blocks: Blocks, found: Model, U: F64, density: Callable[[F64], F64]) -> Pass:
    """One pass, `density` giving log ρ. A change e_k of log ρ_k changes log Σρ by Σ_k r_k e_k."""
    value = error = weight = 0.0
    N, first, second, shares = np.zeros(1), np.zeros(1), 0.0 * found.covariances, found.inverse_errors(U, LONG)
    for X, w in rows_of(blocks):
        joint = density(X)
        logs = log_sum(joint)
        R, D = np.exp(joint - logs[:, None]) * w[:, None], X - found.means[:, None]
        error += float((R * found.rounding(X, U, joint, 2 * UNIT, shares)).sum())
        error += gamma(blocks.n_rows + 64) * float(w @ np.abs(logs))
        value, weight, N = value + float(w @ logs), weight + float(w.sum()), N + R.sum(axis=0)
        parts = D * R.T[:, :, None]
        first, second = first + parts.sum(axis=1), second + parts.transpose(0, 2, 1) @ D
    step = first / np.where(N > 0, N, 1.0)[:, None]
    return Pass(value, 2 * error, weight, N, step, second - N[:, None, None] * step[:, :, None] * step[:, None, :])


def of_kind(S: F64, kind: str) -> F64:
    """The matrices with their variances alone ("diag"), or with the mean of these ("spherical")."""
    if kind in ("full", "tied"):
        return S
    v = np.diagonal(S, axis1=1, axis2=2)
    v = np.broadcast_to(v.mean(axis=1, keepdims=True), v.shape) if kind == "spherical" else v
    return np.stack([np.diag(one) for one in v])


def read_components(attrs: Attributes, d: int) -> Model | None:
    kind, K = attrs.text("covariance_type", "full"), whole(attrs.parameter("n_components", 1))
    if kind not in KINDS or K < 1:
        attrs.faults.append(f"covariance_type={kind!r} or n_components={K} is not known")
        return None
    shape: dict[str, tuple[int, ...]] = {"full": (K, d, d), "tied": (d, d), "diag": (K, d), "spherical": (K,)}
    w, m = attrs.array("weights_", (K,)), attrs.array("means_", (K, d))
    S, P, R = (attrs.array(name, shape[kind]) for name in ("covariances_", "precisions_", "precisions_cholesky_"))
    if w is None or m is None or S is None or P is None or R is None:
        return None
    prior, roots = real(attrs.parameter("reg_covar", 0.0)), as_matrices(R, kind, K, d)
    inverses = np.stack([as_matrices(P, kind, K, d), roots @ roots.transpose(0, 2, 1)])
    return Model(w, m, as_matrices(S, kind, K, d), inverses, kind, prior if prior >= 0 else 0.0)


def as_matrices(S: F64, kind: str, K: int, d: int) -> F64:
    if kind in ("full", "tied"):
        return np.broadcast_to(S, (K, d, d)).copy()
    return np.stack([np.diag(np.broadcast_to(v, (d,))) for v in S])


def precisions_claim(found: Model, eps: float) -> Claim:
    """Precisions are inverses of covariances, and their roots are roots, in units of the columns."""
    d, deviations = found.means.shape[1], np.sqrt(np.diagonal(found.covariances, axis1=1, axis2=2))
    units = deviations[:, :, None] * deviations[:, None, :]
    R, P = found.covariances / units, found.inverses * units
    off, limit = float(np.abs(P @ R - np.eye(d)).max()), ROUNDINGS * d * eps
    error, worst = gamma(2 * d + 8) * float((np.abs(P) @ np.abs(R)).max()), max(1.0, *np.linalg.cond(R).tolist())
    what = "precisions_ and precisions_cholesky_ belong to inverses of the covariances: entries of PΣ − I"
    return same_claim("precisions", what, off, limit, error, limit * worst)


def same_claim(name: str, what: str, off: float, limit: float, error: float, excuse: float = 0.0) -> Claim:
    """off + error ≤ limit + excuse."""
    sentence, failure = f"{what}; largest difference.", f"Not so: {what}; off by {off:.3g}."
    return at_most(name, sentence, Grade.EXACT, float(off), limit, error=error, excuse=excuse, failure=failure)


def gain_claim(
    attrs: Attributes, what: str, gained: float, slack: float, tol: float, error: float, rows: float
) -> Claim:
    """What one more round gains of the log-likelihood or its bound, a row; the fit's own tol is of `rows` rows, and
    counts for one that says it stopped by it."""
    asked = real(attrs.parameter("tol", 1e-3)) if attrs.raw("converged_") else 0.0
    settled = gained + error <= tol + slack
    limit = tol if settled else max(tol, min(NEXT_STEP * asked / rows, LOOSEST) if asked > 0 else 0.0)
    early = f"The fit stopped by its tol={asked:g}, before a stationary point: later rounds may gain more. "
    return at_most(
        "stationary", f"{'' if settled else early}One more round of updates raises the {what} by at most this, a row.",
        Grade.FIXED_POINT if settled else Grade.BOUNDED, max(gained, 0.0), limit, error=error, excuse=slack,
        failure=f"Not stationary: one more round raises the {what} by {gained:.2g} a row; lower tol or raise max_iter.",
    )  # fmt: skip


def rows_of(blocks: Blocks) -> Any:
    """Rows with their weights, few at a time."""
    for block, _, weights in blocks:
        w = np.ones(block.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        if not all_finite(block) or w.shape != block.shape[:1] or not ((w >= 0) & np.isfinite(w)).all():
            raise BadData("the data or weights have entries that are NaN or infinite, or weights are negative")
        for low in range(0, len(w), SLICE_ROWS):
            yield dense(block[low : low + SLICE_ROWS]), w[low : low + SLICE_ROWS]


def log_sum(joint: F64) -> F64:
    top = joint.max(axis=1)
    return top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
