"""A network for numbers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from surefit._core.data.intake import take_targets
from surefit._core.errors import InvalidData
from surefit.engine.open import open_data
from surefit.engine.sources.block import target_columns
from surefit.engine.sources.source import Source
from surefit.neural_network import parameters
from surefit.neural_network.network import MultilayerPerceptron
from surefit.solvers.network.layers import Loss, Network, answers
from surefit.solvers.network.training import Rows, scores_of


class MLPRegressor(RegressorMixin, MultilayerPerceptron):
    """Layers of units that answer with numbers: min over weights of the mean of ½ (answer − y)² (or Poisson's loss).

    Squares of several outputs are added. Examples are visited in an order that does not depend on that of the rows, and
    a row of weight two is a row given twice. Float32 rows are trained in float32.

    {parameters}

    Attributes
    ----------
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
        With early stopping: the score (R²) on the examples held out after each epoch.
    best_validation_score_ : float or None
        The best of them; its weights are kept.
    n_iter_ : int
        Epochs.
    t_ : int
        Examples seen.
    n_layers_, n_outputs_ : int
        Layers (the input is one), and outputs.
    out_activation_ : str
        'identity', or 'exp' for the Poisson loss.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.neural_network import MLPRegressor
    >>> X = np.linspace(-2, 2, 200)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=(20,), solver="lbfgs", activation="tanh", random_state=0)
    >>> model = model.fit(X, np.sin(2 * X[:, 0]))
    >>> bool(model.score(X, np.sin(2 * X[:, 0])) > 0.999)
    True
    """

    def __init__(
        self,
        loss: Annotated[
            Literal["squared_error", "poisson"], "Of one example; with 'poisson' the answer is exp of the score."
        ] = "squared_error",
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
        self.loss = loss
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
        data = open_data(self, X, y, sample_weight, target=True)
        self.n_outputs_ = data.n_targets
        self._column = data.target_ndim == 1
        return data, self._targets(data.y) if data.resident else None

    def _targets(self, y: Any) -> np.ndarray:
        Y = target_columns(y)
        if self.loss == "poisson" and (Y < 0).any():
            raise InvalidData("the Poisson loss needs targets ≥ 0")
        return Y

    def _partial_targets(self, y: Any, n_rows: int) -> np.ndarray:
        y = take_targets(self, y, n_rows)
        Y = self._targets(y)
        if hasattr(self, "n_outputs_") and self.n_outputs_ != Y.shape[1]:
            raise InvalidData(f"y has {Y.shape[1]} targets, the rows before had {self.n_outputs_}")
        self.n_outputs_, self._column = Y.shape[1], y.ndim == 1
        return Y

    def _loss(self) -> Loss:
        return self.loss

    def _validation_score(self, network: Network, rows: Rows) -> float:
        said = answers(network.loss, scores_of(network, rows))
        if not np.isfinite(said).all():
            return float("nan")
        return float(r2_score(rows.targets, said, sample_weight=rows.w))

    def predict(self, X: Any) -> Any:
        """The answer for each row."""
        said = self._scores(X, lambda z: answers(self._loss(), z))
        return said[:, 0] if self._column else said

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
