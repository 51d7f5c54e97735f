"""Random forests for numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from surefit._core.base import fitting
from surefit._core.errors import InvalidData
from surefit._core.random import RandomStateLike
from surefit.ensemble.continued import Before
from surefit.ensemble.forests.random_forest import RandomForest, warn_of_rows_without
from surefit.ensemble.forests.random_forest_data import open_numbers
from surefit.ensemble.forests.random_forest_examples import ForestExamples
from surefit.ensemble.forests.random_forest_parameters import (
    Bootstrap,
    Categorical,
    Features,
    ImpurityDecrease,
    Jobs,
    LeafNodes,
    LeafSamples,
    LeafWeight,
    MaxBins,
    MaxDepth,
    MaxSamples,
    Monotonic,
    OobScore,
    Penalty,
    SplitSamples,
    TreeCount,
    Verbose,
    WarmStart,
)
from surefit.ensemble.forests.random_forest_trees import OutOfBag


class RandomForestRegressor(RegressorMixin, RandomForest):
    """The mean of many trees, each grown on a bootstrap sample of the rows.

    Rows are drawn in an order that depends on their contents alone, so a row of weight two is a row given twice, and
    shuffling the rows changes nothing. Splits are looked for between at most `max_bins` bins of a column (exact where
    a column has no more distinct values than that); `max_bins=None` looks between all values. Works on arrays, CSR,
    dataframes, Parquet files and Dask collections, with the same bits; missing values go to the better side. On Dask
    the rows stay on the workers, unless `bootstrap=False` and weights are not whole numbers.

    {parameters}

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees.
    estimator_ : DecisionTreeRegressor
        A tree that is not fitted: the kind of those in `estimators_`.
    estimators_samples_ : list of ndarray
        The rows each tree has drawn.
    n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of the decrease of impurity that is due to each feature.
    oob_score_ : float
        R² (weighted; or what `oob_score` gives) of the trees on rows they have not drawn; only with `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The mean of the trees that have not drawn a row; NaN where all have. Only with `oob_score`.
    bin_thresholds_ : list of ndarray, or None
        The thresholds on offer in each column (none in one of categories); None with exact trees.
    is_categorical_ : ndarray of bool, or None
        Which columns hold categories.
    categories_ : list of ndarray, or None
        For each column of categories its values: the code of a value is its place. None for rows from files.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from surefit.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(100, max_features=3, oob_score=True, random_state=0).fit(X, y)
    >>> round(forest.oob_score_, 1)
    0.4
    """

    oob_score_: float
    oob_prediction_: np.ndarray

    def __init__(
        self,
        n_estimators: TreeCount = 100,
        *,
        criterion: Annotated[
            Literal["squared_error", "absolute_error", "friedman_mse", "poisson"],
            "What splits decrease; 'absolute_error' is grown by exact thresholds. 'friedman_mse' is 'squared_error'.",
        ] = "squared_error",
        max_depth: MaxDepth = None,
        min_samples_split: SplitSamples = 2,
        min_samples_leaf: LeafSamples = 1,
        min_weight_fraction_leaf: LeafWeight = 0.0,
        max_features: Features = 1.0,
        max_leaf_nodes: LeafNodes = None,
        min_impurity_decrease: ImpurityDecrease = 0.0,
        bootstrap: Bootstrap = True,
        oob_score: OobScore = False,
        n_jobs: Jobs = None,
        random_state: Annotated[RandomStateLike, "Seed or stream of the draws of rows and features."] = None,
        verbose: Verbose = 0,
        warm_start: WarmStart = False,
        ccp_alpha: Penalty = 0.0,
        max_samples: MaxSamples = None,
        monotonic_cst: Monotonic = None,
        max_bins: MaxBins = 255,
        categorical_features: Categorical = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the trees on X: array, dataframe, CSR, Parquet path or Dask collection."""
        p = self._checked()
        if p.criterion == "friedman_mse":
            warnings.warn(
                'Value "friedman_mse" for criterion is deprecated: it is "squared_error" by another name. Use that.',
                FutureWarning,
                stacklevel=4,
            )
            p.criterion = "squared_error"
        before = Before(self, p.warm_start)
        data, self.n_outputs_, targets = open_numbers(self, p, X, y, sample_weight)
        if p.criterion == "poisson" and targets is not None:
            refuse_negative_targets(targets)
        judged = self._grow(p, before, data, targets, None)
        if judged is not None:
            self._set_oob_score_and_attributes(*judged, p.oob_score if callable(p.oob_score) else None)
        return self

    def _set_oob_score_and_attributes(
        self, source: ForestExamples, outside: OutOfBag, scoring_function: Callable | None = None
    ) -> None:
        warn_of_rows_without(outside)
        found = outside.means()
        found = found[:, 0] if self.n_outputs_ == 1 else found
        self.oob_prediction_ = found[source.unit_of_row]
        known = outside.n_trees > 0
        if scoring_function is None:
            judged = known & (source.weights > 0)
            score = partial(r2_score, sample_weight=source.weights[judged])
            self.oob_score_ = float(score(source.y[judged], found[judged])) if judged.sum() > 1 else np.nan
        else:
            rows = source.unit_of_row[known[source.unit_of_row]]
            self.oob_score_ = scoring_function(source.y[rows], found[rows])

    def _member_class(self) -> type:
        from surefit.tree.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor

    def predict(self, X: Any) -> Any:
        """The mean over the trees of the values of their leaves."""
        means = self._mean_of_trees(X)
        return means[:, 0] if self.n_outputs_ == 1 else means


def refuse_negative_targets(y: np.ndarray) -> None:
    if (y < 0).any():
        raise InvalidData("Some value(s) of y are negative which is not allowed for Poisson regression.")
    if y.sum() <= 0:
        raise InvalidData("Sum of y is not strictly positive which is necessary for Poisson regression.")
