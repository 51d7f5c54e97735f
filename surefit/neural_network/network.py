"""What the classifier and the regressor share: parameters, training, stopping."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from itertools import pairwise
from numbers import Integral
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting, updating
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows, take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit._core.random import random_stream
from surefit.engine.apply import apply_rows
from surefit.engine.open import need_memory
from surefit.engine.rowwise import by_leaves
from surefit.engine.sources.source import Source
from surefit.solvers.network.layers import Activation, Loss, Network, is_finite, random_network, scores
from surefit.solvers.network.optimizers import SGD, Adam, Optimizer
from surefit.solvers.network.training import Descent, Rows, batches, mean_loss, minimize, streamed
from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import held_out

LOSS_SHOWN = {"squared_error": "identity", "logistic": "logistic", "softmax": "softmax", "poisson": "exp"}


def stochastic(model: MultilayerPerceptron) -> bool:
    if model.solver in ("sgd", "adam"):
        return True
    raise AttributeError(f"partial_fit is only available for stochastic optimizers. {model.solver} is not stochastic.")


class MultilayerPerceptron(Estimator):
    """Layers of units, trained by backpropagation."""

    hidden_layer_sizes: Any
    activation: Any
    solver: Any
    alpha: Any
    batch_size: Any
    learning_rate: Any
    learning_rate_init: Any
    power_t: Any
    max_iter: Any
    shuffle: Any
    random_state: Any
    tol: Any
    verbose: Any
    warm_start: Any
    momentum: Any
    nesterovs_momentum: Any
    early_stopping: Any
    validation_fraction: Any
    beta_1: Any
    beta_2: Any
    epsilon: Any
    n_iter_no_change: Any
    max_fun: Any
    dropout: Any
    weight_decay: Any

    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    loss_: float
    final_loss_: float
    best_loss_: float | None
    loss_curve_: list[float]
    history_: list[float]
    validation_scores_: list[float] | None
    best_validation_score_: float | None
    n_iter_: int
    t_: int
    n_layers_: int
    n_outputs_: int
    out_activation_: str
    _optimizer: Optimizer

    # The kinds of target: what the two classes say themselves.

    def _opened(self, X: Any, y: Any, sample_weight: Any) -> tuple[Source, np.ndarray | None]:
        """The data, and Y (rows, outputs) where it is in memory; learns the classes."""
        raise NotImplementedError

    def _targets(self, y: np.ndarray) -> np.ndarray:
        """Y of a block of targets as the source has them."""
        raise NotImplementedError

    def _loss(self) -> Loss:
        raise NotImplementedError

    def _validation_score(self, network: Network, rows: Rows) -> float:
        raise NotImplementedError

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (array, dataframe, CSR; Parquet path or Dask collection for 'sgd' and 'adam') and y."""
        p = self._checked()
        hidden = _hidden(p)
        data, Y = self._opened(X, y, sample_weight)
        rng = random_stream(p.random_state)
        again = p.warm_start and hasattr(self, "coefs_")
        network = self._network(p, hidden, data, again)
        self._forget(again)
        progress = Progress(self, p.max_iter, X, y)
        if p.solver == "lbfgs":
            self._minimize(p, network, Rows(data.X, self._given(Y), data.w), progress)
        else:
            self._descend(p, network, data, Y, rng, progress)
        progress.end()
        if not is_finite(network):
            raise InvalidData(
                "Solver produced non-finite parameter weights. The input data may contain large values and need to be "
                "preprocessed."
            )
        self._keep(network, rng)
        self.final_loss_ = _finite(mean_loss(network, self._all_rows(data, Y), p.alpha))
        if p.solver == "lbfgs":
            self.loss_ = self.best_loss_ = self.final_loss_
        return self

    def _all_rows(self, data: Source, Y: np.ndarray | None) -> Iterable[Rows]:
        if Y is not None:
            return [Rows(data.X, Y, data.w)]
        return (leaf for rows in streamed(data, self._targets) for leaf in batches(rows, data.leaf_rows))

    def _given(self, Y: np.ndarray | None) -> np.ndarray:
        if Y is None:
            raise InvalidParameter("solver='lbfgs' needs its rows in memory; use 'adam' or 'sgd', which read batches.")
        return Y

    @available_if(stochastic)
    @updating
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over rows in memory."""
        return self._go_on(X, y, sample_weight)

    def _go_on(self, X: Any, y: Any, sample_weight: Any) -> Self:
        p = self._checked()
        if p.early_stopping:
            raise InvalidParameter("partial_fit does not support early_stopping=True")
        need_memory(self, X)
        first = not hasattr(self, "coefs_")
        rows = take_rows(self, X, reset=not hasattr(self, "n_features_in_"))
        Y = self._partial_targets(y, rows.shape[0])
        everything = Rows(rows, Y, take_weights(sample_weight, rows.shape[0]))
        examples = Rows(rows, Y.astype(rows.dtype), everything.w)
        rng = random_stream(p.random_state) if first else np.random.default_rng(getattr(self, "_next_seed", 0))
        widths = _widths(rows.shape[1], _hidden(p), Y.shape[1])
        if first:
            network = random_network(widths, p.activation, self._loss(), _start_stream(p.random_state), rows.dtype)
            self._forget(False)
        else:
            network = self._going_on(widths)
        seen = len(examples)
        examples = examples.distinct() if p.shuffle else examples
        state = self._descent(p, network, rng)
        size = _batch_size(p, len(examples))
        self._epoch(p, state, [examples.shuffled(rng) if p.shuffle else examples], size, seen)
        self.final_loss_ = _finite(mean_loss(network, [everything], p.alpha))
        if not is_finite(network):
            raise InvalidData("Solver produced non-finite parameter weights. Scale the columns, or lower the rate.")
        self._keep(network, rng)
        return self

    def _partial_targets(self, y: Any, n_rows: int) -> np.ndarray:
        raise NotImplementedError

    def _network(self, p: SimpleNamespace, hidden: list[int], data: Source, again: bool) -> Network:
        widths = _widths(data.n_features, hidden, self.n_outputs_)
        if again:
            return self._going_on(widths)
        return random_network(widths, p.activation, self._loss(), _start_stream(p.random_state), data.dtype)

    def _going_on(self, widths: list[int]) -> Network:
        """The network of the last call, if its layers are those asked for now."""
        network = self._stored(self._loss())
        before = [len(network.coefs[0]), *(len(b) for b in network.intercepts)]
        if before != widths:
            raise InvalidParameter(
                f"Training goes on from layers {before} (columns, hidden_layer_sizes, outputs), but {widths} are asked "
                "for: keep columns, targets and hidden_layer_sizes, or fit with warm_start=False."
            )
        return network

    def _stored(self, loss: Loss) -> Network:
        activation: Activation = self.activation
        return Network([W.copy() for W in self.coefs_], [b.copy() for b in self.intercepts_], activation, loss)

    def _forget(self, again: bool) -> None:
        """Attributes of a fit that begins."""
        self.n_iter_, self._no_improvement_count = 0, 0
        self.best_loss_ = np.inf
        self.validation_scores_ = self.best_validation_score_ = None
        if not again or not hasattr(self, "loss_curve_"):
            self.t_, self.loss_curve_ = 0, []
            self.__dict__.pop("_optimizer", None)

    def _keep(self, network: Network, rng: np.random.Generator) -> None:
        self.coefs_, self.intercepts_ = network.coefs, network.intercepts
        self.n_layers_ = len(network.coefs) + 1
        self.out_activation_ = LOSS_SHOWN[network.loss]
        self.history_ = list(self.loss_curve_)
        self._next_seed = int(rng.integers(2**63 - 1))

    def _minimize(self, p: SimpleNamespace, network: Network, rows: Rows, progress: Progress) -> None:
        if p.dropout or p.weight_decay:
            raise InvalidParameter("dropout and weight_decay are for solver='sgd' and 'adam'; with 'lbfgs' use alpha.")

        def report(loss: float) -> bool:
            if p.verbose:
                print(f"Iteration {len(self.loss_curve_) + 1}, loss = {loss:.8f}")
            self.loss_curve_.append(loss)
            return progress.step(lambda: {"loss_": loss})

        found = minimize(network, rows, p.alpha, tol=p.tol, max_iter=p.max_iter, max_fun=p.max_fun, report=report)
        self.loss_ = self.best_loss_ = found.loss
        self.n_iter_ = min(found.n_iter, p.max_iter)
        if not found.converged:
            warnings.warn(
                f"lbfgs stopped after {found.n_iter} iterations before the gradient was below tol={p.tol:g}. Raise "
                "max_iter or max_fun, or scale the columns.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _descend(
        self,
        p: SimpleNamespace,
        network: Network,
        data: Source,
        Y: np.ndarray | None,
        rng: np.random.Generator,
        progress: Progress,
    ) -> None:
        state, judged, rows = self._descent(p, network, rng), None, None
        if Y is not None:
            rows = Rows(data.X, Y.astype(data.dtype), data.w)
            if p.early_stopping:
                rows, judged = self._split(p, rows, rng)
            rows = rows.distinct() if p.shuffle else rows
            n = len(rows)
            size = _batch_size(p, n)
        else:
            if p.early_stopping:
                raise InvalidParameter("early_stopping=True needs the rows in memory")
            n, size = data.n_rows, _batch_size(p, data.n_rows)
        best: list[np.ndarray] | None = None
        for _ in range(p.max_iter):
            some: Iterable[Rows]
            if rows is None:
                some = streamed(data, lambda y: self._targets(y).astype(data.dtype))
            else:
                some = [rows.shuffled(rng) if p.shuffle else rows]
            self._epoch(p, state, some, size, n)
            if judged is not None and self._judge(p, network, judged):
                best = [q.copy() for q in network.parameters]
            stop = progress.step(lambda: {"loss_": self.loss_, "n_iter_": self.n_iter_})
            if self._no_improvement_count > p.n_iter_no_change:
                if state.optimizer.stalled():
                    if p.verbose:
                        print(f"Training loss or score did not improve for {p.n_iter_no_change} epochs. Stopping.")
                    break
                self._no_improvement_count = 0
            if stop:
                break
        else:
            warnings.warn(
                f"Stochastic Optimizer: Maximum iterations ({p.max_iter}) reached and the optimization hasn't "
                f"converged yet. {self._unfinished(p)}Raise max_iter or tol, or scale the columns.",
                ConvergenceWarning,
                stacklevel=6,
            )
        if best is not None:
            for q, kept in zip(network.parameters, best, strict=True):
                q[...] = kept

    def _unfinished(self, p: SimpleNamespace) -> str:
        """How far the descent is from its end, for who has to say by how much max_iter was too low."""
        waited = f"{self._no_improvement_count} of {p.n_iter_no_change} epochs without a gain of tol={p.tol:g}"
        if p.early_stopping:
            return f"(The best validation score is {self.best_validation_score_:.4g}; {waited}.) "
        if len(self.loss_curve_) < 2:
            return ""
        gained = self.loss_curve_[-2] - self.loss_curve_[-1]
        return f"(The last epoch lowered the loss by {gained:.2g} to {self.loss_:.4g}; {waited}.) "

    def _descent(self, p: SimpleNamespace, network: Network, rng: np.random.Generator) -> Descent:
        optimizer: Optimizer
        if hasattr(self, "_optimizer"):
            optimizer = self._optimizer
        elif p.solver == "sgd":
            optimizer = SGD(p.learning_rate_init, p.learning_rate, p.momentum, p.nesterovs_momentum, p.power_t)
        else:
            optimizer = Adam(p.learning_rate_init, p.beta_1, p.beta_2, p.epsilon)
        self._optimizer = optimizer
        return Descent(network, optimizer, p.alpha, p.weight_decay, p.dropout, rng)

    def _epoch(self, p: SimpleNamespace, state: Descent, some: Iterable[Rows], size: int, n_rows: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self.loss_, _ = state.epoch(some, size)
        self.n_iter_ += 1
        self.t_ += n_rows
        self.loss_curve_.append(self.loss_)
        state.optimizer.end_of_epoch(self.t_)
        if p.verbose:
            print(f"Iteration {self.n_iter_}, loss = {self.loss_:.8f}")
        if p.early_stopping:
            return
        best = np.inf if self.best_loss_ is None else self.best_loss_
        if self.loss_ > best - p.tol:
            self._no_improvement_count += 1
        else:
            self._no_improvement_count = 0
        self.best_loss_ = min(best, self.loss_)

    def _split(self, p: SimpleNamespace, rows: Rows, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Rows to train on, and rows to judge by."""
        out = self._held_out(p, rows, int(rng.integers(2**31)))
        if out.sum() < 2:
            raise InvalidData(
                "The validation set is too small. Increase 'validation_fraction' or the size of your dataset."
            )
        self.best_loss_, self.validation_scores_, self.best_validation_score_ = None, [], -np.inf
        train, judged = (
            Rows(rows.X, rows.Y, None if rows.w is None else rows.w[at], np.flatnonzero(at)) for at in (~out, out)
        )
        return train, judged

    def _held_out(self, p: SimpleNamespace, rows: Rows, seed: int) -> np.ndarray:
        one = np.zeros(len(rows))
        return held_out(example_hashes(rows.X, rows.Y), one, rows.w, p.validation_fraction, seed)

    def _judge(self, p: SimpleNamespace, network: Network, rows: Rows) -> bool:
        """Note the score; True where it is the best so far."""
        score = self._validation_score(network, rows) if is_finite(network) else float("nan")
        assert self.validation_scores_ is not None and self.best_validation_score_ is not None
        self.validation_scores_.append(score)
        if p.verbose:
            print(f"Validation score: {score:.6f}")
        if score < self.best_validation_score_ + p.tol or np.isnan(score):
            self._no_improvement_count += 1
        else:
            self._no_improvement_count = 0
        if score > self.best_validation_score_:
            self.best_validation_score_ = score
            return True
        return False

    def _scores(self, X: Any, of: Callable[[np.ndarray], np.ndarray]) -> Any:
        """`of` the scores of the rows."""
        check_is_fitted(self)
        network = self._stored(self._loss())
        width = network.coefs[-1].shape[1]

        def function(rows: Any) -> np.ndarray:
            z = np.empty((rows.shape[0], width), np.result_type(rows.dtype, network.coefs[0].dtype))
            return of(by_leaves(rows, z, lambda leaf: scores(network, leaf), least_rows=256))

        return apply_rows(self, X, function)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _start_stream(random_state: Any) -> np.random.RandomState:
    """A seed gives the stream that scikit-learn makes of it."""
    if random_state is None or isinstance(random_state, Integral):
        return np.random.RandomState(None if random_state is None else int(random_state))
    return np.random.RandomState(random_stream(random_state).integers(0, 2**31, size=4))


def _hidden(p: SimpleNamespace) -> list[int]:
    given = p.hidden_layer_sizes
    sizes = [given] if isinstance(given, (int, np.integer)) else list(given)
    if any(isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size <= 0 for size in sizes):
        raise InvalidParameter(f"hidden_layer_sizes must be > 0, got {sizes}.")
    return [int(size) for size in sizes]


def _finite(loss: float) -> float:
    if not np.isfinite(loss):
        raise InvalidData(f"The loss of the trained weights is {loss}: scale X, and y where it holds numbers.")
    return loss


def _widths(n_features: int, hidden: list[int], n_outputs: int) -> list[int]:
    """Units of each layer; weights, their gradient and two moments must fit in memory."""
    widths = [n_features, *hidden, n_outputs]
    count = sum(float(a) * b + b for a, b in pairwise(widths))
    refuse_beyond_memory(4 * 8 * count, f"A network of {count:.3g} weights", "Use smaller hidden_layer_sizes.")
    return widths


def _batch_size(p: SimpleNamespace, n: int) -> int:
    if p.batch_size == "auto":
        return min(200, n)
    if p.batch_size > n:
        warnings.warn(f"Got batch_size={p.batch_size} above {n} examples: it is clipped", stacklevel=2)
    return min(int(p.batch_size), n)
