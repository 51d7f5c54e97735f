"""Complement naive Bayes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np

from surefit.naive_bayes.discrete import DiscreteNaiveBayes, times_logs
from surefit.naive_bayes.parameters import Alphas, ForceAlpha
from surefit.summaries.class_sums import ClassSumsStep


class ComplementNB(DiscreteNaiveBayes):
    """Multinomial counts of all other classes: a row belongs where the rest explains it least (Rennie et al., 2003).

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Used where there is but one class.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Sum of each feature in each class, with the weights of the rows.
    feature_all_ : ndarray of shape (n_features,)
        Sum of each feature over all rows.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weights of the features for each class.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.naive_bayes import ComplementNB
    >>> model = ComplementNB().fit([[3, 0], [1, 1], [0, 2]], ["a", "a", "b"])
    >>> model.predict([[2, 1]])
    array(['a'], dtype='<U1')
    """

    feature_count_: np.ndarray
    feature_all_: np.ndarray
    feature_log_prob_: np.ndarray

    _positive = True

    def __init__(
        self,
        *,
        alpha: Alphas = 1.0,
        force_alpha: ForceAlpha = True,
        fit_prior: Annotated[bool, "Whether the prior is learnt; it matters only where there is one class."] = True,
        class_prior: Annotated[np.ndarray | None, "Prior probabilities of the classes; they do not matter."] = None,
        norm: Annotated[bool, "Whether the weights of a class are divided by their sum."] = False,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _step(self, p: SimpleNamespace, n_classes: int, X: Any) -> ClassSumsStep:
        return ClassSumsStep(n_classes)

    def _learn_probabilities(self, alpha: Any) -> None:
        self.feature_all_ = self.feature_count_.sum(axis=0)
        others = _sums_of_others(self.feature_count_) + alpha
        logged = np.log(others / others.sum(axis=1, keepdims=True))
        self.feature_log_prob_ = logged / logged.sum(axis=1, keepdims=True) if self.norm else -logged

    def _joint(self) -> Callable[[Any], np.ndarray]:
        weights = self.feature_log_prob_.T
        prior = self.class_log_prior_ if len(self.classes_) == 1 else 0.0
        return lambda rows: times_logs(rows, weights) + prior


def _sums_of_others(counts: np.ndarray) -> np.ndarray:
    """Σ over the other classes, added up and not taken away, so that a large count hides no small one."""
    zero = np.zeros_like(counts[:1])
    before = np.vstack([zero, np.cumsum(counts[:-1], axis=0)])
    after = np.vstack([np.cumsum(counts[:0:-1], axis=0)[::-1], zero])
    return before + after
