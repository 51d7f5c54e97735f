"""Bagging: members fitted to samples of the rows (and columns), and their mean or vote."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_weights
from surefit._core.errors import InvalidParameter
from surefit._core.params import Range
from surefit.ensemble.bagging.bags import Draws, draws_of, number_of_draws, number_of_features
from surefit.ensemble.continued import Before
from surefit.ensemble.members import Ensemble, Member, RandomState, columns_of, examples_of, new_member, takes_weights
from surefit.ensemble.routing import consumes_weights, for_rows, routed, router
from surefit.summaries.resample import drawn_features, member_seeds

FEW_ROWS = 1000
"""Up to so many rows a member that takes weights gets all of them, those not drawn with weight zero; beyond only the
drawn ones (and of a class that was not drawn one, with weight zero), so that its work shrinks with them."""
NO_VOTE = (
    "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any reliable oob "
    "estimates."
)


class Classes(NamedTuple):
    """The classes of the distinct examples, and the first example of each class."""

    codes: np.ndarray
    first: np.ndarray

    def not_drawn(self, counts: np.ndarray) -> np.ndarray:
        """One example of each class that was not drawn, so that every member knows all classes."""
        return self.first[np.bincount(self.codes[counts > 0], minlength=len(self.first)) == 0]


class Bagging(Ensemble):
    """What the classifier and the regressor share."""

    estimators_features_: list[np.ndarray]
    oob_score_: float
    _draws: list[dict[str, Any]]

    def __init__(
        self,
        estimator: Annotated[Member, "What is fitted to each sample; None: a tree."] = None,
        n_estimators: Annotated[int, Range(1), "The number of members."] = 10,
        *,
        max_samples: Annotated[
            int | float | None,
            Range(0, open="low"),
            "Rows drawn for each member: a number of them, or a share of the total weight; None: as many as there are.",
        ] = None,
        max_features: Annotated[
            int | float, Range(0, open="low"), "Columns drawn for each member: a number of them, or a share."
        ] = 1.0,
        bootstrap: Annotated[bool, "Whether rows are drawn with replacement."] = True,
        bootstrap_features: Annotated[bool, "Whether columns are drawn with replacement."] = False,
        oob_score: Annotated[bool, "Whether to judge each row by the members that did not see it."] = False,
        warm_start: Annotated[bool, "Whether `fit` keeps the members there are and adds more."] = False,
        n_jobs: Annotated[int | None, "Members fitted at the same time (−1: as many as processors)."] = None,
        random_state: RandomState = None,
        verbose: Annotated[int | bool, "How much is printed."] = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the members to samples of the rows; a weight of two is a row given twice.

        `fit_params` go to the members, where scikit-learn's metadata routing is on.
        """
        p = self._checked()
        _refuse(p)
        params = routed(self, "fit", "fit", fit_params)
        before = Before(self, p.warm_start)
        rows = self._rows(X, reset=True, not_finite=self._not_finite())
        targets = self._take_target(y, rows.shape[0])
        w = take_weights(sample_weight, rows.shape[0])
        if w is not None and not p.bootstrap:
            warnings.warn(
                f"When fitting {type(self).__name__} with sample_weight it is recommended to use bootstrap=True, got "
                "False.",
                stacklevel=4,
            )
        n_before = self._begin(p)
        if n_before == p.n_estimators:
            warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=4)
            return self
        if n_before:
            before.refuse_others(self)
        seeds = member_seeds(p.random_state, p.n_estimators)[n_before:]
        examples = examples_of(rows, targets, w)
        draws = Draws(seeds, examples, number_of_draws(p, examples, w is not None), bool(p.bootstrap))
        self._max_samples, self._max_features = draws.n_draws, number_of_features(p.max_features, rows.shape[1])
        self._draws = [*self._draws, draws.state()]
        self._fit_members(p, rows, targets, draws, params, Progress(self, len(seeds), X, y))
        if p.oob_score:
            self._judge_out_of_bag(rows, targets, w, draws)
        return self

    def _begin(self, p: Any) -> int:
        """The number of members that stay."""
        self.estimator_ = self._base()
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        if not p.warm_start or not hasattr(self, "estimators_"):
            self.estimators_, self.estimators_features_, self._draws = [], [], []
        n_before = len(self.estimators_)
        if n_before > p.n_estimators:
            raise InvalidParameter(
                f"n_estimators={p.n_estimators} must be larger or equal to len(estimators_)={n_before} when "
                "warm_start==True"
            )
        return n_before

    def _fit_members(self, p: Any, X: Any, y: np.ndarray, draws: Draws, params: dict, progress: Progress) -> None:
        labels = self._labels_of(y)
        weighted = consumes_weights(self.estimator_, takes_weights(self.estimator_))
        features = [
            drawn_features(int(seed), X.shape[1], self._max_features, bool(p.bootstrap_features))
            for seed in draws.seeds
        ]
        classes = _classes_of(labels[draws.examples.first_rows]) if is_classifier(self.estimator_) else None
        fitted = self._parallel(p.n_jobs)(
            delayed(_fitted)(self.estimator_, X, labels, classes, draws, int(seed), columns, weighted, params)
            for seed, columns in zip(draws.seeds, features, strict=True)
        )
        self.estimators_, self.estimators_features_ = list(self.estimators_), list(self.estimators_features_)
        for number, (member, columns) in enumerate(zip(fitted, features, strict=True)):
            if p.verbose > 1:
                print(f"Built estimator {number + 1} of {len(features)}.")
            self.estimators_.append(member)
            self.estimators_features_.append(columns)
            progress.step(lambda: {"estimators_": self.estimators_, "estimators_features_": self.estimators_features_})
        progress.end()

    def _parallel(self, n_jobs: int | None, threads: bool = False) -> Parallel:
        """Threads for members whose loops release the interpreter, processes for others."""
        own = isinstance(self.estimator_, Estimator)
        return Parallel(n_jobs=n_jobs, return_as="generator", prefer="threads" if own or threads else None)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows drawn for each member, in canonical order; drawn anew from the seeds, not kept."""
        found = []
        for draws in map(draws_of, self._draws):
            found += [draws.examples.bag(draws.counts(int(seed))) for seed in draws.seeds]
        return found

    def _out_of_bag(self, draws: Draws) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """(member, its columns, the rows whose example it did not see)."""
        for seed, member, columns in zip(draws.seeds, self.estimators_, self.estimators_features_, strict=True):
            yield member, columns, np.flatnonzero(~draws.examples.in_bag(draws.counts(int(seed))))

    def _of_members(self, X: Any, ask: Callable[[Any, Any], np.ndarray]) -> Iterator[np.ndarray]:
        """What each member says of rows, in their order."""
        rows = self._rows(X, reset=False, not_finite=self._not_finite())
        members = zip(self.estimators_, self.estimators_features_, strict=True)
        asked = (delayed(ask)(member, columns_of(rows, features)) for member, features in members)
        yield from self._parallel(self.n_jobs, threads=True)(asked)

    def _base(self) -> Any:
        raise NotImplementedError

    def _take_target(self, y: Any, n_rows: int) -> np.ndarray:
        raise NotImplementedError

    def _labels_of(self, y: np.ndarray) -> np.ndarray:
        """What members are fitted to."""
        return y

    def _judge_out_of_bag(self, X: Any, y: np.ndarray, w: np.ndarray | None, draws: Draws) -> None:
        raise NotImplementedError

    def _not_finite(self) -> Any:
        """What the default member takes; any other looks at its rows itself."""
        return "later" if self.estimator is not None else "NaN"

    def get_metadata_routing(self) -> Any:
        """Which of the members' methods get what is passed to those of the ensemble."""
        base = self._base()
        proba = "predict_proba" if hasattr(base, "predict_proba") else "predict"
        log_proba = "predict_log_proba" if hasattr(base, "predict_log_proba") else proba
        methods = {"fit": "fit", "decision_function": "decision_function", "predict": proba, "predict_proba": proba}
        return router(self, base, {**methods, "predict_log_proba": log_proba})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_base = get_tags(self._base()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = of_base.sparse, of_base.allow_nan
        return tags


def _refuse(p: Any) -> None:
    """What does not go together."""
    if not p.bootstrap and p.oob_score:
        raise InvalidParameter("Out of bag estimation only available if bootstrap=True")
    if p.warm_start and p.oob_score:
        raise InvalidParameter("Out of bag estimate only available if warm_start=False")
    for name in ("max_samples", "max_features"):
        value = getattr(p, name)
        if isinstance(value, float) and value > 1:
            raise InvalidParameter(f"{name} must be a whole number, or a share of at most 1; got {value}")


def _fitted(
    base: Any,
    X: Any,
    y: np.ndarray,
    classes: Classes | None,
    draws: Draws,
    seed: int,
    features: np.ndarray,
    weighted: bool,
    params: dict,
) -> Any:
    """A member fitted to what its seed draws: as weights if it takes them, else as rows repeated."""
    member, examples, counts = new_member(base, seed), draws.examples, draws.counts(seed)
    n_rows = X.shape[0]
    if weighted and n_rows <= FEW_ROWS:
        w = np.bincount(examples.bag(counts), minlength=n_rows)
        member.fit(columns_of(X, features), y, sample_weight=w, **params)
        return member
    if weighted:
        drawn = np.flatnonzero(counts)
        unseen = classes.not_drawn(counts) if classes else drawn[:0]
        rows = examples.first_rows[np.concatenate([drawn, unseen])]
        w = np.concatenate([counts[drawn], np.zeros(len(rows) - len(drawn))])
        given = {**for_rows(params, rows, n_rows), "sample_weight": w}
    else:
        rows = examples.bag(counts)
        given = for_rows(params, rows, n_rows)
    member.fit(columns_of(X[rows], features), y[rows], **given)
    return member


def _classes_of(labels: np.ndarray) -> Classes:
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return Classes(codes, first)
