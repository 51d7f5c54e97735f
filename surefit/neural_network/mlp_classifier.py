"""A network for classes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import updating
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.engine.labels import memory_codes, several_labels
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import Source
from surefit.neural_network import parameters
from surefit.neural_network.network import MultilayerPerceptron, stochastic
from surefit.solvers.network.layers import Loss, Network, answers
from surefit.solvers.network.training import Rows, scores_of
from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import held_out


class MLPClassifier(ClassifierMixin, MultilayerPerceptron):
    """Layers of units that answer with the chances of classes: min over weights of the mean of −log(chance of y).

    Two classes have one output (logistic), more have one each (softmax); several labels a row, given as columns of 0
    and 1, have a logistic output each. Examples are visited in an order that does not depend on that of the rows, and a
    row of weight two is a row given twice. Float32 rows are trained in float32.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted; for columns of 0 and 1 their numbers.
    coefs_, intercepts_ : list of ndarray
        Of each layer: (inputs, units) and (units,).
    loss_ : float
        Mean loss of the last epoch, penalty included, before each of its steps.
    final_loss_ : float
        The loss of the stored weights on all rows, penalty included.
    best_loss_ : float or None
        The least of them; None with early stopping.
    loss_curve_, history_ : list of float
        The loss of each epoch.
    validation_scores_ : list of float or None
        With early stopping: the accuracy on the examples held out after each epoch.
    best_validation_score_ : float or None
        The best of them; its weights are kept.
    n_iter_ : int
        Epochs.
    t_ : int
        Examples seen.
    n_layers_, n_outputs_ : int
        Layers (the input is one), and outputs.
    out_activation_ : str
        'logistic' or 'softmax'.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from surefit.neural_network import MLPClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = MLPClassifier((32,), random_state=0, max_iter=100).fit(X / 16, y)
    >>> bool(model.score(X / 16, y) > 0.98)
    True
    """

    classes_: np.ndarray

    def __init__(
        self,
        hidden_layer_sizes: parameters.HiddenLayerSizes = (100,),
        activation: parameters.Activation = "relu",
        *,
        solver: parameters.Solver = "adam",
        alpha: parameters.Alpha = 0.0001,
        batch_size: parameters.BatchSize = "auto",
        learning_rate: parameters.LearningRate = "constant",
        learning_rate_init: parameters.LearningRateInit = 0.001,
        power_t: parameters.PowerT = 0.5,
        max_iter: parameters.MaxIter = 200,
        shuffle: parameters.Shuffle = True,
        random_state: parameters.RandomState = None,
        tol: parameters.Tol = 1e-4,
        verbose: parameters.Verbose = False,
        warm_start: parameters.WarmStart = False,
        momentum: parameters.Momentum = 0.9,
        nesterovs_momentum: parameters.NesterovsMomentum = True,
        early_stopping: parameters.EarlyStopping = False,
        validation_fraction: parameters.ValidationFraction = 0.1,
        beta_1: parameters.Beta1 = 0.9,
        beta_2: parameters.Beta2 = 0.999,
        epsilon: parameters.Epsilon = 1e-8,
        n_iter_no_change: parameters.NIterNoChange = 10,
        max_fun: parameters.MaxFun = 15000,
        dropout: parameters.Dropout = 0.0,
        weight_decay: parameters.WeightDecay = 0.0,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.dropout = dropout
        self.weight_decay = weight_decay

    def _opened(self, X: Any, y: Any, sample_weight: Any) -> tuple[Source, np.ndarray | None]:
        if kind_of(X) == "memory" and y is not None and several_labels(y):
            columns = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
            data = open_data(self, X, columns, sample_weight, target=True)
            self._learn_classes(np.arange(columns.shape[1]), several=True)
            return data, columns.astype(np.float64)
        data = open_data(self, X, y, sample_weight, target="classes")
        self._learn_classes(np.asarray(data.classes), several=False)
        return data, self._targets(data.y) if data.resident else None

    def _learn_classes(self, classes: np.ndarray, several: bool) -> None:
        again = self.warm_start and hasattr(self, "coefs_")
        if again and not np.array_equal(classes, self.classes_):
            raise InvalidParameter(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. Previously "
                f"got {self.classes_}, `y` has {classes}"
            )
        self.classes_, self._several = classes, several
        self.n_outputs_ = len(classes) if several or len(classes) > 2 else 1

    def _targets(self, y: Any) -> np.ndarray:
        codes = np.asarray(y).reshape(len(y)).astype(np.intp)
        return np.eye(len(self.classes_))[codes] if self.n_outputs_ > 1 else codes[:, None].astype(np.float64)

    @available_if(stochastic)
    @updating
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One epoch over rows in memory. The first call names all labels in `classes`."""
        if not hasattr(self, "classes_"):
            if classes is None:
                raise InvalidParameter("classes must be passed on the first call to partial_fit.")
            several = several_labels(y)
            self._learn_classes(np.asarray(classes) if several else unique_labels(classes), several)
        elif classes is not None and not np.array_equal(unique_labels(classes), self.classes_):
            raise InvalidParameter(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        return self._go_on(X, y, sample_weight)

    def _partial_targets(self, y: Any, n_rows: int) -> np.ndarray:
        if self._several:
            return np.asarray(y.toarray() if hasattr(y, "toarray") else y, dtype=np.float64)
        _, codes = memory_codes(self, y, n_rows, self.classes_)
        if (codes < 0).any():
            raise InvalidData(f"`y` has classes not in `self.classes_`. `self.classes_` has {self.classes_}.")
        return self._targets(codes)

    def _loss(self) -> Loss:
        return "softmax" if self.n_outputs_ > 1 and not self._several else "logistic"

    def _held_out(self, p: SimpleNamespace, rows: Rows, seed: int) -> np.ndarray:
        """A share of each class; of all rows where rows have several labels."""
        if self._several:
            return super()._held_out(p, rows, seed)
        codes = rows.Y.argmax(axis=1) if self.n_outputs_ > 1 else rows.Y[:, 0].astype(np.intp)
        few = [str(c) for k, c in enumerate(self.classes_) if (codes == k).sum() == 1]
        if few:
            raise InvalidData(
                "The least populated classes in y have only 1 member, which is too few to hold one out. Classes with "
                f"too few members are: {few}"
            )
        return held_out(example_hashes(rows.X, rows.Y), codes, rows.w, p.validation_fraction, seed)

    def _validation_score(self, network: Network, rows: Rows) -> float:
        z, Y = scores_of(network, rows), rows.targets
        if not np.isfinite(z).all():
            return float("nan")
        said = z.argmax(axis=1) if network.loss == "softmax" else z > 0
        true = Y.argmax(axis=1) if network.loss == "softmax" else Y > 0.5
        return float(accuracy_score(true, said, sample_weight=rows.w))

    def predict(self, X: Any) -> Any:
        """The likeliest class of each row; for several labels those with a chance above one half."""
        check_is_fitted(self)
        if self._several:
            return self._scores(X, lambda z: (z > 0).astype(np.int64))
        if self.n_outputs_ == 1:
            last = len(self.classes_) - 1
            return self._scores(X, lambda z: self.classes_[np.minimum(z[:, 0] > 0, last).astype(np.intp)])
        return self._scores(X, lambda z: self.classes_[z.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Any:
        """The chance of each class."""
        check_is_fitted(self)

        def chances(z: np.ndarray) -> np.ndarray:
            p = answers(self._loss(), z)
            if len(self.classes_) == 1 and not self._several:
                return np.ones_like(p)
            return np.column_stack([1 - p[:, 0], p[:, 0]]) if self.n_outputs_ == 1 and not self._several else p

        return self._scores(X, chances)

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of the chance of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
