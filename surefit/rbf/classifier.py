"""A network of radial basis functions for classification."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting, updating
from surefit._core.data.intake import take_rows, take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.precision import narrowed
from surefit.engine.apply import apply_rows
from surefit.engine.labels import memory_codes
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import MemorySource, Source
from surefit.rbf.network import RBFNetwork
from surefit.solvers.least_squares.recursive import Recursion


class RBFNetworkClassifier(ClassifierMixin, RBFNetwork):
    """One output for each class, fitted by least squares to 1 for its rows and 0 for others; the largest output wins.

    The outputs estimate the probabilities of the classes (least squares on indicators estimates their mean), and with
    an intercept they add up to one. `predict_proba` cuts them off at zero and divides by their sum, which leaves the
    largest the largest: it agrees with `predict`.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    centers_ : ndarray of shape (n_centers, n_features)
        Centers of k-means on the rows of `fit`, or of the first `partial_fit`.
    width_ : float
        σ.
    coef_ : ndarray of shape (n_classes, n_centers)
        A row for each class, also for two.
    intercept_ : ndarray of shape (n_classes,)
    n_samples_seen_ : int
        Rows so far, those of weight zero included.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.rbf import RBFNetworkClassifier
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> RBFNetworkClassifier(4, random_state=0).fit(X, y).predict(X)
    array([0, 0, 1, 1])
    """

    classes_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and labels y, with optional weights; Parquet and Dask block by block.

        With `forgetting` < 1 rows count in their order.
        """
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target="classes")
        self.classes_ = _at_least_two(np.asarray(data.classes))
        self._learn(self._begin(p, data, len(self.classes_)), data, p.forgetting)
        return self

    @updating
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more rows, in their order: the output weights follow, centers and width stay.

        The first call finds the centers, and names all labels in `classes`.
        """
        p = self._checked()
        if kind_of(X) != "memory":
            raise InvalidData("partial_fit takes rows in memory; fit reads a Parquet path or a Dask collection itself")
        first = not hasattr(self, "_state")
        if first and classes is None:
            raise InvalidParameter("classes must be passed on the first call to partial_fit.")
        if classes is not None:
            labels = _at_least_two(unique_labels(classes))
            if not first and not np.array_equal(labels, self.classes_):
                raise InvalidParameter(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
                )
            self.classes_ = labels
        rows = take_rows(self, X, reset=first)
        _, codes = memory_codes(self, y, rows.shape[0], self.classes_)
        if (codes < 0).any():
            unknown = np.unique(np.asarray(y).ravel()[codes < 0])
            raise InvalidData(f"The target label(s) {unknown} in y do not exist in the initial classes {self.classes_}")
        data = MemorySource(rows, codes, take_weights(sample_weight, rows.shape[0]))
        self._learn(self._begin(p, data, len(self.classes_)) if first else Recursion(**self._state), data, p.forgetting)
        return self

    def _targets(self, columns: np.ndarray) -> np.ndarray:
        """1 for the class of a row, 0 for the others."""
        return (columns == np.arange(len(self.classes_))).astype(np.float64)

    def _learn(self, state: Recursion, data: Source, forgetting: float) -> None:
        coef, intercept = self._take(state, data, forgetting)
        self.coef_, self.intercept_ = narrowed(coef, data.dtype), narrowed(intercept, data.dtype)

    def _scores(self, X: Any, finish: Any) -> Any:
        check_is_fitted(self)
        hidden, coef = self._hidden(), self.coef_
        return apply_rows(self, X, lambda rows: finish(self._outputs(rows, hidden, coef)))

    def decision_function(self, X: Any) -> Any:
        """The output of every class; for two classes that of the second less that of the first."""
        two = len(self.classes_) == 2 if hasattr(self, "classes_") else False
        return self._scores(X, (lambda scores: scores[:, 1] - scores[:, 0]) if two else lambda scores: scores)

    def predict(self, X: Any) -> Any:
        """The class with the largest output for every row of X; among equals the first."""
        check_is_fitted(self)
        classes = self.classes_
        return self._scores(X, lambda scores: classes[scores.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Any:
        """The outputs, cut off at zero, over their sum; where none is positive the largest has it all."""
        return self._scores(X, _shares)

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of `predict_proba`; −inf where it is zero."""

        def logarithms(scores: np.ndarray) -> np.ndarray:
            with np.errstate(divide="ignore"):
                return np.log(_shares(scores))

        return self._scores(X, logarithms)


def _shares(scores: np.ndarray) -> np.ndarray:
    positive = np.maximum(scores, 0)
    total = positive.sum(axis=1)
    none = np.flatnonzero(~(total > 0))
    positive[none, scores[none].argmax(axis=1)] = 1
    total[none] = 1
    return positive / total[:, None]


def _at_least_two(classes: np.ndarray) -> np.ndarray:
    if len(classes) < 2:
        raise InvalidData(
            f"The number of classes has to be greater than one; got {len(classes)} class: {classes[:1].tolist()}"
        )
    return classes
