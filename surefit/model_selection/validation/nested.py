"""Nested cross-validation: tuning happens inside the training part of each fold, the test part judges what it chose.

The best score that a search reports is the largest of many, and too good. Here each outer fold tunes afresh with its
training rows (an inner cross-validation), and what was chosen is scored on rows that neither tuning nor fit has seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.model_selection as theirs
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable

from surefit._core.errors import InvalidParameter
from surefit.model_selection.validation.cross_validate import FoldScores, cross_validate
from surefit.model_selection.validation.watched import Watched

CHOSEN = ("alpha_", "gamma_", "C_", "l1_ratio_", "ccp_alpha_", "n_neighbors_")
"""Where estimators that tune themselves keep what they chose."""
INNER_FOLDS = 5


class NestedScores(FoldScores):
    """What `nested_cross_validate` returns: `FoldScores` of the outer folds, with what was chosen in each.

    `parameters`     what tuning chose in each training part; empty dictionaries for an estimator that tunes nothing
    `inner_score`    the score by which it was chosen, on the inner folds; NaN where the estimator keeps none
    `optimism`       the mean of what tuning promised minus the mean of what unseen rows gave, where both are known
    `certify(X, y)`  no test row was handed to tuning: the digests of the rows that were are made again
    """

    parameters: list[dict[str, Any]]
    inner_score: np.ndarray
    inner_scores: list[tuple[int, np.ndarray] | None]
    """For each fold the place of what was chosen and the mean inner scores of all that was tried."""
    digests: list[str]
    pairwise: bool = False

    @property
    def optimism(self) -> float:
        return float(np.mean(self.inner_score) - np.mean(self["test_score"])) if "test_score" in self else float("nan")


def nested_cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    param_grid: Any = None,
    cv: Any = None,
    inner_cv: Any = None,
    groups: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    error_score: Any = "raise",
) -> NestedScores:
    """Scores of a tuned estimator on rows that its tuning has not seen, with what was chosen in each fold.

    estimator    a search (`GridSearchCV`, `RandomizedSearchCV`, …), an estimator that tunes itself (`RidgeCV`,
                 `LogisticRegressionCV`, …), a pipeline that ends in one, or with `param_grid` any estimator
    param_grid   the values to try, as for `GridSearchCV`, in `inner_cv` folds (default 5) by `scoring`
    cv           the outer folds: a number, a splitter, the splits, or "loo"; folds that leak are refused
    groups       rows that must stay together: outer folds by a group splitter; those of `param_grid` then too
    params       for `fit`, as in `cross_validate`

    The scores are those of scikit-learn's `cross_val_score(search, X, y, cv=cv)`, to the bit where the estimator
    gives the same bits.

    >>> from sklearn.datasets import load_diabetes
    >>> from surefit.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> scores = nested_cross_validate(Ridge(), X, y, param_grid={"alpha": [0.01, 0.1, 1.0]}, cv=4)
    >>> [chosen["alpha"] for chosen in scores.parameters]
    [0.01, 0.1, 0.1, 0.1]
    >>> scores.certify(X, y)["unseen"].holds
    True
    """
    X, y = indexable(X, y)
    groups_inside = groups is not None and _splits_groups(getattr(estimator, "cv", None))
    if param_grid is not None:
        if inner_cv is None and groups is not None:
            inner_cv, groups_inside = theirs.GroupKFold(INNER_FOLDS), True
        estimator = _search(estimator, param_grid, INNER_FOLDS if inner_cv is None else inner_cv, scoring)
        groups_inside = groups_inside or (groups is not None and _splits_groups(inner_cv))
    elif inner_cv is not None:
        raise InvalidParameter("inner_cv goes with param_grid; a search or an estimator that tunes itself has its own")
    if groups is not None and cv is None:
        cv = theirs.GroupKFold(5)
    found = cross_validate(
        Watched(estimator),
        X,
        y,
        groups=groups,
        scoring=scoring,
        cv=cv,
        n_jobs=n_jobs,
        verbose=verbose,
        params={**(params or {}), "groups": groups} if groups_inside else params,
        return_train_score=return_train_score,
        return_estimator=True,
        error_score=error_score,
    )
    return _nested(found, estimator, return_estimator)


def _nested(found: FoldScores, estimator: Any, keep: bool) -> NestedScores:
    scores = NestedScores(found)
    scores._fingerprint, scores._kept = found._fingerprint, found._kept
    watched = scores.pop("estimator")
    models = [getattr(one, "estimator_", None) for one in watched]
    scores.digests = [getattr(one, "digest_", "") for one in watched]
    scores.parameters = [chosen_parameters(one) for one in models]
    scores.inner_score = np.array([_inner_score(one) for one in models])
    scores.inner_scores = [_inner_table(one) for one in models]
    scores.pairwise = bool(get_tags(estimator).input_tags.pairwise)
    if keep:
        scores["estimator"] = models
    return scores


def _search(estimator: Any, param_grid: Any, inner_cv: Any, scoring: Any) -> Any:
    if hasattr(estimator, "best_params_") or isinstance(estimator, (theirs.GridSearchCV, theirs.RandomizedSearchCV)):
        raise InvalidParameter("the estimator is a search already: leave param_grid out")
    if scoring is not None and not (isinstance(scoring, str) or callable(scoring)):
        raise InvalidParameter(
            "with param_grid one score decides: give scoring as one name or scorer, or pass a search"
        )
    return theirs.GridSearchCV(estimator, param_grid, cv=inner_cv, scoring=scoring)


def _splits_groups(cv: Any) -> bool:
    return "Group" in type(cv).__name__


def chosen_parameters(model: Any) -> dict[str, Any]:
    """What tuning chose: `best_params_`, or what an estimator that tunes itself keeps; empty where there is neither."""
    if isinstance(model, Pipeline):
        return chosen_parameters(model[-1])
    if hasattr(model, "best_params_"):
        return dict(model.best_params_)
    if not type(model).__name__.endswith("CV"):
        return {}
    return {name[:-1]: _plain(getattr(model, name)) for name in CHOSEN if hasattr(model, name)}


def _plain(value: Any) -> Any:
    """One number as a number."""
    array = np.asarray(value)
    return array.item() if array.size == 1 else value


def _inner_score(model: Any) -> float:
    score = getattr(model[-1] if isinstance(model, Pipeline) else model, "best_score_", np.nan)
    return float(np.mean(score))


def _inner_table(model: Any) -> tuple[int, np.ndarray] | None:
    """Of a search that takes the best mean of one score."""
    results, place = getattr(model, "cv_results_", None), getattr(model, "best_index_", None)
    if results is None or place is None or callable(getattr(model, "refit", None)):
        return None
    name = model.refit if isinstance(model.refit, str) else "score"
    values = results.get(f"mean_test_{name}")
    return None if values is None else (int(place), np.asarray(values, dtype=np.float64))
