"""Cross-validation: scikit-learn's functions with paired scores, leaking folds refused, leave-one-out at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import sklearn
import sklearn.model_selection as theirs
from joblib import parallel_config
from joblib.parallel import get_active_backend
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import get_routing_for_object

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.threads import single_threaded_blas
from surefit.certificates import Certificate, check
from surefit.certificates.kernels.expression import Inputs
from surefit.model_selection.validation.fingerprint import FoldHash, KeptFold, folds_fingerprint, row_numbers
from surefit.model_selection.validation.left_out import LeftOut, closed_form_of, left_out
from surefit.model_selection.validation.row_scores import CLASSES, NUMBERS, refuse_undefined, usual_scoring
from surefit.model_selection.validation.splitters import LeaveOneOut


class FoldScores(dict[str, Any]):
    """What `cross_validate` returns: scikit-learn's dictionary, which also knows its folds.

    `fingerprint` names the (train, test) rows of all folds: scores of two models may be subtracted fold by fold where
    it is the same. `folds` are these rows, and `certify` proves that they are disjoint and covering. `closed_form`
    says that leave-one-out cost one fit.
    """

    closed_form: bool = False
    _fingerprint: str = ""
    _left_out: int = 0
    """Rows of a leave-one-out in closed form, whose folds are made when they are asked for."""
    _kept: tuple[KeptFold, ...] = ()

    @property
    def fingerprint(self) -> str:
        if not self._fingerprint and self._left_out:
            self._fingerprint = folds_fingerprint(self.folds)
        return self._fingerprint

    @property
    def folds(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(training rows, test rows) of each score."""
        if self._left_out:
            yield from LeaveOneOut().split(range(self._left_out))
        for fold in self._kept:
            yield fold.rows()

    def certify(self, X: Any, y: Any = None) -> Certificate:
        """The folds counted again: disjoint, covering, and those that the fingerprint names."""
        return check(self, Inputs(X, y))

    def difference(self, other: FoldScores, name: str = "score") -> np.ndarray:
        """The scores of this model minus those of the other, fold by fold; refused where the folds differ."""
        if self.fingerprint != other.fingerprint:
            raise InvalidData(
                "the two models were not tested on the same folds: differences fold by fold would mean nothing. Give "
                "both the same cv, with an int as its random_state"
            )
        return self[f"test_{name}"] - other[f"test_{name}"]


class WatchedFolds:
    """A splitter that refuses folds which test on rows they train on, and takes the fingerprint of the others."""

    def __init__(self, cv: Any, y: Any, classifier: bool) -> None:
        self.cv, self._hash = theirs.check_cv(cv, y, classifier=classifier), FoldHash()
        self.kept: list[KeptFold] = []

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        for train, test in self.cv.split(X, y, groups):
            seen = np.zeros(n_rows, dtype=bool)
            seen[row_numbers(train)] = True
            if seen[row_numbers(test)].any():
                raise InvalidData(
                    f"fold {self._hash.n_folds} tests on rows it was trained on: the scores would mean nothing"
                )
            self._hash.add(train, test)
            self.kept.append(KeptFold(n_rows, train, test))
            yield train, test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.cv.get_n_splits(X, y, groups)

    def get_metadata_routing(self) -> Any:
        return get_routing_for_object(self.cv)

    @property
    def fingerprint(self) -> str:
        return self._hash.text


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: Any = np.nan,
) -> FoldScores:
    """Scores of an estimator on each fold, with the times; all of scikit-learn's parameters, and `cv="loo"`.

    Leave-one-out (`"loo"` or `LeaveOneOut()`) costs one fit for `LinearRegression`, `Ridge`, `KernelRidge` and
    `KNeighbors*` (surefit's and scikit-learn's), with `params={"sample_weight": …}` too, where `scoring` names scores
    that one row has: squared and absolute errors, accuracy, log-loss. R² is not among them: by default regressors are
    judged by minus the squared error. Other estimators, scorers and requests (`return_estimator`) fit n times.

    Folds that test on rows they train on are refused. The same bits for any `n_jobs`.

    >>> from sklearn.datasets import load_diabetes
    >>> from surefit.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> scores = cross_validate(Ridge(), X, y, cv="loo")
    >>> len(scores["test_score"]), scores.closed_form
    (442, True)
    """
    X, y = indexable(X, y)
    cv, alone = _folds_of(cv)
    if alone:
        scoring = _row_scoring(scoring, cv is None, is_classifier(estimator))
        cv = LeaveOneOut()
        plain = groups is None and not (return_train_score or return_estimator or return_indices)
        found = _at_once(estimator, X, y, scoring, params) if plain else None
        if found is not None:
            return found
    folds = WatchedFolds(cv, y, is_classifier(estimator))
    with same_bits(n_jobs):
        found = theirs.cross_validate(
            estimator,
            X,
            y,
            groups=groups,
            scoring=scoring,
            cv=folds,
            n_jobs=n_jobs,
            verbose=verbose,
            params=params,
            pre_dispatch=pre_dispatch,
            return_train_score=return_train_score,
            return_estimator=return_estimator,
            return_indices=return_indices,
            error_score=error_score,
        )
    scores = FoldScores(found)
    scores._fingerprint, scores._kept = folds.fingerprint, tuple(folds.kept)
    return scores


def cross_val_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    error_score: Any = np.nan,
) -> np.ndarray:
    """The score of each fold, see `cross_validate`.

    >>> from sklearn.datasets import load_iris
    >>> from surefit.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> round(float(cross_val_score(KNeighborsClassifier(), X, y, cv="loo").mean()), 4)
    0.9667
    """
    by_name = scoring is None or isinstance(scoring, str)
    _, alone = _folds_of(cv)
    if not (alone and by_name):
        scoring = {"score": check_scoring(estimator, scoring=scoring)}
    return cross_validate(
        estimator,
        X,
        y,
        groups=groups,
        scoring=scoring,
        cv=cv,
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        pre_dispatch=pre_dispatch,
        error_score=error_score,
    )["test_score"]


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    method: str = "predict",
) -> Any:
    """What each row is answered by the model that did not see it; `cv="loo"` in closed form as in `cross_validate`.

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.metrics import r2_score
    >>> from surefit.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(r2_score(y, cross_val_predict(LinearRegression(), X, y, cv="loo")), 3)
    0.494
    """
    cv, alone = _folds_of(cv)
    if alone:
        cv = LeaveOneOut()
        wanted = method in ("predict", "predict_proba") and groups is None
        found = _answers(estimator, X, y, params) if wanted else None
        answers = getattr(found, method, None)
        if answers is not None:
            return answers
    with same_bits(n_jobs):
        return theirs.cross_val_predict(
            estimator,
            X,
            y,
            groups=groups,
            cv=cv,
            n_jobs=n_jobs,
            verbose=verbose,
            params=params,
            pre_dispatch=pre_dispatch,
            method=method,
        )


def same_bits(n_jobs: int | None) -> AbstractContextManager[Any]:
    """BLAS on one thread, here and in the processes that scikit-learn starts: sums are then added in one order."""
    if n_jobs in (None, 1):
        return single_threaded_blas()
    backend, _ = get_active_backend()
    return (
        parallel_config("loky", inner_max_num_threads=1) if type(backend).__name__ == "LokyBackend" else nullcontext()
    )


def _folds_of(cv: Any) -> tuple[Any, bool]:
    """(cv, whether it is leave-one-out); "loo" becomes None."""
    if isinstance(cv, str):
        if cv != "loo":
            raise InvalidParameter(
                "Expected `cv` as an integer, a cross-validation object (from sklearn.model_selection), or an "
                f"iterable yielding (train, test) splits as arrays of indices, or 'loo'. Got {cv}."
            )
        return None, True
    return cv, isinstance(cv, theirs.LeaveOneOut)


def _row_scoring(scoring: Any, strict: bool, classifier: bool) -> Any:
    """None becomes the usual score of one row; "loo" refuses scores that one row has not."""
    if scoring is None:
        return usual_scoring(classifier)
    if strict:
        names = [scoring] if isinstance(scoring, str) else scoring.values() if isinstance(scoring, dict) else scoring
        for name in names if not callable(scoring) else ():
            if isinstance(name, str):
                refuse_undefined(name, classifier)
    return scoring


def _at_once(estimator: Any, X: Any, y: Any, scoring: Any, params: dict[str, Any] | None) -> FoldScores | None:
    """Leave-one-out by the closed form; None where there is none for what is asked."""
    names = {"score": scoring} if isinstance(scoring, str) else scoring
    if isinstance(names, (list, tuple, set)):
        names = {name: name for name in names}
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        return None
    known = CLASSES if is_classifier(estimator) else NUMBERS
    if not set(names.values()) <= set(known):
        return None
    start = time.perf_counter()
    found = _answers(estimator, X, y, params)
    if found is None:
        return None
    fitted = time.perf_counter()
    y = np.asarray(y)
    scores = FoldScores({"fit_time": np.zeros(len(y)), "score_time": np.zeros(len(y))})
    for key, name in names.items():
        scores[f"test_{key}"] = _row_scores(name, y, found)
    scores["fit_time"] += (fitted - start) / len(y)
    scores["score_time"] += (time.perf_counter() - fitted) / len(y)
    scores._left_out, scores.closed_form = len(y), True
    return scores


def _row_scores(name: str, y: np.ndarray, found: LeftOut) -> np.ndarray:
    if found.classes is None:
        return -NUMBERS[name](y.astype(np.float64), found.predict)
    codes, said = np.searchsorted(found.classes, y), np.searchsorted(found.classes, found.predict)
    return CLASSES[name][1](codes, said, found.predict_proba)


def _answers(estimator: Any, X: Any, y: Any, params: dict[str, Any] | None) -> LeftOut | None:
    """In closed form, where nothing but weights is passed and they go to `fit` alone."""
    if closed_form_of(estimator) is None or sklearn.get_config()["enable_metadata_routing"]:
        return None
    given = {name: value for name, value in (params or {}).items() if value is not None}
    return left_out(estimator, X, y, given.get("sample_weight")) if set(given) <= {"sample_weight"} else None
