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
from surefit._core.arithmetic import two_product
from surefit.objectives.losses import Logistic, Loss, Pinball, SquaredError
from surefit.objectives.quantiles import group_quantiles
from surefit.solvers.growing.histogram import GrowthOptions, HistogramGrower
from surefit.solvers.growing.tree import Tree


def first_prediction(loss: Loss, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """The best constant, (1, outputs). Means come from sums rounded once, which have no order."""
    if type(loss).initial is not Loss.initial:
        return loss.initial(y, w).reshape(1, -1)
    terms = [y] if w is None else two_product(w, y)
    if not all(np.isfinite(part).all() for part in terms):
        return loss.initial(y, w).reshape(1, -1)
    total = len(y) if w is None else rounded_once([w])
    return np.asarray(loss.link(np.asarray(rounded_once(terms) / total)), dtype=np.float64).reshape(1, 1)


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
        self.total = float(len(y) if w is None else w.sum())
        n, outputs = raw.shape
        self.gradient = np.empty((n, outputs), order="F")
        self.hessian = None if loss.constant_hessian else np.empty((n, outputs), order="F")
        self.loss_before = np.nan
        self._fresh = False

    def slopes(self) -> float:
        """Gradients and second derivatives at the raw predictions; returns the mean loss."""
        if self._fresh:
            return self.loss_before
        y, w, g, h = self.y, self.w, self.gradient, self.hessian
        if type(self.loss) is Logistic and h is not None:
            value = _native.logistic_slopes(self.raw[:, 0], y, w, g[:, 0], h[:, 0], self.n_threads) / self.total
        elif type(self.loss) is SquaredError:
            value = _native.squared_slopes(self.raw[:, 0], y, w, g[:, 0], self.n_threads) / self.total
        else:
            raw = self.raw[:, 0] if self.raw.shape[1] == 1 else self.raw
            gradient, hessian = self.loss.gradient_hessian(y, raw)
            g[...] = gradient.reshape(g.shape)
            if h is not None:
                h[...] = hessian.reshape(h.shape)
            value = self.loss.value(y, raw, w)
        self.loss_before, self._fresh = float(value), True
        return self.loss_before

    def round(self, number: int) -> list[Tree]:
        """One tree for each output; the raw predictions move by their steps."""
        self.slopes()
        trees = []
        n_outputs = self.raw.shape[1]
        for k in range(n_outputs):
            hessian = None if self.hessian is None else self.hessian[:, k]
            self.grower.take(self.gradient[:, k], hessian, self.w)
            tree, leaves = self.grower.grow(self.options, self.rate, self.seed + number * n_outputs + k)
            if isinstance(self.loss, Pinball):
                errors, numbers = self.y - self.raw[:, k], self.grower.leaf_numbers(leaves)
                values = group_quantiles(errors, self.w, numbers, len(leaves.node), self.loss.q, average=True)
                tree.value[leaves.node, 0, 0] = self.rate * values
            trees.append(tree)
            self.grower.add_steps(leaves, tree.value[leaves.node, 0, 0], self.raw[:, k])
        self._fresh = False
        return trees
