"""The loss of a node under a criterion, and by how much a cut of its rows into two lowers the loss.

The loss is the weight of the node times its impurity. But for the absolute error it is what Jensen's inequality lacks
for a convex f, summed over the columns of Z,

    loss = Σ v f(z) − V f(Σ v z / V),  V = Σ v,      so a cut into L and R lowers it by E(L) + E(R) − E(all)

with E = V f(Σ v z / V), since Σ v f(z) is a sum over rows that no cut changes:

    squared error   f = z²,  v = w,  z the target less the mean; Friedman's score is this decrease too
    Gini            the squared error of the indicators of the classes: W Σ p(1 − p) = Σₖ Σ w (1ₖ − pₖ)²
    entropy         f = z log₂ z,  v = w,  z the indicators
    Poisson         f = z log₂ z,  v = w ȳ log 2,  z = y / ȳ

The absolute error of rows around their median is ∫ min(F(t), W − F(t)) dt, F(t) the weight of the targets up to t.

Rounding: sums of m terms are right to γₘ Σ|terms|. As Σ w|z| ≤ √(W Σ w z²), E of f = z² is right to 3γ Σ w z² of its
side; of f = z log₂ z to 3γ(|E| + 2V), and |E| of the sides is at most Σ v|f(z)| + loss + V.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma


@dataclass(frozen=True)
class Node:
    """The rows of one node under a criterion."""

    weight: float
    loss: float
    noise: float  # bounds the error of the loss and of a decrease here
    value: F64  # (outputs, classes)
    value_rounding: float
    size: float  # of what a model adds up that takes the targets as they are,
    gross: float  # and the rounding of its losses if it takes one part of the node as a difference
    terms: F64  # by row v and v z; for the absolute error the weight and the targets
    level: tuple[float, float]  # a, b: the mean target of a side (share of the last class) is a + b Σ v z / Σ v
    convex: Callable[[F64], F64] | None  # f; None: the absolute error

    def cut(self, order: F64) -> tuple[F64, F64, F64]:
        """For f orders (m, f) of the rows: sums before and after each of m − 1 cuts, what each lowers the loss by."""
        T = self.terms[order]
        before, after = np.cumsum(T, axis=0)[:-1], np.cumsum(T[::-1], axis=0)[-2::-1]
        if self.convex is None:
            return before, after, self.loss - _median_costs(T) - _median_costs(T[::-1])[::-1]
        lost = _explained(self.convex, self.terms.sum(axis=0))
        return before, after, _explained(self.convex, before) + _explained(self.convex, after) - lost


def node_of(criterion: str, Y: F64, w: F64, n_classes: int = 0) -> Node:
    """The node of rows with targets Y (m, outputs), for classes one column of codes 0 … n_classes − 1, and w > 0."""
    W, unit, logs = float(w.sum()), gamma(2 * len(w) + 16 + n_classes), criterion in ("entropy", "poisson")
    if criterion == "absolute_error":
        return _absolute(Y, w, W, unit)
    Y = (Y == np.arange(n_classes)).astype(np.float64) if n_classes else Y
    mean = np.where(Y.min(axis=0) == Y.max(axis=0), Y[0], w @ Y / W)
    one = float(mean[0]) if criterion == "poisson" and mean[0] > 0 else 1.0  # one target
    v, outputs = w * one * np.log(2.0) if criterion == "poisson" else w, 1 if n_classes else Y.shape[1]
    Z, f = (Y / one, _z_log_z) if logs else ((Y - mean) / np.sqrt(outputs), np.square)
    terms, spread = np.column_stack([v, v[:, None] * Z]), float(v @ f(Z).sum(axis=1))
    loss, size = max(0.0, spread - float(_explained(f, terms.sum(axis=0)))), float(w @ (Y * Y).sum(axis=1)) / outputs
    if logs:
        spread = size = float(v @ np.abs(f(Z)).sum(axis=1)) + loss + 8 * float(v.sum())
    value, level = mean[None, :] if n_classes else mean[:, None], (0.0, one) if logs else (float(mean[-1]), 1.0)
    value_rounding = 16 * unit * float((w @ np.abs(Y)).max()) / W
    return Node(W, loss, 6 * unit * spread, value, value_rounding, size, 8 * unit * size, terms, level, f)


def _z_log_z(z: F64) -> F64:
    return z * np.log2(np.where(z > 0, z, 1.0))


def _explained(f: Callable[[F64], F64], S: F64) -> F64:
    """E = V f(Σ v z / V) of sums S of terms."""
    return S[..., 0] * f(S[..., 1:] / S[..., :1]).sum(axis=-1)


def _absolute(Y: F64, w: F64, W: float, unit: float) -> Node:
    """The value is the middle of the medians: the smallest targets with at least, and with more than half of W."""
    whole = bool((w == np.rint(w)).all() and W < 2**53)  # sums of weights have no rounding
    slack = 0.0 if whole else 2 * unit * W  # where a rounding decides, any target in between is a median
    order, (m, q) = np.argsort(Y, axis=0, kind="stable"), Y.shape
    y, F = np.take_along_axis(Y, order, axis=0), np.cumsum(w[order], axis=0)
    low, high = (F < W / 2 - slack).sum(axis=0), np.minimum((F <= W / 2 + slack).sum(axis=0), m - 1)
    low, high = y[low, np.arange(q)], y[high, np.arange(q)]
    value, size = low / 2 + high / 2, float((w @ np.abs(Y)).max())
    loss = float(w @ np.abs(Y - value).sum(axis=1)) / q
    rounding = 16 * gamma(16) * size / W + (0.0 if whole else 2 * float((high - low).max()))
    terms = np.column_stack([w, Y])
    return Node(W, loss, 6 * unit * loss, value[:, None], rounding, size, 8 * unit * size, terms, (0.0, 1.0), None)


def _median_costs(T: F64) -> F64:
    """(m − 1, f): the absolute error of the first 1, …, m − 1 rows of each order around their own median."""
    w, out = T[..., 0], np.zeros((len(T) - 1, T.shape[1]))
    W, q = np.cumsum(w, axis=0), T.shape[2] - 1
    for y in np.moveaxis(T[..., 1:], -1, 0):
        for low, high in pairwise(np.unique(y).tolist()):
            below = np.cumsum(w * (y <= low), axis=0)
            out += np.minimum(below, W - below)[:-1] * ((high - low) / q)
    return out
