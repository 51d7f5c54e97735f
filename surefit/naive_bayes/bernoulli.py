"""Bernoulli naive Bayes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit._core.params import Range
from surefit.naive_bayes.discrete import DiscreteNaiveBayes, times_logs
from surefit.naive_bayes.parameters import Alphas, ClassPrior, FitPrior, ForceAlpha
from surefit.summaries.class_sums import ClassSumsStep


def above(rows: Any, threshold: float | None) -> Any:
    """1 where x exceeds the threshold, else 0; the rows themselves without a threshold."""
    if threshold is None:
        return rows
    if sp.issparse(rows):
        rows = rows.copy()
        rows.data = (rows.data > threshold).astype(np.float64)
        return rows
    return (rows > threshold).astype(np.float64)


def bernoulli_logs(sums: np.ndarray, weights: np.ndarray, alpha: Any) -> tuple[np.ndarray, np.ndarray]:
    """(log P(x = 1), log P(x = 0)) of every class and feature, each from its own count: neither is one less the other.

    P(x = 1) = (S + α)/(W + 2α),  P(x = 0) = (W − S + α)/(W + 2α)
    """
    W = weights[:, None]
    if (sums > W * (1 + 1e-9)).any():
        raise InvalidData("binarize=None is for rows of zeros and ones; X has larger numbers. Name a threshold.")
    total = np.log(W + 2 * np.asarray(alpha))
    return np.log(sums + alpha) - total, np.log(np.maximum(W - sums, 0.0) + alpha) - total


def bernoulli_log_likelihood(rows: Any, log_prob: np.ndarray, log_not: np.ndarray) -> np.ndarray:
    """Σ over features of x log p + (1 − x) log(1 − p), (n, C), with 0 log 0 = 0."""
    if np.isfinite(log_prob).all() and np.isfinite(log_not).all():
        return np.asarray(rows @ (log_prob - log_not).T) + log_not.sum(axis=1)
    dense = rows.toarray() if sp.issparse(rows) else rows
    return times_logs(dense, log_prob.T) + times_logs(1.0 - dense, log_not.T)


class BernoulliNB(DiscreteNaiveBayes):
    """Every feature is there or not (x > `binarize`), with a probability of its own in each class.

    P(x = 1 | class) = (weight of the rows of the class with x = 1, + alpha) / (weight of the class + 2 alpha)

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        Weight of the rows of each class in which the feature is there.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log P(x = 1 | class).
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.naive_bayes import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
    >>> np.exp(model.feature_log_prob_).round(3)
    array([[0.75 , 0.5  ],
           [0.333, 0.667]])
    """

    feature_count_: np.ndarray
    feature_log_prob_: np.ndarray

    def __init__(
        self,
        *,
        alpha: Alphas = 1.0,
        force_alpha: ForceAlpha = True,
        binarize: Annotated[
            float | None, Range(0), "A feature is there where x exceeds this; None for rows of zeros and ones."
        ] = 0.0,
        fit_prior: FitPrior = True,
        class_prior: ClassPrior = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _step(self, p: SimpleNamespace, n_classes: int, X: Any) -> ClassSumsStep:
        return ClassSumsStep(n_classes, p.binarize)

    def _learn_probabilities(self, alpha: Any) -> None:
        self.feature_log_prob_, self._feature_log_not = bernoulli_logs(self.feature_count_, self.class_count_, alpha)

    def _joint(self) -> Callable[[Any], np.ndarray]:
        log_prob, log_not = self.feature_log_prob_, self._feature_log_not
        prior, threshold = self.class_log_prior_, self.binarize
        return lambda rows: bernoulli_log_likelihood(above(rows, threshold), log_prob, log_not) + prior
