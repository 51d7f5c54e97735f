"""Probabilities of a support vector classifier, from decision values of rows that the machine has not seen.

For every pair of classes the rows are dealt into five parts, in canonical order and class by class; a machine fitted to
four parts scores the fifth. Sigmoids are fitted to these scores (`solvers/margin/platt.py`). Nothing is random.
"""

from __future__ import annotations

import numpy as np

from surefit.kernels import GramRows
from surefit.solvers.margin.platt import coupled, pair_probability, pair_slopes
from surefit.solvers.margin.support_vectors import Limits, separate

FOLDS = 5


def slopes_of_pair(
    gram: GramRows, index: np.ndarray, sign: np.ndarray, upper: np.ndarray, w: np.ndarray, limits: Limits
) -> tuple[float, float]:
    """(a₋, a₊) of one pair."""
    fold = np.empty(len(sign), dtype=int)
    for side in (-1.0, 1.0):
        rows = np.flatnonzero(sign == side)
        fold[rows] = np.arange(len(rows)) % FOLDS
    scores = np.zeros(len(sign))
    for number in range(FOLDS):
        left_out = np.flatnonzero(fold == number)
        others = np.flatnonzero(fold != number)
        if not len(left_out):
            continue
        machine = separate(gram, index[others], sign[others], upper[others], limits)
        if machine.status == "interrupted":
            raise KeyboardInterrupt("stopped while probabilities were learnt")
        vectors = np.flatnonzero(machine.coef)
        scores[left_out] = machine.bias
        if len(vectors):
            K = gram.rows(index[left_out], index[others[vectors]])
            scores[left_out] += K @ machine.coef[vectors]
    return pair_slopes(scores, sign, w)


def probabilities(scores: np.ndarray, slopes: np.ndarray, n_classes: int) -> np.ndarray:
    """(n, classes) from the scores of pairs."""
    p = pair_probability(scores, slopes)
    return np.column_stack([1 - p[:, 0], p[:, 0]]) if n_classes == 2 else coupled(p, n_classes)
