"""How long a model will take, from two small fits: so that what does not fit into its share is not begun.

Of fits to n₁ < n₂ rows that took t₁ and t₂ seconds: where t₂/t₁ ≥ n₂/n₁, a fit to n rows takes t₂ (n/n₂)^p with
p = log(t₂/t₁) / log(n₂/n₁) ≤ 2; else a part of the time does not depend on the rows, and it takes the line through
both, t₂ + (n − n₂) (t₂ − t₁)/(n₂ − n₁), at least t₂. A first fit is thrown away: it also pays for what is made once.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from surefit.model_selection.budget import Share, Stopped, TooSlow, in_seconds, time_limit
from surefit.model_selection.candidates.search import FOLDS, Searched, spread_rows
from surefit.model_selection.describe.columns import take
from surefit.model_selection.fold import Data

FEW, SOME = 500, 2_000


def refuse_slow(data: Data, estimator: Any, splits: list, share: Share, processes: int = 1) -> None:
    """Raise `TooSlow` where all folds and the fit on all rows will take more than the share of the time."""
    train = splits[0][0]
    if not math.isfinite(share.seconds) or train.size <= 2 * SOME or data.y is None:
        return
    own = estimator.estimator if isinstance(estimator, Searched) else estimator
    try:
        with time_limit(share.left_for_folds):
            fit_seconds = fit_time(own, data, train)
    except Stopped as error:
        raise TooSlow(f"a fit to {SOME} rows takes longer than its share of the time, {share}") from error
    if fit_seconds is None:
        return
    each = fit_seconds(train.size) + _search_seconds(estimator, train.size, fit_seconds)
    needed = each * (-(-len(splits) // processes) + 1)
    if needed > share.left:
        what = "a search and a fit" if isinstance(estimator, Searched) else "a fit"
        raise TooSlow(
            f"{what} would take about {in_seconds(each)}, all {len(splits) + 1} of them {in_seconds(needed)}: "
            f"its share of the time is {share}"
        )


def fit_time(estimator: Any, data: Data, train: np.ndarray) -> Callable[[int], float] | None:
    """Rows → seconds of a fit; None for a model that cannot be fitted to so few rows."""
    if data.y is None:
        return None
    seconds = []
    for size in (FEW, FEW, SOME):
        rows = train[spread_rows(data.y[train], size, seed=0)]
        X, y = take(data.X, rows), data.y[rows]
        model, start = clone(estimator), time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a fit that is thrown away
                model.fit(X, y)
        except ValueError:
            return None
        seconds.append(time.perf_counter() - start)
    few, some = seconds[1:]
    if some < few * SOME / FEW:
        each_row = max(some - few, 0.0) / (SOME - FEW)
        return lambda n: some + max(n - SOME, 0) * each_row
    power = min(math.log(some / few) / math.log(SOME / FEW), 2.0)
    return lambda n: some * (n / SOME) ** power


def _search_seconds(estimator: Any, n_rows: int, fit_seconds: Callable[[int], float]) -> float:
    if not isinstance(estimator, Searched):
        return 0.0
    rows = min(n_rows, estimator.max_rows)
    folds = 1 if rows < n_rows else FOLDS
    return len(estimator.grid) * folds * fit_seconds(rows * (FOLDS - 1) // FOLDS)
