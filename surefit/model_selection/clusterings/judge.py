"""One clustering judged: its setting found, fitted to all rows, measured, tried on halves of the rows and certified."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import stdtrit
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from surefit.certificates import Certificate
from surefit.model_selection.budget import Share, Stopped, TooSlow, in_seconds, time_limit
from surefit.model_selection.checked_steps import certify_steps
from surefit.model_selection.clusterings.explained_share import dense, split_last
from surefit.model_selection.clusterings.indices import indices_of
from surefit.model_selection.clusterings.search import ClusterSearch, labels_of
from surefit.model_selection.clusterings.stability import Stability, stability
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.significance.intervals import Interval

HALVES_SHARE = 0.6
"""Of the seconds that the fit leaves: the rest is for the certificate."""


def judged(name: str, model: Any, X: Any, level: float, seed: int, share: Share | None = None) -> Outcome:
    """The scores are the adjusted Rand indices of the pairs of halves; `predictions` are the labels of the rows.

    A fit that does not end within its share of the time is `TooSlow`; halves and the certificate go without saying
    something where it is over.
    """
    share = share or Share()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        final, Z, search, seconds = _fitted(model, X, share)
        _, last = split_last(final)
        labels = labels_of(last, Z)
        found, notes = _on_halves(last if search is None else search, Z, labels, seed, share)
        certificates, reason = _certified(final, X, share)
    pairs = np.array([np.nan]) if found is None else found.pairs
    return Outcome(
        name=name,
        estimator=final,
        scores=pairs,
        interval=Interval(float(pairs.mean()), _half(pairs, level), level),
        fit_seconds=seconds,
        certificates=certificates,
        predictions=labels,
        extra=indices_of(lambda rows: dense(Z[rows]), labels),
        warnings=list(dict.fromkeys(" ".join(str(one.message).split()) for one in caught)),
        parameters={} if search is None else dict(search.best_params_),
        search_rows=None if search is None else search.n_search_rows_,
        family=type(last).__name__,
        not_certified=reason,
        notes=notes,
    )


def _half(pairs: np.ndarray, level: float) -> float:
    """Student's t: given the rows, the draws of the halves are independent."""
    if pairs.size < 2:
        return float("nan")
    return float(stdtrit(pairs.size - 1, 0.5 + level / 2) * pairs.std(ddof=1) / np.sqrt(pairs.size))


def _fitted(model: Any, X: Any, share: Share) -> tuple[Any, Any, ClusterSearch | None, float]:
    """The fitted model with its search replaced by what it found, the rows it saw, the search, and the seconds."""
    before, last = split_last(clone(model))
    try:
        with time_limit(share.left):
            seen = X if before is None else before.fit_transform(X)
            start = time.perf_counter()
            fitted = last.fit(seen)
            seconds = time.perf_counter() - start
    except Stopped as error:
        raise TooSlow(f"its share of the time, {share}, was over before its fit") from error
    Z = seen.tocsr() if sp.issparse(seen) else np.asarray(seen, dtype=np.float64)
    search = fitted if isinstance(fitted, ClusterSearch) else None
    found = fitted if search is None else search.best_estimator_
    if before is None:
        return found, Z, search, seconds
    return Pipeline([*before.steps, (type(found).__name__.lower(), found)]), Z, search, seconds


def _on_halves(last: Any, Z: Any, labels: np.ndarray, seed: int, share: Share) -> tuple[Stability | None, list[str]]:
    """With the setting that all rows chose; none, and why, where halves cannot be clustered so or take too long."""

    def fit(rows: Any) -> Any:
        if isinstance(last, ClusterSearch):
            return last.refit(last.complete(dict(last.best_params_), rows), rows)
        return clone(last).fit(rows)

    try:
        with warnings.catch_warnings(), time_limit(HALVES_SHARE * share.left):
            warnings.simplefilter("ignore")  # the fit to all rows has said what there is to say
            return stability(fit, Z, labels, seed), []
    except Stopped:
        return None, [f"has no stability: its halves do not fit into its share of the time, {share}"]
    except ValueError as error:  # such as more clusters than a half has distinct rows
        return None, [f"has no stability: a half of the rows cannot be clustered so ({' '.join(str(error).split())})"]


def _certified(final: Any, X: Any, share: Share) -> tuple[dict[str, Certificate], str]:
    seconds = share.left
    try:
        with time_limit(seconds):
            return certify_steps(final, X), ""
    except Stopped:
        return {}, f"its check did not end within {in_seconds(max(seconds, 0.0))}"
    except MemoryError as error:
        return {}, " ".join(str(error).split())
