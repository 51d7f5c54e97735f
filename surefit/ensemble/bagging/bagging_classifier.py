"""Bagging of classifiers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from surefit._core.errors import InvalidData
from surefit.engine.labels import codes_of, memory_codes
from surefit.ensemble.bagging.bagging import NO_VOTE, Bagging
from surefit.ensemble.bagging.bags import Draws
from surefit.ensemble.members import columns_of
from surefit.ensemble.routing import routed
from surefit.tree.decision_tree_classifier import DecisionTreeClassifier


def _has_decision_function(ensemble: Any) -> bool:
    """Raises the member's own AttributeError where it has none."""
    member = ensemble.estimators_[0] if getattr(ensemble, "estimators_", None) else ensemble._base()
    return callable(member.decision_function)


class BaggingClassifier(ClassifierMixin, Bagging):
    """The mean of the probabilities (or the vote) of classifiers, each fitted to a sample of the rows.

    Rows are drawn in canonical order (by their contents), so that a weight of two is a row given twice, and neither the
    order of the rows nor the number of jobs changes anything. With `oob_score` each row is judged by the members that
    did not see its example.

    {parameters}

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of.
    estimators_ : list of classifiers
    estimators_samples_ : list of ndarray
        The rows drawn for each member.
    estimators_features_ : list of ndarray
        The columns drawn for each member.
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    oob_score_ : float
        With `oob_score`: the share of the weight classified rightly by members that did not see the row.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        With `oob_score`: the mean of their probabilities; NaN where every member saw the row.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.ensemble import BaggingClassifier
    >>> model = BaggingClassifier(random_state=0).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.predict([[0.2], [2.9]])
    array([0, 1])
    """

    classes_: np.ndarray
    n_classes_: int
    oob_decision_function_: np.ndarray

    def _base(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _take_target(self, y: Any, n_rows: int) -> np.ndarray:
        self.classes_, codes = memory_codes(self, y, n_rows, None)
        self.n_classes_ = len(self.classes_)
        return codes.astype(np.int64)

    def _labels_of(self, y: np.ndarray) -> np.ndarray:
        return self.classes_[y]

    def _judge_out_of_bag(self, X: Any, y: np.ndarray, w: np.ndarray | None, draws: Draws) -> None:
        votes = np.zeros((X.shape[0], self.n_classes_))
        for member, columns, out in self._out_of_bag(draws):
            if len(out):
                votes[out] += self._shares(member, columns_of(X[out], columns), {})
        total = votes.sum(axis=1)
        if (total == 0).any():
            warnings.warn(NO_VOTE, stacklevel=5)
        with np.errstate(invalid="ignore"):
            self.oob_decision_function_ = votes / total[:, None]
        self.oob_score_ = float(accuracy_score(y, votes.argmax(axis=1), sample_weight=w))

    def _shares(self, member: Any, X: Any, params: dict[str, Any]) -> np.ndarray:
        """What a member says of each class: probabilities, or one for the class it predicts."""
        shares = np.zeros((X.shape[0], self.n_classes_))
        if hasattr(member, "predict_proba"):
            shares[:, self._places(member)] = member.predict_proba(X, **params)
        else:
            said = codes_of(np.asarray(member.predict(X, **params)), self.classes_).astype(np.intp)
            shares[np.arange(X.shape[0]), said] = 1.0
        return shares

    def _places(self, member: Any) -> np.ndarray:
        """Of the classes that a member knows, which of `classes_` they are."""
        return codes_of(np.asarray(getattr(member, "classes_", self.classes_)), self.classes_).astype(np.intp)

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The class with the largest mean probability (or most votes); among equals the first."""
        check_is_fitted(self, "estimators_")
        callee = "predict_proba" if hasattr(self._base(), "predict_proba") else "predict"
        return self.classes_[self._mean_shares(X, routed(self, "predict", callee, params)).argmax(axis=1)]

    def predict_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' probabilities; shares of the votes where members have none."""
        callee = "predict_proba" if hasattr(self._base(), "predict_proba") else "predict"
        return self._mean_shares(X, routed(self, "predict_proba", callee, params))

    def _mean_shares(self, X: Any, params: dict[str, Any]) -> np.ndarray:
        total: Any = sum(self._of_members(X, lambda member, rows: self._shares(member, rows, params)))
        return total / len(self.estimators_)

    def predict_log_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The logarithm of the mean of the members' probabilities."""
        check_is_fitted(self, "estimators_")
        if not hasattr(self.estimator_, "predict_log_proba"):
            callee = "predict_proba" if hasattr(self.estimator_, "predict_proba") else "predict"
            with np.errstate(divide="ignore"):
                return np.log(self._mean_shares(X, routed(self, "predict_log_proba", callee, params)))
        given = routed(self, "predict_log_proba", "predict_log_proba", params)

        def logarithms(member: Any, rows: Any) -> np.ndarray:
            values = np.full((rows.shape[0], self.n_classes_), -np.inf)
            with np.errstate(divide="ignore"):
                values[:, self._places(member)] = member.predict_log_proba(rows, **given)
            return values

        every = np.stack(list(self._of_members(X, logarithms)))
        return np.logaddexp.reduce(every) - np.log(len(every))

    @available_if(_has_decision_function)
    def decision_function(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' decision functions."""
        given = routed(self, "decision_function", "decision_function", params)
        total: Any = 0.0
        for number, scores in enumerate(self._of_members(X, lambda m, rows: m.decision_function(rows, **given))):
            if number and np.shape(scores) != np.shape(total):
                raise InvalidData(
                    "decision functions of members that saw other classes have other columns: use predict_proba, or "
                    "draw more rows for each member (max_samples)"
                )
            total = total + scores
        return total / len(self.estimators_)
