"""AdaBoost for regression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin

from surefit._core.base import fitting
from surefit._core.data.intake import take_weights
from surefit.ensemble.boosting.ada_boost import AdaBoost, LearningRate, NumberOfMembers
from surefit.ensemble.members import Member, RandomState, examples_of, new_member, one_target, takes_weights
from surefit.solvers.boosting.r2 import boost_r2, weighted_median
from surefit.summaries.resample import bootstrap_counts, draw_count, member_seeds
from surefit.tree.decision_tree_regressor import DecisionTreeRegressor


class AdaBoostRegressor(RegressorMixin, AdaBoost):
    """Boosting of a regressor by AdaBoost.R2: rows with large errors are drawn more often for the next member.

    Rows are drawn in canonical order (by their contents), so that a weight of two is a row given twice and the order of
    the rows does not matter. The answer is the median of the members' answers, weighted by their weights.

    {parameters}

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of.
    estimators_ : list of regressors
    estimator_weights_ : ndarray of shape (n_estimators,)
        log(1/β) of each member; zero where the fit ended before.
    estimator_errors_ : ndarray of shape (n_estimators,)
        The mean loss of each member; one where the fit ended before.
    history_ : dict of ndarray
        "error" and "weight" of each member.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.ensemble import AdaBoostRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0]
    >>> AdaBoostRegressor(random_state=0).fit(X, y).predict([[0.2], [2.9]])
    array([0., 1.])
    """

    def __init__(
        self,
        estimator: Annotated[Member, "The regressor; None: a tree of depth three."] = None,
        *,
        n_estimators: NumberOfMembers = 50,
        learning_rate: LearningRate = 1.0,
        loss: Annotated[
            Literal["linear", "square", "exponential"], "Loss of a row's error relative to the largest."
        ] = "linear",
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost on rows X with numbers y; a weight of two is a row given twice."""
        p = self._checked()
        rows = self._rows(X, reset=True, any_shape=True)
        targets = one_target(self, y, rows.shape[0])
        examples = examples_of(rows, targets, take_weights(sample_weight, rows.shape[0]))
        self.estimator_ = DecisionTreeRegressor(max_depth=3) if p.estimator is None else p.estimator
        seeds, self.estimators_ = member_seeds(p.random_state, p.n_estimators), []
        distinct, values = rows[examples.first_rows], targets[examples.first_rows]
        weighted = takes_weights(self.estimator_)
        n_draws = draw_count(None, examples.total, len(values))

        def learn(t: int, shares: np.ndarray) -> np.ndarray:
            member = new_member(self.estimator_, int(seeds[t]))
            counts = bootstrap_counts(int(seeds[t]), shares, n_draws)
            drawn = np.flatnonzero(counts)
            if weighted:
                member.fit(distinct[drawn], values[drawn], sample_weight=counts[drawn].astype(np.float64))
            else:
                drawn = np.repeat(drawn, counts[drawn])
                member.fit(distinct[drawn], values[drawn])
            self.estimators_.append(member)
            return member.predict(distinct)

        progress, report = self._reporter(X, y)
        rounds, n_kept = boost_r2(learn, values, examples.weights, p.loss, p.n_estimators, p.learning_rate, report)
        progress.end()
        del self.estimators_[n_kept:]
        self._assign(rounds)
        return self

    def _answers(self, X: Any) -> np.ndarray:
        """(rows, members)"""
        rows = self._asked(X)
        return np.column_stack([member.predict(rows) for member in self.estimators_])

    def predict(self, X: Any) -> np.ndarray:
        """The weighted median of the members' answers."""
        answers = self._answers(X)
        return weighted_median(answers, self.estimator_weights_)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each member."""
        answers = self._answers(X)
        for count in range(1, answers.shape[1] + 1):
            yield weighted_median(answers[:, :count], self.estimator_weights_)
