"""Class labels: read as their places 0 … K−1 among the model's `classes_`, and held against what it predicts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BlockOf, Blocks, one_column
from surefit.certificates.checker import Findings
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import answer_of


def read_classes(attrs: Attributes, least: int = 2) -> int | None:
    """The number of classes, or None with the fault noted: `classes_` holds `least` or more labels in rising order."""
    classes = np.asarray(getattr(attrs.model, "classes_", None))
    if classes.ndim != 1 or classes.size < least or not (classes[:-1] < classes[1:]).all():
        attrs.faults.append(f"classes_ is not a list of {least} or more labels in rising order")
        return None
    return int(classes.size)


def places(model: Any, labels: NDArray) -> NDArray[np.intp]:
    """The place of each label among `classes_`; −1 for a label that is none."""
    place = {label: k for k, label in enumerate(np.asarray(model.classes_).tolist())}
    return np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.intp)


class CodedBlocks:
    """The blocks with each label as its place. A row of weight zero belongs to no one: its label may be any."""

    def __init__(self, model: Any, blocks: Blocks) -> None:
        self.model, self.blocks, self.n_rows, self.n_features = model, blocks, blocks.n_rows, blocks.n_features

    def __iter__(self) -> Iterator[BlockOf]:
        for X, y, w in self.blocks:
            if y is not None:
                y = places(self.model, one_column(np.asarray(y))).astype(np.float64)
                y = y if w is None else np.where((y < 0) & (np.asarray(w) == 0), 0.0, y)
            yield BlockOf(X, y, w)


def reads_labels(find: Callable[..., Findings]) -> Callable[..., Findings]:
    """The checker of a classifier: it reads each label as its place."""

    @functools.wraps(find)
    def check(model: Any, blocks: Blocks, tol: float) -> Findings:
        return find(model, CodedBlocks(model, blocks) if hasattr(model, "classes_") else blocks, tol)

    return check


def labels_claim(model: Any, X: NDArray, scores: F64, rounding: F64 | float) -> Claim:
    """predict gives the label of a largest score (columns are classes), ties within rounding left open."""
    labels = answer_of(model, "predict", X, (len(X),))
    if isinstance(labels, Claim):
        return labels
    chosen = places(model, labels)
    own = np.where(chosen >= 0, scores[np.arange(len(X)), chosen], -np.inf)
    wrong = int(np.count_nonzero(~(own >= scores.max(axis=1) - 2 * np.asarray(rounding))))
    sentence = f"predict gives a label of classes_ with the largest score; rows of {len(X)} where it does not."
    failure = f"predict gives another label than the scores say on {wrong} of {len(X)} rows."
    return at_most("predict", sentence, Grade.EXACT, wrong, 0, failure=failure)
