"""Histogram boosting of log-odds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin

from surefit._core.base import fitting
from surefit._core.errors import InvalidData
from surefit.engine.labels import codes_of
from surefit.engine.linear_classifier import given_class_weight
from surefit.ensemble.histogram_boosting import hist_parameters as of
from surefit.ensemble.histogram_boosting.hist_gradient_boosting import HistGradientBoosting
from surefit.objectives.losses import Loss, classification_loss
from surefit.solvers.boosting.histogram_rounds import class_weights


class HistGradientBoostingClassifier(ClassifierMixin, HistGradientBoosting):
    """f = f₀ + Σₜ learning_rate · treeₜ, the log-odds of the classes: boosted trees on features cut into bins.

    Every tree is grown leaf by leaf on the gradients of the log-loss at the predictions so far, and its leaves take
    Newton steps −G / (H + l2_regularization). Gradients are rounded once a round to integers times a power of two (30
    bits of the largest): sums are exact, so the model has the same bits on any number of threads and from memory,
    Parquet and Dask, whatever the order of the rows. A weight of two is a row given twice: `min_samples_leaf` compares
    with the sum of weights, and rows are held out by their contents. Missing values and categories need no encoding.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
        Rounds done.
    n_trees_per_iteration_ : int
        1 for two classes, else the number of classes.
    trees_ : list of lists of Tree
        The trees of every round; a leaf's value is learning_rate times its step.
    baseline_prediction_ : ndarray of shape (1, n_trees_per_iteration_)
        The log-odds of the classes before the first round.
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
        The mean log-loss of the training rows before the first round and after each.
    feature_importances_ : ndarray of shape (n_features,)
        The share of each feature in the gains of all splits.
    seed_ : int
        What `random_state` gave.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surefit.ensemble import HistGradientBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> HistGradientBoostingClassifier().fit(X, y).score(X, y)
    1.0
    """

    classes_: np.ndarray
    _target_kind = "classes"
    _of_targets = ("classes_",)

    def __init__(
        self,
        loss: Annotated[Literal["log_loss"], "The log-loss of two or more classes."] = "log_loss",
        *,
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
        class_weight: Annotated[
            dict | Literal["balanced"] | None,
            "Weights {label: weight} of the classes; 'balanced' gives every class the same total.",
        ] = None,
    ) -> None:
        self.loss = loss
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
        self.class_weight = class_weight

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
        """Fit to rows X and labels y, with optional weights; `X_val`, `y_val`: rows for early stopping to look at."""
        self._fit(self._checked(), X, y, sample_weight, (X_val, y_val, sample_weight_val))
        return self

    def _learn_classes(self, classes: np.ndarray) -> None:
        self.classes_ = classes
        self.n_trees_per_iteration_ = 1 if len(classes) <= 2 else len(classes)

    def _targets(self, p: Any, y: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
        factor = None if p.class_weight is None else self._class_factor(p, class_weights(y, w, len(self.classes_)))
        if factor is None:
            return y, w
        return y, factor[y.astype(np.intp)] * (1.0 if w is None else w)

    def _class_factor(self, p: Any, counts: np.ndarray) -> np.ndarray | None:
        if p.class_weight is None:
            return None
        if p.class_weight == "balanced":
            return counts.sum() / (len(counts) * np.where(counts > 0, counts, 1.0))
        return given_class_weight(p.class_weight, self.classes_)

    def _loss(self, p: Any) -> Loss:
        return classification_loss("log_loss", len(self.classes_))

    def _encoded_targets(self, p: Any, y: Any, n_rows: int) -> np.ndarray:
        labels = np.asarray(y)
        codes = codes_of(labels, self.classes_)
        if labels.shape != (n_rows,) or (codes < 0).any():
            raise InvalidData("y_val must hold one of the labels of y for each row of X_val")
        return codes

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row of X; of equally probable ones the first."""
        return self._of_raw(X, self._labels)

    def _labels(self, raw: np.ndarray) -> np.ndarray:
        return self.classes_[(raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class for every row of X, in the order of `classes_`."""
        return self._of_raw(X, _probabilities)

    def decision_function(self, X: Any) -> np.ndarray:
        """The raw predictions: (n_samples,) for two classes, else (n_samples, n_classes)."""
        return self._of_raw(X, _flat)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The labels after each round."""
        return map(self._labels, self._staged_raw(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """The probabilities after each round."""
        return map(_probabilities, self._staged_raw(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """The raw predictions after each round."""
        return map(_flat, self._staged_raw(X))


def _flat(raw: np.ndarray) -> np.ndarray:
    return raw[:, 0] if raw.shape[1] == 1 else raw


def _probabilities(raw: np.ndarray) -> np.ndarray:
    if raw.shape[1] > 1:
        return softmax(raw, axis=1)
    return np.stack([expit(-raw[:, 0]), expit(raw[:, 0])], axis=1)
