"""Rounds of histogram boosting: gradients at the raw predictions, a tree for each output, its steps added.

    raw₀ = the best constant;   raw_t = raw_(t−1) + rate · (Newton steps of the leaves of a tree grown on the gradients)

With the pinball and the absolute loss leaves take the quantile of the errors of their rows, not a Newton step
(the mean of two neighbors where the share is met exactly), a root that is not split too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from surefit import _native
from surefit._core.arithmetic import two_product, whole_weights
from surefit.engine.leaves import leaf_sum
from surefit.objectives.losses import Logistic, Loss, Pinball, Softmax, SquaredError
from surefit.objectives.quantiles import group_quantiles
from surefit.solvers.growing.histogram import GrowthOptions, HistogramGrower
from surefit.solvers.growing.tree import Tree


def first_prediction(loss: Loss, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """The best constant, (1, outputs). Means come from sums rounded once, which have no order."""
    if isinstance(loss, Softmax):
        return loss.of_counts(class_weights(y, w, loss.n_outputs)).reshape(1, -1)
    if isinstance(loss, Pinball):
        whole = None if w is None else whole_weights(w, rounded_once([w]))
        return loss.initial(y + 0.0, whole).reshape(1, -1)
    if type(loss).initial is not Loss.initial:
        return loss.initial(y, w).reshape(1, -1)
    terms = [y] if w is None else two_product(w, y)
    if not all(np.isfinite(part).all() for part in terms):
        return loss.initial(y, w).reshape(1, -1)
    return constant_of_mean(loss, rounded_once(terms), len(y) if w is None else rounded_once([w]))


def constant_of_mean(loss: Loss, weighted: float, total: float) -> np.ndarray:
    """The best constant of a loss whose minimizer is the mean, from Σ ω y and Σ ω."""
    return np.asarray(loss.link(np.asarray(weighted / total)), dtype=np.float64).reshape(1, 1)


def class_weights(codes: np.ndarray, w: np.ndarray | None, n_classes: int) -> np.ndarray:
    """The weight of every class, each sum rounded once."""
    codes = codes.astype(np.intp)
    if w is None:
        return np.bincount(codes, minlength=n_classes).astype(np.float64)
    return np.array([rounded_once([w[codes == k]]) for k in range(n_classes)])


def mean_loss(loss: Loss, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None, total: float) -> float:
    """The weighted mean over rows; `total`: their weight. Sums run over leaves of rows, in the fixed tree."""
    return loss_sum(loss, y, raw, w) / total


def loss_sum(loss: Loss, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None) -> float:
    rows = loss.rows(y, raw[:, 0] if raw.shape[1] == 1 else raw)
    return leaf_sum(rows if w is None else w * rows)


def total_weight(n_rows: int, w: np.ndarray | None) -> float:
    return float(n_rows) if w is None else leaf_sum(w)


class Slopes:
    """Gradients and second derivatives of rows, (n, outputs); none where all second derivatives are one."""

    def __init__(self, loss: Loss, n_rows: int, n_outputs: int) -> None:
        self.loss = loss
        self.gradient = np.empty((n_rows, n_outputs), order="F")
        self.hessian = None if loss.constant_hessian else np.empty((n_rows, n_outputs), order="F")

    def at(self, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None, n_threads: int) -> float:
        """Those at the raw predictions; returns the weighted sum of the loss."""
        g, h = self.gradient, self.hessian
        if type(self.loss) is Logistic and h is not None:
            return _native.logistic_slopes(raw[:, 0], y, w, g[:, 0], h[:, 0], n_threads)
        if type(self.loss) is SquaredError:
            return _native.squared_slopes(raw[:, 0], y, w, g[:, 0], n_threads)
        gradient, hessian = self.loss.gradient_hessian(y, raw[:, 0] if raw.shape[1] == 1 else raw)
        g[...] = gradient.reshape(g.shape)
        if h is not None:
            h[...] = hessian.reshape(h.shape)
        return loss_sum(self.loss, y, raw, w)


def rounded_once(terms: Sequence[np.ndarray]) -> float:
    """The sum of all terms. Whole numbers are added as they are: no partial sum below 2⁵³ is rounded."""
    whole = all(np.array_equal(part, np.rint(part)) for part in terms)
    if whole and sum(float(np.abs(part).sum()) for part in terms) < 2.0**53:
        return float(sum(part.sum() for part in terms))
    return math.fsum(np.concatenate(terms).tolist())


class HistogramRounds:
    """in: a grower on the binned rows, targets, weights (None: all one) and raw predictions (n, outputs), which change.

    `loss_before`: the mean loss at the raw predictions the last round started from.
    """

    def __init__(
        self,
        grower: HistogramGrower,
        loss: Loss,
        y: np.ndarray,
        w: np.ndarray | None,
        raw: np.ndarray,
        options: GrowthOptions,
        rate: float,
        seed: int,
        n_threads: int,
    ) -> None:
        self.grower, self.loss, self.y, self.w = grower, loss, y, w
        self.raw, self.options, self.rate, self.seed, self.n_threads = raw, options, rate, seed, n_threads
        self.total = total_weight(len(y), w)
        self.state = Slopes(loss, *raw.shape)
        self.whole = None
        if w is not None and isinstance(loss, Pinball):
            self.whole = whole_weights(w, rounded_once([w]))
        self.loss_before = np.nan
        self._fresh = False

    def slopes(self) -> float:
        """Gradients and second derivatives at the raw predictions; returns the mean loss."""
        if not self._fresh:
            value = self.state.at(self.y, self.raw, self.w, self.n_threads)
            self.loss_before, self._fresh = value / self.total, True
        return self.loss_before

    def rows_of_fit(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(raw predictions, targets, weights)."""
        return self.raw, self.y, self.w

    def round(self, number: int) -> list[Tree]:
        """One tree for each output; the raw predictions move by their steps."""
        self.slopes()
        trees = []
        n_outputs = self.raw.shape[1]
        for k in range(n_outputs):
            gradient, hessian = self.state.gradient, self.state.hessian
            self.grower.take(gradient[:, k], None if hessian is None else hessian[:, k], self.w, self.total)
            tree, leaves = self.grower.grow(self.options, self.rate, self.seed + number * n_outputs + k)
            if isinstance(self.loss, Pinball):
                errors, numbers = self.y - self.raw[:, k] + 0.0, self.grower.leaf_numbers(leaves)
                values = group_quantiles(errors, self.whole, numbers, len(leaves.node), self.loss.q, average=True)
                tree.value[leaves.node, 0, 0] = self.rate * values
            trees.append(tree)
            self.grower.add_steps(leaves, tree.value[leaves.node, 0, 0], self.raw[:, k])
        self._fresh = False
        return trees
