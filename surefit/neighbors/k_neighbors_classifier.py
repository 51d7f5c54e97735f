"""Classification by the votes of the nearest neighbors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from surefit._core.base import fitting
from surefit.neighbors.k_neighbors import KNeighborsModel
from surefit.neighbors.labels import take_labels
from surefit.neighbors.votes import class_votes, neighbor_weights, refuse_weightless
from surefit.neighbors.voting import VotingClassifier


class KNeighborsClassifier(VotingClassifier, KNeighborsModel):
    """The class with the most votes among the nearest rows; of equally many votes the class that sorts first.

    With several `n_neighbors` (or "cv") the number is chosen by the share of left-out rows that are classified rightly,
    from one search; of equally good numbers the first is taken. Where two rows are equally far, the lower index is
    nearer.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of such for several outputs
    X_fit_ : ndarray or CSR of shape (n_samples, n_features)
        The rows that are searched.
    y_fit_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their classes, as places in `classes_`.
    outputs_2d_ : bool
        Whether y had several columns.
    n_neighbors_ : int
        The number chosen, where there was a choice; likewise the next three.
    candidates_ : ndarray of shape (n_candidates,)
    cv_scores_ : ndarray of shape (n_candidates,)
        The share of left-out rows classified rightly, the mean over folds.
    best_score_ : float
        The largest of these.
    n_samples_fit_, effective_metric_, effective_metric_params_ : as in NearestNeighbors
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.predict([[1.1]])
    array([0])
    """

    classes_: np.ndarray | list[np.ndarray]
    outputs_2d_: bool

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows X and their classes y (one or several columns); choose the number of neighbors if asked to."""
        p = self._checked()
        rows = self._keep_rows(p, X)
        self.classes_, self.y_fit_ = take_labels(self, y, rows.shape[0])
        self.outputs_2d_ = self.y_fit_.ndim == 2
        self._choose(p, classes=True, score=self._rightly)
        return self

    def _labels(self, Q: Any) -> np.ndarray:
        found = [classes[votes.argmax(axis=1)] for classes, votes in zip(self._classes(), self._votes(Q), strict=True)]
        return np.column_stack(found) if self.outputs_2d_ else found[0]

    def _shares(self, Q: Any) -> list[np.ndarray]:
        kind = np.float32 if self._single(Q) else np.float64
        with np.errstate(invalid="ignore"):  # infinite weights that a user's function gave have no shares
            return [(votes / votes.sum(axis=1, keepdims=True)).astype(kind) for votes in self._votes(Q)]

    def _votes(self, Q: Any) -> list[np.ndarray]:
        """The votes of each output's classes, [(n_queries, n_classes)]."""
        sizes = [len(classes) for classes in self._classes()]
        blocks = [self._votes_of(d, i, sizes) for _, d, i in self._neighbors(Q)]
        return blocks[0] if len(blocks) == 1 else [np.concatenate(part) for part in zip(*blocks, strict=True)]

    def _votes_of(self, distances: np.ndarray, indices: np.ndarray, sizes: list[int]) -> list[np.ndarray]:
        weights = neighbor_weights(distances, self.weights)
        refuse_weightless(weights)
        codes = self.y_fit_[indices]
        if not self.outputs_2d_:
            return [class_votes(codes, weights, sizes[0])]
        return [class_votes(codes[:, :, j], weights, size) for j, size in enumerate(sizes)]

    def _rightly(self, rows: np.ndarray, distances: np.ndarray, indices: np.ndarray) -> np.ndarray:
        votes = self._votes_of(distances, indices, [len(classes) for classes in self._classes()])
        found = np.column_stack([v.argmax(axis=1) for v in votes])
        return (found == self.y_fit_[rows].reshape(len(rows), -1)).all(axis=1)
