"""ROC curves and areas of many scores: `python -m benchmarks.metrics`."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def scores(n: int, digits: int | None = None) -> Callable[[], Data]:
    """Two classes whose scores overlap; rounded to `digits` decimals there are ties."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, n)
        score = rng.normal(size=n) + y
        return {"y": y, "score": score if digits is None else score.round(digits)}

    return make


def curve(module: str) -> Contender:
    """The quality is the largest difference from scikit-learn's arrays, in all three: none for the same curve."""

    def run(data: Data) -> Callable[[], float]:
        found = importlib.import_module(module).roc_curve(data["y"], data["score"])

        def differs() -> float:
            from sklearn.metrics import roc_curve

            wanted = roc_curve(data["y"], data["score"])
            if any(a.shape != b.shape for a, b in zip(found, wanted, strict=True)):
                return float("inf")
            return max(float(np.abs(a[1:] - b[1:]).max()) for a, b in zip(found, wanted, strict=True))

        return differs

    return run


def area(module: str) -> Contender:
    """The quality is the difference from the Mann–Whitney statistic of ranks, counted in whole numbers."""

    def run(data: Data) -> Callable[[], float]:
        found = importlib.import_module(module).roc_auc_score(data["y"], data["score"])
        return lambda: abs(found - mann_whitney(data["y"], data["score"]))

    return run


def mann_whitney(y: np.ndarray, score: np.ndarray) -> float:
    """Half-pairs won: for each positive twice the negatives below it, and those equal to it; in integers."""
    negative = np.sort(score[y == 0])
    positive = score[y == 1]
    halves = np.searchsorted(negative, positive, "left").sum() + np.searchsorted(negative, positive, "right").sum()
    return int(halves) / (2 * len(positive) * len(negative))


def work(title: str, make: Callable[[str], Contender], data: Callable[[], Data], bar: float, quality: str) -> Work:
    return Work(
        title,
        data=data,
        contenders={"surefit": make("surefit.metrics"), "scikit-learn": make("sklearn.metrics")},
        bar={"scikit-learn": bar},
        quality_name=quality,
    )


WORKS = [
    work("roc_curve 5M scores", curve, scores(5_000_000), 4.0, "off scikit-learn's"),
    work("roc_curve 5M scores, ties", curve, scores(5_000_000, 3), 4.0, "off scikit-learn's"),
    work("roc_auc_score 5M scores", area, scores(5_000_000), 4.0, "off Mann–Whitney"),
]

if __name__ == "__main__":
    main(__file__, WORKS)
