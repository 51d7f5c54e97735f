"""Histogram boosting of means, medians and quantiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import column_or_1d

from surefit._core.base import fitting
from surefit._core.data.faults import squarable
from surefit._core.data.intake import take_targets
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit.ensemble.histogram_boosting import hist_parameters as of
from surefit.ensemble.histogram_boosting.hist_gradient_boosting import HistGradientBoosting
from surefit.objectives.losses import Loss, regression_loss


class HistGradientBoostingRegressor(RegressorMixin, HistGradientBoosting):
    """f = f₀ + Σₜ learning_rate · treeₜ: boosted trees on features cut into bins.

    Every tree is grown leaf by leaf on the gradients of the loss at the predictions so far, and its leaves take
    Newton steps −G / (H + l2_regularization); with loss='absolute_error' and 'quantile' the quantile of the errors of
    their rows. Gradients are rounded once a round to integers times a power of two (30 bits of the largest): sums are
    exact, so the model has the same bits on any number of threads and from memory, Parquet and Dask, whatever the order
    of the rows. A weight of two is a row given twice: `min_samples_leaf` compares with the sum of weights, and rows are
    held out by their contents. Missing values and categories need no encoding.

    {parameters}

    Attributes
    ----------
    n_iter_ : int
        Rounds done.
    n_trees_per_iteration_ : int
        1.
    trees_ : list of lists of Tree
        The tree of every round; a leaf's value is learning_rate times its step.
    baseline_prediction_ : ndarray of shape (1, 1)
        The best constant (its logarithm for loss='gamma' and 'poisson').
    bin_thresholds_ : list of ndarray
        For every feature the thresholds on offer, ascending.
    is_categorical_ : ndarray of shape (n_features,) or None
    categories_ : list of ndarray or None, or None
        The values of each column of categories; the code in a tree's sets is the place among them.
    do_early_stopping_ : bool
    validation_rows_ : 'held out', 'given' or None
        Where the rows of `validation_score_` come from.
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        The scores before the first round and after each; empty without early stopping.
    history_ : ndarray of shape (n_iter_ + 1,)
        The mean loss of the training rows before the first round and after each.
    feature_importances_ : ndarray of shape (n_features,)
        The share of each feature in the gains of all splits.
    seed_ : int
        What `random_state` gave.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from surefit.ensemble import HistGradientBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(HistGradientBoostingRegressor().fit(X, y).score(X, y), 1)
    0.9
    """

    def __init__(
        self,
        loss: Annotated[
            Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile"],
            "What is added up over rows: ½ (y − f)², |y − f|, the gamma and Poisson losses of e^f, the pinball loss.",
        ] = "squared_error",
        *,
        quantile: Annotated[float | None, Range(0, 1), "The quantile of loss='quantile'."] = None,
        learning_rate: of.LearningRate = 0.1,
        max_iter: of.MaxIter = 100,
        max_leaf_nodes: of.MaxLeafNodes = 31,
        max_depth: of.MaxDepth = None,
        min_samples_leaf: of.MinSamplesLeaf = 20,
        l2_regularization: of.L2 = 0.0,
        max_features: of.MaxFeatures = 1.0,
        max_bins: of.MaxBins = 255,
        categorical_features: of.CategoricalFeatures = "from_dtype",
        monotonic_cst: of.MonotonicCst = None,
        interaction_cst: of.InteractionCst = None,
        warm_start: of.WarmStart = False,
        early_stopping: of.EarlyStopping = "auto",
        scoring: of.Scoring = "loss",
        validation_fraction: of.ValidationFraction = 0.1,
        n_iter_no_change: of.NIterNoChange = 10,
        tol: of.Tol = 1e-7,
        verbose: of.Verbose = 0,
        random_state: of.RandomState = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    @fitting
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit to rows X and targets y, with optional weights; `X_val`, `y_val`: rows for early stopping to look at."""
        self._fit(self._checked(), X, y, sample_weight, (X_val, y_val, sample_weight_val))
        return self

    def _targets(self, p: Any, y: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
        self.n_trees_per_iteration_ = 1
        y = squarable(np.ascontiguousarray(column_or_1d(y, warn=True), dtype=np.float64))
        counted = y if w is None else y[w > 0]
        self._refuse_targets(p, float(counted.min()), float(counted.max()))
        return y, w

    def _refuse_targets(self, p: Any, least: float, most: float) -> None:
        if p.loss == "gamma" and least <= 0:
            raise InvalidData("loss='gamma' requires strictly positive y.")
        if p.loss == "poisson" and (least < 0 or most <= 0):
            raise InvalidData("loss='poisson' requires non-negative y and sum(y) > 0.")

    def _loss(self, p: Any) -> Loss:
        if p.loss == "quantile" and p.quantile is None:
            raise InvalidParameter("HistGradientBoostingRegressor(loss='quantile') needs quantile, a number in [0, 1]")
        return regression_loss(p.loss, p.quantile)

    def _encoded_targets(self, p: Any, y: Any, n_rows: int) -> np.ndarray:
        return np.asarray(column_or_1d(take_targets(self, y, n_rows)), dtype=np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for every row of X: an array, a dataframe, a Parquet path or a Dask collection."""
        inverse = regression_loss(self.loss, self.quantile).inverse
        return self._of_raw(X, lambda raw: inverse(raw[:, 0]))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The predictions after each round."""
        inverse = regression_loss(self.loss, self.quantile).inverse
        return (inverse(raw[:, 0]) for raw in self._staged_raw(X))
