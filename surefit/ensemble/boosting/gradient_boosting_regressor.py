"""Regression by gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import column_or_1d

from surefit._core.data.faults import squarable
from surefit._core.errors import InvalidData
from surefit.engine.open import open_data
from surefit.ensemble.boosting import gradient_boosting_parameters as declared
from surefit.ensemble.boosting.gradient_boosting import GradientBoosting
from surefit.objectives.losses import Loss, regression_loss
from surefit.objectives.own_loss import OwnLoss
from surefit.tree import parameters as tree_parameters


class GradientBoostingRegressor(RegressorMixin, GradientBoosting):
    """f = f₀ + ν Σ sₜ gₜ: every stage fits a regressor gₜ to the negative gradient of the loss before it.

    Trees (the default) then take in each leaf the step that lowers the loss of its rows most: the mean, median or
    quantile of their residuals, for Huber's loss one step from the median, for Poisson's Newton's step. With
    `line_search=True` or an `estimator` of your own gₜ is kept as fitted; `line_search` chooses one step sₜ for all
    rows, the minimizer of the loss along gₜ, so that the loss of the rows that a stage is fitted to never rises.

    Columns are sorted once for all stages. Equal splits are decided by a rule, rows are drawn by their contents: so a
    row of weight two is a row given twice, and neither the order of the rows nor the number of threads matters.

    {parameters}

    Attributes
    ----------
    estimators_ : ndarray of shape (n_estimators_, 1)
        The trees, or the regressors fitted.
    init_ : estimator or "zero"
        Where the first stage starts from.
    n_estimators_ : int
        Stages fitted; fewer than asked for after early stopping.
    n_trees_per_iteration_ : int
        1.
    max_features_ : int
        Features looked at in a node.
    train_score_ : ndarray of shape (n_estimators_,)
        The loss after each stage, of the rows it was fitted to; twice the loss, which is ½ (f − y)², for squared error.
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
    >>> from sklearn.datasets import make_friedman1
    >>> from surefit.ensemble import GradientBoostingRegressor
    >>> X, y = make_friedman1(n_samples=500, random_state=0)
    >>> model = GradientBoostingRegressor(random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.85
    True
    """

    def __init__(
        self,
        *,
        loss: declared.RegressorLoss = "squared_error",
        learning_rate: declared.LearningRate = 0.1,
        n_estimators: declared.NEstimators = 100,
        subsample: declared.Subsample = 1.0,
        criterion: declared.Criterion = "deprecated",
        min_samples_split: tree_parameters.MinSamplesSplit = 2,
        min_samples_leaf: tree_parameters.MinSamplesLeaf = 1,
        min_weight_fraction_leaf: tree_parameters.MinWeightShare = 0.0,
        max_depth: tree_parameters.MaxDepth = 3,
        min_impurity_decrease: tree_parameters.MinDecrease = 0.0,
        init: declared.RegressorInit = None,
        random_state: declared.RandomState = None,
        max_features: tree_parameters.MaxFeatures = None,
        alpha: declared.Alpha = 0.9,
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
        self.alpha = alpha
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
        if getattr(y, "ndim", 1) == 2:
            y = column_or_1d(y, warn=True)
        data = open_data(self, X, y, sample_weight, target=True, stream=False, instead="HistGradientBoostingRegressor")
        targets = squarable(np.asarray(data.y, dtype=np.float64))
        if p.loss == "poisson" and (targets < 0).any():
            row = int(np.argmax(targets < 0))
            raise InvalidData(f"loss='poisson' needs targets ≥ 0; row {row} of y is {targets[row]}")
        return data.X, targets, data.w

    def _loss_of(self) -> Loss:
        return regression_loss(self.loss, self.alpha) if isinstance(self.loss, str) else OwnLoss(self.loss)

    def predict(self, X: Any) -> Any:
        """The predicted target of every row of X."""
        return self._answers(X, self._loss_of().inverse)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The predicted targets after each stage."""
        inverse = self._loss_of().inverse
        for raw in self._staged_raw(X):
            yield inverse(raw)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in the tree of each stage, (n, stages)."""
        return super().apply(X)[:, :, 0]
