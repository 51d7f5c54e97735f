"""Logistic and softmax regression without a penalty: how near the least value is, or why there is none.

Along a line, |f‴| ≤ S f″ with S the largest range of a row's logits along the direction (third and second central
moments of the classes). So with the Hessian H at u, g = ∇f(u), ν = ‖g‖ in H⁻¹ and R the largest range of a row's
logits along a direction of length one in H,

    f(u) − inf f ≤ (x + (1 − x) log(1 − x)) / R² ,  x = νR < 1 ,

and the infimum is reached. For the model's own θ, f(θ) − f(u) = Σ ω KL(p(u) ‖ p(θ)) + g·(θ − u).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, Rows, dense, magnitude, matmul
from surefit.certificates.rounding import UNIT, gamma, typical
from surefit.certificates.theorems.least_squares import column_norms, fold_qr
from surefit.certificates.theorems.log_loss import LogLoss, derivatives, divergence, log_softmax

NULL = 1e-11  # where eigenvalues of the scaled Hessian are below this share of the largest, rows are factorised
SURE = 0.5  # νR near one is what the tail of separated classes has, give or take rounding
OUTSIDE = 1e-11  # what a row may have outside the directions with curvature, relative


@dataclass
class FreeBound:
    f: float
    gap: float  # infinite where nothing is proved
    x: float  # ν R: below one where there is a minimum
    sizes: float
    why: str = ""
    outside: float = 0.0  # the largest share of a row in directions that were left out


def free_bound(task: LogLoss, theta: F64, near: F64) -> FreeBound:
    """The gap of θ from the curvature at `near`, which is θ itself or a better point."""
    here = derivatives(task, near, True)
    c, d1 = near.shape
    f, apart, sizes, noise = _apart(task, theta, near)
    rounding = gamma(d1 + 3) * noise
    diagonal = np.sqrt(np.diag(here.hessian))
    D = np.where(diagonal > 0, 1.0 / np.where(diagonal > 0, diagonal, 1.0), 0.0)
    scaled = here.hessian * D[:, None] * D
    if not np.isfinite(scaled).all():
        return FreeBound(f, np.inf, np.inf, sizes, "the curvature overflows")
    values, vectors = np.linalg.eigh(scaled)
    null = np.zeros((values.size, 0))
    if (values > NULL * max(float(values[-1]), 1e-300)).all():
        root = vectors / np.sqrt(values) * D[:, None]  # H⁻¹ = root rootᵀ
    else:
        D, root, null = _factorised(task, near)
    if not (root.size and np.isfinite(root).all()):
        return FreeBound(f, np.inf, np.inf, sizes, "the curvature vanishes")
    wobble = typical(task.blocks.n_rows) * here.rounding.reshape(-1)
    nu = float(np.linalg.norm(root.T @ here.gradient.reshape(-1)) + np.linalg.norm(np.abs(root.T) @ wobble))
    R, outside = _widest(task, root.reshape(c, d1, -1), null.reshape(c, d1, -1), D)
    if not outside <= OUTSIDE:
        return FreeBound(f, np.inf, np.inf, sizes, "the Hessian is singular to working precision")
    x = nu * R
    if not x < SURE:
        return FreeBound(f, np.inf, x, sizes, "the gradient is too large for the curvature")
    above = nu * nu / 2 if x < 1e-4 else (x + (1 - x) * np.log1p(-x)) / (R * R)
    above *= 1.0 + x  # covers the series cut at x²
    linear = float(((np.abs(here.gradient) + wobble.reshape(c, d1)) * np.abs(theta - near)).sum())
    return FreeBound(f, apart + linear + above + rounding, x, sizes, outside=outside)


def _factorised(task: LogLoss, near: F64) -> tuple[F64, F64, F64]:
    """Scales D, a root with H⁻¹ = root rootᵀ, and the directions that rounding cannot tell from none, times D.

    diag p − ppᵀ = Σₖ pₖ(eₖ − p)(eₖ − p)ᵀ: the rows √(ω pₖ) (eₖ − p) ⊗ x have the factor of H. Their singular values are
    known to rounding; the eigenvalues of H are their squares, and below 10⁻⁸ of the largest nothing would be left.
    """
    c, d1 = near.shape
    T = np.zeros((0, c * d1))
    for X, _, omega in task.rows():
        P = np.exp(log_softmax(task.logits(X, near)))
        B = np.hstack([dense(X) - task.shift, np.full((len(omega), 1), float(task.intercept))])
        for k in range(task.n_classes):
            apart = -P
            apart[:, k] = np.delete(P, k, axis=1).sum(axis=1)
            apart *= np.sqrt(omega * P[:, k])[:, None]
            T = fold_qr(T, (apart[:, task.first :, None] * B[:, None, :]).reshape(len(omega), -1))
    norms = column_norms(T)
    D = np.where(norms > 0, 1.0 / np.where(norms > 0, norms, 1.0), 0.0)
    S, Vt = np.linalg.svd(T * D, full_matrices=True)[1:]
    S = np.append(S, np.zeros(len(Vt) - S.size))
    keep = S > 32 * typical(task.blocks.n_rows + c * d1, UNIT) * S[0]
    return D, Vt[keep].T / S[keep] * D[:, None], Vt[~keep].T * D[:, None]


def _apart(task: LogLoss, theta: F64, near: F64) -> tuple[float, float, float, float]:
    """f(θ), Σ ω KL(p(near) ‖ p(θ)), Σ ω s² and Σ ω s |p − e|."""
    f = apart = sizes = noise = 0.0
    for X, code, omega in task.rows():
        log_p = log_softmax(task.logits(X, theta))
        q = np.exp(log_softmax(task.logits(X, near)))
        f -= float(omega @ log_p[np.arange(code.size), code])
        apart += float(omega @ divergence(q, log_p))
        s = task.sizes(X, theta)
        sizes += float(omega @ (s * s))
        noise += float((omega * s) @ -np.expm1(log_p[np.arange(code.size), code]))
    return f, apart, sizes, 2.0 * noise


def _widest(task: LogLoss, root: F64, null: F64, D: F64) -> tuple[float, float]:
    """R, from the two largest ‖eₖ ⊗ x‖ in H⁻¹ of a row, and the largest share of a row without curvature."""
    c, d1 = root.shape[:2]
    widest = outside = 0.0
    weight = D.reshape(c, d1)
    for X, _, omega in task.rows():
        used = omega > 0
        B = np.hstack([dense(X) - task.shift, np.full((X.shape[0], 1), float(task.intercept))])[used]
        if not B.size:
            continue
        norms = np.stack([np.linalg.norm(B @ root[k], axis=1) for k in range(c)], axis=1)
        top = np.sort(norms, axis=1)[:, -2:].sum(axis=1)
        widest = np.maximum(widest, top.max())  # keeps a NaN
        if (np.abs(B).max(axis=0) * (weight == 0)).any():
            outside = np.inf  # a column without curvature that moves logits: they are too large to see it
        if null.shape[2]:
            for k in range(c):
                size = np.linalg.norm(B * weight[k], axis=1)
                part = np.linalg.norm(B @ null[k], axis=1) / np.where(size > 0, size, 1.0)
                outside = np.maximum(outside, part.max())
    return float(widest), float(outside)


@dataclass
class Gains:
    """Along a direction s, over the rows with weight: how much a row's own class gains on the others.

    With c the typical entries of columns, a change of s by a relative τ moves a row's logits by τ Σⱼ |xⱼ|/cⱼ max |cs|.
    Gains and losses are relative to that, with τ = 1. A column that s leaves out counts like the others, for rounding
    does not know of it; a row far from all others does not excuse them.
    """

    loss: float  # the largest that a row loses to another class; negative where all gain
    gain: float  # the largest that a row gains on another class
    rows: int  # rows that gain on all
    surely: bool  # all rows gain on all, whatever rounding did


def typical_entries(task: LogLoss) -> F64:
    """c: the geometric mean of the entries of a column that are not zero, which no huge one rules; 1 for b."""
    d = task.shift.size
    logs, counts = np.zeros(d), np.zeros(d)
    for X, _, omega in task.rows():
        used = omega > 0
        if isinstance(X, Rows):
            on = used[X.owner()] & (X.data != 0)
            column, entries = X.indices[on], X.data[on].astype(np.float64)
        else:
            i, column = np.nonzero(X * used[:, None])
            entries = X[i, column].astype(np.float64)
        logs += np.bincount(column, weights=np.log(np.abs(entries)), minlength=d)
        counts += np.bincount(column, minlength=d)
    return np.append(np.exp(logs / np.maximum(counts, 1.0)), 1.0)


def gains(task: LogLoss, direction: F64) -> Gains:
    c = typical_entries(task)
    largest = float((np.abs(direction) * c).max())
    loss, gain, rows, surely = -np.inf, -np.inf, 0, True
    for X, code, omega in task.rows():
        used = omega > 0
        Z, at = task.logits(X, direction), np.arange(code.size)
        own = Z[at, code].copy()
        Z[at, code] = -np.inf
        least = (own - Z.max(axis=1))[used]
        Z[at, code] = np.inf
        most = (own - Z.min(axis=1))[used]
        size = 2.0 * task.sizes(X, direction)[used]
        unit = largest * (matmul(magnitude(X), 1.0 / c[:-1]) + float(task.intercept))[used]
        unit = np.where(unit > 0, unit, 1.0)
        # np.maximum keeps a NaN, which overflow makes
        loss = np.maximum(loss, (-least / unit).max(initial=-np.inf))
        gain = np.maximum(gain, (most / unit).max(initial=-np.inf))
        rows += int(np.count_nonzero(least > 0))
        surely = surely and bool((least > gamma(direction.shape[1] + 2) * size).all())
    return Gains(float(loss), float(gain), rows, surely)
