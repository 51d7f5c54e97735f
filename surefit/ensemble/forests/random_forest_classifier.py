"""Random forests for classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from surefit._core.arithmetic import exact_sum, rounded_units
from surefit._core.base import fitting
from surefit._core.errors import InvalidData
from surefit._core.random import RandomStateLike
from surefit.ensemble.continued import Before
from surefit.ensemble.forests.random_forest import RandomForest, mean_of_trees, warn_of_rows_without
from surefit.ensemble.forests.random_forest_data import open_classes
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
from surefit.tree.targets import given_factors


class RandomForestClassifier(ClassifierMixin, RandomForest):
    """The mean of the class probabilities of many trees, each grown on a bootstrap sample of the rows.

    Rows are drawn in an order that depends on their contents alone, so a row of weight two is a row given twice, and
    shuffling the rows changes nothing. Splits are looked for between at most `max_bins` bins of each column, in the
    order of the columns' values (exact where a column has no more distinct values than that); `max_bins=None` looks
    between all values. Works on arrays, CSR, dataframes, Parquet files and Dask collections, with the same bits;
    missing values go to the better side. On Dask the rows stay on the workers, unless `bootstrap=False` and weights
    (times `class_weight`) are not whole numbers.

    {parameters}

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The trees; their classes are places in `classes_`.
    estimator_ : DecisionTreeClassifier
        A tree that is not fitted: the kind of those in `estimators_`.
    estimators_samples_ : list of ndarray
        The rows each tree has drawn.
    classes_ : ndarray of shape (n_classes,), or a list of such for several outputs
    n_classes_ : int or list of int
    n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of the decrease of impurity that is due to each feature.
    oob_score_ : float
        The share of the weight told rightly by trees that have not drawn the row (or what `oob_score` gives); only with
        `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs)
        Class probabilities by the trees that have not drawn a row; NaN where all have. Only with `oob_score`.
    bin_thresholds_ : list of ndarray, or None
        The thresholds on offer in each column (none in one of categories); None with exact trees.
    is_categorical_ : ndarray of bool, or None
        Which columns hold categories.
    categories_ : list of ndarray, or None
        For each column of categories its values: the code of a value is its place. None for rows from files.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surefit.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.9
    True
    """

    classes_: Any
    n_classes_: Any
    oob_score_: float
    oob_decision_function_: np.ndarray

    def __init__(
        self,
        n_estimators: TreeCount = 100,
        *,
        criterion: Annotated[
            Literal["gini", "entropy", "log_loss"], "The impurity that splits decrease; 'log_loss' is 'entropy'."
        ] = "gini",
        max_depth: MaxDepth = None,
        min_samples_split: SplitSamples = 2,
        min_samples_leaf: LeafSamples = 1,
        min_weight_fraction_leaf: LeafWeight = 0.0,
        max_features: Features = "sqrt",
        max_leaf_nodes: LeafNodes = None,
        min_impurity_decrease: ImpurityDecrease = 0.0,
        bootstrap: Bootstrap = True,
        oob_score: OobScore = False,
        n_jobs: Jobs = None,
        random_state: Annotated[RandomStateLike, "Seed or stream of the draws of rows and features."] = None,
        verbose: Verbose = 0,
        warm_start: WarmStart = False,
        class_weight: Annotated[
            dict | list | Literal["balanced", "balanced_subsample"] | None,
            "Weights of classes, {label: weight} (a list of such for several outputs): rows are drawn in proportion. "
            "'balanced': all classes weigh the same. 'balanced_subsample': they do so in each bag.",
        ] = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the trees on X: array, dataframe, CSR, Parquet path or Dask collection."""
        p = self._checked()
        before = Before(self, p.warm_start)
        data, classes, codes = open_classes(self, p, X, y, sample_weight)
        self.n_outputs_ = len(classes)
        n_classes = np.array([len(of_output) for of_output in classes])
        self.classes_ = classes if self.n_outputs_ > 1 else classes[0]
        self.n_classes_ = n_classes.tolist() if self.n_outputs_ > 1 else int(n_classes[0])
        judged = self._grow(p, before, data, codes, n_classes, _class_weights(p, classes))
        if judged is not None:
            self._set_oob_score_and_attributes(*judged, p.oob_score if callable(p.oob_score) else None)
        return self

    def _set_oob_score_and_attributes(
        self, source: ForestExamples, outside: OutOfBag, scoring_function: Callable | None = None
    ) -> None:
        n_classes = np.atleast_1d(self.n_classes_)
        if (n_classes != n_classes[0]).any() or (self.n_outputs_ > 1 and n_classes[0] > 2):
            raise InvalidData(
                "The type of target cannot be used to compute OOB estimates. Got multiclass-multioutput while only the "
                "following are supported: continuous, continuous-multioutput, binary, multiclass, multilabel-indicator."
            )
        warn_of_rows_without(outside)
        shares = np.moveaxis(outside.means().reshape(-1, self.n_outputs_, n_classes[0]), 1, 2)
        shares = shares[:, :, 0] if self.n_outputs_ == 1 else shares
        self.oob_decision_function_ = shares[source.unit_of_row]
        guess, y = shares.argmax(axis=1), source.y.astype(np.intp)
        if scoring_function is None:
            right = (guess.reshape(y.shape) == y).all(axis=1)
            known = np.where(outside.n_trees > 0, source.weights, 0.0)
            self.oob_score_ = float(np.average(right, weights=known)) if known.any() else np.nan
        else:
            rows = source.unit_of_row[outside.n_trees[source.unit_of_row] > 0]
            self.oob_score_ = scoring_function(y[rows], guess[rows])

    def _member_class(self) -> type:
        from surefit.tree.decision_tree_classifier import DecisionTreeClassifier

        return DecisionTreeClassifier

    def predict_proba(self, X: Any) -> Any:
        """The mean over the trees of the shares of the classes in their leaves; a list for several outputs."""
        shares = self._mean_of_trees(X)
        if self.n_outputs_ == 1:
            return shares
        width = max(self.n_classes_)
        return [shares[:, k * width : k * width + n] for k, n in enumerate(self.n_classes_)]

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of `predict_proba`; −∞ for classes that no tree has in its leaf."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self.n_outputs_ == 1 else [np.log(of_output) for of_output in shares]

    def predict(self, X: Any) -> Any:
        """The class with the largest mean share; of equal ones the one that sorts first."""
        shares_of = partial(mean_of_trees, trees=self._trees(), n_jobs=self.n_jobs)
        if self.n_outputs_ == 1:
            return self._of_rows(X, lambda rows: self.classes_[shares_of(rows).argmax(axis=1)])
        shares = self.predict_proba(X)
        return np.column_stack([c[s.argmax(axis=1)] for c, s in zip(self.classes_, shares, strict=True)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _class_weights(p: SimpleNamespace, classes: list[np.ndarray]) -> Callable | None:
    """(codes of examples, their weights) → the factor of each example; None when all are one."""
    if p.class_weight is None:
        return None
    if isinstance(p.class_weight, str):
        if p.warm_start:
            warnings.warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the '
                "fitted data differs from the full dataset. Use compute_class_weight on a large enough sample and pass "
                "its result as class_weight.",
                stacklevel=5,
            )
        if p.class_weight == "balanced_subsample" and p.bootstrap:
            return None
        return lambda codes, w: np.prod([_balanced(column, w) for column in codes.T], axis=0)

    def given(codes: np.ndarray, w: np.ndarray) -> np.ndarray:
        labels = [of_output[column.astype(np.intp)] for of_output, column in zip(classes, codes.T, strict=True)]
        return given_factors(p.class_weight, labels[0] if len(labels) == 1 else np.column_stack(labels))

    return given


def _balanced(codes: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Σw / (classes × the weight of the class); weights of classes are added up exactly and rounded once."""
    codes = codes.astype(np.intp)
    of_class = np.array([rounded_units(exact_sum(w[codes == k])) for k in range(codes.max() + 1)])
    return of_class.sum() / (np.count_nonzero(of_class) * of_class[codes])
