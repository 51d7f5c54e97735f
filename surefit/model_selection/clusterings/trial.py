"""What all clusterings of a comparison have in common: the rows and the draw of their halves.

Each finds its own setting, and is judged by its indices, by what halves of the rows say, and by its proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.model_selection.budget import Share
from surefit.model_selection.clusterings.explained_share import split_last
from surefit.model_selection.clusterings.indices import MOST_ROWS, SILHOUETTE_ROWS
from surefit.model_selection.clusterings.judge import judged
from surefit.model_selection.clusterings.search import ClusterSearch
from surefit.model_selection.clusterings.stability import FEWEST_ROWS, HALF_ROWS, PAIRS
from surefit.model_selection.clusterings.verdict import STABILITY
from surefit.model_selection.outcome import Outcome


def judged_by_halves(models: Mapping[str, Any] | None, cv: Any, scoring: Any) -> bool:
    """Clusterings, no folds or score asked for: the candidates (None), or models that all have labels.

    A projection has none: next to one, clusterings are judged by the share of unseen rows' variance that they carry.
    """
    if scoring is not None:
        return False
    if models is None:
        return True
    lasts = [split_last(model)[1] for model in models.values()]
    if all(isinstance(last, ClusterSearch) for last in lasts):
        return True
    return cv is None and all(hasattr(last, "fit_predict") for last in lasts)


class ClusterTrial:
    """Like `Trial`, with pairs of halves in the place of folds."""

    metric = STABILITY
    ratio = 1.0

    def __init__(self, X: Any, level: float, seed: int) -> None:
        _refuse_nothing_to_group(X)
        self.X, self.level, self.seed = X, level, seed
        self.splits: Sequence[Any] = ()

    def outcome(self, name: str, estimator: Any, tick: Callable[[int], None], share: Share | None = None) -> Outcome:
        found = judged(name, estimator, self.X, self.level, self.seed, share)
        tick(1)
        return found

    @property
    def n_pairs(self) -> int:
        return PAIRS if self.X.shape[0] >= FEWEST_ROWS else 0

    @property
    def words(self) -> str:
        """What stands where the folds of other tasks are described."""
        if not self.n_pairs:
            return "too few rows for halves"
        return f"{PAIRS} pairs of halves, seed {self.seed}"

    @property
    def notes(self) -> list[str]:
        """What was measured on some of the rows."""
        n, found = self.X.shape[0], []
        if n // 2 > HALF_ROWS:
            found.append(f"stability is that of halves of {HALF_ROWS:,} rows")
        if n > SILHOUETTE_ROWS:
            also = f", the other indices of {MOST_ROWS:,}" if n > MOST_ROWS else ""
            found.append(f"silhouettes are those of {SILHOUETTE_ROWS:,} rows spread over the table{also}")
        return found


def _refuse_nothing_to_group(X: Any) -> None:
    n = X.shape[0]
    if n < 2:
        raise InvalidData(f"a clustering needs at least two rows; got {n}")
    if _all_equal(X):
        raise InvalidData(f"all {n} rows are equal: there is nothing to group")


def _all_equal(X: Any) -> bool:
    if hasattr(X, "iloc"):
        return len(X.drop_duplicates()) < 2
    if sp.issparse(X):
        rows = X.tocsr()
        return abs(rows[1:] - rows[:-1]).max() == 0
    return not (np.asarray(X)[1:] != np.asarray(X)[:1]).any()
