"""Losses as boosting sees them: of a target y and a raw prediction f(x), with a start, a link and values for leaves.

    loss.value(y, raw, w)               the weighted mean
    loss.rows(y, raw)                   of each row
    loss.gradient(y, raw)               of each row by its raw prediction
    loss.gradient_hessian(y, raw)       and the second derivative (of each output by itself)
    loss.initial(y, w)                  the best constant, one number for each output
    loss.leaf_values(y, raw, gradient, hessian, w, leaf, n_leaves)      for each leaf the step of its rows
    loss.link(p), loss.inverse(raw)     between predictions (means, probabilities) and raw predictions

Shapes: y and raw (n,); for `Softmax` raw, gradient and hessian are (n, classes) and y holds codes 0 … classes − 1. Leaf
values are for one output: gradient, hessian are (n,) then. w may be None, and rows of no weight do not count.
At a kink (y = f) the derivative is that from the left, as if y were a little larger.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit
from scipy.special import softmax as shares

from surefit.objectives import absolute, exponential, gamma, huber, logistic, pinball, poisson, softmax, squared
from surefit.objectives.quantiles import group_quantiles, quantile

TINY_CURVATURE = 1e-150
"""Where the mean second derivative of a leaf is below it, nothing can be gained any more: the step is zero."""
CLIP = np.finfo(np.float64).eps
"""Probabilities are kept this far from 0 and 1 before they are made raw predictions."""


class Loss:
    """What the losses share: Newton steps for leaves, the identity as link, and the mean over rows."""

    n_outputs = 1
    score_factor = 1.0
    """scikit-learn's scores of stages are this multiple of the loss."""
    constant_hessian = False
    newton = True
    """Leaf values are Newton steps; else minimizers, and the second derivative is not asked for."""
    searched = False
    """Leaf values have no formula: each is found by a search along the loss of its leaf."""
    longest_move = np.inf
    """Where the minimum may lie at infinity, a line search moves no raw prediction by more."""

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def initial(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        """The link of the weighted mean of y."""
        return np.atleast_1d(self.link(np.average(y, weights=w)))

    def value(self, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None = None) -> float:
        """The weighted mean."""
        rows = self.rows(y, raw)
        return float(rows.mean() if w is None else (w @ rows) / w.sum())

    __call__ = value

    def leaf_values(
        self,
        y: np.ndarray,
        raw: np.ndarray,
        gradient: np.ndarray,
        hessian: np.ndarray | None,
        w: np.ndarray | None,
        leaf: np.ndarray,
        n_leaves: int,
    ) -> np.ndarray:
        """−Σ ω ℓ′ / Σ ω ℓ″ over the rows of each leaf: Newton's step for the constant added to it."""
        weights = np.bincount(leaf, w, n_leaves)
        slope = np.bincount(leaf, gradient if w is None else w * gradient, n_leaves)
        if hessian is None:
            curvature = weights
        else:
            curvature = np.bincount(leaf, hessian if w is None else w * hessian, n_leaves)
        defined = curvature > TINY_CURVATURE * weights
        return np.divide(-slope, curvature, out=np.zeros(n_leaves), where=defined)

    def adapted(self, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None) -> Loss:
        """The loss of this stage: where it has a scale of its own, that of the errors before the stage."""
        return self

    def link(self, prediction: np.ndarray) -> np.ndarray:
        return prediction

    def inverse(self, raw: np.ndarray) -> np.ndarray:
        return raw


class SquaredError(Loss):
    """½ (f − y)²."""

    score_factor = 2.0
    constant_hessian = True

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return squared.value(raw, y)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return squared.gradient(raw, y)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return squared.gradient(raw, y), squared.second(raw, y)


class Pinball(Loss):
    """q (y − f) where y ≥ f, (1 − q)(f − y) below; leaves take the quantile of their residuals."""

    constant_hessian = True
    newton = False

    def __init__(self, q: float) -> None:
        self.q = q

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return pinball.value(raw, y, self.q)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.where(y >= raw, -self.q, 1 - self.q)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The second derivative is zero; one stands in for it where steps are divided by it."""
        return self.gradient(y, raw), np.ones(len(y))

    def initial(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        return np.array([quantile(y, w, self.q, average=True)])

    def leaf_values(self, y, raw, gradient, hessian, w, leaf, n_leaves):  # type: ignore[no-untyped-def]
        return group_quantiles(y - raw, w, leaf, n_leaves, self.q)


class AbsoluteError(Pinball):
    """|f − y|: twice the pinball loss at ½; leaves take the median of their residuals."""

    def __init__(self) -> None:
        super().__init__(0.5)

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return absolute.value(raw, y)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return np.where(y >= raw, -1.0, 1.0)


class Huber(Loss):
    """½ r² up to |r| = δ, linear beyond; δ is the q-quantile of |r| before each stage."""

    newton = False

    def __init__(self, q: float, delta: float = 1.0) -> None:
        self.q, self.delta = q, delta

    def adapted(self, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None) -> Huber:
        return Huber(self.q, quantile(np.abs(y - raw), w, self.q))

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return huber.value(raw, y, self.delta)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return huber.gradient(raw, y, self.delta)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.gradient(y, raw), huber.second(raw, y, self.delta)

    def initial(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        return np.array([quantile(y, w, 0.5, average=True)])

    def leaf_values(self, y, raw, gradient, hessian, w, leaf, n_leaves):  # type: ignore[no-untyped-def]
        """The median m of the residuals, and the mean of what they exceed it by, each cut at ±δ (Friedman 2001)."""
        residual = y - raw
        median = group_quantiles(residual, w, leaf, n_leaves, 0.5)
        beyond = np.clip(residual - median[leaf], -self.delta, self.delta)
        weights = np.bincount(leaf, w, n_leaves)
        excess = np.bincount(leaf, beyond if w is None else w * beyond, n_leaves)
        return median + np.divide(excess, weights, out=np.zeros(n_leaves), where=weights > 0)


class _LogLink(Loss):
    """A positive mean, whose logarithm is the raw prediction."""

    longest_move = 32.0

    def link(self, prediction: np.ndarray) -> np.ndarray:
        return np.log(np.maximum(prediction, CLIP))

    def inverse(self, raw: np.ndarray) -> np.ndarray:
        return np.exp(raw)


class Poisson(_LogLink):
    """e^f − y f, y ≥ 0."""

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return poisson.value(raw, y)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return poisson.gradient(raw, y)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean = np.exp(raw)
        return mean - y, mean


class Gamma(_LogLink):
    """f + y e^−f, y > 0."""

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return gamma.value(raw, y)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return gamma.gradient(raw, y)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        second = gamma.second(raw, y)
        return 1.0 - second, second


class Logistic(Loss):
    """log(1 + e^f) − y f, y ∈ {0, 1}: the raw prediction is the log-odds."""

    score_factor = 2.0
    longest_move = 32.0

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return logistic.value(raw, y)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return logistic.gradient(raw, y)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        _, gradient, second = logistic.value_and_slopes(raw, y)
        return gradient, second

    def link(self, prediction: np.ndarray) -> np.ndarray:
        return logit(np.clip(prediction, CLIP, 1 - CLIP))

    def inverse(self, raw: np.ndarray) -> np.ndarray:
        return expit(raw)


class Exponential(Loss):
    """e^−f for y = 1, e^f for y = 0: the raw prediction is half the log-odds."""

    longest_move = 32.0

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return exponential.value(raw, y)

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return exponential.gradient(raw, y)

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        second = exponential.value(raw, y)
        return np.where(y > 0.5, -second, second), second

    def link(self, prediction: np.ndarray) -> np.ndarray:
        return 0.5 * logit(np.clip(prediction, CLIP, 1 - CLIP))

    def inverse(self, raw: np.ndarray) -> np.ndarray:
        return expit(2 * raw)


class Softmax(Loss):
    """log Σⱼ e^fⱼ − f_y: one raw prediction for each class, centered by the link.

    The Newton steps of leaves, one class at a time, are shortened by (classes − 1) / classes, as in Friedman (2001).
    """

    longest_move = 32.0

    def __init__(self, n_classes: int) -> None:
        self.n_outputs = n_classes

    def rows(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return softmax.value(raw, y.astype(np.intp))

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return softmax.gradient(raw, y.astype(np.intp))

    def gradient_hessian(self, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The diagonal p (1 − p) of the second derivative; for the true class 1 − p is minus the gradient."""
        codes = y.astype(np.intp)
        _, gradient, P = softmax.value_and_slopes(raw, codes)
        others, rows = 1.0 - P, np.arange(len(y))
        others[rows, codes] = -gradient[rows, codes]
        return gradient, P * others

    def leaf_values(self, y, raw, gradient, hessian, w, leaf, n_leaves):  # type: ignore[no-untyped-def]
        newton = super().leaf_values(y, raw, gradient, hessian, w, leaf, n_leaves)
        return newton * (self.n_outputs - 1) / self.n_outputs

    def initial(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        return self.of_counts(np.bincount(y.astype(np.intp), w, self.n_outputs))

    def of_counts(self, counts: np.ndarray) -> np.ndarray:
        """The best constants, from the weight of every class."""
        return self.link(counts[None] / counts.sum())[0]

    def link(self, prediction: np.ndarray) -> np.ndarray:
        logs = np.log(np.clip(prediction, CLIP, 1 - CLIP))
        return logs - logs.mean(axis=1, keepdims=True)

    def inverse(self, raw: np.ndarray) -> np.ndarray:
        return shares(raw, axis=1)


def classification_loss(name: str, n_classes: int) -> Loss:
    """The loss of this name for so many classes."""
    if name == "exponential":
        return Exponential()
    return Logistic() if n_classes <= 2 else Softmax(n_classes)


def regression_loss(name: str, q: float | None = None) -> Loss:
    """The loss of this name; q is the quantile of the pinball and Huber losses."""
    if name in ("quantile", "huber"):
        assert q is not None
        return Pinball(q) if name == "quantile" else Huber(q)
    return {"squared_error": SquaredError, "absolute_error": AbsoluteError, "poisson": Poisson, "gamma": Gamma}[name]()
