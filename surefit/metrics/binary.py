"""Two classes and one score for each row: read as scikit-learn's ranking metrics read them, with few passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from surefit import _native
from surefit._core.errors import InvalidData
from surefit._core.threads import threads_for

F64 = NDArray[np.float64]
WORK_PER_ROW = 50  # operations, about: six digits of a key, each read and written


@dataclass(frozen=True)
class Scores:
    """The rows that count: `score` float32 or float64 and finite, `positive`, `weight` (None: one for each)."""

    score: NDArray
    positive: NDArray[np.bool_]
    weight: F64 | None = None
    values: F64 | None = None
    """Where the scores are of another kind: what the places 0, 1, … in `score` stand for."""

    @property
    def n_threads(self) -> int:
        return threads_for(WORK_PER_ROW * self.score.size)

    def counts(self, corners: bool) -> tuple[F64, F64, F64]:
        """(fp, tp, threshold): from (0, 0) at ∞, the weight of each class with a score of at least the threshold."""
        fp, tp, threshold = _native.roc_curve(self.score, self.positive, self.weight, corners, self.n_threads)
        if self.values is not None:
            threshold[1:] = self.values[threshold[1:].astype(np.intp)]
        return fp, tp, threshold


def take_scores(y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: ArrayLike | None) -> Scores:
    """Labels of two classes, or of several where `pos_label` names one; a score and perhaps a weight for each row."""
    pair = two_values(y_true)
    if pair is None:
        kind = type_of_target(y_true, input_name="y_true")
        if not (kind == "binary" or (kind == "multiclass" and pos_label is not None)):
            raise InvalidData(f"{kind} format is not supported")
        classes = None if pos_label is not None else np.unique(np.asarray(y_true))
    else:
        classes = np.unique(pair)
    positive = np.asarray(np.asarray(y_true) == _positive_label(pos_label, classes))
    return scores_of(positive, y_score, sample_weight)


def scores_of(positive: NDArray[np.bool_], y_score: ArrayLike, sample_weight: ArrayLike | None = None) -> Scores:
    """Checks that there is one finite score, and one weight, for each row; rows of weight zero are left out."""
    check_consistent_length(positive, y_score, sample_weight)
    positive = np.ascontiguousarray(column_or_1d(positive))
    score, values = _sortable(y_score)
    if not _native.all_finite(score, threads_for(score.size)):
        assert_all_finite(score)
    if sample_weight is None:
        return Scores(score, positive, None, values)
    weight = row_weights(sample_weight)
    counts = weight != 0
    if not counts.any():
        raise InvalidData("Sample weights must contain at least one non-zero number.")
    if not counts.all():
        score, positive, weight = score[counts], positive[counts], weight[counts]
    return Scores(score, positive, np.ascontiguousarray(weight), values)


def row_weights(sample_weight: ArrayLike) -> F64:
    """Finite numbers ≥ 0 with a finite sum."""
    weight = check_array(column_or_1d(sample_weight), ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if (weight < 0).any() or not np.isfinite(total):
        raise InvalidData(
            "sample_weight must not be negative, and its sum must be finite; "
            f"got weights from {weight.min():.3g} to {weight.max():.3g}"
        )
    return weight


def two_values(y: ArrayLike) -> tuple[int, int] | None:
    """(least, greatest) label of a vector of integers or booleans that holds no others; None where that is not so."""
    if not isinstance(y, np.ndarray) or y.ndim != 1 or y.size == 0 or y.dtype.kind not in "biu":
        return None
    lo, hi = y.min(), y.max()
    if y.dtype.kind != "b" and int(hi) - int(lo) > 1 and not ((y == lo) | (y == hi)).all():
        return None
    return int(lo), int(hi)


def positive_rows(y_true: ArrayLike, y_pred: ArrayLike, pos_label: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows are positive, and which are called so."""
    truth, called = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(truth, called)
    for name, labels in (("y_true", truth), ("y_pred", called)):
        if labels.dtype.kind == "f":
            assert_all_finite(labels, input_name=name)
    try:
        classes = np.unique(np.concatenate([np.unique(truth), np.unique(called)]))
    except TypeError as fault:  # labels without an order
        raise InvalidData(f"y_true and y_pred must hold labels of one kind; {fault}") from fault
    label = _positive_label(pos_label, classes)
    if pos_label is not None and label not in classes:
        raise InvalidData(f"pos_label must be one of the labels {classes.tolist()}; got {pos_label!r}")
    return np.asarray(truth == label), np.asarray(called == label)


def _positive_label(pos_label: Any, classes: NDArray | None) -> Any:
    if classes is None:
        return pos_label
    if pos_label is not None:
        return pos_label
    usual = classes.dtype.kind not in "OUS" and classes.tolist() in ([0, 1], [-1, 1], [0], [-1], [1])
    if not usual:
        raise InvalidData(
            f"y_true takes value in {{{', '.join(map(repr, classes.tolist()))}}} and pos_label is not specified: "
            "either make y_true take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def _sortable(y_score: ArrayLike) -> tuple[NDArray, F64 | None]:
    """The scores as float32 or float64 that are equal or in order where the scores are."""
    score = column_or_1d(y_score)
    if score.dtype in (np.float32, np.float64):
        return np.ascontiguousarray(score), None
    if score.dtype.kind == "b" or (score.dtype.kind in "iuf" and score.dtype.itemsize <= 4):
        return np.ascontiguousarray(score, dtype=np.float64), None
    assert_all_finite(score)
    values, places = np.unique(score, return_inverse=True)  # 64-bit integers, long double, objects
    return places.astype(np.float64), values.astype(np.float64)
