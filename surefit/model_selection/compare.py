"""`compare`: every model on the same folds, with intervals that know that folds overlap, and certificates."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import scipy
import scipy.sparse as sp
import sklearn
from sklearn.base import is_classifier

from surefit._core.base import VERSION
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter, SurefitError
from surefit.engine.open import kind_of
from surefit.model_selection.candidates import Shape, Task, candidates_for
from surefit.model_selection.clusterings.radius import with_radius
from surefit.model_selection.comparison import Comparison, Outcome
from surefit.model_selection.prepare.columns import describe_columns, n_rows_of
from surefit.model_selection.prepare.steps import SCALED, pipeline_for, scaled
from surefit.model_selection.prepare.table import Table, prepare_table
from surefit.model_selection.prepare.target import labels_of, numbers_of, short, task_of_array
from surefit.model_selection.scoring import scoring_of
from surefit.model_selection.significance.intervals import corrected_difference, holm
from surefit.model_selection.trial import Trial
from surefit.model_selection.validation.folds import draw_folds, lacking, usual_repeats

__all__ = ["compare", "suited_models", "usual_repeats", "versions"]

Estimators = Mapping[str, Any] | Sequence[Any] | None
Progress = Callable[[int, int, str, float | None], None]
"""(fits done, fits in all, name of the model, seconds left or None)."""


def compare(
    estimators: Estimators,
    X: Any,
    y: Any = None,
    *,
    task: Task | None = None,
    cv: Any = None,
    scoring: str | Callable | None = None,
    level: float = 0.95,
    rope: float | None = None,
    random_state: int = 0,
    failing: Literal["raise", "leave out"] | None = None,
    groups: Any = None,
    time: Any = None,
    time_budget: float | None = None,
    n_jobs: int | None = None,
    on_progress: Progress | None = None,
) -> Comparison:
    """Cross-validate models on the same folds, fit each on all rows, and certify that fit.

    estimators    a dict from names to estimators, a list of estimators, or None for those that suit the data, each
                  behind steps that impute, encode and scale columns inside the folds
    X, y          rows in memory; without y the models are compared as clusterings and projections
    task          "regression", "classification" or "clustering"; None looks at the estimators, or where there are
                  none at y: text, booleans and a handful of repeated whole numbers are classes
    cv            a splitter of scikit-learn, a number of folds, or None for 5; folds are drawn 5 times (once where
                  the table has more than a million numbers), and spread each class evenly
    scoring       a scorer of scikit-learn, by name or as a function; default R², for classes accuracy (without y: see
                  `explained_share`)
    failing       what to do about a model that cannot be fitted: "raise" its error (default for models that are
                  given), or "leave out" the model with a note that says why (default for estimators=None)
    on_progress   called with (fits done, fits in all, name of the model, seconds left or None)

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
    named = None if estimators is None else _named(estimators)
    task = _task(task, named, y)
    classes = codes = None
    if task == "classification":
        y = labels_of(y, n_rows)
        classes, codes = np.unique(y, return_inverse=True)
    elif task == "regression":
        y = numbers_of(y, n_rows)
    splits, words = draw_folds(cv, X, y, n_rows, random_state, classes=classes is not None)
    if named is None:
        X, models, notes = _suited(X, y, codes, task, splits)
    else:
        models, notes = named, []
    if classes is not None and codes is not None:
        notes = notes + _rare(classes, lacking(splits, codes, classes.size))
    score, metric = scoring_of(scoring, task)
    trial = Trial(X, y, splits, score, level, classes, codes)
    leave_out = failing == "leave out" or (failing is None and estimators is None)
    outcomes, left_out = _all_outcomes(trial, models, leave_out, on_progress)
    notes = notes + left_out
    _against_best(outcomes, trial.ratio, level)
    if task != "clustering":
        outcomes.sort(key=lambda one: one.merit, reverse=True)
    columns = describe_columns(X)
    return Comparison(
        task=task,
        metric=metric,
        level=level,
        splits=words,
        n_splits=len(splits),
        test_train_ratio=trial.ratio,
        n_rows=n_rows,
        n_features=len(columns),
        outcomes=outcomes,
        columns=columns,
        versions=versions(),
        notes=notes,
        X=X,
        y=y,
        classes=classes,
    )


def versions() -> dict[str, str]:
    return {
        "surefit": VERSION,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def suited_models(table: Table, shape: Shape) -> dict[str, Any]:
    """The models that suit a table, each behind the steps that make a matrix of it."""
    found = candidates_for(table.task, shape)
    return with_radius({name: pipeline_for(table, estimator) for name, estimator in found.items()}, table.X)


def _task(task: Task | None, named: dict[str, Any] | None, y: Any) -> Task:
    """What is compared: as asked, as the estimators are, or as the target looks."""
    if y is None and task not in (None, "clustering"):
        raise InvalidParameter(f"a {task} needs y")
    if y is not None and task == "clustering":
        raise InvalidParameter("a clustering has no target: leave y out")
    if named is None:
        if y is None:
            return "clustering"
        return task or task_of_array(y)
    kinds = {name: is_classifier(one) for name, one in named.items()}
    if len(set(kinds.values())) > 1:
        one, other = (next(name for name, kind in kinds.items() if kind is wanted) for wanted in (True, False))
        raise InvalidParameter(f"{one} is a classifier and {other} is not: their scores cannot be compared")
    if all(kinds.values()):
        if y is None:
            raise InvalidParameter(f"{next(iter(named))} is a classifier: it needs y")
        if task == "regression":
            raise InvalidParameter(f"{next(iter(named))} is a classifier; a regression was asked for")
        return "classification"
    if task == "classification":
        raise InvalidParameter(f"{next(iter(named))} is no classifier; a classification was asked for")
    return "clustering" if y is None else "regression"


def _suited(
    X: Any, y: Any, codes: np.ndarray | None, task: Task, splits: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[Any, dict[str, Any], list[str]]:
    """The data and the models that suit it, each behind steps that impute, encode and scale inside the folds."""
    n_train = min(train.size for train, _ in splits)
    smallest = () if codes is None else tuple(np.min([np.bincount(codes[t]) for t, _ in splits], axis=0).tolist())
    spread = float(np.std(y)) or 1.0 if task == "regression" else 1.0
    if hasattr(X, "iloc"):
        table = prepare_table(X)
        table.task = task
        shape = Shape(n_train, table.n_columns, smallest, table.mixed, spread)
        return table.X, suited_models(table, shape), [*table.notes, SCALED]
    found = candidates_for(task, Shape(n_train, X.shape[1], smallest, spread=spread))
    return X, with_radius({name: scaled(one, sparse=sp.issparse(X)) for name, one in found.items()}, X), [SCALED]


def _rare(classes: np.ndarray, places: list[int]) -> list[str]:
    if not places:
        return []
    some = ", ".join(short(classes[place]) for place in places[:3]) + (" …" if len(places) > 3 else "")
    noun = "class" if len(places) == 1 else "classes"
    return [f"the {noun} {some} {'has' if len(places) == 1 else 'have'} fewer rows than there are folds: not every "
            "fold tests on it" + ("" if len(places) == 1 else " or them")]  # fmt: skip


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
    return named


def _all_outcomes(
    trial: Trial,
    models: dict[str, Any],
    leave_out: bool,
    on_progress: Progress | None,
) -> tuple[list[Outcome], list[str]]:
    """An outcome for each model; where `leave_out`, a line for each that could not be fitted."""
    steps = len(trial.splits) + 1
    outcomes: list[Outcome] = []
    refused: list[str] = []
    for place, (name, estimator) in enumerate(models.items()):

        def tick(done: int, name: str = name, before: int = place * steps) -> None:
            if on_progress is not None:
                on_progress(before + done, len(models) * steps, name, None)

        try:
            outcomes.append(trial.outcome(name, estimator, tick))
        except (SurefitError, ValueError) as error:
            if not leave_out:
                raise
            refused.append(f"{name} is left out: {' '.join(str(error).split()).rstrip('.')}")
    if not outcomes:
        raise InvalidData(f"no model could be compared: {'; '.join(refused)}")
    return outcomes, refused


def _against_best(outcomes: list[Outcome], ratio: float, level: float) -> None:
    """Every model against the highest mean score, fold by fold, p-values adjusted for their number."""
    scored = [one for one in outcomes if one.scored]
    if not scored:
        return
    best = max(scored, key=lambda one: one.merit)
    others = [one for one in scored if one is not best]
    tests = [corrected_difference(one.scores, best.scores, ratio, level) for one in others]
    for one, test, p in zip(others, tests, holm([test.p for test in tests]), strict=True):
        one.versus_best, one.p_adjusted = test, p
