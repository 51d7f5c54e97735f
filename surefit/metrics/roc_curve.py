"""The receiver operating characteristic: how many positives are found at the price of how many false alarms."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from surefit._core.errors import InvalidParameter
from surefit.metrics.binary import F64, take_scores


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> tuple[F64, F64, F64]:
    """(fpr, tpr, thresholds): the shares of the negative and positive rows whose score is at least the threshold.

    The arrays are those of scikit-learn's `roc_curve`, bit for bit. They begin with (0, 0) at the threshold ∞ and go
    down through the distinct scores: rows of equal score move together. `drop_intermediate` leaves out points whose
    neighbors are as far on both sides; the curve is the same.

    The scores of each class are sorted by digits (O(n)), then merged in one pass.

    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist(), thresholds.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.35, 0.1])
    """
    if not isinstance(drop_intermediate, bool | np.bool_):
        raise InvalidParameter(f"roc_curve(drop_intermediate=…) must be True or False; got {drop_intermediate!r}")
    fps, tps, thresholds = take_scores(y_true, y_score, pos_label, sample_weight).counts(bool(drop_intermediate))
    return _shares(fps, "negative", "false"), _shares(tps, "positive", "true"), thresholds


def _shares(counts: F64, kind: str, word: str) -> F64:
    """Divided by the last, in place."""
    if counts[-1] <= 0:
        warnings.warn(
            f"No {kind} samples in y_true, {word} positive value should be meaningless",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        counts.fill(np.nan)
        return counts
    return np.divide(counts, counts[-1], out=counts)
