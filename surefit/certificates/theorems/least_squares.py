"""Penalised least squares, read once for its residuals: what linear regression and ridge are checked with.

Write A for the rows √ωᵢ(xᵢ − m), r for √ωᵢ(yᵢ − xᵢ·w − b), and 1 for the column √ωᵢ. For every shift m the columns
[1, A] span the same space as [1, X], so the projection of r on that space does not depend on how well m was computed.
A Householder factorisation [1, A, r] = Q R, folded block by block, gives that projection as the top of the last
column of R, with column-wise relative errors of a few u and without squaring the condition number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, BadData, Blocks, Rows, all_finite, dense, magnitude, matmul, tmatmul
from surefit.certificates.claim import CertificateError
from surefit.certificates.rounding import UNIT

MAX_COLUMNS = 2000  # beyond, no d × d factor is formed
MAX_WORK = 1e12  # 2 n d² operations
QR_ENTRIES = 1 << 20  # entries of one factorised slice


@dataclass
class Moments:
    """First pass: total weight, weighted mean of X and of y."""

    total: float
    x_mean: F64
    y_mean: F64
    n_targets: int
    sparse: bool
    single: bool  # X is float32


@dataclass
class Residuals:
    """Second pass, per target (last axis) where a target is involved."""

    total: float
    x_mean: F64  # the shift m, zero without intercept
    y_mean: F64
    column_norm: F64  # ‖a_j‖, shifted
    r_norm: F64  # ‖r‖
    y_norm: F64  # ‖√ω y‖
    scale: F64  # ‖√ω (|y| + |X||w| + |b|)‖: rounding in forming r is below γ times this
    gradient: F64  # Aᵀ r, shape (d, t)
    r_mean: F64  # (Σ ω r)/√Σω: the component of r along 1; zero without intercept
    factor: F64 | None  # R of A (any number of rows), None when too wide
    projected: F64 | None  # Qᵀ r, same rows


def first_pass(blocks: Blocks, *, targets: bool = True) -> Moments:
    """Weighted means. Raises BadData for NaN, infinities, negative weights and no weight at all."""
    d = int(blocks.n_features)
    total, sx, sy, seen, n_targets, sparse, single = 0.0, np.zeros(d), None, 0, 1, False, False
    for X, y, w in blocks:
        n = X.shape[0]
        if X.shape[1] != d:
            raise BadData(f"a block has {X.shape[1]} columns, expected {d}")
        if targets and y is None:
            raise CertificateError("This check needs y: the targets the model was fitted to.")
        if (
            not all_finite(X)
            or (targets and y is not None and not all_finite(y))
            or (w is not None and not all_finite(w))
        ):
            raise BadData("the data have entries that are NaN, infinite or not numbers")
        omega = np.ones(n) if w is None else np.asarray(w, dtype=np.float64)
        if (omega < 0).any():
            raise BadData("some weights are negative")
        sparse = sparse or isinstance(X, Rows)
        single = single or X.dtype == np.float32
        seen += n
        total += float(omega.sum())
        sx += tmatmul(X, omega)
        if targets and y is not None:
            y2 = two_dimensional(y)
            n_targets = y2.shape[1]
            sy = omega @ y2 if sy is None else sy + omega @ y2
    if seen != blocks.n_rows:
        raise BadData(f"the blocks have {seen} rows, expected {blocks.n_rows}")
    if not total > 0:
        raise BadData("the total weight is zero")
    y_mean = np.zeros(n_targets) if sy is None else sy / total
    if not (np.isfinite(sx).all() and np.isfinite(y_mean).all()):
        raise BadData("sums over the data overflow")
    return Moments(total, sx / total, y_mean, n_targets, sparse, single)


def two_dimensional(y: F64 | None) -> F64:
    y = np.asarray(y, dtype=np.float64)
    return y[:, None] if y.ndim == 1 else y


def affordable(n: int, d: int) -> bool:
    """Whether a factor with d columns is formed."""
    return d <= MAX_COLUMNS and 2.0 * n * d * d <= MAX_WORK


def column_norms(A: F64) -> F64:
    """‖a_j‖ of every column, whose squares may be beyond floating point."""
    largest = np.abs(A).max(axis=0, initial=0.0)
    scaled = A / np.where(largest > 0, largest, 1.0)
    return largest * np.sqrt(np.einsum("ij,ij->j", scaled, scaled))


def fold_qr(R: F64 | None, block: F64) -> F64:
    """The triangular factor of R stacked on the block."""
    width = block.shape[1]
    step = max(2 * width, QR_ENTRIES // max(1, width))
    for lo in range(0, block.shape[0], step):
        part = block[lo : lo + step]
        R = np.asarray(np.linalg.qr(part if R is None else np.vstack([R, part]), mode="r"))
    return np.zeros((0, width)) if R is None else R


def second_pass(blocks: Blocks, moments: Moments, coef: F64, intercept: F64, centred: bool) -> Residuals:
    """Residuals of w = coef (t, d), b = intercept (t,), and what they have in common with the columns."""
    d, t = int(blocks.n_features), moments.n_targets
    m = moments.x_mean if centred else np.zeros(d)
    W, absW = np.ascontiguousarray(coef.T), np.abs(coef.T)
    form = affordable(blocks.n_rows, d)
    R: F64 | None = None
    r_sq, y_sq, s_sq, sums = np.zeros(t), np.zeros(t), np.zeros(t), np.zeros(t)
    gradient, norms, raw_sq = np.zeros((d, t)), np.zeros(d), np.zeros(d)
    for X, y, w in blocks:
        root = np.ones(X.shape[0]) if w is None else np.sqrt(np.asarray(w, dtype=np.float64))
        y2 = two_dimensional(y)
        r = root[:, None] * (y2 - (matmul(X, W) + intercept))
        s = root[:, None] * (np.abs(y2) + matmul(magnitude(X), absW) + np.abs(intercept))
        r_sq += (r * r).sum(axis=0)
        s_sq += (s * s).sum(axis=0)
        y_sq += ((root[:, None] * y2) ** 2).sum(axis=0)
        sums += root @ r
        if form or not isinstance(X, Rows):
            A = (dense(X) - m) * root[:, None]
            gradient += A.T @ r
            norms = np.hypot(norms, column_norms(A))
            if form:
                columns = [root[:, None], A, r] if centred else [A, r]
                R = fold_qr(R, np.hstack(columns))
        else:
            gradient += tmatmul(X, root[:, None] * r) - np.outer(m, root @ r)
            squares = Rows(X.data.astype(np.float64) ** 2, X.indices, X.indptr, X.shape)
            raw_sq += tmatmul(squares, root * root)
    if raw_sq.any():
        norms = np.hypot(norms, np.sqrt(np.maximum(raw_sq - moments.total * m * m, UNIT * raw_sq)))
    factor = projected = None
    if R is not None and np.isfinite(R).all():
        R = R[1:, 1:] if centred else R
        factor, projected = R[:, :d], R[:, d:]
    root_total = float(np.sqrt(moments.total))
    return Residuals(
        moments.total, m, moments.y_mean, norms, np.sqrt(r_sq), np.sqrt(y_sq), np.sqrt(s_sq),
        gradient, sums / root_total if centred else np.zeros(t), factor, projected,
    )  # fmt: skip


@dataclass
class Projection:
    """r split by the column space of A (columns scaled to norm one): singular values, and r's coordinates."""

    singular: F64  # all singular values of the scaled A, descending
    rank: int
    right: F64  # V of the scaled A, shape (d, rank)
    coordinates: F64  # Uᵀ r, shape (rank, t)
    norms: F64  # the column norms scaled away; 0 for a column that counts as zero


def project(factor: F64, projected: F64, rank_limit: float, noise: F64) -> Projection:
    """Singular values of the column-scaled factor, and the residual's coordinates in its column space.

    Columns with a norm below `noise` are constant to working precision and count as zero; directions whose singular
    value is below rank_limit times the largest are rounding, not data, and are left out.
    """
    norms = column_norms(factor)
    inverse = np.where(norms > noise, 1.0 / np.where(norms > noise, norms, 1.0), 0.0)
    U, S, Vt = np.linalg.svd(factor * inverse, full_matrices=False)
    rank = int(np.count_nonzero(S > rank_limit * S[0])) if S.size and S[0] > 0 else 0
    return Projection(S, rank, Vt[:rank].T, U[:, :rank].T @ projected, np.where(norms > noise, norms, 0.0))
