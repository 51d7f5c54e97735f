"""`compare` without a target: clusterings of the same rows, judged by halves of them instead of folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.model_selection.budget import Budget
from surefit.model_selection.candidates import Field
from surefit.model_selection.clusterings.trial import ClusterTrial
from surefit.model_selection.clusterings.verdict import describe
from surefit.model_selection.comparison import Comparison
from surefit.model_selection.contest import Progress, run_contest
from surefit.model_selection.describe.columns import describe_columns, n_rows_of
from surefit.model_selection.describe.profile import profile
from surefit.model_selection.entrants import suited

FEWEST = 4
"""Rows: two clusters of two."""


def compare_clusterings(
    models: dict[str, Any] | None,
    X: Any,
    *,
    level: float,
    seed: int,
    budget: Budget,
    leave_out: bool,
    on_progress: Progress | None,
    versions: dict[str, str],
) -> Comparison:
    """The models, or those that suit the rows, in the order given; see `ClusterTrial`."""
    n, described, notes = n_rows_of(X), profile(X), list[str]()
    trial = ClusterTrial(X, level, seed)
    if models is None:
        if n < FEWEST:
            raise InvalidData(f"{n} rows are too few to look for clusters: at least {FEWEST} are needed")
        X, models, notes = suited(X, None, None, "clustering", [(np.arange(n), np.arange(0))])
        trial = ClusterTrial(X, level, seed)
    contest = run_contest(trial, models, budget, leave_out, on_progress)
    columns = describe_columns(X)
    found = Comparison(
        task="clustering",
        metric=trial.metric,
        level=level,
        splits=trial.words,
        n_splits=trial.n_pairs,
        test_train_ratio=trial.ratio,
        n_rows=n,
        n_features=len(columns),
        outcomes=contest.outcomes,
        columns=columns,
        versions=versions,
        notes=notes + trial.notes + [f"{one.name} {line}" for one in contest.outcomes for line in one.notes],
        X=X,
        left_out=contest.left_out + (models.unsuited if isinstance(models, Field) else []),
        interrupted=contest.interrupted,
        time_budget=budget.seconds if np.isfinite(budget.seconds) else None,
        profile=described,
    )
    for one in found.outcomes:
        one.sentence = models.sentences.get(one.name, "") if isinstance(models, Field) else ""
    describe(found)
    found.seconds = budget.spent
    return found
