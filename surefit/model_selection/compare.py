"""`compare`: every model on the same folds, with intervals that know that folds overlap, and certificates."""

from __future__ import annotations

import platform
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.metrics import get_scorer, silhouette_score
from sklearn.model_selection import RepeatedKFold, check_cv

from surefit._core.base import VERSION
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit.engine.open import kind_of
from surefit.model_selection.candidates import Task, candidates_for
from surefit.model_selection.checked_steps import certify_steps
from surefit.model_selection.columns import describe_columns, n_rows_of, take
from surefit.model_selection.comparison import Comparison, Outcome
from surefit.model_selection.intervals import corrected_difference, corrected_interval, holm
from surefit.model_selection.prepare import SCALED, pipeline_for, prepare_table, scaled
from surefit.model_selection.unsupervised import explained_share, prepared, split_last

FOLDS, REPEATS = 5, 5
LARGE = 10**6
SILHOUETTE_ROWS = 2000
METRIC_WORDS = {
    "r2": "R²",
    "neg_root_mean_squared_error": "−RMSE",
    "neg_mean_squared_error": "−MSE",
    "neg_mean_absolute_error": "−MAE",
    "neg_median_absolute_error": "−median AE",
    "explained_variance": "explained variance",
}
Estimators = Mapping[str, Any] | Sequence[Any] | None
Split = tuple[np.ndarray, np.ndarray]


def compare(
    estimators: Estimators,
    X: Any,
    y: Any = None,
    *,
    cv: Any = None,
    scoring: str | Callable | None = None,
    level: float = 0.95,
    random_state: int = 0,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Comparison:
    """Cross-validate models on the same folds, fit each on all rows, and certify that fit.

    estimators    a dict from names to estimators, a list of estimators, or None for those that suit the data, each
                  behind steps that impute, encode and scale columns inside the folds
    X, y          rows in memory; without y the models are compared as clusterings and projections
    cv            a splitter of scikit-learn, a number of folds, or None for 5; folds are drawn 5 times (once where
                  the table has more than a million numbers)
    scoring       a scorer of scikit-learn, by name or as a function; default R² (without y: see `explained_share`)
    on_progress   called with (fits done, fits in all, name of the model)

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> from surefit.model_selection import compare
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = compare([LinearRegression(), Ridge(alpha=0.1)], X, y)
    >>> [outcome.verdict for outcome in result.outcomes]
    ['✓ OPTIMAL', '✓ OPTIMAL']
    """
    if kind_of(X) != "memory":
        raise CannotStream("compare fits each model many times and needs its rows in memory; load them first")
    n_rows = n_rows_of(X)
    y = _target(y, n_rows)
    task: Task = "clustering" if y is None else "regression"
    splits, words = _splits(cv, X, y, n_rows, random_state)
    ratio = float(np.mean([test.size / train.size for train, test in splits]))
    notes: list[str] = []
    n_train = min(train.size for train, _ in splits)
    if estimators is None:
        X, models, notes = _suited(X, task, n_train)
    else:
        models = _named(estimators)
    columns = describe_columns(X)
    score, metric = _scoring(scoring, y)

    total, done, outcomes = len(models) * (len(splits) + 1), 0, []
    for name, estimator in models.items():

        def tick(name: str = name) -> None:
            nonlocal done
            done += 1
            if on_progress is not None:
                on_progress(done, total, name)

        outcomes.append(_outcome(name, estimator, X, y, splits, score, ratio, level, tick))
    _against_best(outcomes, ratio, level)
    if task == "regression":
        outcomes.sort(key=lambda one: -one.interval.mean)
    return Comparison(
        task=task,
        metric=metric,
        level=level,
        splits=words,
        n_splits=len(splits),
        test_train_ratio=ratio,
        n_rows=n_rows,
        n_features=len(columns),
        outcomes=outcomes,
        columns=columns,
        versions=versions(),
        notes=notes,
        X=X,
        y=y,
    )


def usual_repeats(X: Any) -> int:
    """5; 1 for a large table, whose folds already tell models apart."""
    return REPEATS if X.shape[0] * X.shape[1] <= LARGE else 1


def versions() -> dict[str, str]:
    return {
        "surefit": VERSION,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def _target(y: Any, n_rows: int) -> np.ndarray | None:
    if y is None:
        return None
    y = np.asarray(y)
    if y.ndim != 1 or y.shape[0] != n_rows:
        raise InvalidData(f"y must have one value for each of the {n_rows} rows of X; got shape {y.shape}")
    if y.dtype.kind not in "fiu":
        raise InvalidData(f"y must be numeric: surefit compares regressions and clusterings; got {y.dtype}")
    if not np.isfinite(y).all():
        raise InvalidData(f"y is not finite in row {int(np.flatnonzero(~np.isfinite(y))[0])}")
    return y.astype(np.float64, copy=False)


def _splits(cv: Any, X: Any, y: Any, n_rows: int, random_state: int) -> tuple[list[Split], str]:
    """The folds, drawn once: every model sees the same ones, in the same order."""
    if cv is None or isinstance(cv, (int, np.integer)):
        folds = FOLDS if cv is None else int(cv)
        if not 2 <= folds <= n_rows:
            raise InvalidParameter(f"cv must be a whole number ≥ 2 and at most the {n_rows} rows; got {folds}")
        cv = RepeatedKFold(n_splits=folds, n_repeats=usual_repeats(X), random_state=random_state)
    if isinstance(cv, RepeatedKFold):
        folds = cv.get_n_splits(np.empty((n_rows, 1))) // cv.n_repeats
        words = f"{folds} folds × {cv.n_repeats}" + (f", seed {cv.random_state}" if cv.random_state is not None else "")
    else:
        words = "folds as given" if isinstance(cv, Iterable) else type(cv).__name__
    splits = [(np.asarray(train), np.asarray(test)) for train, test in check_cv(cv).split(X, y)]
    for number, (train, test) in enumerate(splits):
        if np.intersect1d(train, test).size:
            raise InvalidData(f"fold {number} tests on rows it was trained on: the scores would mean nothing")
    return splits, words


def _suited(X: Any, task: Task, n_train: int) -> tuple[Any, dict[str, Any], list[str]]:
    """The data and the models that suit it, each behind steps that impute, encode and scale inside the folds."""
    if hasattr(X, "iloc"):
        table = prepare_table(X)
        found = candidates_for(task, n_train, table.n_columns)
        models = {name: pipeline_for(table, one) for name, one in found.items()}
        return table.X, models, [*table.notes, SCALED]
    found = candidates_for(task, n_train, X.shape[1])
    return X, {name: scaled(one, sparse=sp.issparse(X)) for name, one in found.items()}, [SCALED]


def _named(estimators: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    if isinstance(estimators, Mapping):
        named = dict(estimators)
    else:
        named = {}
        for one in estimators if isinstance(estimators, (list, tuple)) else [estimators]:
            name = type(one).__name__
            twins = sum(1 for other in named if other == name or other.startswith(f"{name} #"))
            named[f"{name} #{twins + 1}" if twins else name] = one
    if not named:
        raise InvalidParameter("compare needs at least one estimator")
    for name, one in named.items():
        if not hasattr(one, "fit") or isinstance(one, type):
            raise InvalidParameter(f"{name} is no estimator (an instance with a fit method); got {one!r}")
        if is_classifier(one):
            raise InvalidParameter(f"{name} is a classifier; compare takes regressors and clusterings so far")
    return named


def _scoring(scoring: str | Callable | None, y: np.ndarray | None) -> tuple[Callable[..., float], str]:
    """(model, X_train, X_test, y_test) → score, and its name in the table."""
    if scoring is None and y is None:
        return lambda model, X_train, X_test, y_test: explained_share(model, X_train, X_test), "explained"
    if callable(scoring):
        return lambda model, X_train, X_test, y_test: float(scoring(model, X_test, y_test)), "score"
    name = scoring or "r2"
    try:
        scorer = get_scorer(name)
    except ValueError as error:
        raise InvalidParameter(f"scoring must be the name of a scorer of scikit-learn; got {name!r}") from error
    return lambda model, X_train, X_test, y_test: float(scorer(model, X_test, y_test)), METRIC_WORDS.get(name, name)


def _outcome(
    name: str,
    estimator: Any,
    X: Any,
    y: np.ndarray | None,
    splits: list[Split],
    score: Callable[..., float],
    ratio: float,
    level: float,
    tick: Callable[[], None],
) -> Outcome:
    scores = np.empty(len(splits))
    predictions = None if y is None else np.full(y.shape[0], np.nan)
    coefficients: list[np.ndarray] = []
    seconds: list[float] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number, (train, test) in enumerate(splits):
            X_train, X_test = take(X, train), take(X, test)
            model = _timed_fit(estimator, X_train, None if y is None else y[train], seconds)
            scores[number] = score(model, X_train, X_test, None if y is None else y[test])
            if predictions is not None and np.isnan(predictions[test]).all():
                predictions[test] = model.predict(X_test)
            coefficient = getattr(split_last(model)[1], "coef_", None)
            if coefficient is not None:
                coefficients.append(np.ravel(coefficient))
            tick()
        final = _timed_fit(estimator, X, y, seconds)
        certificates = certify_steps(final, X, y)
        extra = _silhouette(final, X) if y is None else {}
        tick()
    same = len({one.size for one in coefficients}) == 1
    return Outcome(
        name=name,
        estimator=final,
        scores=scores,
        interval=corrected_interval(scores, ratio, level),
        fit_seconds=float(np.median(seconds)),
        certificates=certificates,
        predictions=predictions,
        fold_coefficients=np.stack(coefficients) if same else None,
        extra=extra,
        warnings=_distinct(caught),
    )


def _timed_fit(estimator: Any, X: Any, y: np.ndarray | None, seconds: list[float]) -> Any:
    model = clone(estimator)
    start = time.perf_counter()
    model.fit(X, y)
    seconds.append(time.perf_counter() - start)
    return model


def _silhouette(model: Any, X: Any) -> dict[str, float]:
    """How well the clusters are apart (Rousseeuw 1987), on at most 2000 rows spread evenly over the data."""
    labels = getattr(split_last(model)[1], "labels_", None)
    if labels is None or not 2 <= np.unique(labels).size < len(labels):
        return {}
    rows = np.unique(np.linspace(0, len(labels) - 1, min(len(labels), SILHOUETTE_ROWS)).astype(int))
    if not 2 <= np.unique(labels[rows]).size < rows.size:
        return {}
    return {"silhouette": float(silhouette_score(prepared(model, take(X, rows)), labels[rows]))}


def _distinct(caught: list[warnings.WarningMessage]) -> list[str]:
    lines = [" ".join(str(one.message).split()) for one in caught]
    return [f"{line} ({lines.count(line)} times)" if lines.count(line) > 1 else line for line in dict.fromkeys(lines)]


def _against_best(outcomes: list[Outcome], ratio: float, level: float) -> None:
    """Every model against the highest mean score, fold by fold, p-values adjusted for their number."""
    best = max(outcomes, key=lambda one: one.interval.mean)
    others = [one for one in outcomes if one is not best]
    tests = [corrected_difference(one.scores, best.scores, ratio, level) for one in others]
    for one, test, p in zip(others, tests, holm([test.p for test in tests]), strict=True):
        one.versus_best, one.p_adjusted = test, p
