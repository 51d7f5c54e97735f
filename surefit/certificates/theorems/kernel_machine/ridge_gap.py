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
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

LONG = np.longdouble
Proposal = Callable[[Callable[[], F64], Callable[[F64], F64], F64, F64, F64], F64]  # (K, A ↦ K A, Ω, δ, α) ↦ c
LONG_UNIT = float(np.finfo(LONG).eps) / 2
ENTRIES = 1 << 20  # of one block of the Gram matrix
MOST = 1 << 30  # entries of the rows in memory
LONG_SUMS = 1e9  # products of K and A up to which they are summed in long double
LONG_WORK = 3e8  # products up to which the Gram matrix is formed in long double where double does not decide


@dataclass
class Groups:
    """Distinct rows of the data. t targets."""

    X: F64  # (m, d)
    weight: F64  # (m,), Ω
    y: F64  # (m, t), ȳ in long double
    y_error: F64  # (m, t)
    within: F64  # (t,), Σω(y − ȳ)²
    square: F64  # (t,), Σωy²
    places: dict[bytes, int]  # of a row's bytes
    by_place: bool
    single: bool  # X is float32

    def of(self, Z: F64) -> NDArray[np.intp]:
        """The group of every row of Z; −1 for what is no row of the data."""
        keys = [_key(row, i, self.by_place) for i, row in enumerate(Z + 0.0)]
        return np.array([self.places.get(key, -1) for key in keys], dtype=np.intp)


def _key(row: F64, i: int, by_place: bool) -> bytes:
    return row.tobytes() + (b"%d" % i if by_place else b"")


def group_rows(blocks: Blocks, by_place: bool) -> Groups:
    """Two passes over the data, which are held in memory. `by_place` (precomputed kernels): no rows are equal."""
    if blocks.n_rows * blocks.n_features > MOST:
        raise BadData(f"{blocks.n_rows} × {blocks.n_features} entries are too many to hold")
    places: dict[bytes, int] = {}
    owner, rows, ys, ws, single = list[int](), list[F64](), list[F64](), list[F64](), False
    for X, y, w in looked_over(blocks, needs_y=True):
        for row in dense(X) + 0.0:
            g = places.setdefault(_key(row, len(owner), by_place), len(rows))
            owner.append(g)
            rows += [row] if g == len(rows) else []
        ys.append(np.asarray(y, dtype=LONG).reshape(X.shape[0], -1))
        ws.append(w.astype(LONG))
        single = single or X.dtype == np.float32
    y, omega, at = np.concatenate(ys), np.concatenate(ws), np.array(owner, dtype=np.intp)
    m, t = len(rows), y.shape[1]
    weight, total, size, within = np.zeros(m, LONG), np.zeros((m, t), LONG), np.zeros((m, t), LONG), np.zeros(t, LONG)
    np.add.at(weight, at, omega)
    np.add.at(total, at, omega[:, None] * y)
    np.add.at(size, at, omega[:, None] * np.abs(y))
    safe = np.where(weight > 0, weight, 1.0)[:, None]
    mean = total / safe
    within = omega @ (y - mean[at]) ** 2
    return Groups(
        np.array(rows), weight, mean, gamma(np.bincount(at).max() + 4, LONG_UNIT) * size / safe, within,
        omega @ y**2, places, by_place, single,
    )  # fmt: skip


def apply(kernel: Kernel, X: F64, Z: F64, A: F64) -> tuple[F64, F64, F64]:
    """K A for K = k(X, Z), a bound of its error, and |K||A|, without all of K; in long double unless A is wide."""
    step, places = max(1, ENTRIES // max(1, len(Z))), np.arange(len(Z))
    out, error, size = np.zeros((len(X), A.shape[1]), LONG), *(np.zeros((len(X), A.shape[1])) for _ in range(2))
    kind = LONG if float(len(X)) * A.size <= LONG_SUMS else np.float64
    absolute, A = np.abs(A).astype(np.float64), A.astype(kind)
    for lo in range(0, len(X), step):
        part = slice(lo, lo + step)
        K, off = kernel.block(X[part], Z, places)
        out[part], size[part] = K.astype(kind) @ A, np.abs(K).astype(np.float64) @ absolute
        error[part] = off.astype(np.float64) @ absolute + gamma(len(Z) + 4, float(np.finfo(kind).eps) / 2) * size[part]
    return out, 1.01 * error, 1.01 * size


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
