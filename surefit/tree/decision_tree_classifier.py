"""Classification by a tree."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import sklearn.tree
from sklearn.base import ClassifierMixin

from surefit._core.base import fitting
from surefit._core.data.intake import take_weights
from surefit.tree.decision_tree import DecisionTree
from surefit.tree.parameters import (
    Categorical,
    ClassCriterion,
    ClassWeight,
    MaxDepth,
    MaxFeatures,
    MaxLeafNodes,
    MinDecrease,
    MinSamplesLeaf,
    MinSamplesSplit,
    MinWeightShare,
    Monotonic,
    Penalty,
    Seed,
    Splitter,
)
from surefit.tree.targets import class_weights, take_labels


class DecisionTreeClassifier(ClassifierMixin, DecisionTree):
    """A tree of splits; a leaf predicts the shares of the classes of the training rows in it.

    At every node the split with the largest decrease of the weighted impurity is taken. Decreases that differ by at
    most 1e-12 of the node's weighted impurity are equal; of equal ones the lowest column, then the lowest threshold. So
    the tree depends neither on the order of the rows nor on the number of threads, and a weight of two is a row
    repeated. Missing values (NaN) go to the better side.

    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The nodes, flat arrays with scikit-learn's names; columns are compared as they are given, not as float32.
    classes_ : ndarray of shape (n_classes,), or a list of such for several outputs
    n_classes_ : int, or an ndarray for several outputs
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
        The share of left-out rows classified rightly for each of them.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surefit.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> print(model.export_text(feature_names=iris.feature_names, class_names=iris.target_names))
    petal length (cm) ≤ 2.45: setosa (50 rows, 100 %)
    petal length (cm) > 2.45
    |   petal width (cm) ≤ 1.75: versicolor (54 rows, 91 %)
    |   petal width (cm) > 1.75: virginica (46 rows, 98 %)
    """

    classes_: np.ndarray | list[np.ndarray]
    n_classes_: int | np.ndarray

    def __init__(
        self,
        *,
        criterion: ClassCriterion = "gini",
        splitter: Splitter = "best",
        max_depth: MaxDepth = None,
        min_samples_split: MinSamplesSplit = 2,
        min_samples_leaf: MinSamplesLeaf = 1,
        min_weight_fraction_leaf: MinWeightShare = 0.0,
        max_features: MaxFeatures = None,
        random_state: Seed = None,
        max_leaf_nodes: MaxLeafNodes = None,
        min_impurity_decrease: MinDecrease = 0.0,
        class_weight: ClassWeight = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree on rows X with labels y (one or several columns); `check_input` is there for scikit-learn."""
        p = self._checked()
        rows = self._take(X)
        classes, codes = take_labels(self, y, rows.shape[0])
        weights = class_weights(p.class_weight, y, codes, take_weights(sample_weight, rows.shape[0]))
        counts = np.array([len(values) for values in classes], dtype=np.intp)
        self._grow(p, rows, codes, weights, counts)
        single = len(classes) == 1
        self.classes_, self.n_classes_ = (classes[0], counts[0]) if single else (classes, counts)
        return self

    def predict(self, X: Any, check_input: bool = True) -> Any:
        """The class with the largest share in the leaf of every row of X; of equal shares the one that sorts first."""

        def labels(leaves: np.ndarray) -> np.ndarray:
            value = self.tree_.value
            if self.n_outputs_ == 1:
                return self.classes_[_largest(value[:, 0], leaves)]
            columns = [classes[_largest(value[:, k], leaves)] for k, classes in enumerate(self.classes_)]
            return np.column_stack(columns).astype(self.classes_[0].dtype, copy=False)

        return self._of_leaves(X, check_input, labels)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """The shares of the classes in the leaf, (rows, classes); a list of such for several outputs."""
        if "tree_" not in self.__dict__ or self.n_outputs_ == 1:
            return self._of_leaves(X, check_input, lambda leaves: self.tree_.value[leaves, 0])
        leaves = self._leaves(X, check_input)
        return [self.tree_.value[leaves, k, :n] for k, n in enumerate(self.n_classes_)]  # type: ignore[arg-type]

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of `predict_proba`; −∞ for a class that is not in the leaf."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self.n_outputs_ == 1 else [np.log(part) for part in shares]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _largest(shares: np.ndarray, leaves: np.ndarray) -> np.ndarray:
    """The class of the largest share in each of the leaves."""
    if len(leaves) < len(shares):
        return shares[leaves].argmax(axis=1)
    return shares.argmax(axis=1)[leaves]


sklearn.tree.DecisionTreeClassifier.register(DecisionTreeClassifier)  # so that scikit-learn's plot_tree takes it
