"""The components of a mixture of normal densities: read, consistent, and their log densities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma

LOG_2PI = float(np.log(2 * np.pi))
ROUNDINGS = 10.0
NEXT_STEP = 4.0  # the step after the last may gain more than the last, by so much
KINDS = ("full", "tied", "diag", "spherical")


@dataclass
class Model:
    """π, m, and for each component U with U Uᵀ = Σ⁻¹ as a matrix; every number in double precision."""

    weights: F64
    means: F64
    covariances: F64  # (K, d, d)
    kind: str
    prior: float

    def roots(self) -> F64:
        return np.stack([np.linalg.inv(np.linalg.cholesky(S)).T for S in self.covariances])

    def log_joint(self, X: F64, U: F64, prior: float) -> F64:
        """log π_k + log N(x; m_k, Σ_k) − ½ prior tr Σ_k⁻¹."""
        d = X.shape[1]
        out = np.empty((len(X), len(self.means)))
        for k, m in enumerate(self.means):
            T = (X - m) @ U[k]
            constant = np.log(self.weights[k]) + np.log(np.diagonal(U[k])).sum() - d / 2 * LOG_2PI
            out[:, k] = constant - (T * T).sum(axis=1) / 2 - prior / 2 * (U[k] ** 2).sum()
        return out

    def slip(self, X: F64, U: F64, joint: F64) -> F64:
        """What roundings here may change in `log_joint`: of the products T = (x − m)U, of their squares and of sums.

        With UᵀΣU = I + E, of norm e < 1, the quadratic forms and traces of U are off by a share of e/(1 − e), and
        log det by d e/(1 − e).
        """
        d = X.shape[1]
        out, one = np.empty_like(joint), gamma(d + 8)
        for k, m in enumerate(self.means):
            D = X - m
            T = D @ U[k]
            terms = (np.abs(T) * (np.abs(D) @ np.abs(U[k]))).sum(axis=1)
            e = inverse_error(self.covariances[k], U[k])
            inverse = e * ((T * T).sum(axis=1) + d + self.prior * (U[k] ** 2).sum())
            logs = np.abs(np.log(np.abs(np.diagonal(U[k])))).sum() + d * LOG_2PI
            out[:, k] = one * (terms + logs + np.where(np.isfinite(joint[:, k]), np.abs(joint[:, k]), 0.0)) + inverse
        return out


def inverse_error(S: F64, U: F64) -> float:
    """e/(1 − e) with e ≥ the norm of UᵀSU − I, which is reckoned in long double."""
    wide, root = S.astype(np.longdouble), U.astype(np.longdouble)
    E = root.T @ wide @ root - np.eye(len(S))
    size = np.abs(root.T) @ np.abs(wide) @ np.abs(root)
    unit = float(np.finfo(np.longdouble).eps) / 2
    e = float(np.sqrt((E * E).sum())) + gamma(2 * len(S) + 4, unit) * float(np.sqrt((size * size).sum()))
    return e / (1 - e) if e < 0.5 else np.inf


def read_components(attrs: Attributes, d: int) -> Model | None:
    kind, K = attrs.text("covariance_type", "full"), whole(attrs.parameter("n_components", 1))
    if kind not in KINDS or K < 1:
        attrs.faults.append(f"covariance_type={kind!r} or n_components={K} is not known")
        return None
    shape: dict[str, tuple[int, ...]] = {"full": (K, d, d), "tied": (d, d), "diag": (K, d), "spherical": (K,)}
    w, m, S = attrs.array("weights_", (K,)), attrs.array("means_", (K, d)), attrs.array("covariances_", shape[kind])
    if w is None or m is None or S is None:
        return None
    if (w < 0).any():
        attrs.faults.append("weights_ has negative entries")
        return None
    prior = real(attrs.parameter("reg_covar", 0.0))
    return Model(w, m, as_matrices(S, kind, K, d), kind, prior if prior >= 0 else 0.0)


def as_matrices(S: F64, kind: str, K: int, d: int) -> F64:
    if kind in ("full", "tied"):
        return np.broadcast_to(S, (K, d, d)).copy()
    return np.stack([np.diag(np.broadcast_to(v, (d,))) for v in S])


def consistent(attrs: Attributes, found: Model, U: F64, eps: float) -> list[Claim]:
    """Weights add up to one; precisions are inverses of covariances, and their roots are roots."""
    K, d = found.means.shape
    given = {name: attrs.raw(name) for name in ("precisions_", "precisions_cholesky_")}
    off = abs(float(found.weights.sum()) - 1.0)
    deviations = np.sqrt(np.diagonal(found.covariances, axis1=1, axis2=2))
    units = deviations[:, :, None] * deviations[:, None, :]
    correlations = found.covariances / units  # in units of the columns, whose sizes do not matter
    condition = max(float(np.linalg.cond(R)) for R in correlations)
    worst = error = 0.0
    for name, array in given.items():
        try:
            square = as_matrices(np.asarray(array, dtype=np.float64), found.kind, K, d)
        except (TypeError, ValueError):
            square = np.full((K, d, d), np.nan)
        if name == "precisions_cholesky_":
            square = square @ square.transpose(0, 2, 1)
        product = (square * units) @ correlations - np.eye(d)
        worst = max(worst, float(np.max(np.where(np.isnan(product), np.inf, np.abs(product)))))
        error = max(error, gamma(2 * d + 8) * float(np.nan_to_num(np.abs(square * units) @ np.abs(correlations)).max()))
    limit = ROUNDINGS * d * eps
    return [
        at_most("weights", "The weights are chances: they add up to one.", Grade.EXACT, off, ROUNDINGS * K * eps,
                error=gamma(K + 2),
                failure=f"The weights add up to {1 + off:.6g} or {1 - off:.6g}, not to one."),
        at_most("precisions", "Precisions and their roots are inverses of the covariances; largest entry of PΣ − I.",
                Grade.EXACT, worst, limit, error=error, excuse=limit * max(condition, 1.0),
                failure=f"precisions_ or precisions_cholesky_ do not belong to covariances_: off by {worst:.2g}."),
    ]  # fmt: skip


def rows_of(blocks: Blocks) -> Any:
    for X, _, w in blocks:
        if not all_finite(X):
            raise BadData("the data have entries that are NaN or infinite")
        yield dense(X), np.ones(X.shape[0]) if w is None else np.asarray(w, dtype=np.float64)


def log_sum(joint: F64) -> F64:
    top = joint.max(axis=1)
    return top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
