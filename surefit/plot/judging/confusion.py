"""Which classes are taken for which: counts of rows by true and predicted class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, distinct

WRITTEN = 12
"""Up to so many classes the counts are written in the cells."""


class ConfusionMatrixDisplay:
    """Holds `confusion_matrix` (rows: true class, columns: predicted) and `display_labels`."""

    def __init__(self, confusion_matrix: ArrayLike, *, display_labels: Sequence[Any] | None = None) -> None:
        self.confusion_matrix = np.asarray(confusion_matrix)
        shape = self.confusion_matrix.shape
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
            raise InvalidData(f"a confusion matrix is square and not empty; got shape {shape}")
        labels = range(shape[0]) if display_labels is None else display_labels
        self.display_labels = [str(label) for label in labels]
        if len(self.display_labels) != shape[0]:
            raise InvalidData(f"display_labels must name {shape[0]} classes; got {len(self.display_labels)}")

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None, ax: Any = None, **kwargs: Any
    ) -> ConfusionMatrixDisplay:
        y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
        if y_true.shape != y_pred.shape or y_true.ndim != 1:
            raise InvalidData(f"y_true and y_pred must be of one length; got {y_true.shape} and {y_pred.shape}")
        classes = np.unique(np.concatenate([y_true, y_pred])) if labels is None else np.unique(np.asarray(labels))
        places = [np.searchsorted(classes, one) for one in (y_true, y_pred)]
        if not np.isin(y_true, classes).all() or not np.isin(y_pred, classes).all():
            raise InvalidData("labels must hold every class of y_true and y_pred")
        counts = np.zeros((classes.size, classes.size), dtype=np.int64)
        np.add.at(counts, tuple(places), 1)
        return cls(counts, display_labels=classes.tolist()).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None, **kwargs: Any
    ) -> ConfusionMatrixDisplay:
        return cls.from_predictions(y, estimator.predict(X), ax=ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, im_kwargs: dict[str, Any] | None = None
    ) -> ConfusionMatrixDisplay:
        """Colours are shares of the true class, so that a rare class is seen as well as a common one."""
        counts, size = self.confusion_matrix, len(self.display_labels)
        self.ax_, self.figure_ = axes_of(ax, (1.9 + 0.55 * min(size, 12), 1.4 + 0.5 * min(size, 12)))
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        options = {"cmap": "Blues", "vmin": 0.0, "vmax": 1.0, "aspect": "equal"} | (im_kwargs or {})
        self.im_ = self.ax_.imshow(shares, **options)
        self.text_ = None
        if size <= WRITTEN:
            self.text_ = np.empty(counts.shape, dtype=object)
            for (i, j), count in np.ndenumerate(counts):
                tone = "white" if shares[i, j] > 0.5 else "#1d2733"
                words = f"{count:g}" if count or i == j else "·"
                self.text_[i, j] = self.ax_.text(j, i, words, ha="center", va="center", color=tone, fontsize=9)
        labels = distinct(self.display_labels, 16)
        upright = max(map(len, labels)) * size > 48
        self.ax_.set_xticks(range(size), labels, rotation=90 if upright else 0)
        self.ax_.set_yticks(range(size), labels)
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)
        self.ax_.set(xlabel="predicted", ylabel="actual")
        if name:
            self.ax_.set_title(name)
        return self
