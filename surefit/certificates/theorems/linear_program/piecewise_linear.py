"""min over θ = (w, b) of  P(θ) = Σ φᵢ(tᵢ − aᵢ·θ) + λ Σ |wⱼ| ,  φᵢ(e) = max(loᵢ e, hiᵢ e), lo ≤ 0 ≤ hi: a lower bound.

aᵢ = σᵢ(xᵢ − m, 1): the center m only renames b. For δ in the boxes [lo, hi] let g = Σ δᵢaᵢ, c the entries of g cut to
±λ (to 0 for b), r = g − c. φᵢ(e) ≥ δᵢe gives, for every θ′ and with nothing that cancels,

    P(θ) − P(θ′) ≤ Σ (φᵢ(eᵢ) − δᵢeᵢ) + Σ (λ|wⱼ| − wⱼcⱼ) + r·(θ′ − θ) = slack + r·(θ′ − θ).

**What rounding leaves in r.** Let P(θ′) ≤ P(θ), Δ = θ′ − θ, vᵢ = min(−lo, hi). Then Σ vᵢ|aᵢ·Δ| ≤ Σ v(|e| + |e′|) ≤
P(θ) + P(θ′) ≤ 2P. T proposes coordinates: U = C_J T, C the rows vᵢaᵢ, ‖UᵀU − I‖ ≤ η < 1/2. With κ = ‖Tᵀr_J‖/√(1 − η),
r_J·Δ_J ≤ κ‖C_JΔ_J‖ ≤ κ Σ v|a·Δ|. So, where J are all columns,

    P(θ) − P(θ′) ≤ slack + 2κ(P + slack)/(1 − κ).

Other columns D are charged for |Δⱼ| up to FAR typical sizes over cⱼ, the mean of |xⱼ − mⱼ|. They must be combinations
of J up to rounding of the data, so that larger coefficients only speak of that rounding (beyond MOST_COLUMNS: not
verified, and said). Where λ > 0 no coordinates are needed: Σ v|a·Δ| + λ‖Δ_w‖₁ ≤ 2P, and v is a multiple of the weights,
so r·Δ ≤ 2P max((|rⱼ| + |r_b|cⱼ)/λ, |r_b|/Σv).

Sums are in long double; κ itself needs only to be below one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks, Rows, dense
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.linear_program.long_rows import (
    LONG,
    UNIT,
    Long,
    Slice,
    absolute,
    scores,
    slices,
    transposed_times,
)

FAR = 1e5  # how far coefficients of dependent columns are followed
MOST_COLUMNS = 500  # beyond, no coordinates are sought
EIGHT_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)
SAFE = 1.01  # for the roundings of error bounds themselves


class Basis(NamedTuple):
    """A proposal: columns J, T, and K with C_D ≈ C_J K, columns over cⱼ; D are the others that are not constant."""

    J: NDArray[np.intp]
    T: F64
    K: Long


@dataclass(frozen=True)
class Program:
    """The problem: `terms(slice)` gives σ, t, lo and hi of its rows; `sizes` are cⱼ, and 1 for b where there is one."""

    blocks: Blocks
    terms: Callable[[Slice], tuple[F64, F64, Long, Long]]
    intercept: bool
    penalty: Long  # λ, the same for every column of X
    center: F64
    sizes: Long
    total: Long  # Σω
    spread: float  # the typical size of a target: the mean of |y − its mean|, or 1 for classes


def read_program(blocks: Blocks, terms: Callable[..., tuple], intercept: bool, alpha: float) -> Program:
    """Two passes. Any center will do for a proof: the mean, without rounding for constants, keeps digits; it is zero
    without an intercept and for sparse rows. λ = alpha Σω."""
    d, sparse = blocks.n_features, not intercept
    sums: Long = np.zeros(d, dtype=LONG)
    total: Long = LONG(0)
    targets: Long = LONG(0)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for part in slices(blocks):
        w, sparse = part.w.astype(LONG), sparse or isinstance(part.X, Rows)
        total, targets, sums = total + w.sum(), targets + w @ part.y, sums + transposed_times(part.X, w)
        if not isinstance(part.X, Rows):
            A = part.X[part.w > 0]
            low, high = np.minimum(low, A.min(axis=0, initial=np.inf)), np.maximum(high, A.max(axis=0, initial=-np.inf))
    center = np.zeros(d) if sparse else np.clip((sums / total).astype(np.float64), low, high)
    sizes: Long = np.zeros(d, dtype=LONG)
    spread: Long = LONG(0)
    for part in slices(blocks):
        w = part.w.astype(LONG)
        sizes = sizes + transposed_times(absolute(about(part.X, center)), w)
        spread = spread + w @ abs(part.y - targets / total)
    if not (np.isfinite(center).all() and np.isfinite(float(spread / total))):
        raise BadData("sums over the data overflow")
    sizes = np.append(sizes / total, [LONG(1)] * int(intercept))
    return Program(blocks, terms, intercept, LONG(alpha) * total, center, sizes, total, float(spread / total))


def about(X: Rows | NDArray, center: F64) -> Rows | Long:
    """The rows less `center`, rounded once entry by entry; sparse rows stay as they are (their center is zero)."""
    return X if isinstance(X, Rows) else X.astype(LONG) - center


@dataclass
class Bound:
    """What one pass finds out about θ, one δ and a basis. Everything is an upper bound, except `least`."""

    loss: Long  # P(θ)
    least: Long  # P(θ), from below
    slack: Long
    stored: Long  # Σ slope · (|x||w| + |b| + |t|): what one rounding of w, b and t, relative, can do to P
    missed: Long  # |r|, rounding included
    give: Long  # Σ v
    kappa: Long  # NaN where the columns J are not proved to be independent
    others: Long  # r·Δ of the columns D, for Δ = 1/c
    dependent: int  # columns D
    verified: bool  # that the columns D are combinations of J up to rounding of the data, on all rows with v > 0


def measure(p: Program, w: F64, b: Long, delta: Long, basis: Basis) -> Bound:
    """One pass; δ is clipped into its boxes."""
    d, n, zero, (J, T, K) = w.size, p.sizes.size, LONG(0), basis
    D = np.setdiff1d(np.flatnonzero(p.sizes > 0), J)
    loss = slack = stored = give = zero
    g, terms, unit = np.zeros(d + 1, dtype=LONG), np.zeros(d + 1, dtype=LONG), np.where(p.sizes > 0, p.sizes, LONG(1))
    H, squares, verified = np.zeros((J.size, J.size)), np.zeros(n), J.size > 0
    for part in slices(p.blocks):
        sign, t, lo, hi = p.terms(part)
        z, size, _ = scores(part.X, w, b)
        e, u = t - sign * z, np.clip(delta[part.first : part.first + t.size], lo, hi)
        phi, v = np.maximum(lo * e, hi * e), np.minimum(-lo, hi)
        loss, slack, give = loss + phi.sum(), slack + (phi - u * e).sum(), give + v.sum()
        stored = stored + np.maximum(-lo, hi) @ (size + np.abs(t))
        A = about(part.X, p.center)
        g += np.append(transposed_times(A, sign * u), (sign * u).sum())
        terms += np.append(transposed_times(absolute(A), np.abs(u)), np.abs(u).sum())
        if J.size:
            X, one = dense(part.X)[v > 0].astype(LONG), np.ones((int((v > 0).sum()), 1))
            B, size = (np.hstack([M, one])[:, :n] / unit for M in (X - p.center, np.abs(X) + np.abs(p.center)))
            C = (B * (v[v > 0] / p.total)[:, None]).astype(np.float64)
            U = C[:, J] @ T
            H, squares = H + U.T @ U, squares + (C * C).sum(axis=0)
            close = np.abs(B[:, D] - B[:, J] @ K) <= EIGHT_ROUNDINGS * (size[:, D] + size[:, J] @ np.abs(K))
            verified = verified and bool(close.all())
    limits, theta = np.append(np.full(d, p.penalty), zero)[:n], np.append(w, zero)[:n]
    g, rounding = g[:n], gamma(p.blocks.n_rows + 8, UNIT) * terms[:n]
    missed = np.maximum(np.abs(g) + rounding - limits, zero)  # a g well inside the penalty misses nothing
    slack += (limits * np.abs(theta) - theta * np.clip(g, -limits, limits)).sum()
    slack += (rounding * (limits > 0)) @ np.abs(theta)
    top, many = loss + p.penalty * np.abs(w).sum(), gamma(p.blocks.n_rows + d + 8, UNIT)
    off = gamma(d + 12, UNIT) * stored
    kappa, norms = _kappa(H, squares, T, J, missed / unit / p.total, p.blocks.n_rows)
    others = p.total * (kappa * norms[D] + (missed / unit / p.total)[D]).sum()
    return Bound(
        top * (1 + many) + off, top * (1 - many) - off, slack * (1 + many) + 2 * off, stored, missed, give, kappa,
        others if D.size else zero, D.size, verified,
    )  # fmt: skip


def _kappa(H: F64, squares: F64, T: F64, J: F64, r: Long, rows: int) -> tuple[Long, F64]:
    """κ, and the lengths of the columns of C. Sums of n products are off by γₙ times the norms of their factors."""
    frobenius, norms = SAFE * np.sqrt(np.trace(H)), SAFE * np.sqrt(squares)
    off = SAFE * (gamma(J.size + 5) * np.linalg.norm(norms[J] @ np.abs(T)) + gamma(rows + 8) * frobenius)
    eta = SAFE * (np.linalg.norm(H - np.eye(J.size)) + (2 * frobenius + off) * off)
    kappa = np.sqrt(((np.abs(T).T @ r[J]) ** 2).sum()) / np.sqrt(LONG(1 - eta)) if eta < 0.5 else LONG(np.nan)
    return SAFE * kappa, norms


class Proof(NamedTuple):
    """`gap` ≥ P(θ) − P(θ′) for every θ′; where `dependent` columns are left, up to FAR typical sizes in those."""

    gap: Long
    dependent: int
    bound: Bound


def prove(p: Program, w: F64, b: float, delta: Long, basis: Basis) -> Proof:
    m = measure(p, w, b, delta, basis)
    proofs = [Proof(LONG(np.inf), 0, m)]
    if p.penalty > 0:
        level = m.missed[-1] if p.intercept else LONG(0)
        share = ((m.missed[: w.size] + level * p.sizes[: w.size]) / p.penalty).max(initial=LONG(0))
        proofs.append(Proof(m.slack + 2 * SAFE * m.loss * np.maximum(share, level / m.give), 0, m))
    if m.kappa < 1 and (m.verified or m.dependent == 0 or p.sizes.size > MOST_COLUMNS):
        size = np.maximum(p.spread, (np.abs(w) * p.sizes[: w.size]).max(initial=LONG(0)))
        rest = (2 * m.kappa * (m.loss + m.slack) + FAR * size * m.others) / (1 - m.kappa)
        proofs.append(Proof(m.slack + SAFE * rest, m.dependent, m))
    return min(proofs, key=lambda proof: proof.gap if proof.gap == proof.gap else np.inf)


NOTHING = Basis(np.zeros(0, dtype=np.intp), np.zeros((0, 0)), np.zeros((0, 0)))
