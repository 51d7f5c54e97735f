"""Classification by the votes of all rows within a radius."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Self

import numpy as np

from surefit._core.base import fitting
from surefit._core.errors import InvalidData
from surefit.neighbors.labels import take_labels
from surefit.neighbors.parameters import Algorithm, Jobs, LeafSize, MetricName, MetricParams, P, Radius, Weights
from surefit.neighbors.radius_neighbors import RadiusNeighborsModel
from surefit.neighbors.votes import refuse_no_votes
from surefit.neighbors.voting import VotingClassifier


class RadiusNeighborsClassifier(VotingClassifier, RadiusNeighborsModel):
    """The class with the most votes among all rows within the radius; of equally many the class that sorts first.

    A query that no row is near is an outlier: it gets `outlier_label`, and without one there is an error.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of such for several outputs
    outlier_label_ : list with the label of outliers for each output, or None
    X_fit_ : ndarray or CSR of shape (n_samples, n_features)
        The rows that are searched.
    y_fit_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their classes, as places in `classes_`.
    outputs_2d_ : bool
        Whether y had several columns.
    n_samples_fit_, effective_metric_, effective_metric_params_ : as in NearestNeighbors
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(radius=1.0, outlier_label=-1).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> model.predict([[0.9], [9.0]])
    array([ 0, -1])
    """

    classes_: np.ndarray | list[np.ndarray]
    outputs_2d_: bool
    outlier_label_: list[Any] | None

    def __init__(
        self,
        radius: Radius = 1.0,
        *,
        weights: Weights = "uniform",
        algorithm: Algorithm = "auto",
        leaf_size: LeafSize = 30,
        p: P = 2,
        metric: MetricName = "minkowski",
        outlier_label: Annotated[
            Any,
            'The label of queries without neighbors: a label of the kind of y (a list of one for each output), "most_'
            'frequent" for the class with the most rows, None for an error.',
        ] = None,
        metric_params: MetricParams = None,
        n_jobs: Jobs = None,
    ) -> None:
        super().__init__(
            radius,
            weights=weights,
            algorithm=algorithm,
            leaf_size=leaf_size,
            p=p,
            metric=metric,
            metric_params=metric_params,
            n_jobs=n_jobs,
        )
        self.outlier_label = outlier_label

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows X and their classes y (one or several columns)."""
        p = self._checked()
        rows = self._keep_rows(p, X)
        self.classes_, self.y_fit_ = take_labels(self, y, rows.shape[0])
        self.outputs_2d_ = self.y_fit_.ndim == 2
        self.outlier_label_ = _outlier_labels(p.outlier_label, self._classes(), self._codes())
        return self

    def _labels(self, Q: Any) -> np.ndarray:
        votes, alone = self._votes(Q)
        found = []
        for j, classes in enumerate(self._classes()):
            labels = classes[votes[j].argmax(axis=1)]
            if self.outlier_label_ is not None and alone.any():
                labels = labels.astype(np.result_type(labels, np.asarray(self.outlier_label_[j])))
                labels[alone] = self.outlier_label_[j]
            found.append(labels)
        return np.column_stack(found) if self.outputs_2d_ else found[0]

    def _shares(self, Q: Any) -> list[np.ndarray]:
        kind = np.float32 if self._single(Q) else np.float64
        votes, alone = self._votes(Q)
        found = []
        for j, classes in enumerate(self._classes()):
            with np.errstate(invalid="ignore"):  # infinite weights that a user's function gave have no shares
                shares = votes[j] / np.where(alone, 1.0, votes[j].sum(axis=1))[:, None]
            if alone.any() and self.outlier_label_ is not None:
                shares[alone] = classes == self.outlier_label_[j]
            found.append(shares.astype(kind))
        return found

    def _votes(self, Q: Any) -> tuple[list[np.ndarray], np.ndarray]:
        """The votes of each output's classes, [(n_queries, n_classes)], and which queries have no neighbors."""
        sizes, codes = [len(classes) for classes in self._classes()], self._codes()
        votes: list[list[np.ndarray]] = [[] for _ in sizes]
        alone = []
        for near in self._around(Q):
            m = len(near.alone)
            for j, size in enumerate(sizes):
                places = near.owner * size + codes[near.row, j]
                votes[j].append(np.bincount(places, near.weight, minlength=m * size).reshape(m, size))
            refuse_no_votes(votes[0][-1][~near.alone])
            alone.append(near.alone)
        outliers = np.concatenate(alone)
        if self.outlier_label_ is None and outliers.any():
            raise InvalidData(
                f"No neighbors found for test samples {np.flatnonzero(outliers)!r}, you can try using larger radius, "
                "giving a label for outliers, or considering removing them from your dataset."
            )
        if outliers.any():
            self._warn_of_labels()
        return [np.concatenate(part) for part in votes], outliers

    def _warn_of_labels(self) -> None:
        for classes, label in zip(self._classes(), self.outlier_label_ or [], strict=False):
            if label not in classes:
                warnings.warn(
                    f"Outlier label {label} is not in training classes. All class probabilities of outliers will be "
                    "assigned with 0.",
                    stacklevel=6,
                )

    def _codes(self) -> np.ndarray:
        return self.y_fit_.reshape(len(self.y_fit_), -1)


def _outlier_labels(given: Any, classes: list[np.ndarray], codes: np.ndarray) -> list[Any] | None:
    if given is None:
        return None
    if isinstance(given, str) and given == "most_frequent":
        return [own[np.bincount(column).argmax()] for own, column in zip(classes, codes.T, strict=True)]
    labels = list(given) if np.ndim(given) else [given] * len(classes)
    if len(labels) != len(classes):
        raise InvalidData(
            f"The length of outlier_label: {len(labels)} is inconsistent with the output length: {len(classes)}"
        )
    for own, label in zip(classes, labels, strict=True):
        if np.ndim(label):
            raise TypeError(f"The outlier_label of classes {own} is supposed to be a scalar, got {label}.")
        if np.append(own, label).dtype.kind != own.dtype.kind:
            raise TypeError(f"The dtype of outlier_label {label} is inconsistent with classes {own} in y.")
    return labels
