"""Multinomial naive Bayes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit.naive_bayes.discrete import DiscreteNaiveBayes, times_logs
from surefit.naive_bayes.parameters import Alphas, ClassPrior, FitPrior, ForceAlpha
from surefit.summaries.class_sums import ClassSumsStep


class MultinomialNB(DiscreteNaiveBayes):
    """A row holds how often each of d things occurs (words in a text); a class is a distribution over the d things.

    P(thing j | class) = (count of j in the class + alpha) / (all counts in the class + alpha · d)

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        Sum of each feature in each class, with the weights of the rows.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.naive_bayes import MultinomialNB
    >>> model = MultinomialNB().fit([[3, 0], [1, 1], [0, 2]], ["a", "a", "b"])
    >>> np.exp(model.feature_log_prob_).round(3)
    array([[0.714, 0.286],
           [0.25 , 0.75 ]])
    """

    feature_count_: np.ndarray
    feature_log_prob_: np.ndarray

    _positive = True

    def __init__(
        self,
        *,
        alpha: Alphas = 1.0,
        force_alpha: ForceAlpha = True,
        fit_prior: FitPrior = True,
        class_prior: ClassPrior = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _step(self, p: SimpleNamespace, n_classes: int, X: Any) -> ClassSumsStep:
        return ClassSumsStep(n_classes)

    def _learn_probabilities(self, alpha: Any) -> None:
        smoothed = self.feature_count_ + alpha
        self.feature_log_prob_ = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))

    def _joint(self) -> Callable[[Any], np.ndarray]:
        log_prob, prior = self.feature_log_prob_.T, self.class_log_prior_
        return lambda rows: times_logs(rows, log_prob) + prior
