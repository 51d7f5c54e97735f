"""Every model against that with the highest mean score, with p-values that know how that one was picked.

The best of M models is picked by the same scores that are then tested, so it is the luckiest among equals: to adjust
for the M − 1 comparisons with it is not enough. Each pair of models could have been the one that is tested, so Holm's
method runs over all M (M − 1)/2 pairs. Whichever model turns out best, the probability that any two equal models are
declared different stays below 1 − level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit.model_selection.significance.bayesian import equivalence
from surefit.model_selection.significance.intervals import corrected_difference, holm
from surefit.model_selection.significance.pairing import require_pairing


def against_best(outcomes: Sequence[Any], test_train_ratio: float, level: float, rope: float | None) -> Any | None:
    """Sets `versus_best`, `p_adjusted` and `equivalent` of every scored outcome but the best, which is returned.

    `equivalent` stays None where rope is None.
    """
    scored = [one for one in outcomes if not np.isnan(one.interval.mean)]
    if not scored:
        return None
    best = max(scored, key=lambda one: one.merit)
    for one in scored:
        require_pairing(one, best)
    place = next(i for i, one in enumerate(scored) if one is best)
    adjusted = pairwise_holm(np.stack([one.scores for one in scored]), test_train_ratio)
    for one, p in zip(scored, adjusted[place], strict=True):
        if one is best:
            continue
        one.versus_best = corrected_difference(one.scores, best.scores, test_train_ratio, level)
        one.p_adjusted = float(p)
        one.equivalent = None if rope is None else equivalence(one.scores, best.scores, test_train_ratio, rope)
    return best


def pairwise_holm(scores: np.ndarray, test_train_ratio: float) -> np.ndarray:
    """The p-values of all pairs of rows of `scores` (models × folds), adjusted together; 1 on the diagonal."""
    m = scores.shape[0]
    first, second = np.triu_indices(m, 1)
    pairs = zip(first, second, strict=True)
    p = [corrected_difference(scores[i], scores[j], test_train_ratio).p for i, j in pairs]
    matrix = np.ones((m, m))
    matrix[first, second] = matrix[second, first] = holm(p)
    return matrix
