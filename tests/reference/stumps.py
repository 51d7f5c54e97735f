"""The best stump in plain NumPy and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np


def gini(weights: list[Fraction]) -> Fraction:
    total = sum(weights)
    return total - sum(c * c for c in weights) / total if total else Fraction(0)


def best_split(X: np.ndarray, codes: np.ndarray, w: np.ndarray, n_classes: int) -> tuple[int, float, float] | None:
    """(feature, the values the threshold lies between) with the least weighted impurity; the first among equals."""
    weights = [Fraction(float(x)) for x in w]
    best, found = None, None
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for lower, upper in pairwise(values):
            sides = [[Fraction(0)] * n_classes, [Fraction(0)] * n_classes]
            for x, code, weight in zip(X[:, j], codes, weights, strict=True):
                sides[int(x > lower)][code] += weight
            impurity = gini(sides[0]) + gini(sides[1])
            if best is None or impurity < best:
                best, found = impurity, (j, float(lower), float(upper))
    return found
