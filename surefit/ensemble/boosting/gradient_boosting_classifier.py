"""Classification by gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from surefit._core.errors import InvalidData
from surefit.engine.open import open_data
from surefit.ensemble.boosting import gradient_boosting_parameters as declared
from surefit.ensemble.boosting.gradient_boosting import GradientBoosting
from surefit.objectives.losses import Loss, classification_loss
from surefit.objectives.own_loss import OwnLoss
from surefit.tree import parameters as tree_parameters


class GradientBoostingClassifier(ClassifierMixin, GradientBoosting):
    """f = f₀ + ν Σ sₜ gₜ, one f for two classes (the log-odds of the second), one for each of more.

    Every stage fits a regressor gₜ to the negative gradient of the loss before it. Trees (the default) then take in
    each leaf Newton's step for its rows. With `line_search=True` or an `estimator` of your own gₜ is kept as fitted;
    `line_search` chooses one step sₜ for all rows and classes, the minimizer of the loss along gₜ, so that the loss of
    the rows that a stage is fitted to never rises (a step that would lead to infinity ends where the raw prediction of
    some row has moved by 32).

    Columns are sorted once for all stages. Equal splits are decided by a rule, rows are drawn by their contents: so a
    row of weight two is a row given twice, and neither the order of the rows nor the number of threads matters.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    estimators_ : ndarray of shape (n_estimators_, 1), or (n_estimators_, n_classes) for more than two classes
        The trees, or the regressors fitted.
    init_ : estimator or "zero"
        Where the first stage starts from.
    n_estimators_ : int
        Stages fitted; fewer than asked for after early stopping.
    n_trees_per_iteration_ : int
        1, or the number of classes if there are more than two.
    max_features_ : int
        Features looked at in a node.
    train_score_ : ndarray of shape (n_estimators_,)
        The loss after each stage, of the rows it was fitted to; twice the log-loss for two classes.
    oob_scores_, oob_improvement_ : ndarray of shape (n_estimators_,), only with subsample < 1
        The loss of the rows left out of each stage, and by how much it fell.
    oob_score_ : float
        The last of these losses.
    validation_score_ : ndarray of shape (n_estimators_,), only with n_iter_no_change
        The loss of the rows held out.
    step_sizes_ : ndarray of shape (n_estimators_,)
        sₜ; ones without line search.
    history_ : ndarray of shape (n_estimators_ + 1,)
        The loss before the first stage, and `train_score_`.
    feature_importances_ : ndarray of shape (n_features,)
    seed_ : int
        What the draws of rows and features follow from.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import make_hastie_10_2
    >>> from surefit.ensemble import GradientBoostingClassifier
    >>> X, y = make_hastie_10_2(n_samples=3000, random_state=0)
    >>> model = GradientBoostingClassifier(learning_rate=1.0, max_depth=1, random_state=0).fit(X[:2000], y[:2000])
    >>> model.score(X[2000:], y[2000:]) > 0.85
    True
    """

    classes_: np.ndarray
    n_classes_: int

    def __init__(
        self,
        *,
        loss: declared.ClassifierLoss = "log_loss",
        learning_rate: declared.LearningRate = 0.1,
        n_estimators: declared.NEstimators = 100,
        subsample: declared.Subsample = 1.0,
        criterion: declared.Criterion = "deprecated",
        min_samples_split: tree_parameters.MinSamplesSplit = 2,
        min_samples_leaf: tree_parameters.MinSamplesLeaf = 1,
        min_weight_fraction_leaf: tree_parameters.MinWeightShare = 0.0,
        max_depth: tree_parameters.MaxDepth = 3,
        min_impurity_decrease: tree_parameters.MinDecrease = 0.0,
        init: declared.ClassifierInit = None,
        random_state: declared.RandomState = None,
        max_features: tree_parameters.MaxFeatures = None,
        verbose: declared.Verbose = 0,
        max_leaf_nodes: tree_parameters.MaxLeafNodes = None,
        warm_start: declared.WarmStart = False,
        validation_fraction: declared.ValidationFraction = 0.1,
        n_iter_no_change: declared.NIterNoChange = None,
        tol: declared.Tol = 1e-4,
        ccp_alpha: declared.CcpAlpha = 0.0,
        estimator: declared.BaseRegressor = None,
        line_search: declared.LineSearch = False,
        n_jobs: declared.NJobs = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.estimator = estimator
        self.line_search = line_search
        self.n_jobs = n_jobs

    def _opened(self, p: SimpleNamespace, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, Any]:
        data = open_data(
            self, X, y, sample_weight, target="classes", stream=False, instead="HistGradientBoostingClassifier"
        )
        assert data.classes is not None and data.y is not None
        codes = data.y
        there = np.count_nonzero(np.bincount(codes.astype(np.intp), data.w))
        if there < 2:
            raise InvalidData(
                f"y contains {there} class after sample_weight trimmed classes with zero weights, while a minimum of "
                "2 classes are required."
            )
        self.classes_, self.n_classes_ = data.classes, len(data.classes)
        if p.loss == "exponential" and self.n_classes_ > 2:
            raise InvalidData(
                "loss='exponential' is only suitable for a binary classification problem, you have "
                f"n_classes={self.n_classes_}. Please use loss='log_loss' instead."
            )
        return data.X, codes, data.w

    def _refuse_split(self, y: np.ndarray, out: np.ndarray) -> None:
        codes = y.astype(np.intp)
        counts = np.bincount(codes, minlength=self.n_classes_)
        if counts.min() < 2:
            few = [float(c) if isinstance(c, int) else c for c in self.classes_[counts < 2].tolist()]
            raise InvalidData(
                "The least populated classes in y have only 1 member, which is too few: the minimum number of groups "
                f"for any class cannot be less than 2. Classes with too few members are: {few}"
            )
        if (np.bincount(codes[~out], minlength=self.n_classes_) == 0).any():
            raise InvalidData(
                "The training data after the early stopping split is missing some classes. Try using another random "
                "seed, or a smaller validation_fraction."
            )
        super()._refuse_split(y, out)

    def _loss_of(self) -> Loss:
        if isinstance(self.loss, str):
            return classification_loss(self.loss, self.n_classes_)
        return OwnLoss(self.loss, self.n_classes_)

    def decision_function(self, X: Any) -> Any:
        """The raw predictions: (n,) for two classes, (n, n_classes) for more."""
        return self._answers(X, lambda raw: raw)

    def predict(self, X: Any) -> Any:
        """The class of every row of X: the second of two where f ≥ 0, else the one with the largest f."""
        return self._answers(X, self._labels)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, (n, n_classes)."""
        return self._answers(X, self._shares)

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of these."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """The raw predictions after each stage, (n, outputs)."""
        for raw in self._staged_raw(X):
            yield raw.reshape(len(raw), -1)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The classes predicted after each stage."""
        for raw in self._staged_raw(X):
            yield self._labels(raw)

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """The probabilities after each stage."""
        for raw in self._staged_raw(X):
            yield self._shares(raw)

    def _labels(self, raw: np.ndarray) -> np.ndarray:
        return self.classes_[(raw >= 0).astype(np.intp) if raw.ndim == 1 else raw.argmax(axis=1)]

    def _shares(self, raw: np.ndarray) -> np.ndarray:
        shares = self._loss_of().inverse(raw)
        return shares if shares.ndim == 2 else np.column_stack([1 - shares, shares])
