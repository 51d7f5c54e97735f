"""Gradient boosting: what the classifier and the regressor share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import random_stream
from surefit._core.threads import threads_for
from surefit.engine.apply import apply_rows
from surefit.ensemble.boosting.gradient_boosting_members import (
    estimator_learner,
    start_estimator,
    tree_learner,
    tree_maker,
)
from surefit.ensemble.boosting.gradient_boosting_report import Reporter
from surefit.ensemble.continued import Before
from surefit.objectives.losses import Loss
from surefit.solvers.boosting.gradient import Stage
from surefit.solvers.boosting.rounds import Bags, HeldOut, Scores, Stopping, boost, extended
from surefit.solvers.growing.predict import apply_all, sum_of_trees
from surefit.solvers.growing.tree import Tree
from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import held_out
from surefit.summaries.resample import LARGEST_SEED, distinct_examples
from surefit.tree.growth import features_looked_at

HISTORY = ("train_score_", "oob_scores_", "oob_improvement_", "validation_score_", "step_sizes_")


class GradientBoosting(Estimator):
    """f = f₀ + ν Σ sₜ gₜ, fitted stage by stage; the subclasses know the losses and what raw predictions mean."""

    estimators_: np.ndarray
    init_: Any
    n_estimators_: int
    n_trees_per_iteration_: int
    max_features_: int
    seed_: int
    train_score_: np.ndarray
    oob_scores_: np.ndarray
    oob_improvement_: np.ndarray
    oob_score_: float
    validation_score_: np.ndarray
    step_sizes_: np.ndarray
    history_: np.ndarray

    def _opened(self, p: SimpleNamespace, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, Any]:
        """Rows, targets (numbers, or codes of classes) and weights."""
        raise NotImplementedError

    def _loss_of(self) -> Loss:
        """The loss of the parameters and the classes."""
        raise NotImplementedError

    @property
    def _loss(self) -> Loss:
        """The loss under scikit-learn's name for it, which others read."""
        return self._loss_of()

    @fitting
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, monitor: Callable[[int, Any, dict], bool] | None = None
    ) -> Self:
        """Fit to rows X and targets y, with optional weights; a weight of two is a row repeated.

        `monitor(i, self, variables)` is called after each stage, and stops the fit by returning True.
        """
        p = self._checked()
        p.splitter = "best"
        if p.criterion != "deprecated":
            warnings.warn(
                "The parameter `criterion` is deprecated, as in scikit-learn. It has no effect: leave it out.",
                FutureWarning,
                stacklevel=3,
            )
        before = Before(self, p.warm_start)
        rows, targets, w = self._opened(p, X, y, sample_weight)
        loss = self._loss_of()
        self.n_trees_per_iteration_ = loss.n_outputs
        self.max_features_ = features_looked_at(p.max_features, rows.shape[1])
        continued = bool(p.warm_start) and len(self.__dict__.get("estimators_", ())) > 0
        if continued:
            before.refuse_others(self)
        first = self._first_stage(p, continued)
        train, held = self._split(p, rows, targets, w)
        raw = self._started(p, loss, continued, *train)
        progress = Progress(self, p.n_estimators - first, X, y)
        self.__dict__.update(self._boosted(p, loss, first, raw, train, held, progress, monitor))
        progress.end()
        return self

    def _boosted(
        self,
        p: SimpleNamespace,
        loss: Loss,
        first: int,
        raw: np.ndarray,
        train: Any,
        held: Any,
        progress: Progress,
        monitor: Any,
    ) -> dict[str, Any]:
        """The fitted attributes after all stages from `first` on."""
        X, y, w = train
        member = tree_maker(p, self.max_features_, X.shape[1]) if p.estimator is None else lambda model, seed: model
        seeds = np.random.default_rng(self.seed_).integers(0, LARGEST_SEED, (p.n_estimators, loss.n_outputs))
        report, scores = Reporter(p.verbose, p.subsample < 1, first, p), Scores()
        stages: list[list[Any]] = []
        steps: list[float] = []

        def after(i: int, stage: Stage) -> bool:
            stages.append([member(model, int(seed)) for model, seed in zip(stage.models, seeds[i], strict=True)])
            steps.append(stage.step)
            report.stage(i, scores)
            stop = progress.step(lambda: self._state(first, stages, steps, scores))
            if monitor is None:
                return stop
            self.__dict__.update(self._state(first, stages, steps, scores))
            return bool(monitor(i, self, {"raw_predictions": stage.raw, "y": y})) or stop

        boost(
            loss,
            y,
            raw,
            w,
            self._learner(p, X),
            stages=range(first, p.n_estimators),
            seeds=seeds,
            learning_rate=float(p.learning_rate),
            line_search=bool(p.line_search),
            bags=Bags(distinct_examples(X, y, w), w, p.subsample) if p.subsample < 1 else None,
            held_out=None if held is None else self._judged(p, loss, *held),
            stopping=None if held is None else Stopping(p.n_iter_no_change, p.tol),
            scores=scores,
            after=after,
        )
        return self._state(first, stages, steps, scores)

    def _first_stage(self, p: SimpleNamespace, continued: bool) -> int:
        """The number of stages there are; without warm start none, and nothing is left of them."""
        if not continued:
            for name in (*HISTORY, "oob_score_", "estimators_", "init_", "history_"):
                self.__dict__.pop(name, None)
            self.seed_ = int(random_stream(p.random_state).integers(0, LARGEST_SEED))
            return 0
        there = len(self.estimators_)
        if p.n_estimators < there:
            raise InvalidParameter(
                f"n_estimators={p.n_estimators} must be larger or equal to the {there} stages there are, when "
                "warm_start is True"
            )
        return there

    def _split(self, p: SimpleNamespace, X: Any, y: np.ndarray, w: Any) -> tuple[Any, Any]:
        """(X, y, w) to fit to, and (X, y, w) held out: None without early stopping."""
        if p.n_iter_no_change is None:
            return (X, y, w), None
        labels = y if hasattr(self, "classes_") else np.zeros(len(y))
        out = held_out(example_hashes(X, y), labels, w, p.validation_fraction, self.seed_)
        self._refuse_split(y, out)
        parts = [(X[rows], y[rows], None if w is None else w[rows]) for rows in (~out, out)]
        return parts[0], parts[1]

    def _refuse_split(self, y: np.ndarray, out: np.ndarray) -> None:
        if not out.any() or out.all():
            raise InvalidData(
                f"The training data after the early stopping split is {'none' if out.all() else 'all'} of the {len(y)} "
                f"rows: change validation_fraction={self.validation_fraction}, or leave out n_iter_no_change"
            )

    def _started(self, p: SimpleNamespace, loss: Loss, continued: bool, X: Any, y: np.ndarray, w: Any) -> np.ndarray:
        """The raw predictions of the training rows before the next stage."""
        if continued:
            return self._raw(X)
        self.init_ = start_estimator(p.init, loss, hasattr(self, "classes_"), X, y, w)
        return self._start(loss, X)

    def _learner(self, p: SimpleNamespace, X: Any) -> Any:
        if p.estimator is not None:
            return estimator_learner(p.estimator, X)
        return tree_learner(p, X, threads_for(X.shape[0] * X.shape[1], p.n_jobs))

    def _judged(self, p: SimpleNamespace, loss: Loss, X: Any, y: np.ndarray, w: Any) -> HeldOut:
        rate = float(p.learning_rate)

        def moved(raw: np.ndarray, stage: Stage) -> np.ndarray:
            return raw + rate * stage.step * self._direction(stage.models, X)

        there = len(self.__dict__.get("estimators_", ())) > 0
        return HeldOut(y, w, self._raw(X) if there else self._start(loss, X), moved)

    def _state(self, first: int, stages: list[list[Any]], steps: list[float], scores: Scores) -> dict[str, Any]:
        """The fitted attributes after so many stages."""
        n, K = first + len(stages), self.n_trees_per_iteration_
        estimators = np.empty((n, K), dtype=object)
        if first:
            estimators[:first] = self.estimators_[:first]
        for i, members in enumerate(stages, first):
            estimators[i, :] = members
        earlier = {name: self.__dict__[name][:first] for name in HISTORY if first and name in self.__dict__}
        state: dict[str, Any] = {"estimators_": estimators, "n_estimators_": n}
        new = {"train_score_": scores.train, "step_sizes_": steps, "validation_score_": scores.held_out}
        new |= {"oob_scores_": scores.outside, "oob_improvement_": scores.improvement}
        for name, numbers in new.items():
            if numbers or name in earlier or name in ("train_score_", "step_sizes_"):
                state[name] = extended(earlier.get(name), first, numbers)
        if "oob_scores_" in state:
            state["oob_score_"] = float(state["oob_scores_"][-1])
        start = self.history_[0] if first else scores.start
        return state | {"history_": np.concatenate([[start], state["train_score_"]])}

    def _start(self, loss: Loss, X: Any) -> np.ndarray:
        """The raw predictions before the first stage: (n,), or (n, outputs) for several."""
        n, K = X.shape[0], self.n_trees_per_iteration_
        if isinstance(self.init_, str):
            return np.zeros(n if K == 1 else (n, K))
        if isinstance(self.init_, DummyRegressor):
            return np.full(n, loss.link(self.init_.constant_[0, 0]))
        if isinstance(self.init_, DummyClassifier) and self.init_.strategy == "prior":
            shares = self.init_.class_prior_[None]
            return np.repeat(loss.link(shares) if K > 1 else loss.link(shares[:, 1]), n, axis=0)
        if not hasattr(self, "classes_"):
            return loss.link(np.asarray(self.init_.predict(X), dtype=np.float64).reshape(-1))
        shares = np.asarray(self.init_.predict_proba(X), dtype=np.float64)
        return loss.link(shares if K > 1 else shares[:, 1])

    def _direction(self, models: Any, X: Any) -> np.ndarray:
        """What the members of a stage say of rows: (n,), or (n, outputs) for several."""
        parts = [_said(model, X) for model in models]
        return parts[0] if len(parts) == 1 else np.column_stack(parts)

    def _raw(self, X: Any) -> np.ndarray:
        """The raw predictions of all stages."""
        raw, rate = self._start(self._loss_of(), X), float(self.learning_rate)
        trees: list[list[Any]] = [[getattr(member, "tree_", None) for member in row] for row in self.estimators_.T]
        if (self.step_sizes_ == 1).all() and all(isinstance(tree, Tree) for output in trees for tree in output):
            threads = threads_for(X.shape[0] * self.estimators_.size * 8, self.n_jobs)
            sums = [sum_of_trees(output, X, threads)[:, 0] for output in trees]
            return raw + rate * (sums[0] if len(sums) == 1 else np.column_stack(sums))
        for stage, step in zip(self.estimators_, self.step_sizes_, strict=True):
            raw = raw + rate * step * self._direction(stage, X)
        return raw

    def _answers(self, X: Any, of_raw: Callable[[np.ndarray], np.ndarray]) -> Any:
        """What is made of the raw predictions of rows, wherever these are."""
        check_is_fitted(self, "estimators_")
        return apply_rows(self, X, lambda rows: of_raw(self._raw(rows)))

    def _staged_raw(self, X: Any) -> Iterator[np.ndarray]:
        """The raw predictions after each stage."""
        check_is_fitted(self, "estimators_")
        rows = take_rows(self, X, reset=False)
        raw = self._start(self._loss_of(), rows)
        for stage, step in zip(self.estimators_, self.step_sizes_, strict=True):
            raw = raw + float(self.learning_rate) * step * self._direction(stage, rows)
            yield raw.copy()

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, (n, stages, outputs)."""
        check_is_fitted(self, "estimators_")
        rows = take_rows(self, X, reset=False)
        trees = [member.tree_ for member in self.estimators_.ravel()]
        leaves = apply_all(trees, rows, threads_for(rows.shape[0] * len(trees) * 8, self.n_jobs))
        return leaves.reshape(rows.shape[0], *self.estimators_.shape)

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the splits on each feature lowered the squared error of the residuals; they add up to one."""
        if "estimators_" not in self.__dict__:
            raise AttributeError("feature_importances_ is there after fit")
        trees = [member.tree_ for member in self.estimators_.ravel()]
        grown = [tree.compute_feature_importances(normalize=False) for tree in trees if tree.node_count > 1]
        if not grown:
            return np.zeros(self.n_features_in_)
        mean = np.mean(grown, axis=0)
        return mean / mean.sum() if mean.sum() > 0 else mean

    def __sklearn_is_fitted__(self) -> bool:
        return len(self.__dict__.get("estimators_", ())) > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _said(model: Any, X: Any) -> np.ndarray:
    """What one member says of rows; a tree of ours without checking them again."""
    tree = getattr(model, "tree_", model)
    if isinstance(tree, Tree):
        return sum_of_trees([tree], X)[:, 0]
    return np.asarray(model.predict(X), dtype=np.float64).reshape(-1)
