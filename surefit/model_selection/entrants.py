"""Who takes part: the estimators that are given, by name, or those that suit the data; and what the task is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier

from surefit._core.errors import InvalidParameter
from surefit._core.optional import require
from surefit.model_selection.candidates import Field, Shape, Task, candidates_for
from surefit.model_selection.candidates.search import Searched
from surefit.model_selection.clusterings.radius import with_radius
from surefit.model_selection.prepare.steps import SCALED, pipeline_for, scaled
from surefit.model_selection.prepare.table import Table, prepare_table, table_of_array
from surefit.model_selection.prepare.target import task_of_array
from surefit.model_selection.validation.folds import Split


def named(estimators: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """The estimators by name; those of a list by the name of their class, twins with a number."""
    if isinstance(estimators, Field):
        return estimators
    if isinstance(estimators, Mapping):
        found = dict(estimators)
    else:
        found = {}
        for one in estimators if isinstance(estimators, (list, tuple)) else [estimators]:
            name = type(one).__name__
            twins = sum(1 for other in found if other == name or other.startswith(f"{name} #"))
            found[f"{name} #{twins + 1}" if twins else name] = one
    if not found:
        raise InvalidParameter("compare needs at least one estimator")
    for name, one in found.items():
        if not hasattr(one, "fit") or isinstance(one, type):
            raise InvalidParameter(f"{name} is no estimator (an instance with a fit method); got {one!r}")
    return found


def task_of(task: Task | None, models: dict[str, Any] | None, y: Any) -> Task:
    """What is compared: as asked, as the estimators are, or as the target looks."""
    if y is None and task not in (None, "clustering"):
        raise InvalidParameter(f"a {task} needs y")
    if y is not None and task == "clustering":
        raise InvalidParameter("a clustering has no target: leave y out")
    if models is None:
        if y is None:
            return "clustering"
        return task or task_of_array(y)
    kinds = {name: is_classifier(one) for name, one in models.items()}
    if len(set(kinds.values())) > 1:
        one, other = (next(name for name, kind in kinds.items() if kind is wanted) for wanted in (True, False))
        raise InvalidParameter(f"{one} is a classifier and {other} is not: their scores cannot be compared")
    if all(kinds.values()):
        if y is None:
            raise InvalidParameter(f"{next(iter(models))} is a classifier: it needs y")
        if task == "regression":
            raise InvalidParameter(f"{next(iter(models))} is a classifier; a regression was asked for")
        return "classification"
    if task == "classification":
        raise InvalidParameter(f"{next(iter(models))} is no classifier; a classification was asked for")
    return "clustering" if y is None else "regression"


def suited_models(table: Table, shape: Shape) -> Field:
    """The models that suit a table, each behind the steps that make a matrix of it."""
    found = candidates_for(table.task, shape).behind(lambda estimator: pipeline_for(table, estimator))
    return found.with_models(with_radius(found, table.X))


def suited(X: Any, y: Any, codes: np.ndarray | None, task: Task, splits: list[Split]) -> tuple[Any, Field, list[str]]:
    """The data, the models that suit it (each behind steps that are fitted inside the folds), and notes."""
    n_train = min(train.size for train, _ in splits)
    smallest = () if codes is None else tuple(np.min([_counts(codes, train) for train, _ in splits], axis=0).tolist())
    spread = float(np.std(y)) or 1.0 if task == "regression" else 1.0
    if sp.issparse(X):
        found = candidates_for(task, Shape(n_train, X.shape[1], smallest, spread=spread))
        found = found.behind(lambda estimator: scaled(estimator, sparse=True))
        return X, found.with_models(with_radius(found, X)), [SCALED]
    table = _table(X, task)
    shape = Shape(n_train, table.n_columns, smallest, table.mixed, spread)
    return table.X, suited_models(table, shape), [*table.notes, SCALED]


def with_scoring(models: dict[str, Any], scoring: Any, seed: int) -> dict[str, Any]:
    """Searches look at the same score as the comparison, and draw their rows by its seed."""
    found = {}
    for name, model in models.items():
        if isinstance(model, Searched):
            model = clone(model).set_params(scoring=model.scoring or scoring, random_state=seed)
        found[name] = model
    return found


def _table(X: Any, task: Task) -> Table:
    """Arrays of text become a table with columns by number."""
    if not hasattr(X, "iloc"):
        X = np.asarray(X)
        if X.dtype.kind in "fiub":
            return table_of_array(X, task)
        pandas = require("pandas", extra="cli", purpose="An array of text")
        X = pandas.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])]).infer_objects()
    table = prepare_table(X)
    table.task = task
    return table


def _counts(codes: np.ndarray, train: np.ndarray) -> np.ndarray:
    return np.bincount(codes[train], minlength=int(codes.max()) + 1)
