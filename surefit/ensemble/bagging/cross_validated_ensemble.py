"""The models of cross-validation, kept: they vote, or their answers are averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_targets, take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Rule
from surefit.engine.labels import codes_of, memory_codes
from surefit.ensemble.bagging.cross_validated_folds import Split, drawn_folds, given_folds, is_count
from surefit.ensemble.members import Ensemble, Member, RandomState, new_member, takes_weights
from surefit.ensemble.routing import consumes_weights, for_rows, routed, router
from surefit.summaries.resample import member_seeds
from surefit.tree.decision_tree_classifier import DecisionTreeClassifier


def _is_cv(cv: Any) -> bool:
    return (is_count(cv) and cv >= 2) or (not is_count(cv) and (hasattr(cv, "split") or hasattr(cv, "__iter__")))


def _classifies(ensemble: Any) -> bool:
    if not is_classifier(ensemble._base()):
        raise AttributeError(f"{type(ensemble._base()).__name__} is no classifier: there are no probabilities")
    return True


class CrossValidatedEnsemble(Ensemble):
    """The models that cross-validation fits, kept as an ensemble: classifiers vote, regressors are averaged.

    Cross-validation in v folds fits v models, each to all rows but those of one fold, and throws them away. Here they
    stay: `predict` is their mean (of probabilities, votes or numbers), and each row has an answer of the model that
    did not see it, `out_of_fold_`, whose score is an honest one for the single models. It is a classifier or a
    regressor as `estimator` is. With a number of folds these are drawn in canonical order (by the contents of the
    rows): a weight of two is a row given twice, and neither the order of the rows nor the number of jobs changes
    anything.

    {parameters}

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of.
    estimators_ : list of estimators
        One for each fold.
    folds_ : list of (ndarray, ndarray)
        The rows each member was fitted to (those of weight zero do not count), and the rows it was tested on.
    out_of_fold_ : ndarray of shape (n_samples,), (n_samples, n_targets) or (n_samples, n_classes)
        What each row is answered by the members that were tested on it (the mean, if several were): numbers, or the
        shares of the classes; NaN where none was.
    oof_score_ : float
        Accuracy, or R², of `out_of_fold_`, weighted.
    fold_scores_ : ndarray of shape (n_folds,)
        Accuracy, or R², of each member on its test rows, weighted.
    classes_, n_classes_ : of classifiers
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surefit.model_selection import CrossValidatedEnsemble
    >>> from surefit.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CrossValidatedEnsemble(GaussianNB(), cv=5, random_state=0).fit(X, y)
    >>> len(model.estimators_), model.predict(X[:1])
    (5, array([0]))
    """

    classes_: np.ndarray
    n_classes_: int
    folds_: list[Split]
    out_of_fold_: np.ndarray
    oof_score_: float
    fold_scores_: np.ndarray

    def __init__(
        self,
        estimator: Annotated[Member, "What is fitted on each fold: a classifier or a regressor; None: a tree."] = None,
        cv: Annotated[
            Any,
            Rule(_is_cv, "a whole number ≥ 2, a splitter or a list of (train, test) rows"),
            "The number of folds, which are drawn by the contents of the rows; or a splitter, or the splits.",
        ] = 5,
        *,
        voting: Annotated[
            Literal["soft", "hard"], "Classifiers: 'soft' is the mean of probabilities, 'hard' one vote each."
        ] = "soft",
        n_jobs: Annotated[int | None, "Members fitted at the same time (−1: as many as processors)."] = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.voting = voting
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **fit_params: Any) -> Self:
        """Fit a member to each training part; `groups` are for the splitter, `fit_params` for the members."""
        p = self._checked()
        params = routed(self, "fit", "fit", fit_params)
        self.estimator_ = self._base()
        _refuse(self.estimator_, sample_weight is not None)
        rows = self._rows(X, reset=True, not_finite=self._not_finite())
        targets = self._take_target(y, rows.shape[0])
        w = take_weights(sample_weight, rows.shape[0])
        classifier = is_classifier(self.estimator_)
        seed = int(member_seeds(p.random_state, 1)[0])
        if is_count(p.cv):
            folds = drawn_folds(rows, targets, w, int(p.cv), seed, classifier)
        else:
            folds = given_folds(p.cv, X, targets, groups, classifier)
        seeds = member_seeds(seed, len(folds))
        given = self._inputs(X, rows)
        labels = self.classes_[targets] if classifier else targets
        progress = Progress(self, len(folds), X, y)
        fitted = self._parallel(p.n_jobs)(
            delayed(_fitted)(self.estimator_, int(s), given, labels, w, train, params)
            for s, (train, _) in zip(seeds, folds, strict=True)
        )
        self.estimators_, self.folds_ = [], folds
        for member in fitted:
            self.estimators_.append(member)
            progress.step(lambda: {"estimators_": self.estimators_})
        progress.end()
        self._judge(given, targets, w)
        return self

    def _judge(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        """`out_of_fold_` and the scores."""
        classifier = is_classifier(self.estimator_)
        total = np.zeros((len(y), self.n_classes_) if classifier else y.shape)
        asked, scores = np.zeros(len(y)), []
        for member, (_, test) in zip(self.estimators_, self.folds_, strict=True):
            if not len(test):
                scores.append(np.nan)
                continue
            says = self._says(member, _taken(X, test), {})
            total[test] += says.reshape(total[test].shape)
            asked[test] += 1
            scores.append(self._score(y[test], says, None if w is None else w[test]))
        with np.errstate(invalid="ignore", divide="ignore"):
            self.out_of_fold_ = (total.T / asked).T
        seen = np.flatnonzero(asked)
        self.oof_score_ = self._score(y[seen], self.out_of_fold_[seen], None if w is None else w[seen])
        self.fold_scores_ = np.array(scores)

    def _score(self, y: np.ndarray, says: np.ndarray, w: np.ndarray | None) -> float:
        """Accuracy or R²; NaN where there is nothing to score."""
        if len(y) == 0 or (w is not None and not w.any()):
            return np.nan
        if is_classifier(self.estimator_):
            return float(accuracy_score(y, says.argmax(axis=1), sample_weight=w))
        if len(y) < 2:
            return np.nan
        return float(r2_score(y.astype(np.float64), says.reshape(y.shape).astype(np.float64), sample_weight=w))

    def _says(self, member: Any, X: Any, params: dict[str, Any]) -> np.ndarray:
        """Numbers, or for each class its probability, or one for the class that is predicted."""
        if not is_classifier(self.estimator_):
            return np.asarray(member.predict(X, **params))
        shares = np.zeros((X.shape[0], self.n_classes_))
        if self._asks_probabilities():
            places = codes_of(np.asarray(member.classes_), self.classes_).astype(np.intp)
            shares[:, places] = member.predict_proba(X, **params)
        else:
            said = codes_of(np.asarray(member.predict(X, **params)), self.classes_).astype(np.intp)
            shares[np.arange(X.shape[0]), said] = 1.0
        return shares

    def _asks_probabilities(self) -> bool:
        base = self._base()
        return bool(is_classifier(base) and self.voting == "soft" and hasattr(base, "predict_proba"))

    def _of_members(self, X: Any, ask: Callable[[Any, Any], np.ndarray]) -> Iterator[np.ndarray]:
        """What each member says of rows, in the order of the folds."""
        given = self._inputs(X, self._rows(X, reset=False, not_finite=self._not_finite()))
        yield from self._parallel(self.n_jobs, threads=True)(delayed(ask)(member, given) for member in self.estimators_)

    def _mean(self, X: Any, caller: str, params: dict[str, Any]) -> np.ndarray:
        callee = "predict_proba" if self._asks_probabilities() else "predict"
        given = routed(self, caller, callee, params)
        total: Any = sum(self._of_members(X, lambda member, rows: self._says(member, rows, given)))
        return total / len(self.estimators_)

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' numbers; the class with the largest mean share, among equals the first."""
        mean = self._mean(X, "predict", params)
        return self.classes_[mean.argmax(axis=1)] if is_classifier(self.estimator_) else mean

    @available_if(_classifies)
    def predict_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' probabilities, or the shares of their votes."""
        return self._mean(X, "predict_proba", params)

    @available_if(_classifies)
    def predict_log_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The logarithm of `predict_proba`."""
        mean = self._mean(X, "predict_log_proba", params)
        with np.errstate(divide="ignore"):
            return np.log(mean)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of a classifier, R² of a regressor."""
        judge = accuracy_score if is_classifier(self._base()) else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))

    def _base(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _take_target(self, y: Any, n_rows: int) -> np.ndarray:
        if is_classifier(self.estimator_):
            self.classes_, codes = memory_codes(self, y, n_rows, None)
            self.n_classes_ = len(self.classes_)
            return codes.astype(np.int64)
        for name in ("classes_", "n_classes_"):  # of an earlier fit with a classifier
            self.__dict__.pop(name, None)
        y = take_targets(self, y, n_rows)
        return column_or_1d(y, warn=True) if y.ndim == 1 or y.shape[1] == 1 else y

    def _inputs(self, X: Any, rows: Any) -> Any:
        """What members are given: a dataframe as it is (they may name columns), else the checked rows."""
        return X if self.estimator is not None and hasattr(X, "columns") else rows

    def _parallel(self, n_jobs: int | None, threads: bool = False) -> Parallel:
        """Threads for members whose loops release the interpreter, processes for others."""
        own = isinstance(self.estimator_, Estimator)
        return Parallel(n_jobs=n_jobs, return_as="generator", prefer="threads" if own or threads else None)

    def _not_finite(self) -> Any:
        """What the default member takes; any other looks at its rows itself."""
        return "later" if self.estimator is not None else "NaN"

    def get_metadata_routing(self) -> Any:
        """Which of the members' methods get what is passed to those of the ensemble."""
        asked = "predict_proba" if self._asks_probabilities() else "predict"
        calls = dict.fromkeys(("predict", "predict_proba", "predict_log_proba"), asked)
        return router(self, self._base(), {"fit": "fit", **calls})

    def __sklearn_tags__(self) -> Any:
        tags, base = super().__sklearn_tags__(), get_tags(self._base())
        tags.estimator_type = base.estimator_type
        tags.classifier_tags, tags.regressor_tags = base.classifier_tags, base.regressor_tags
        tags.target_tags, tags.array_api_support = base.target_tags, False
        if base.estimator_type == "classifier":
            tags.target_tags.multi_output = False
            if tags.classifier_tags is not None:
                tags.classifier_tags.multi_label = False
        tags.target_tags.required = True
        tags.input_tags.sparse, tags.input_tags.allow_nan = base.input_tags.sparse, base.input_tags.allow_nan
        tags.input_tags.positive_only = base.input_tags.positive_only
        tags.non_deterministic = base.non_deterministic
        return tags


def _refuse(base: Any, weighted: bool) -> None:
    if not (is_classifier(base) or is_regressor(base)):
        raise InvalidParameter(f"estimator must be a classifier or a regressor; {type(base).__name__} is neither")
    if get_tags(base).input_tags.pairwise:
        raise InvalidParameter(f"{type(base).__name__} of a precomputed matrix has no folds here: give the rows")
    if weighted and not consumes_weights(base, takes_weights(base)):
        raise InvalidData(f"{type(base).__name__} takes no weights: fit without sample_weight, or repeat rows")


def _taken(X: Any, rows: np.ndarray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X.take(rows) if hasattr(X, "column_names") else X[rows]


def _fitted(
    base: Any, seed: int, X: Any, y: np.ndarray, w: np.ndarray | None, train: np.ndarray, params: dict[str, Any]
) -> Any:
    """A member fitted to the rows of positive weight of a training part."""
    rows = train if w is None else train[w[train] > 0]
    given = for_rows(params, rows, len(y))
    if w is not None:
        given["sample_weight"] = w[rows]
    return new_member(base, seed).fit(_taken(X, rows), y[rows], **given)
