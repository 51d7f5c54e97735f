"""AdaBoost: members fitted one after the other, each to the rows that those before it got wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.threads import threads_for
from surefit.engine.labels import codes_of, memory_codes
from surefit.ensemble.boosting.stump_members import fitted_template, is_plain_stump, stump_member, tree_codes
from surefit.ensemble.members import (
    Ensemble,
    Member,
    RandomState,
    examples_of,
    new_member,
    positive_rows,
    takes_weights,
)
from surefit.solvers.boosting.samme import WorseThanChance, samme
from surefit.solvers.boosting.stumps import Stumps
from surefit.summaries.resample import member_seeds
from surefit.tree.decision_tree_classifier import DecisionTreeClassifier

NumberOfMembers = Annotated[int, Range(1), "The most members; a perfect or a useless one ends the fit before."]
LearningRate = Annotated[float, Range(0, open="both"), "Factor ν of the weights of the members."]


class AdaBoost(Ensemble):
    """What the classifier and the regressor share."""

    estimator_weights_: np.ndarray
    estimator_errors_: np.ndarray
    history_: dict[str, np.ndarray]
    n_estimators: int

    def _reporter(self, X: Any, y: Any) -> tuple[Progress, Callable[[list[Any]], bool]]:
        progress = Progress(self, self.n_estimators, X, y)

        def report(rounds: list[Any]) -> bool:
            return progress.step(lambda: {"estimators_": self.estimators_, **self._summary(rounds)})

        return progress, report

    def _summary(self, rounds: list[Any]) -> dict[str, np.ndarray]:
        """The weights and errors of all members there might be: 0 and 1 where the fit ended before."""
        weights, errors = np.zeros(self.n_estimators), np.ones(self.n_estimators)
        weights[: len(rounds)] = [one.weight for one in rounds]
        errors[: len(rounds)] = [one.error for one in rounds]
        return {"estimator_weights_": weights, "estimator_errors_": errors}

    def _assign(self, rounds: list[Any]) -> None:
        for name, value in self._summary(rounds).items():
            setattr(self, name, value)
        self.history_ = {
            "error": np.array([one.error for one in rounds]),
            "weight": np.array([one.weight for one in rounds]),
        }

    def _asked(self, X: Any) -> Any:
        return self._rows(X, reset=False, any_shape=True)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The mean of the members' importances, weighted by their weights."""
        check_is_fitted(self, "estimators_")
        if not all(hasattr(member, "feature_importances_") for member in self.estimators_):
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            )
        weights = self.estimator_weights_[: len(self.estimators_)]
        importances = np.array([member.feature_importances_ for member in self.estimators_])
        return weights @ importances / weights.sum()

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The score (accuracy, or R²) after each member."""
        score = accuracy_score if is_classifier(self) else r2_score
        for answers in self.staged_predict(X):
            yield score(y, answers, sample_weight=sample_weight)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class AdaBoostClassifier(ClassifierMixin, AdaBoost):
    """Boosting of a weak classifier by SAMME: rows that were classified wrongly weigh more for the next member.

    The default member is a stump (a tree with one split), and all stumps are grown in one native loop over columns that
    are sorted once. For two classes the training error is at most the product of 2 √(ε (1 − ε)) over the members:
    `history_["bound"]`.

    {parameters}

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of.
    estimators_ : list of classifiers
    estimator_weights_ : ndarray of shape (n_estimators,)
        The weights α of the members in the vote; zero where the fit ended before.
    estimator_errors_ : ndarray of shape (n_estimators,)
        The share ε of the weight that each got wrong; one where the fit ended before.
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    history_ : dict of ndarray
        "error" and "weight" of each member, and for two classes "bound", the bound of the training error after it.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.ensemble import AdaBoostClassifier
    >>> model = AdaBoostClassifier(n_estimators=3).fit([[0], [1], [2], [3]], [0, 1, 1, 0])
    >>> model.predict([[0], [1.2], [3]])
    array([0, 1, 0])
    """

    classes_: np.ndarray
    n_classes_: int

    def __init__(
        self,
        estimator: Annotated[Member, "The weak classifier, which takes sample weights; None: a stump."] = None,
        *,
        n_estimators: NumberOfMembers = 50,
        learning_rate: LearningRate = 1.0,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost on rows X with labels y; a weight of two is a row given twice."""
        p = self._checked()
        rows = self._rows(X, reset=True, any_shape=True)
        self.classes_, codes = memory_codes(self, y, rows.shape[0], None)
        self.n_classes_ = len(self.classes_)
        w = take_weights(sample_weight, rows.shape[0])
        self.estimator_ = DecisionTreeClassifier(max_depth=1) if p.estimator is None else p.estimator
        if not takes_weights(self.estimator_):
            raise InvalidParameter(f"{type(self.estimator_).__name__} doesn't support sample_weight.")
        seeds, self.estimators_ = member_seeds(p.random_state, p.n_estimators), []
        learn, given = self._learner(rows, codes.astype(np.intp), w, seeds)
        progress, report = self._reporter(X, y)
        try:
            rounds = samme(learn, given, self.n_classes_, p.n_estimators, p.learning_rate, report)
        except WorseThanChance as error:
            raise InvalidData(
                f"BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit: {error}"
            ) from error
        progress.end()
        del self.estimators_[len(rounds) :]
        self._assign(rounds)
        if self.n_classes_ == 2:
            self.history_["bound"] = np.cumprod([one.factor for one in rounds])
        return self

    def _learner(self, X: Any, codes: np.ndarray, w: np.ndarray | None, seeds: np.ndarray) -> tuple[Callable, Any]:
        """(learn, weights): learn(t, w) fits member t and says which rows it gets wrong."""
        if is_plain_stump(self.estimator_, X):
            return self._stump_learner(X, codes, w, seeds)
        X, w, codes = positive_rows(X, w, codes)
        labels = self.classes_[codes]

        def learn(t: int, shares: np.ndarray) -> np.ndarray:
            member = new_member(self.estimator_, int(seeds[t]))
            member.fit(X, labels, sample_weight=shares)
            self.estimators_.append(member)
            return self._codes_by(member, X) != codes

        return learn, w

    def _stump_learner(self, X: Any, codes: np.ndarray, w: Any, seeds: np.ndarray) -> tuple[Callable, Any]:
        """The same for stumps: on distinct examples in canonical order, so that the bits do not depend on the rows'."""
        examples = examples_of(X, codes, w)
        first = examples.first_rows
        rows = X[first].toarray() if sp.issparse(X) else np.asarray(X)[first]
        rows = rows if rows.dtype == np.float32 else rows.astype(np.float64)
        codes, n_threads = codes[first], threads_for(rows.size)
        stumps = Stumps(rows, codes, self.n_classes_, examples.sizes, n_threads)
        template = fitted_template(self.estimator_, rows, self.classes_)

        def learn(t: int, shares: np.ndarray) -> np.ndarray:
            tree, said = stumps.fit(shares)
            self.estimators_.append(stump_member(template, tree, int(seeds[t])))
            return said != codes

        return learn, examples.weights

    def _codes_by(self, member: Any, X: Any) -> np.ndarray:
        """What a member says of rows, as places in `classes_`; −1 for a label that is not there."""
        codes = tree_codes(member, X, self.classes_)
        return codes_of(np.asarray(member.predict(X)), self.classes_).astype(np.intp) if codes is None else codes

    def _stages(self, X: Any) -> Iterator[tuple[np.ndarray, float]]:
        """(sums of the weights of the members for and against each class, their total) after each member."""
        rows, K = self._asked(X), len(self.classes_)
        sums, total = np.zeros((rows.shape[0], K)), 0.0
        for weight, member in zip(self.estimator_weights_, self.estimators_, strict=False):
            for_it = self._codes_by(member, rows)[:, None] == np.arange(K)
            sums += np.where(for_it, weight, -1.0 / (K - 1) * weight if K > 1 else 0.0)
            total += weight
            yield sums, total

    def _decision(self, sums: np.ndarray, total: float) -> np.ndarray:
        scores = sums / total
        scores = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
        if scores.shape[1:] == (1,):
            scores = np.zeros_like(scores)
        return scores

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after each member."""
        for sums, total in self._stages(X):
            yield self._decision(sums, total)

    def decision_function(self, X: Any) -> np.ndarray:
        """The mean of the members' votes, weighted by α: 1 for the class it says, −1/(K − 1) for the others.

        (rows, classes); for two classes the second less the first, (rows,).
        """
        *_, (sums, total) = self._stages(X)
        return self._decision(sums, total)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each member."""
        for scores in self.staged_decision_function(X):
            yield self._labels(scores)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score; among equals the first."""
        return self._labels(self.decision_function(X))

    def _labels(self, scores: np.ndarray) -> np.ndarray:
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after each member."""
        for scores in self.staged_decision_function(X):
            yield _probabilities(scores)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Softmax of the scores over K − 1 (Zhu et al., equation 15)."""
        return _probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of `predict_proba`."""
        return np.log(self.predict_proba(X))


def _probabilities(scores: np.ndarray) -> np.ndarray:
    """Softmax of (−s/2, s/2) for two classes, of s/(K − 1) for more."""
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores]) / 2
    elif scores.shape[1] > 1:
        scores = scores / (scores.shape[1] - 1)
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)
