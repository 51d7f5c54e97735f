"""What the naive Bayes classifiers share: one fold for `fit`, one that goes on for `partial_fit`, and Bayes' rule.

A subclass names its step (`_step`), says what it learns from the statistic (`_learn`), and gives log P(class) + log
P(row | class) of rows (`_joint`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting, updating
from surefit._core.data.faults import refuse_non_finite
from surefit._core.data.intake import take_rows, take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.engine.apply import apply_rows
from surefit.engine.labels import memory_codes
from surefit.engine.leaves import leaf_rows, leaf_threads
from surefit.engine.ongoing import after, extended
from surefit.engine.open import kind_of, open_data

TOO_LARGE = "the numbers in X are too large: their sums or squares overflow. Scale X first."


class NaiveBayes(ClassifierMixin, Estimator):
    """P(class | row) ∝ P(class) · Π P(feature | class)."""

    classes_: np.ndarray
    class_count_: np.ndarray
    class_log_prior_: np.ndarray

    _integers = True
    """Whether arrays of integers are counted as they are."""
    _positive = False
    """Whether rows below zero are refused."""

    def _step(self, p: SimpleNamespace, n_classes: int, X: Any) -> Any:
        """The pass; X is None where an earlier fit goes on."""
        raise TypeError(f"{type(self).__name__} must name its step")

    def _learn(self, p: SimpleNamespace, statistic: Any, dtype: np.dtype) -> None:
        raise TypeError(f"{type(self).__name__} must learn from its statistic")

    def _joint(self) -> Callable[[Any], np.ndarray]:
        raise TypeError(f"{type(self).__name__} must give the joint log-probability")

    def _sound(self, statistic: Any) -> tuple[bool, bool]:
        """(no x below zero was seen, all sums are finite)."""
        return not statistic.negative, not statistic.not_finite

    def _intake(self, p: SimpleNamespace | None = None) -> dict[str, Any]:
        """How rows in memory are taken in: the pass itself looks for what is not finite."""
        return {"not_finite": "later", "integers": self._integers}

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and labels y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target="classes", **self._intake(p))
        statistic = data.fold(self._step(p, len(data.classes), X))
        self._refuse(statistic, data.X)
        self.classes_ = data.classes
        self._learn(p, statistic, data.dtype)
        self._kept = after(statistic)
        return self

    @updating
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more rows. All labels are named in `classes` at the first call.

        A fit chunk by chunk has the bits of one fit over all rows, however they are cut. For that, up to one leaf of
        rows (4096, fewer of wide data) is kept until the leaf is full. After `fit` its rows count as one finished part.
        """
        p = self._checked()
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise InvalidParameter("classes must be passed on the first call to partial_fit.")
        if classes is not None:
            labels = unique_labels(classes)
            if not first and not np.array_equal(self.classes_, labels):
                raise InvalidParameter(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
                )
            if first:
                self.classes_ = labels
        if kind_of(X) != "memory":
            raise InvalidData("partial_fit takes rows in memory; fit reads a Parquet path or a Dask collection itself")
        rows = take_rows(self, X, reset=first, **self._intake(p))
        _, codes = memory_codes(self, y, rows.shape[0], self.classes_)
        if (codes < 0).any():
            unknown = np.unique(np.asarray(y).ravel()[codes < 0])
            raise InvalidData(f"The target label(s) {unknown} in y do not exist in the initial classes {self.classes_}")
        weights = take_weights(sample_weight, rows.shape[0])
        if not sp.issparse(rows):
            rows = np.ascontiguousarray(rows)
        step = self._step(p, len(self.classes_), X if first else None)
        kept = getattr(self, "_kept", None)
        size = leaf_rows(rows.shape[1])
        n_threads = leaf_threads(rows.shape[0], size)
        self._kept, statistic = extended(kept, step, rows, codes, weights, size, n_threads)
        self._refuse(statistic, rows)
        self._learn(p, statistic, rows.dtype)
        return self

    def _refuse(self, statistic: Any, rows: Any) -> None:
        """Refuse what the pass has found: numbers that are not finite, or below zero."""
        above, finite = self._sound(statistic)
        if not finite:
            if rows is not None:
                refuse_non_finite(rows, "X", getattr(self, "feature_names_in_", None))
            raise InvalidData(TOO_LARGE)
        if self._positive and not above:
            self._refuse_below_zero(rows)

    def _refuse_below_zero(self, rows: Any) -> None:
        where = ""
        if isinstance(rows, np.ndarray):
            row, column = (int(i) for i in np.argwhere(rows < 0)[0])
            where = f": column {column} holds {rows[row, column]:g} in row {row}"
        raise InvalidData(f"Negative values in data passed to {type(self).__name__} (input X){where}.")

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """log P(class) + log P(row | class), one column for each class in the order of `classes_`."""
        return self._apply(X, lambda joint: joint)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row of X: an array, dataframe, CSR, Parquet path or Dask collection."""
        check_is_fitted(self)
        classes = self.classes_
        return self._apply(X, lambda joint: classes[joint.argmax(axis=1)])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(class | row), one column for each class in the order of `classes_`."""
        return self._apply(X, _log_posterior)

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | row), one column for each class in the order of `classes_`."""
        return self._apply(X, lambda joint: np.exp(_log_posterior(joint)))

    def _apply(self, X: Any, function: Callable[[np.ndarray], np.ndarray]) -> Any:
        check_is_fitted(self)
        joint, dtype = self._joint(), self._answer_type()

        def answer(rows: Any) -> np.ndarray:
            values = function(joint(rows))
            wanted = np.result_type(rows.dtype, dtype)
            return values.astype(wanted) if wanted == np.float32 and values.dtype == np.float64 else values

        return apply_rows(self, X, answer, **{**self._intake(), "not_finite": self._later})

    def _answer_type(self) -> np.dtype:
        """float32 rows get float32 answers where the model is of float32 too."""
        return np.dtype(getattr(self, "theta_", np.empty(0, np.float32)).dtype)

    _later = "refuse"
    """What is done about NaN and infinities in rows to predict."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._positive
        return tags


def _log_posterior(joint: np.ndarray) -> np.ndarray:
    certain = (joint == np.inf).any(axis=1)
    if certain.any():  # without smoothing; classes that are endlessly more probable share the row
        joint = joint.copy()
        joint[certain] = np.where(joint[certain] == np.inf, 0.0, -np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        return joint - logsumexp(joint, axis=1, keepdims=True)


def given_priors(priors: Any, n_classes: int) -> np.ndarray:
    """Priors named by the user, checked in scikit-learn's words."""
    priors = prior_numbers(priors, n_classes)
    if not np.isclose(priors.sum(), 1.0):
        raise InvalidParameter("The sum of the priors should be 1.")
    return priors


def prior_numbers(priors: Any, n_classes: int) -> np.ndarray:
    """One finite number ≥ 0 for each class, not all of them zero."""
    try:
        priors = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"Priors must be numbers, one for each class; got {priors!r}") from error
    if priors.shape != (n_classes,):
        raise InvalidParameter("Number of priors must match number of classes.")
    if (priors < 0).any():
        raise InvalidParameter("Priors must be non-negative.")
    if not (np.isfinite(priors).all() and priors.any()):
        raise InvalidParameter(f"Priors must be finite, and one of them above zero; got {priors}")
    return priors
