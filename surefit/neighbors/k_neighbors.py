"""What the classifier and the regressor on the k nearest neighbors share: the number of neighbors, given or chosen."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np

from surefit.neighbors.neighbor_count import Score, choose_neighbors
from surefit.neighbors.parameters import (
    Algorithm,
    Folds,
    Jobs,
    LeafSize,
    MetricName,
    MetricParams,
    NeighborChoice,
    P,
    Weights,
)
from surefit.neighbors.queries import KNearest


class KNeighborsModel(KNearest):
    """Predicts from the `n_neighbors` nearest rows."""

    y_fit_: np.ndarray
    n_neighbors_: int
    candidates_: np.ndarray
    cv_scores_: np.ndarray
    best_score_: float

    def __init__(
        self,
        n_neighbors: NeighborChoice = 5,
        *,
        weights: Weights = "uniform",
        algorithm: Algorithm = "auto",
        leaf_size: LeafSize = 30,
        p: P = 2,
        metric: MetricName = "minkowski",
        metric_params: MetricParams = None,
        n_jobs: Jobs = None,
        cv: Folds = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.cv = cv

    def _asked(self) -> int:
        given: Any = self.n_neighbors
        return given if _is_one_number(given) else self.n_neighbors_

    def _choose(self, p: Any, *, classes: bool, score: Score) -> None:
        """Choose the number of neighbors where several are given."""
        for name in ("n_neighbors_", "candidates_", "cv_scores_", "best_score_"):
            self.__dict__.pop(name, None)
        if _is_one_number(p.n_neighbors):
            return
        labels = self.y_fit_ if self.y_fit_.ndim == 1 or not classes else self.y_fit_[:, 0]
        chosen = choose_neighbors(p.n_neighbors, p.cv, self._index, self.X_fit_, labels, classes=classes, score=score)
        self.candidates_, self.cv_scores_ = chosen.candidates, chosen.scores
        self.n_neighbors_, self.best_score_ = chosen.best, float(chosen.scores.max())

    def _neighbors(self, Q: Any) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        return self._index.query_blocks(Q, self._number(None, Q), exclude_self=Q is None)


def _is_one_number(given: Any) -> bool:
    return given is None or isinstance(given, (int, Integral))
