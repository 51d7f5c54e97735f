"""How far f = Σ aⱼ k(zⱼ, ·), zⱼ rows of the data, is from the least value of J(f) = Σ ωᵢ (yᵢ − f(xᵢ))² + α ‖f‖².

Equal rows are one row of weight Ω = Σω, target ȳ = Σωy/Ω and coefficient a = Σaⱼ; J has Σω(y − ȳ)² besides. Let
δ = ȳ − f(x) − α a/Ω, the residual of the linear system of the best fit.

Theorem. Let e = Σ c k(x, ·) for any numbers c. Then J(f) − min J lies between
    gain = 2ΣΩδe − ΣΩe² − α Σce   and   gain + ΣΩδ'²,   δ' = δ − e − αc/Ω,   sums over the distinct rows.
Proof. J(f + e) = J(f) − 2ΣΩδe + ΣΩe² + α‖e‖² for every e of the kernel's space, so gain = J(f) − J(f + e), and f + e
has the residual δ'. As α‖e‖² ≥ 0 and −2δe + e² ≥ −δ², no function is below J(f) − ΣΩδ²; take f + e for f. ∎
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.kernel_machine.gram_products import ENTRIES, LONG, apply
from surefit.certificates.theorems.kernel_machine.groups import LONG_UNIT, LONG_WORK, Groups
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

Proposal = Callable[[Callable[[], F64], Callable[[F64], F64], F64, F64, F64], F64]  # (K, A ↦ K A, Ω, δ, α) ↦ c


def weighted_gram(kernel: Kernel, X: F64, omega: F64) -> tuple[F64, float]:
    """S = √W K √W and a bound of its error in Frobenius's norm; K in long double where that is little work."""
    X = X.astype(LONG) if float(len(X)) ** 2 * X.shape[1] <= LONG_WORK else X
    n, step = len(X), max(1, ENTRIES // max(1, len(X)))
    S, squares, root = np.zeros((n, n)), 0.0, np.sqrt(omega)
    for lo in range(0, n, step):
        part = slice(lo, lo + step)
        K, off = kernel.block(X[part], X, np.arange(n))
        S[part] = root.astype(K.dtype)[part, None] * K * root
        squares += float(((root[part, None] * off * root) ** 2).sum())
    return (S + S.T) / 2, 1.01 * float(np.sqrt(squares)) + 3 * UNIT * float(np.linalg.norm(S))


@dataclass
class RidgeGap:
    """Bounds per target: low ≤ J ≤ high, gap_low ≤ J − min J ≤ gap_high, left_low ≤ ΣΩδ² ≤ left_high."""

    low: F64
    high: F64
    gap_low: F64
    gap_high: F64
    left_low: F64
    left_high: F64
    storing: F64  # ΣΩ(|K||a| + α|a|/Ω)²: what a rounding of all a and K costs at most, over the square of its unit


def ridge_gap(kernel: Kernel, groups: Groups, a: F64, alpha: F64, tol: float, propose: Proposal) -> RidgeGap:
    """`a` (m, t) of the distinct rows, zero where these have no weight; alpha (t,).

    With c = 0; where that does not decide, in long double with the c that a search proposes.
    """
    none = np.zeros_like(a)
    found, delta = _measured(kernel, groups, groups.X, a, none, alpha)
    small = (
        found.gap_high <= tol * (found.low - found.gap_high)
        if kernel.positive
        else found.left_high <= tol**2 * groups.square
    )
    if small.all():
        return found
    X = groups.X.astype(LONG) if float(len(a)) ** 2 * groups.X.shape[1] <= LONG_WORK else groups.X
    c = none
    if kernel.positive and np.isfinite(delta).all():
        c = propose(
            lambda: weighted_gram(kernel, groups.X, np.ones(len(a)))[0],
            lambda A: apply(kernel, groups.X, groups.X, A)[0], groups.weight, delta, alpha,
        )  # fmt: skip
    return _measured(kernel, groups, X, a, c, alpha)[0]


def _measured(kernel: Kernel, groups: Groups, X: F64, a: F64, c: F64, alpha: F64) -> tuple[RidgeGap, F64]:
    """The theorem with every rounding added, and δ."""
    W, y, t = groups.weight[:, None], groups.y, a.shape[1]
    a, c, safe = a.astype(LONG), c.astype(LONG), np.where(W > 0, W, 1.0)
    both = np.hstack([a, c]) if c.any() else a
    images = apply(kernel, X, X, both)
    (f, e_f, size), (e, e_e, e_size) = (
        tuple(v[:, :t] for v in images),
        tuple(v[:, -t:] * bool(c.any()) for v in images),
    )
    own, moved, many = alpha * a / safe, alpha * c / safe, gamma(len(y) + 8, LONG_UNIT)
    r, e_r = y - f, e_f + groups.y_error
    delta, e_delta = r - own, e_r + 8 * LONG_UNIT * (np.abs(y) + size + np.abs(own))
    rest, e_rest = delta - e - moved, e_delta + e_e + 8 * LONG_UNIT * (np.abs(delta) + e_size + np.abs(moved))

    def total(v: F64) -> F64:
        return (W * v).sum(axis=0)

    off = total(e_r * (2 * np.abs(r) + e_r)) + alpha * (np.abs(a) * e_f).sum(axis=0)
    off = off + many * (groups.within + total(r * r) + alpha * (np.abs(a) * size).sum(axis=0))
    value = total(r * r) + alpha * (a * f).sum(axis=0)
    gain = total(2 * delta * e - e * e - moved * e)
    e_gain = total(2 * e_delta * np.abs(e) + e_e * (2 * (np.abs(delta) + e_delta + np.abs(e) + e_e) + np.abs(moved)))
    e_gain = e_gain + many * total(np.abs(e) * (2 * np.abs(delta) + np.abs(e) + np.abs(moved)))
    found = (
        groups.within + np.maximum(value - off, 0.0),
        groups.within + value + off,
        np.maximum(gain - e_gain, 0.0),
        np.maximum(gain, 0.0) + e_gain + total((np.abs(rest) + e_rest) ** 2) * (1 + many),
        total(np.maximum(np.abs(delta) - e_delta, 0.0) ** 2) * (1 - many),
        total((np.abs(delta) + e_delta) ** 2) * (1 + many),
        total((size + np.abs(own)) ** 2),
    )
    return RidgeGap(*(v.astype(np.float64) for v in found)), delta
