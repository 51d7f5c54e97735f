"""What the classifier and the regressor of histogram boosting share: the fit, and raw predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator
from surefit._core.callbacks import Progress
from surefit._core.data.intake import NotFinite, take_rows, take_weights
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit._core.random import random_stream
from surefit._core.threads import thread_count
from surefit.engine.apply import apply_rows
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import Source
from surefit.ensemble.category_codes import CategoryCodes
from surefit.ensemble.continued import Before
from surefit.ensemble.histogram_boosting.hist_parameters import interaction_groups, monotonic_signs
from surefit.ensemble.histogram_boosting.hist_rows import WholeFit, raw_of_rows
from surefit.ensemble.histogram_boosting.hist_stopping import Held, Judge, Validation
from surefit.objectives.losses import Loss
from surefit.solvers.growing.histogram import GrowthOptions
from surefit.solvers.growing.predict import sum_of_trees
from surefit.solvers.growing.tree import Tree

if TYPE_CHECKING:
    from surefit.ensemble.histogram_boosting.hist_spread import SpreadFit

AUTO_WEIGHT = 10_000


class HistGradientBoosting(CategoryCodes, Estimator):
    """Boosted trees on binned features."""

    n_iter_: int
    n_trees_per_iteration_: int
    train_score_: np.ndarray
    validation_score_: np.ndarray
    do_early_stopping_: bool
    validation_rows_: str | None
    max_bins: int
    bin_thresholds_: list[np.ndarray]
    baseline_prediction_: np.ndarray
    trees_: list[list[Tree]]
    history_: np.ndarray
    seed_: int

    def _fit(self, p: Any, X: Any, y: Any, sample_weight: Any, validation: tuple[Any, Any, Any]) -> None:
        before = Before(self, p.warm_start)
        data = self._opened(X, y, sample_weight)
        self._learn_classes(data.classes)
        rows = self._taken(p, X, data)
        loss = self._loss(p)
        if self.n_trees_per_iteration_ > 1 and p.monotonic_cst is not None:
            raise InvalidParameter("monotonic constraints are not supported for multiclass classification.")
        warm = p.warm_start and bool(getattr(self, "trees_", None))
        if warm:
            before.refuse_others(self)
        else:
            self.seed_ = int(random_stream(p.random_state).integers(2**63))
        if warm and p.max_iter < self.n_iter_:
            raise InvalidParameter(
                f"max_iter={p.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when warm_start==True"
            )
        self.do_early_stopping_ = rows.total > AUTO_WEIGHT if p.early_stopping == "auto" else bool(p.early_stopping)
        given = self._given_validation(p, *validation)
        self.validation_rows_ = None if given is None or not self.do_early_stopping_ else "given"
        share = None
        if self.do_early_stopping_ and p.validation_fraction is not None and given is None:
            self.validation_rows_ = "held out"
            fraction = p.validation_fraction
            share = fraction / rows.total if isinstance(fraction, (int, np.integer)) else float(fraction)
        rows.bin_rows(share)
        self.bin_thresholds_ = rows.bins.thresholds
        options = GrowthOptions(
            l2=float(p.l2_regularization),
            min_weight=float(p.min_samples_leaf),
            max_leaves=p.max_leaf_nodes,
            max_depth=p.max_depth,
            max_features=float(p.max_features),
            monotonic=monotonic_signs(self, p.monotonic_cst, self.is_categorical_),
            groups=interaction_groups(p.interaction_cst, data.n_features),
        )
        rounds = rows.rounds(loss, options, warm)
        judge = self._judge(p, rows, rounds, given)
        self._boost(p, rows.seen, rounds, judge, warm, Progress(self, p.max_iter, X, y))

    def _taken(self, p: Any, X: Any, data: Source) -> WholeFit | SpreadFit:
        """The rows where they are: as bins here, or on Dask's workers."""
        if kind_of(X) != "dask":
            return WholeFit(self, p, data)
        from surefit.ensemble.histogram_boosting.hist_spread import SpreadFit  # needs Dask

        return SpreadFit(self, p, data)

    def _boost(
        self, p: Any, seen: np.ndarray | None, rounds: Any, judge: Judge, warm: bool, progress: Progress
    ) -> None:
        history = []
        if warm:
            judge.resume(self.train_score_, self.validation_score_)
            history = list(self.history_[:-1])
        elif self.do_early_stopping_:
            judge.look()
        if p.verbose:
            print("Fitting gradient boosted rounds:")
        for number in range(len(self.trees_), p.max_iter):
            trees = rounds.round(number)
            history.append(rounds.loss_before)
            self.trees_.append([tree.with_unseen(seen) for tree in trees])
            self.n_iter_ = len(self.trees_)
            stop = self.do_early_stopping_ and judge.after(trees)
            if p.verbose > 1:
                leaves = sum(tree.n_leaves for tree in trees)
                print(f"[{number + 1}/{p.max_iter}] {leaves} leaves, loss {rounds.loss_before:.5f} before the round")
            if progress.step(self._attributes) or stop:
                break
        progress.end()
        self.history_ = np.append(history, rounds.slopes())
        self.train_score_, self.validation_score_ = np.asarray(judge.train), np.asarray(judge.validation)
        if p.verbose:
            print(f"Fit {sum(map(len, self.trees_))} trees")

    def _attributes(self) -> dict[str, Any]:
        names = ("trees_", "n_iter_", "baseline_prediction_", "bin_thresholds_", "is_categorical_", "categories_")
        return {name: getattr(self, name) for name in (*names, "n_trees_per_iteration_", *self._of_targets)}

    _of_targets: tuple[str, ...] = ()

    # Rows and targets.

    def _opened(self, X: Any, y: Any, sample_weight: Any) -> Source:
        """The data, with codes in the columns of categories."""
        not_finite: NotFinite = "later" if kind_of(X) == "memory" else "NaN"
        target = self._target_kind
        return self._open_coded(
            X,
            self.max_bins,
            lambda rows: open_data(self, rows, y, sample_weight, target=target, not_finite=not_finite),
        )

    _target_kind: Any = True

    def _learn_classes(self, classes: Any) -> None:
        """The labels of a classifier."""

    def _targets(self, p: Any, y: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
        """Targets and weights as the loss takes them."""
        raise NotImplementedError

    def _refuse_targets(self, p: Any, least: float, most: float) -> None:
        """What the loss asks of the range of targets."""

    def _class_factor(self, p: Any, counts: np.ndarray) -> np.ndarray | None:
        """What the weights of each class are multiplied by, from its total; None: nothing."""
        return None

    def _loss(self, p: Any) -> Loss:
        raise NotImplementedError

    def _encoded_targets(self, p: Any, y: Any, n_rows: int) -> np.ndarray:
        """The targets of rows given for validation."""
        raise NotImplementedError

    def _given_validation(self, p: Any, X: Any, y: Any, w: Any) -> Held | None:
        if X is None and y is None:
            return None
        if y is None:
            raise InvalidData("X_val is provided, but y_val was not provided.")
        if X is None:
            raise InvalidData("y_val is provided, but X_val was not provided.")
        if p.early_stopping is False:
            raise InvalidParameter(
                "X_val and y_val are passed to fit while at the same time early_stopping is False. When passing X_val "
                "and y_val to fit, early_stopping should be set to either 'auto' or True."
            )
        rows = self._rows(X)
        n_rows = rows.shape[0]
        return Held(rows, self._encoded_targets(p, y, n_rows), take_weights(w, n_rows))

    def _judge(self, p: Any, rows: WholeFit | SpreadFit, rounds: Any, given: Held | None) -> Judge:
        if not self.do_early_stopping_:
            return Judge(self, p, rounds, None, None)
        if not rows.in_memory and not isinstance(p.scoring, str):
            raise CannotStream(
                f"{type(self).__name__} with scoring={p.scoring!r} needs its rows in memory; 'loss' or the name of a "
                "score does not"
            )
        if given is not None:
            raw = self._raw_of_rows(given.X)
            validation: Any = Validation(given, rows.bins.transform(given.X), raw, rows.bins)
        else:
            validation = rows.validation()
        return Judge(self, p, rounds, validation, rows.trained_rows() if p.scoring != "loss" else None)

    # Raw predictions.

    def _rows(self, X: Any) -> Any:
        """Rows in memory as the trees take them."""
        coded = self._coded_rows(X)
        return take_rows(self, X, reset=False, not_finite="later") if coded is None else coded

    def _raw_of_rows(self, rows: Any) -> np.ndarray:
        return raw_of_rows(self.baseline_prediction_, self.trees_, rows)

    def _raw_predict(self, X: Any) -> np.ndarray:
        """(rows, outputs) of raw predictions."""
        return self._of_raw(X, lambda raw: raw)

    def _of_raw(self, X: Any, function: Callable[[np.ndarray], np.ndarray]) -> Any:
        """A function of the raw predictions of rows from any source."""
        known = self.__dict__.get("_known_raw")
        if known is not None:
            return function(known)
        check_is_fitted(self, "trees_")
        baseline, trees = self.baseline_prediction_, self.trees_
        if kind_of(X) == "memory":
            return function(raw_of_rows(baseline, trees, self._rows(X)))
        return apply_rows(self, X, lambda rows: function(raw_of_rows(baseline, trees, rows)), not_finite="NaN")

    def _staged_raw(self, X: Any) -> Iterator[np.ndarray]:
        """The raw predictions after each round."""
        check_is_fitted(self, "trees_")
        rows = self._rows(X)
        raw = np.repeat(self.baseline_prediction_, rows.shape[0], axis=0)
        for trees in self.trees_:
            raw = raw.copy()
            for k, tree in enumerate(trees):
                raw[:, k] += sum_of_trees([tree], rows, thread_count(None))[:, 0]
            yield raw

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each feature in the gains of all splits."""
        check_is_fitted(self, "trees_")
        gains = np.zeros(self.n_features_in_)
        for trees in self.trees_:
            for tree in trees:
                gains += tree.compute_feature_importances(normalize=False)
        total = gains.sum()
        return gains / total if total > 0 else gains

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
