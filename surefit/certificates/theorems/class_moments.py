"""Means and covariances of every class, recomputed from the rows, and how covariances are shrunk.

N_k = Σω, μ_k = Σωx/N_k, C_k = Σω(x − μ_k)(x − μ_k)ᵀ/N_k over the rows of class k: weights count as repetitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.theorems.classes import Labels, codes, label_pass
from surefit.certificates.theorems.scatter import column_squares, slices, weights

GROUP_ENTRIES = 1 << 25  # entries of the covariances that are held at once
GATHER_ENTRIES = 1 << 26  # entries of the rows that are handed to a covariance_estimator
MAX_COLUMNS = 3000  # beyond, no d × d matrix is formed

Shrinkage = float | str | None


@dataclass
class ClassMoments:
    labels: Labels
    means: F64  # (K, d)
    size: F64  # root mean square of every column, about zero

    @property
    def share(self) -> F64:
        """N_k / N."""
        return self.labels.weight / self.labels.total


@dataclass
class Estimates:
    """What the data say of a linear discriminant analysis."""

    moments: ClassMoments
    priors: F64
    centre: F64  # x̄ = Σ π μ
    stored: F64  # Σ π_k C_k, shrunk: what covariance_ is
    within: list[F64]  # what the covariance within classes may be, weighted by priors or by shares
    total: F64 | None  # the covariance of all rows, shrunk


def class_moments(blocks: Blocks, n_classes: int) -> ClassMoments:
    """Two passes. Raises BadData as `label_pass` does, and for a class without weight."""
    labels = label_pass(blocks, n_classes)
    if not (labels.weight > 0).all():
        raise BadData("a class of classes_ has no rows, or none with a weight")
    d, m = blocks.n_features, labels.x_mean
    sums, squares = np.zeros((n_classes, d)), np.zeros(d)
    for A, omega, code, X in _rows(blocks, m):
        sums += _sums(A * omega[:, None], code, n_classes)
        squares += column_squares(X, omega)
    means = m + sums / labels.weight[:, None]
    size = np.sqrt(squares / labels.total)
    if not (np.isfinite(means).all() and np.isfinite(size).all()):
        raise BadData("sums over the data overflow")
    return ClassMoments(labels, means, size)


def _rows(blocks: Blocks, shift: F64) -> Iterator[tuple[F64, F64, Any, Any]]:
    """Dense slices of rows less a shift (one for all, or one per class): rows, weights, codes, rows as they are."""
    for X, y, w in blocks:
        code, omega = codes(np.asarray(y)), weights(X, w)
        for part in slices(X):
            own = code[part]
            yield dense(X[part]) - (shift if shift.ndim == 1 else shift[own]), omega[part], own, X[part]


def _sums(A: F64, code: Any, n_classes: int) -> F64:
    """The sum of the rows of every class: rows sorted by class, and each run added up."""
    out = np.zeros((n_classes, A.shape[1]))
    order = np.argsort(code, kind="stable")
    present, first = np.unique(code[order], return_index=True)
    if len(present):
        out[present] = np.add.reduceat(A[order], first, axis=0)
    return out


def class_covariances(blocks: Blocks, moments: ClassMoments) -> Iterator[tuple[int, F64]]:
    """(k, C_k) for every class; one pass for as many classes as fit, and their C_k in turn."""
    n_classes, d = moments.means.shape
    group = max(1, GROUP_ENTRIES // max(1, d * d))
    for first in range(0, n_classes, group):
        wanted = range(first, min(first + group, n_classes))
        scatter = np.zeros((len(wanted), d, d))
        for A, omega, code, _ in _rows(blocks, moments.means):
            for place, k in enumerate(wanted):
                own = code == k
                if own.any():
                    B = A[own]
                    scatter[place] += B.T @ (B * omega[own, None])
        for place, k in enumerate(wanted):
            yield k, scatter[place] / moments.labels.weight[k]


# --- shrinkage ----------------------------------------------------------------------------------------------------


def read_shrinkage(attrs: Attributes) -> Shrinkage:
    """None, "auto" or a number in [0, 1]; a fault for anything else."""
    given = getattr(attrs.model, "shrinkage", None)
    if given is None or (isinstance(given, str) and given == "auto"):
        return given
    if 0 <= real(given) <= 1:
        return real(given)
    attrs.faults.append("shrinkage is neither None, 'auto' nor a number between 0 and 1")
    return None


def shrunk(C: F64, shrinkage: float) -> F64:
    """(1 − a) C + a tr(C)/d I."""
    d = C.shape[0]
    return (1.0 - shrinkage) * C + shrinkage * (np.trace(C) / d) * np.eye(d)


def standard_scale(C: F64, size: F64, weight: float) -> F64:
    """The standard deviations, one where a column is constant up to the rounding of entries of its size."""
    variance = np.diag(C)
    constant = variance <= (np.finfo(np.float64).eps * weight * size) ** 2
    return np.where(constant, 1.0, np.sqrt(np.where(constant, 1.0, variance)))


def ledoit_wolf(C: F64, scale: F64, fourth: float, weight: float) -> F64:
    """The covariance shrunk as Ledoit and Wolf (2004) estimate, in columns scaled to variance one.

    With R = D⁻¹CD⁻¹, m = tr R/d and q = Σω‖D⁻¹(x − μ)‖⁴:
    β = (q/N − ‖R‖²)/(dN), δ = ‖R − mI‖²/d, and a = min(β, δ)/δ of R goes to m I.
    """
    d = C.shape[0]
    R = C / np.outer(scale, scale)
    m = float(np.trace(R)) / d
    delta = float(((R - m * np.eye(d)) ** 2).sum()) / d
    beta = min((fourth / weight - float((R * R).sum())) / (d * weight), delta)
    a = 0.0 if d == 1 or beta == 0 or delta == 0 else beta / delta
    return ((1.0 - a) * R + a * m * np.eye(d)) * np.outer(scale, scale)


def fourth_moments(blocks: Blocks, means: F64, scales: F64) -> F64:
    """Σω‖D⁻¹(x − μ)‖⁴ per class, or over all rows where one mean and one scale are given."""
    out = np.zeros(len(np.atleast_2d(means)))
    for A, omega, code, _ in _rows(blocks, means):
        Z = A / (scales if scales.ndim == 1 else scales[code])
        values = omega * np.einsum("ij,ij->i", Z, Z) ** 2
        out += np.bincount(code if means.ndim == 2 else np.zeros_like(code), weights=values, minlength=len(out))
    return out


def shrunk_covariances(
    blocks: Blocks, moments: ClassMoments, shrinkage: Shrinkage, estimator: Any = None
) -> Iterator[tuple[int, F64]]:
    """(k, the estimate for class k): plain, shrunk, or what `covariance_estimator` makes of the rows of the class."""
    if estimator is not None:
        for k in range(len(moments.means)):
            yield k, estimated(blocks, moments, estimator, k)
        return
    if not isinstance(shrinkage, str):
        for k, C in class_covariances(blocks, moments):
            yield k, C if shrinkage is None else shrunk(C, shrinkage)
        return
    weight, means = moments.labels.weight, moments.means
    scales = np.ones_like(means)
    for k, C in class_covariances(blocks, moments):
        scales[k] = standard_scale(C, moments.size, weight[k])
    fourth = fourth_moments(blocks, means, scales)
    for k, C in class_covariances(blocks, moments):
        yield k, ledoit_wolf(C, scales[k], float(fourth[k]), float(weight[k]))


def estimated(blocks: Blocks, moments: ClassMoments, estimator: Any, k: int | None) -> F64:
    """What the user's own estimator says of the rows of one class, or of all rows."""
    d = moments.means.shape[1]
    if blocks.n_rows * d > GATHER_ENTRIES:
        raise BadData("covariance_estimator needs all rows at once, and there are too many of them")
    parts = []
    for A, omega, code, _ in _rows(blocks, np.zeros(d)):
        if (omega != 1).any():
            raise BadData("covariance_estimator has no weights")
        parts.append(A if k is None else A[code == k])
    try:
        fitted = deepcopy(estimator)
        fitted.fit(np.concatenate(parts))
        C = np.atleast_2d(np.asarray(fitted.covariance_, dtype=np.float64))
    except Exception as fault:  # whatever the user's object raises is the reason
        raise BadData(f"covariance_estimator cannot be fitted again ({type(fault).__name__}: {fault})") from fault
    if C.shape != (d, d) or not np.isfinite(C).all():
        raise BadData("covariance_estimator gives no covariance of the columns")
    return C


def total_covariance(
    blocks: Blocks, moments: ClassMoments, plain: F64, shrinkage: Shrinkage, estimator: Any = None
) -> F64:
    """The covariance of all rows about their mean; `plain` is the one without shrinkage."""
    if estimator is not None:
        return estimated(blocks, moments, estimator, None)
    if shrinkage is None:
        return plain
    if not isinstance(shrinkage, str):
        return shrunk(plain, shrinkage)
    m, n = moments.labels.x_mean, moments.labels.total
    scale = standard_scale(plain, moments.size, n)
    return ledoit_wolf(plain, scale, float(fourth_moments(blocks, m, scale)[0]), n)
