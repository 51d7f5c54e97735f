"""Categorical naive Bayes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit.naive_bayes.discrete import DiscreteNaiveBayes
from surefit.naive_bayes.parameters import Alpha, ClassPrior, FitPrior, ForceAlpha
from surefit.summaries.category_counts import CategoryCounts, CategoryCountsStep


def fewest_categories(min_categories: Any, n_features: int) -> np.ndarray:
    """(n_features,): the categories each feature has at least."""
    fewest = np.asarray(1 if min_categories is None else min_categories)
    if fewest.dtype.kind != "i":
        raise InvalidParameter(f"'min_categories' should have integral type. Got {fewest.dtype} instead.")
    if fewest.shape not in ((), (n_features,)):
        raise InvalidParameter(
            f"'min_categories' should have shape ({n_features},) when an array-like is provided. Got {fewest.shape} "
            "instead."
        )
    return np.maximum(np.broadcast_to(fewest, (n_features,)), 1).astype(np.int64)


def category_log_prob(counts: list[np.ndarray], alpha: Any) -> list[np.ndarray]:
    """log (count + alpha) / Σ (count + alpha), feature by feature."""
    smoothed = [count + a for count, a in zip(counts, np.broadcast_to(alpha, (len(counts),)), strict=True)]
    return [np.log(count) - np.log(count.sum(axis=1, keepdims=True)) for count in smoothed]


def categorical_log_likelihood(rows: np.ndarray, log_prob: list[np.ndarray], model: str) -> np.ndarray:
    """Σ over features of log P(category | class), (n, C)."""
    categories = rows.astype(np.int64, copy=False)
    if categories.size and categories.min() < 0:
        raise InvalidData(f"Negative values in data passed to {model} (input X).")
    total = np.zeros((len(rows), len(log_prob[0]) if log_prob else 0))
    for j, table in enumerate(log_prob):
        column = categories[:, j]
        if column.size and column.max() >= table.shape[1]:
            row = int(np.argmax(column >= table.shape[1]))
            raise InvalidData(
                f"index {column[row]} is out of bounds: column {j} has category {column[row]} in row {row}, and the "
                f"model knows 0 … {table.shape[1] - 1}. Fit with min_categories to leave room."
            )
        total += table.T[column]
    return total


class CategoricalNB(DiscreteNaiveBayes):
    """Every feature is one of a list of categories 0, 1, …, with probabilities of its own in each class.

    P(category v | class) = (weight of the class where x = v, + alpha) / (weight of the class + alpha · n_categories)

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
    n_categories_ : ndarray of shape (n_features,)
    category_count_ : list of ndarray of shape (n_classes, n_categories of the feature)
        Weight of the rows of each class with each category.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories of the feature)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.naive_bayes import CategoricalNB
    >>> model = CategoricalNB().fit([[0], [0], [2], [1]], ["a", "a", "a", "b"])
    >>> np.exp(model.feature_log_prob_[0]).round(3)
    array([[0.5  , 0.167, 0.333],
           [0.25 , 0.5  , 0.25 ]])
    """

    n_categories_: np.ndarray
    category_count_: list[np.ndarray]
    feature_log_prob_: list[np.ndarray]

    _positive = True

    def __init__(
        self,
        *,
        alpha: Alpha = 1.0,
        force_alpha: ForceAlpha = True,
        fit_prior: FitPrior = True,
        class_prior: ClassPrior = None,
        min_categories: Annotated[
            int | np.ndarray | None, Range(1), "Categories of every feature (or of each) at least; more if X has more."
        ] = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def _step(self, p: SimpleNamespace, n_classes: int, X: Any) -> CategoryCountsStep:
        return CategoryCountsStep(n_classes, fewest_categories(p.min_categories, self.n_features_in_))

    def _learn_counts(self, statistic: CategoryCounts) -> None:
        self.n_categories_ = statistic.n_categories.astype(np.int64)
        self.category_count_ = [count.copy() for count in statistic.of_features()]

    def _learn_probabilities(self, alpha: Any) -> None:
        self.feature_log_prob_ = category_log_prob(self.category_count_, alpha)

    def _joint(self) -> Callable[[Any], np.ndarray]:
        log_prob, prior = self.feature_log_prob_, self.class_log_prior_

        def joint(rows: Any) -> np.ndarray:
            dense = rows.toarray() if sp.issparse(rows) else rows
            return categorical_log_likelihood(dense, log_prob, "CategoricalNB") + prior

        return joint

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
