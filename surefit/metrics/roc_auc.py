"""The area under the ROC curve: the share of pairs (positive row, negative row) that the scores put in order.

Without weights the pairs are counted in integers and the area is their ratio, rounded once. With weights it is a
compensated sum over the distinct scores.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.preprocessing import label_binarize
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from surefit import _native
from surefit._core.arithmetic import power_of_two
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.metrics.binary import F64, Scores, scores_of, two_values

AVERAGES = ("micro", "macro", "samples", "weighted", None)
WAYS = ("raise", "ovr", "ovo")


def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: ArrayLike | None = None,
) -> Any:
    """The area under the ROC curve, with the parameters and results of scikit-learn's `roc_auc_score`.

    Two classes: the probability that a positive row (of the greater label) has a larger score than a negative one,
    equal scores counting half. `max_fpr` gives the standardised partial area up to that rate of false positives.
    More classes: `multi_class` is "ovr" (each against the rest) or "ovo" (each pair, Hand & Till). Several labels for a
    row: `average` over the columns of the indicator matrix.

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    _check_parameters(average, max_fpr, multi_class)
    pair = two_values(y_true)
    if pair is not None and isinstance(y_score, np.ndarray) and y_score.ndim == 1:
        return binary_area(np.asarray(y_true) == pair[1], y_score, sample_weight, max_fpr, one_class=pair[0] == pair[1])
    kind = type_of_target(y_true, input_name="y_true")
    y = check_array(y_true, ensure_2d=False, dtype=None)
    score = check_array(y_score, ensure_2d=False)
    weight = None if sample_weight is None else column_or_1d(sample_weight)
    if kind == "multiclass" or (kind == "binary" and score.ndim == 2 and score.shape[1] > 2):
        if max_fpr is not None and max_fpr != 1.0:
            raise InvalidParameter(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, "
                f"received `max_fpr={max_fpr}` instead"
            )
        return _multiclass(y, score, labels, multi_class, average, weight)
    if kind == "binary":
        y = column_or_1d(y)
        classes = np.unique(y)
        return binary_area(y == classes[-1], score, weight, max_fpr, one_class=classes.size < 2)
    if kind != "multilabel-indicator":
        raise InvalidData(f"{kind} format is not supported")
    return _averaged(y, score, average, weight, max_fpr)


def binary_area(
    positive: NDArray[np.bool_],
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    *,
    one_class: bool | None = None,
) -> float:
    """The area for two classes; NaN with a warning where there is one only."""
    scores = scores_of(positive, y_score, sample_weight)
    if one_class is None:
        one_class = bool(positive.all() or not positive.any())
    if one_class:
        warnings.warn(
            "Only one class is present in y_true. ROC AUC score is not defined in that case.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return float("nan")
    if max_fpr is None or max_fpr == 1:
        return _area(scores)
    fp, tp, _ = scores.counts(corners=True)
    return _partial_area(fp / fp[-1], tp / tp[-1], max_fpr)


def _area(scores: Scores) -> float:
    if scores.weight is None:
        n_positive = int(np.count_nonzero(scores.positive))
        halves = _native.roc_half_pairs(scores.score, scores.positive, scores.n_threads)
        return halves / (2 * n_positive * (scores.positive.size - n_positive))
    if scores.positive.all() or not scores.positive.any():
        warnings.warn("One class has no weight: ROC AUC is not defined.", UndefinedMetricWarning, stacklevel=4)
        return float("nan")
    weight = scores.weight / power_of_two(float(scores.weight.max()), 1073)  # products of tiny weights are not lost
    return _native.roc_weighted_area(scores.score, scores.positive, weight, scores.n_threads)


def _partial_area(fpr: F64, tpr: F64, max_fpr: float) -> float:
    """McClish (1989): the area A over [0, m] brought to ½ for chance, 1 for the best: ½(1 + (A − m²/2)/(m − m²/2))."""
    stop = int(np.searchsorted(fpr, max_fpr, "right"))
    end = np.interp(max_fpr, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1])
    area = float(np.trapezoid(np.append(tpr[:stop], end), np.append(fpr[:stop], max_fpr)))
    chance = 0.5 * max_fpr**2
    return 0.5 * (1 + (area - chance) / (max_fpr - chance))


def _multiclass(
    y: NDArray, score: NDArray, labels: ArrayLike | None, way: str, average: str | None, weight: NDArray | None
) -> Any:
    if way == "raise":
        raise InvalidParameter("multi_class must be in ('ovo', 'ovr')")
    if score.ndim != 2:
        raise InvalidData(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. Got "
            f"`y_score.shape={score.shape}`."
        )
    if not np.allclose(1, score.sum(axis=1)):
        raise InvalidData(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
        )
    options = ("micro", "macro", "weighted", None) if way == "ovr" else ("macro", "weighted", None)
    if average not in options:
        raise InvalidParameter(f"average must be one of {options} for multiclass problems")
    if way == "ovo" and average is None:
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    classes = _classes(y, score, labels)
    if way == "ovr":
        return _averaged(label_binarize(y, classes=classes), score, average, weight, None)
    if weight is not None:
        raise InvalidParameter(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' must be None in this "
            "case."
        )
    return _one_vs_one(np.searchsorted(classes, y), score, average == "weighted")


def _classes(y: NDArray, score: NDArray, labels: ArrayLike | None) -> NDArray:
    """What the columns of the scores stand for."""
    if labels is None:
        classes = np.unique(y)
        if classes.size != score.shape[1]:
            raise InvalidData("Number of classes in y_true not equal to the number of columns in 'y_score'")
        return classes
    given = column_or_1d(labels)
    classes = np.unique(given)
    if classes.size != given.size:
        raise InvalidParameter("Parameter 'labels' must be unique")
    if not np.array_equal(classes, given):
        raise InvalidParameter("Parameter 'labels' must be ordered")
    if classes.size != score.shape[1]:
        raise InvalidParameter(
            f"Number of given labels, {classes.size}, not equal to the number of columns in 'y_score', {score.shape[1]}"
        )
    if np.setdiff1d(y, classes).size:
        raise InvalidData("'y_true' contains labels not in parameter 'labels'")
    return classes


def _one_vs_one(codes: NDArray, score: NDArray, by_prevalence: bool) -> float:
    """Hand & Till (2001): for each pair of classes the mean of the areas of the two columns on their rows."""
    check_consistent_length(codes, score)
    areas, shares = [], []
    for a, b in combinations(np.unique(codes).tolist(), 2):
        of_pair = (codes == a) | (codes == b)
        positive = codes[of_pair] == a
        areas.append((binary_area(positive, score[of_pair, a]) + binary_area(~positive, score[of_pair, b])) / 2)
        shares.append(of_pair.mean())
    return float(np.average(areas, weights=shares if by_prevalence else None))


def _averaged(y: Any, score: NDArray, average: str | None, weight: NDArray | None, max_fpr: float | None) -> Any:
    """The areas of the columns of an indicator matrix (or its rows: "samples"; or all cells: "micro"), averaged."""
    check_consistent_length(y, score, weight)
    Y = check_array(y, ensure_2d=False) == 1
    S = score
    if Y.ndim == 1 or Y.shape[1] == 1:  # one column: two classes
        return binary_area(Y.reshape(-1), S, weight, max_fpr)
    S = check_array(score)
    area: Callable[..., float] = binary_area
    if average == "micro":
        return area(Y.reshape(-1), S.reshape(-1), None if weight is None else np.repeat(weight, Y.shape[1]), max_fpr)
    if average == "samples":
        areas = np.array([area(Y[i], S[i], None, max_fpr) for i in range(len(S))])
        shares = weight
    else:
        areas = np.array([area(Y[:, j], S[:, j], weight, max_fpr) for j in range(S.shape[1])])
        shares = (Y if weight is None else Y * weight[:, None]).sum(axis=0) if average == "weighted" else None
    if average is None:
        return areas
    if shares is None:
        return float(areas.mean())
    if np.isclose(shares.sum(), 0):
        return 0
    areas[shares == 0] = 0.0  # what has no weight has no say, not even NaN
    return float(np.average(areas, weights=shares))


def _check_parameters(average: str | None, max_fpr: float | None, multi_class: str) -> None:
    if average not in AVERAGES:
        raise InvalidParameter(f"roc_auc_score(average=…) must be one of {AVERAGES}; got {average!r}")
    if multi_class not in WAYS:
        raise InvalidParameter(f"roc_auc_score(multi_class=…) must be one of {WAYS}; got {multi_class!r}")
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise InvalidParameter(f"roc_auc_score: Expected max_fpr in range (0, 1], got: {max_fpr!r}")
