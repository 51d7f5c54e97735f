"""The ROC curve and what is counted from pairs, by definition: every threshold, every pair, exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def curve(positive: np.ndarray, score: np.ndarray, weight: np.ndarray) -> tuple[list[Fraction], list[Fraction], list]:
    """(false positives, true positives, thresholds) at ∞ and at each distinct score, as shares of their class."""
    w = [Fraction(float(x)) for x in weight]
    total = {c: sum((x for x, p in zip(w, positive, strict=True) if p == c), Fraction(0)) for c in (True, False)}
    found: dict[bool, list[Fraction]] = {True: [Fraction(0)], False: [Fraction(0)]}
    thresholds = sorted({float(s) for s in score}, reverse=True)
    for t in thresholds:
        for c in (True, False):
            above = (x for x, p, s in zip(w, positive, score, strict=True) if p == c and s >= t)
            found[c].append(sum(above, Fraction(0)) / total[c])
    return found[False], found[True], [float("inf"), *thresholds]


def win(a: float, b: float) -> Fraction:
    """ψ(a, b): 1 where a > b, ½ where equal."""
    return Fraction(1) if a > b else Fraction(1, 2) if a == b else Fraction(0)


def area(positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> Fraction:
    """The Mann–Whitney statistic: the mean of ψ over pairs of a positive and a negative row."""
    w = [Fraction(1)] * len(score) if weight is None else [Fraction(float(x)) for x in weight]
    rows = list(zip(score, positive, w, strict=True))
    pairs = [(win(s, t), v * u) for s, p, v in rows if p for t, q, u in rows if not q]
    return sum(h * v for h, v in pairs) / sum(v for _, v in pairs)


def components(positive: np.ndarray, score: np.ndarray) -> tuple[list[Fraction], list[Fraction]]:
    """DeLong, DeLong & Clarke-Pearson (1988), equations 4 and 5: of each positive and of each negative row."""
    x, y = score[positive], score[~positive]
    return [sum(win(a, b) for b in y) / len(y) for a in x], [sum(win(a, b) for a in x) / len(x) for b in y]


def covariance(positive: np.ndarray, first: np.ndarray, second: np.ndarray) -> Fraction:
    """Their equation 6: of the areas of two scores of the same rows; the variance where the scores are one."""

    def moment(a: list[Fraction], b: list[Fraction]) -> Fraction:
        mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
        return sum((s - mean_a) * (t - mean_b) for s, t in zip(a, b, strict=True)) / (len(a) - 1)

    (a10, a01), (b10, b01) = components(positive, first), components(positive, second)
    return moment(a10, b10) / len(a10) + moment(a01, b01) / len(a01)
