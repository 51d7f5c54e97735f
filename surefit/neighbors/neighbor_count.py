"""The number of neighbors by cross-validation, from one search.

The k nearest of a left-out row are the first k of its nearest: one search for the largest candidate answers for all.
With `cv=None` every row is left out in turn and one search in all rows suffices; else there is one for each fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.search import NeighborIndex, build_index

USUAL = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
LeftOut = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Some left-out rows, and the distances and indices of their nearest training rows."""
Score = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(rows, distances, indices) → how good the prediction for each of these rows is."""


@dataclass(frozen=True)
class Chosen:
    """The numbers tried, the mean score of each over the folds, and the first of the best."""

    candidates: np.ndarray
    scores: np.ndarray

    @property
    def best(self) -> int:
        return int(self.candidates[np.argmax(self.scores)])


def choose_neighbors(wanted: Any, cv: Any, index: NeighborIndex, X: Any, y: np.ndarray, *, classes: bool,
                     score: Score) -> Chosen:  # fmt: skip
    """The number of neighbors with the best mean score of left-out rows; of equally good ones the first."""
    folds = None if cv is None else list(check_cv(cv, y, classifier=classes).split(np.zeros(len(y)), y))
    if folds is not None and not folds:
        raise InvalidParameter("cv=… gives no splits")
    candidates = _candidates(wanted, len(y) - 1 if folds is None else min(len(train) for train, _ in folds))
    most = int(candidates.max())
    parts = [_left_out(index, most)] if folds is None else [_fold(index, X, train, test, most) for train, test in folds]
    return Chosen(candidates, np.mean([_mean_scores(part, candidates, score) for part in parts], axis=0))


def _candidates(wanted: Any, most: int) -> np.ndarray:
    if isinstance(wanted, str):
        usual = np.array([k for k in USUAL if k <= most])
        if not len(usual):
            raise InvalidData("n_neighbors is chosen by cross-validation, which needs at least 2 rows; got 1 sample")
        return usual
    candidates = np.array([int(k) for k in wanted])
    if candidates.max() > most:
        raise InvalidParameter(
            f"n_neighbors=… holds {candidates.max()}, but a left-out row has {most} training rows to choose from"
        )
    return candidates


def _left_out(index: NeighborIndex, k: int) -> Iterator[LeftOut]:
    """Every row, and its nearest others."""
    for rows, distances, indices in index.query_blocks(None, k, exclude_self=True):
        yield np.arange(rows.start, rows.stop), distances, indices


def _fold(index: NeighborIndex, X: Any, train: np.ndarray, test: np.ndarray, k: int) -> Iterator[LeftOut]:
    """The rows of `test`, and their nearest rows of `train`."""
    if index.metric.is_precomputed:
        part, asked = build_index(X[train][:, train], index.metric), X[test][:, train]
    else:
        part, asked = build_index(X[train], index.metric), X[test]
    for rows, distances, indices in part.query_blocks(asked, k):
        yield test[rows], distances, train[indices]


def _mean_scores(part: Iterator[LeftOut], candidates: np.ndarray, score: Score) -> np.ndarray:
    """For each candidate k, the mean score of the predictions from the first k neighbors."""
    sums, n_rows = np.zeros(len(candidates)), 0
    for rows, distances, indices in part:
        sums += [float(np.sum(score(rows, distances[:, :k], indices[:, :k]))) for k in candidates]
        n_rows += len(rows)
    return sums / n_rows
