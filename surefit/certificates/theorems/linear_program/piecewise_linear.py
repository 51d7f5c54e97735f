"""min over θ = (w, b) of  P(θ) = Σ φᵢ(tᵢ − aᵢ·θ) + Σ λⱼ|wⱼ| ,  φᵢ(e) = max(loᵢ e, hiᵢ e), lo ≤ 0 ≤ hi: a lower bound.

aᵢ = σᵢ(xᵢ − m, 1): the center m only renames b. For δ in the boxes [lo, hi] let g = Σ δᵢaᵢ, c the entries of g cut to
±λ (to 0 for b), r = g − c. φᵢ(e) ≥ δᵢe gives, for every θ′ and with nothing that cancels,

    P(θ) − P(θ′) ≤ Σ (φᵢ(eᵢ) − δᵢeᵢ) + Σ (λⱼ|wⱼ| − wⱼcⱼ) + r·(θ′ − θ) = slack + r·(θ′ − θ).

**Repair.** Take rows I and columns J, as many, and sᵢ = min(−lo, hi), or δᵢ where lo = 0. If z solves Σ_I zᵢaᵢ = r on J
and |zᵢ| ≤ τsᵢ with τ ≤ ½, then δ′ = (1 − τ)(δ − z) is in the boxes and misses nothing on J: the bound becomes
(1 + τ) slack + 4τP, and what is left of r on the other columns L is at most |r| + τ Σ_I sᵢ|aᵢ|. With C the columns
sᵢaᵢ on J and any N with ‖I − NC‖ ≤ ε < 1 (largest row sum), τ = max |N||r| / (1 − ε). Where λ > 0 no rows are needed:
with z = r_b s/Σs, τ = max((|rⱼ| + |r_b|cⱼ)/λⱼ, |r_b|/Σs) does the same, cⱼ the mean of |xⱼ − mⱼ|.
Columns of L are charged for |wⱼ′ − wⱼ| up to FAR typical sizes over cⱼ: they are verified to be combinations of
J up to rounding of the data, so that larger coefficients only speak of that rounding (beyond MOST_COLUMNS: not
verified, and said).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks, Rows, dense
from surefit.certificates.theorems.linear_program.center import about
from surefit.certificates.theorems.linear_program.long_rows import (
    LONG,
    UNIT,
    Long,
    Slice,
    absolute,
    gamma,
    scores,
    slices,
    transposed_times,
)

FAR = 1e5  # how far coefficients of dependent columns are followed

MOST_COLUMNS = 500  # beyond, no rows are sought for a repair


class Basis(NamedTuple):
    """A proposal for a repair: rows I, columns J, how many of both to try, and how to invert a matrix approximately."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    tries: list[int]
    inverse: Callable[[Long], Long]


@dataclass(frozen=True)
class Program:
    """The problem: `terms(slice)` gives σ, t, lo and hi of its rows; `sizes` are cⱼ, and 1 for b where there is one."""

    blocks: Blocks
    terms: Callable[[Slice], tuple[F64, F64, Long, Long]]
    intercept: bool
    penalty: Long  # λ, the same for every column of X
    center: F64
    sizes: Long


def sizes_of(blocks: Blocks, center: F64, total: Long, intercept: bool) -> Long:
    """cⱼ = Σ ω|xⱼ − mⱼ| / Σω, and 1 for the intercept."""
    sums = sum((transposed_times(absolute(about(p.X, center)), p.w.astype(LONG)) for p in slices(blocks)), LONG(0))
    return np.append(sums / total, [LONG(1)] * int(intercept))


@dataclass
class Bound:
    """What one pass finds out about θ and one δ. Everything is an upper bound, except `least`."""

    loss: Long  # P(θ)
    least: Long  # P(θ), from below
    slack: Long
    stored: Long  # Σ slope · (|x||w| + |b| + |t|): what one rounding of w, b and t, relative, can do to P
    missed: Long  # |r|, rounding included
    give: Long  # Σ s
    picked: Long  # the rows sᵢaᵢ of I


def measure(p: Program, w: F64, b: float, delta: Long, rows: NDArray[np.intp]) -> Bound:
    """One pass: P, the slack of δ (clipped into its boxes), r, and the rows sᵢaᵢ."""
    d, zero = w.size, LONG(0)
    loss = error = slack = loose = stored = give = zero
    g, terms, picked = (
        np.zeros(d + 1, dtype=LONG),
        np.zeros(d + 1, dtype=LONG),
        np.zeros((rows.size, d + 1), dtype=LONG),
    )
    longest = count = 0
    for part in slices(p.blocks):
        sign, t, lo, hi = p.terms(part)
        z, size, off = scores(part.X, w, b)
        e = t - sign * z
        off = off + 4 * UNIT * (np.abs(t) + np.abs(z) + np.abs(e))
        phi, slope = np.maximum(lo * e, hi * e), np.maximum(-lo, hi)
        u = np.clip(delta[part.first : part.first + e.size], lo, hi)
        loss, error = loss + phi.sum(), error + slope @ off
        slack, loose, stored = slack + (phi - u * e).sum(), loose + (hi - lo) @ off, stored + slope @ (size + np.abs(t))
        A, s = about(part.X, p.center), np.where(lo < 0, np.minimum(-lo, hi), u)
        give = give + s.sum()
        g += np.append(transposed_times(A, sign * u), (sign * u).sum())
        terms += np.append(transposed_times(absolute(A), np.abs(u)), np.abs(u).sum())
        for k in np.flatnonzero((rows >= part.first) & (rows < part.first + e.size)):
            i = int(rows[k]) - part.first
            row = dense(A[i : i + 1])[0] if isinstance(A, Rows) else A[i]
            picked[k] = s[i] * sign[i] * np.append(row, LONG(1))
        longest, count = max(longest, A.data.size if isinstance(A, Rows) else int(np.count_nonzero(u))), count + 1
    n = 1 + d if p.intercept else d
    cut = np.append(np.clip(g[:d], -p.penalty, p.penalty), zero)
    penalized = p.penalty * np.abs(w).sum()
    many = 1 + gamma(p.blocks.n_rows + d + 8)
    rounding = gamma(longest + count + 8) * terms
    slack += loose + (p.penalty * np.abs(w) - w * cut[:d]).sum() + (rounding[:d] @ np.abs(w) if p.penalty > 0 else zero)
    missed = np.abs(g - cut) + rounding
    if p.penalty > 0:  # |r| ≤ max(0, |g| + rounding − λ): a g well inside the penalty misses nothing
        missed[:d] = np.maximum(np.abs(g[:d]) + rounding[:d] - p.penalty, zero)
    top = (loss + penalized) * many
    least = top * (2 - many) / many - error
    return Bound(top + error, least, slack * many, stored, missed[:n], give, picked[:, :n])


def repair(p: Program, m: Bound, delta: Long, basis: Basis, k: int) -> tuple[Long, Long, bool]:
    """τ for the first k rows and columns of the basis; the charge for all other columns, and whether they are
    combinations of these up to rounding of the data."""
    columns = basis.columns[:k]
    others = np.setdiff1d(np.flatnonzero(p.sizes > 0), columns)
    C = m.picked[:k, columns].T
    N = basis.inverse(C)
    within = np.abs(np.eye(k) - N @ C) + gamma(k + 8) * (np.abs(N) @ np.abs(C))
    epsilon = within.sum(axis=1).max(initial=LONG(0))
    tau = (np.abs(N) @ m.missed[columns]).max(initial=LONG(0)) * (1 + gamma(k + 8)) / (1 - epsilon)
    if not (epsilon < 0.5 and tau <= 0.5):
        return LONG(np.inf), LONG(np.inf), False
    left = m.missed[others] + tau * np.abs(m.picked[:k, others]).sum(axis=0)
    known = not others.size
    if k and others.size:
        K = N.T @ m.picked[:k, others]
        K = K + N.T @ (m.picked[:k, others] - C.T @ K)  # any K will do
        known, exact = _combinations(p, delta, columns, others, K)
        left = np.minimum(left, exact) if known else left
    return tau, (left / p.sizes[others]).sum() if others.size else LONG(0), known


def _combinations(p: Program, delta: Long, J: NDArray[np.intp], L: NDArray[np.intp], K: Long) -> tuple[bool, Long]:
    """Whether columns L are columns J times K on all rows that r is made of, up to eight roundings of the data; and
    what is then left on L of a δ′ that misses nothing on J: Σ δ′ᵢ(aᵢ on L − aᵢK), in absolute values."""
    left = np.zeros(L.size, dtype=LONG)
    for part in slices(p.blocks):
        _, _, lo, hi = p.terms(part)
        most = np.where(lo < 0, np.maximum(-lo, hi), np.clip(delta[part.first : part.first + lo.size], lo, hi))
        on = most > 0
        X = dense(part.X)[on]
        A = np.hstack([X.astype(LONG) - p.center, np.ones((len(X), 1), dtype=LONG)])
        size = np.hstack([np.abs(X) + np.abs(p.center), np.ones((len(X), 1))])
        off = np.abs(A[:, L] - A[:, J] @ K)
        if not (off <= 8 * np.finfo(np.float64).eps * (size[:, L] + size[:, J] @ np.abs(K))).all():
            return False, left
        left += most[on] @ (off + gamma(J.size + 8) * (np.abs(A[:, L]) + np.abs(A[:, J]) @ np.abs(K)))
    return True, left * (1 + gamma(p.blocks.n_rows + 8))


def repair_by_penalty(p: Program, m: Bound) -> Long:
    """τ where λ > 0."""
    level = m.missed[-1] if p.intercept else LONG(0)
    d = p.sizes.size - int(p.intercept)
    tau = ((m.missed[:d] + level * p.sizes[:d]) / p.penalty).max(initial=LONG(0)) * (1 + LONG(1e-9))
    tau = np.maximum(tau, level / m.give)
    return tau if tau <= 0.5 else LONG(np.inf)


class Proof(NamedTuple):
    """`gap` ≥ P(θ) − P(θ′) for every θ′; where `dependent` columns are left, up to FAR typical sizes in those."""

    gap: Long
    dependent: int
    verified: bool  # that these columns are combinations of the others, up to rounding of the data
    bound: Bound


def prove(p: Program, w: F64, b: float, delta: Long, basis: Basis, good: float, typical: float) -> Proof:
    """The least gap that the proposals give; without dependent columns where that is below a relative `good`."""
    m = measure(p, w, b, delta, basis.rows)
    used, size = (
        np.count_nonzero(p.sizes > 0),
        np.maximum(typical, (np.abs(w) * p.sizes[: w.size]).max(initial=LONG(0))),
    )
    proofs = [Proof(LONG(np.inf), 0, False, m)]
    found = [(repair_by_penalty(p, m), LONG(0), True, 0)] if p.penalty > 0 else []
    for k in [*basis.tries, -1]:
        for tau, left, known, others in found:
            if known or used > MOST_COLUMNS:
                proofs.append(Proof((1 + tau) * m.slack + 4 * tau * m.loss + FAR * size * left, others, known, m))
        if proofs[-1].gap <= good * m.least or k < 0:
            break
        found = [(*repair(p, m, delta, basis, k), int(used - k))]
    return min(proofs, key=lambda proof: proof.gap if proof.gap == proof.gap else np.inf)


def measure_at(p: Program, w: F64, b: Long) -> Bound:
    """P at other coefficients."""
    return measure(p, w, b, np.zeros(p.blocks.n_rows, dtype=LONG), np.zeros(0, dtype=np.intp))
