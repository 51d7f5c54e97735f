"""Regression by a tree."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import sklearn.tree
from sklearn.base import RegressorMixin

from surefit._core.base import fitting
from surefit._core.data.intake import take_weights
from surefit.tree.decision_tree import DecisionTree
from surefit.tree.parameters import (
    Categorical,
    MaxDepth,
    MaxFeatures,
    MaxLeafNodes,
    MinDecrease,
    MinSamplesLeaf,
    MinSamplesSplit,
    MinWeightShare,
    Monotonic,
    NumberCriterion,
    Penalty,
    Seed,
    Splitter,
)
from surefit.tree.targets import take_numbers


class DecisionTreeRegressor(RegressorMixin, DecisionTree):
    """A tree of splits; a leaf predicts the mean of the training rows in it (for absolute_error a median).

    At every node the split with the largest decrease of the weighted impurity is taken. Decreases that differ by at
    most 1e-12 of the node's weighted impurity are equal; of equal ones the lowest column, then the lowest threshold. So
    the tree depends neither on the order of the rows nor on the number of threads, and a weight of two is a row
    repeated. Missing values (NaN) go to the better side.

    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The nodes, flat arrays with scikit-learn's names; columns are compared as they are given, not as float32.
    n_outputs_ : int
    max_features_ : int
        How many columns a node looks at.
    seed_ : int
        The seed, where columns or thresholds are drawn.
    feature_importances_ : ndarray of shape (n_features,)
    is_categorical_ : ndarray of shape (n_features,)
        Which columns are split by subsets, where categorical_features was given.
    categories_ : dict
        The categories of a dataframe's columns, in the order of their codes.
    ccp_alpha_ : float
        The penalty chosen, with ccp_alpha="cv"; likewise the next two.
    ccp_alphas_ : ndarray
        The penalties to choose from, one for each subtree on the path.
    cv_scores_ : ndarray
        Minus the mean loss of left-out rows for each of them: squared error, or the criterion's own.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.tree import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 5.0, 5.0])
    >>> model.predict([[0.4], [1.6]])
    array([0., 5.])
    >>> model.rules()
    ['if x0 ≤ 1.5 then 0 (2 rows)', 'if x0 > 1.5 then 5 (2 rows)']
    """

    def __init__(
        self,
        *,
        criterion: NumberCriterion = "squared_error",
        splitter: Splitter = "best",
        max_depth: MaxDepth = None,
        min_samples_split: MinSamplesSplit = 2,
        min_samples_leaf: MinSamplesLeaf = 1,
        min_weight_fraction_leaf: MinWeightShare = 0.0,
        max_features: MaxFeatures = None,
        random_state: Seed = None,
        max_leaf_nodes: MaxLeafNodes = None,
        min_impurity_decrease: MinDecrease = 0.0,
        ccp_alpha: Penalty = 0.0,
        monotonic_cst: Monotonic = None,
        categorical_features: Categorical = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree on rows X with targets y (one or several columns); `check_input` is there for scikit-learn."""
        p = self._checked()
        rows = self._take(X)
        targets = take_numbers(self, y, rows.shape[0], p.criterion)
        self._grow(p, rows, targets, take_weights(sample_weight, rows.shape[0]), None)
        return self

    def predict(self, X: Any, check_input: bool = True) -> Any:
        """The value of the leaf of every row of X, (rows,) or (rows, outputs)."""

        def values(leaves: np.ndarray) -> np.ndarray:
            value = self.tree_.value
            return value[leaves, 0, 0] if self.n_outputs_ == 1 else value[leaves, :, 0]

        return self._of_leaves(X, check_input, values)

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Any) -> np.ndarray:
        """What scikit-learn's partial_dependence asks a regression tree for."""
        answers = np.zeros(len(grid))
        self.tree_.compute_partial_dependence(np.asarray(grid, dtype=float), np.asarray(target_features), answers)
        return answers


sklearn.tree.DecisionTreeRegressor.register(DecisionTreeRegressor)  # so that scikit-learn's plot_tree takes it
