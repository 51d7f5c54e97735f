"""`compare`: every model on the same folds, with intervals that know that folds overlap, and certificates."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import scipy
import sklearn

from surefit._core.base import VERSION
from surefit._core.errors import CannotStream, InvalidParameter
from surefit.engine.open import kind_of
from surefit.model_selection.budget import Budget
from surefit.model_selection.candidates import Field, Task
from surefit.model_selection.clusterings.compare import compare_clusterings
from surefit.model_selection.clusterings.trial import judged_by_halves
from surefit.model_selection.comparison import Comparison
from surefit.model_selection.contest import Contest, Progress, run_contest
from surefit.model_selection.describe.columns import describe_columns, n_rows_of
from surefit.model_selection.describe.leaks import find_leaks
from surefit.model_selection.describe.profile import profile
from surefit.model_selection.entrants import named, suited, suited_models, task_of, with_scoring
from surefit.model_selection.fold import Data
from surefit.model_selection.prepare.target import labels_of, numbers_of, short
from surefit.model_selection.running import n_processes
from surefit.model_selection.scoring import scoring_of
from surefit.model_selection.significance.against_best import against_best
from surefit.model_selection.significance.pairing import fold_fingerprint
from surefit.model_selection.significance.rope import usual_rope
from surefit.model_selection.significance.verdict import opening, verdict
from surefit.model_selection.significance.words import in_a_row
from surefit.model_selection.trial import Trial
from surefit.model_selection.validation.dependent_folds import dependence_of, draw_dependent_folds
from surefit.model_selection.validation.folds import draw_folds, lacking, usual_repeats

__all__ = ["compare", "suited_models", "usual_repeats", "versions"]

Estimators = Mapping[str, Any] | Sequence[Any] | None


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
    target: str | None = None,
) -> Comparison:
    """Cross-validate models on the same folds, fit each on all rows, and certify that fit.

    estimators    a dict from names to estimators, a list of estimators, or None for those that suit the data, each
                  behind steps that impute, encode and scale columns inside the folds
    X, y          rows in memory; without y the models are compared as clusterings: by halves of the rows in the place
                  of folds (see `clusterings/stability.py`), unless cv or scoring is given or one is a projection
    task          "regression", "classification" or "clustering"; None looks at the estimators, or where there are
                  none at y: text, booleans and a handful of repeated whole numbers are classes
    cv            a splitter of scikit-learn, a number of folds, or None for 5; folds are drawn 5 times (twice
                  beyond 200,000 numbers in the table, once beyond a million), and spread each class evenly
    scoring       a scorer of scikit-learn, by name or as a function; default R², for classes accuracy (without y: see
                  `explained_share`)
    level         of the intervals and tests
    rope          the largest difference of mean scores that does not matter in practice; None for the usual one of the
                  score (0.01 of an accuracy or R²)
    failing       what to do about a model that cannot be fitted: "raise" its error (default for models that are
                  given), or "leave out" the model and say why (default for estimators=None)
    groups        for each row who it belongs to: rows of one group stay on one side of each fold (a splitter given as
                  cv gets them too)
    time          for each row when it was observed: each fold is tested on rows later than those it was trained on
    time_budget   seconds; each model gets its share of what is left, one that does not fit in it is left out. What is
                  left out then depends on the machine. None for no limit
    n_jobs        processes that share the folds; None for one, which uses all threads. The results are the same
    on_progress   called with (fits done, fits in all, name of the model, seconds left or None)
    target        the name of y, for the words; that of a series is known

    An interrupt (Ctrl-C) ends the comparison with the models that are finished.

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
    _check(level, rope)
    budget, processes, n_rows = Budget(time_budget), n_processes(n_jobs), n_rows_of(X)
    models = None if estimators is None else named(estimators)
    task = task_of(task, models, y)
    leave_out = failing == "leave out" or (failing is None and estimators is None)
    if task == "clustering" and judged_by_halves(models, cv, scoring):
        return compare_clusterings(
            models,
            X,
            level=level,
            seed=random_state,
            budget=budget,
            leave_out=leave_out,
            on_progress=on_progress,
            versions=versions(),
        )
    target = target or _name_of(y)
    classes = codes = None
    if task == "classification":
        y = labels_of(y, n_rows)
        classes, codes = np.unique(y, return_inverse=True)
    elif task == "regression":
        y = numbers_of(y, n_rows)
    dependent = draw_dependent_folds(cv, X, y, groups, time, random_state, classes=classes is not None)
    splits, words = dependent or draw_folds(cv, X, y, n_rows, random_state, classes=classes is not None)
    described = profile(X, y=y)
    notes: list[str] = []
    if models is None:
        X, models, notes = suited(X, y, codes, task, splits)
    if classes is not None and codes is not None:
        notes = notes + _rare(classes, lacking(splits, codes, classes.size))
    score, metric = scoring_of(scoring, task)
    fingerprint = fold_fingerprint(splits, y, metric)
    data = Data(X, y, score, classes, codes, *dependence_of(groups, time))
    trial = Trial(data, splits, level, fingerprint, processes)
    contest = run_contest(trial, with_scoring(models, scoring, random_state), budget, leave_out, on_progress)
    columns = describe_columns(X)
    found = Comparison(
        task=task,
        metric=metric,
        level=level,
        splits=words,
        n_splits=len(splits),
        test_train_ratio=trial.ratio,
        n_rows=n_rows,
        n_features=len(columns),
        outcomes=contest.outcomes,
        columns=columns,
        versions=versions(),
        target=target,
        notes=notes + _on_searches(contest, trial),
        X=X,
        y=y,
        classes=classes,
        left_out=contest.left_out + (models.unsuited if isinstance(models, Field) else []),
        leaks=find_leaks(X, y, splits, groups, time),
        interrupted=contest.interrupted,
        time_budget=time_budget,
        profile=described,
    )
    if isinstance(models, Field):
        for one in found.outcomes:
            one.sentence = models.sentences.get(one.name, "")
    _judge(found, usual_rope(metric, y) if rope is None else rope)
    found.seconds = budget.spent
    return found


def _judge(found: Comparison, rope: float | None) -> None:
    """Every model against the best one, and what follows in words."""
    best = against_best(found.outcomes, found.test_train_ratio, found.level, rope)
    if found.task == "clustering":
        return
    found.outcomes.sort(key=lambda one: one.merit, reverse=True)
    found.opening = opening(found.outcomes, best, found.level, found.metric, found.target)
    found.verdict = verdict(found.outcomes, best, found.level, found.metric)


def versions() -> dict[str, str]:
    return {
        "surefit": VERSION,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def _check(level: float, rope: float | None) -> None:
    if not 0 < level < 1:
        raise InvalidParameter(f"level must be a number > 0 and < 1; got {level!r}")
    if rope is not None and not (np.isfinite(rope) and rope >= 0):
        raise InvalidParameter(f"rope must be a number ≥ 0, or None for the usual one; got {rope!r}")


def _name_of(y: Any) -> str | None:
    """Of a pandas series."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


def _on_searches(contest: Contest, trial: Trial) -> list[str]:
    """What the searches looked at where that is not all, and models that went without one."""
    n_train = min(train.size for train, _ in trial.splits)
    rows = {one.search_rows for one in contest.outcomes if one.search_rows is not None and one.search_rows < n_train}
    notes = [f"settings are searched on {n:,} rows of each training part" for n in sorted(rows)]
    said = dict.fromkeys(line for one in contest.outcomes for line in one.notes)
    return notes + [f"{in_a_row([one.name for one in contest.outcomes if line in one.notes])}: {line}" for line in said]


def _rare(classes: np.ndarray, places: list[int]) -> list[str]:
    if not places:
        return []
    some = ", ".join(short(classes[place]) for place in places[:3]) + (" …" if len(places) > 3 else "")
    noun = "class" if len(places) == 1 else "classes"
    return [f"the {noun} {some} {'has' if len(places) == 1 else 'have'} fewer rows than there are folds: not every "
            "fold tests on it" + ("" if len(places) == 1 else " or them")]  # fmt: skip
