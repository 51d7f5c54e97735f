"""The loss of a node under a criterion, and by how much a cut of its rows into two lowers the loss.

The loss is the weight W of the node times its impurity. But for the absolute error it is a constant of the rows less
a convex function E of sums over the rows, so a cut into L and R lowers it by E(L) + E(R) − E(all):

    squared error   E = Σⱼ (Σ w zⱼ)² / Σ w,  z the target less any number; Friedman's score is this decrease too
    Gini            the squared error of the indicators of the classes: W Σ p(1 − p) = Σₖ Σ w (1ₖ − pₖ)²
    entropy         E = Σₖ cₖ log₂(cₖ / W), cₖ the weight of class k
    Poisson         E = Σ w y log(Σ w y / Σ w)

The absolute error of rows around their median is ∫ min(F(t), W − F(t)) dt, F(t) the weight of the targets up to t.

Rounding: a sum of m terms from either end is right to γₘ Σ|terms|. With z the target less the mean of the node and
A = Σ w|z| ≤ √(W Σ w z²) each (Σ w z)²/W is right to 3γ_{m+8} Σ w z² of its side.
`noise` bounds the error of a decrease and of the loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma

ENTRIES = 1 << 22  # numbers worked on at once


@dataclass(frozen=True)
class Node:
    """The rows of one node under a criterion.

    value (outputs, classes) with its rounding. gross: the rounding of the loss, and of those of two parts of the node,
    in a model that forms sums of the targets as they are and the sums of one part as a difference.
    """

    weight: float
    loss: float
    noise: float
    value: F64
    value_rounding: float
    gross: float
    terms: F64  # one row of additive terms for each row of the node; for the absolute error weights and targets
    explained: Callable[[F64], F64] | None  # None: the absolute error

    def decreases(self, order: F64) -> F64:
        """(m − 1, f): what cutting after each place of f orders of the rows lowers the loss by."""
        if self.explained is None:
            return self.loss - _median_costs(self.terms, order) - _median_costs(self.terms, order[::-1])[::-1]
        explained, total = self.explained, self.terms.sum(axis=0)
        out, step = np.empty((len(order) - 1, order.shape[1])), max(1, ENTRIES // self.terms.size)
        for low in range(0, order.shape[1], step):
            T = self.terms[order[:, low : low + step]]
            before, after = np.cumsum(T, axis=0)[:-1], np.cumsum(T[::-1], axis=0)[-2::-1]
            out[:, low : low + step] = explained(before) + explained(after) - explained(total)
        return out

    def decrease(self, left: F64) -> float:
        """What the cut into the rows `left` and the others lowers the loss by."""
        order = np.concatenate([np.flatnonzero(left), np.flatnonzero(~left)])[:, None]
        return float(self.decreases(order)[np.count_nonzero(left) - 1, 0])


def node_of(criterion: str, Y: F64, w: F64, n_classes: int = 0) -> Node:
    """The node of rows with targets Y (m, outputs), for classes one column of codes 0 … n_classes − 1, and w > 0."""
    m, q, W = len(w), Y.shape[1], float(w.sum())
    exact = bool((w == np.rint(w)).all() and W < 2**53)
    if n_classes:
        Z = (Y == np.arange(n_classes)).astype(np.float64)
        shares = w @ Z / W
        value, value_rounding = shares[None, :], gamma(16 if exact else m + 16)
        if criterion == "gini":
            Z -= shares
            loss = float(w @ (Z * Z).sum(axis=1))
            gross = 8 * value_rounding * W
            return Node(W, loss, 6 * gamma(m + 16) * loss, value, value_rounding, gross, _weighted(w, Z), _squares)
        H = -float(_shares_of(shares * W))
        noise = 6 * gamma((0 if exact else m) + 16 + n_classes) * (H + 3 * W)
        return Node(W, H, noise, value, value_rounding, 64 * value_rounding * W, w[:, None] * Z, _shares_of)
    size = float((w @ np.abs(Y)).max()) / W
    if criterion == "absolute_error":
        return _absolute(Y, w, W, size)
    center = np.where(Y.min(axis=0) == Y.max(axis=0), Y[0], w @ Y / W)
    value, value_rounding = center[:, None], 4 * gamma(m + 16) * size
    if criterion == "poisson":
        R = Y / np.where(center > 0, center, 1.0)
        logs = R * np.log(np.where(R > 0, R, 1.0))
        scale, mass = center / q, float((w @ (np.abs(logs) + R)) @ center) / q

        def rises(S: F64) -> F64:
            ratio = S[..., 1:] / S[..., :1]
            return (S[..., 1:] * np.log(np.where(ratio > 0, ratio, 1.0))) @ scale

        loss = max(0.0, float(w @ logs @ scale - rises(_weighted(w, R).sum(axis=0))))
        gross = 8 * gamma(m + 16) * mass
        return Node(W, loss, 6 * gamma(m + 16) * mass, value, value_rounding, gross, _weighted(w, R), rises)
    Z = (Y - center) / np.sqrt(q)
    spread = float(w @ (Z * Z).sum(axis=1))
    T, gross = _weighted(w, Z), 8 * gamma(m + 16) * float(w @ (Y * Y).sum(axis=1)) / q
    loss = max(0.0, spread - float(_squares(T.sum(axis=0))))
    return Node(W, loss, 6 * gamma(m + 16) * spread, value, value_rounding, gross, T, _squares)


def _weighted(w: F64, Z: F64) -> F64:
    return np.column_stack([w, w[:, None] * Z])


def _squares(S: F64) -> F64:
    return (S[..., 1:] ** 2).sum(axis=-1) / S[..., 0]


def _shares_of(S: F64) -> F64:
    W = S.sum(axis=-1)
    return (S * np.log2(np.where(S > 0, S / W[..., None], 1.0))).sum(axis=-1)


def _absolute(Y: F64, w: F64, W: float, size: float) -> Node:
    """Y less the middle of its medians: the smallest targets with at least, and with more than half of the weight."""
    m, q = len(w), Y.shape[1]
    value, wide, exact = np.empty((q, 1)), 0.0, bool((w == np.rint(w)).all() and W < 2**53)
    for j in range(q):
        order = np.argsort(Y[:, j], kind="stable")
        y, F, slack = Y[order, j], np.cumsum(w[order]), 0.0 if exact else 2 * gamma(m + 2) * W
        lo, hi = y[np.searchsorted(F, W / 2 - slack)], y[min(int(np.searchsorted(F, W / 2 + slack, "right")), m - 1)]
        value[j], wide = lo / 2 + hi / 2, max(wide, 0.0 if exact else float(hi - lo) / 2)  # rounded halves are open
    loss = float(w @ np.abs(Y - value[:, 0]).sum(axis=1)) / q
    noise = 6 * gamma(2 * m + 16) * loss
    T, gross = np.column_stack([w, Y]), 8 * gamma(m + 16) * W * size
    return Node(W, loss, noise, value, 4 * gamma(16) * size + wide, gross, T, None)


def _median_costs(terms: F64, order: F64) -> F64:
    """(m − 1, f): the absolute error of the first 1, …, m − 1 rows of each order around their own median."""
    m, f = order.shape
    out, q = np.zeros((m - 1, f)), terms.shape[1] - 1
    for j, k in np.ndindex(q, f):
        w, y = terms[order[:, k], 0], terms[order[:, k], 1 + j]
        levels = np.unique(y)
        gaps, step = np.diff(levels), max(1, ENTRIES // len(levels))
        F = np.zeros(len(gaps))
        for low in range(0, m - 1, step):
            rows = slice(low, min(low + step, m - 1))
            below = F + np.cumsum(w[rows, None] * (y[rows, None] <= levels[:-1]), axis=0)
            W = float(w[:low].sum()) + np.cumsum(w[rows])
            out[rows, k] += np.minimum(below, W[:, None] - below) @ gaps / q
            F = below[-1]
    return out
