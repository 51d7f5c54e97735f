"""Many classes by one machine for each pair of them, stored as libsvm does.

A row of class i has a coefficient in every pair with another class j. `dual_coef_` has one column for each support
vector, sorted by class, and one row for each *other* class: a support vector of class i has its coefficient against j
in row j − 1 where j > i, and in row j where j < i. Pairs (i, j), i < j, come in the order (0, 1), (0, 2) … (1, 2) …
Their score is positive for i; with two classes alone it is positive for the second.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    return list(combinations(range(n_classes), 2))


@cache
def _first_and_second(n_classes: int) -> np.ndarray:
    """(2, pairs): the classes of every pair."""
    return np.array(class_pairs(n_classes)).T.reshape(2, -1)


def pair_sign(codes: np.ndarray, pair: tuple[int, int], n_classes: int) -> np.ndarray:
    """σ = ±1 of rows of the two classes."""
    return np.where(codes == pair[1 if n_classes == 2 else 0], 1.0, -1.0)


def store_pair(
    table: np.ndarray, codes: np.ndarray, places: np.ndarray, pair: tuple[int, int], coef: np.ndarray
) -> None:
    """The coefficients of one pair, put where `dual_coef_` has them; table is (n_classes − 1, rows)."""
    i, j = pair
    first = codes[places] == i
    table[j - 1, places[first]] = coef[first]
    table[i, places[~first]] = coef[~first]


def pair_weights(dual_coef: np.ndarray, n_support: np.ndarray) -> np.ndarray:
    """(support vectors, pairs): what each contributes to the score of each pair."""
    n_classes = len(n_support)
    ends = np.concatenate([[0], np.cumsum(n_support)])
    pairs = class_pairs(n_classes)
    weights = np.zeros((ends[-1], len(pairs)))
    for column, (i, j) in enumerate(pairs):
        of_i, of_j = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        weights[of_i, column] = dual_coef[j - 1, of_i]
        weights[of_j, column] = dual_coef[i, of_j]
    return weights


def votes(scores: np.ndarray, n_classes: int, zero_wins: bool = False) -> np.ndarray:
    """(n, classes): how many pairs decide for each class; `zero_wins`: a score of zero counts for the first."""
    first, second = _first_and_second(n_classes)
    winners = np.where(scores >= 0 if zero_wins else scores > 0, first, second)
    places = winners + n_classes * np.arange(len(scores))[:, None]
    return np.bincount(places.ravel(), minlength=len(scores) * n_classes).reshape(-1, n_classes)


def class_scores(scores: np.ndarray, n_classes: int) -> np.ndarray:
    """(n, classes): the votes, and below one vote the sum of the pairs' scores, squeezed between −1/3 and 1/3.

    As in scikit-learn a score of exactly zero counts for the first class here, and for the second in `predict`.
    """
    total = np.zeros((len(scores), n_classes))
    for column, (i, j) in enumerate(class_pairs(n_classes)):
        total[:, i] += scores[:, column]
        total[:, j] -= scores[:, column]
    return votes(scores, n_classes, zero_wins=True) + total / (3 * (np.abs(total) + 1))
