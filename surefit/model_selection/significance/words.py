"""Scores and counts in words, and which of two models is the simpler one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SHARES = {"accuracy", "balanced accuracy"}
VARIANCE = {"R²", "explained variance"}
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

SIMPLICITY: tuple[tuple[str, ...], ...] = (
    ("Dummy",),
    ("LinearRegression", "Ridge", "Lasso", "ElasticNet", "Logistic", "LinearDiscriminant", "LinearProgram", "LinearSV",
     "LAD", "Perceptron", "SGD", "GaussianNB", "MixedNB", "BernoulliNB", "MultinomialNB", "CategoricalNB",
     "ComplementNB"),
    ("QuadraticDiscriminant", "DecisionTree", "ExtraTree", "KNeighbors", "RadiusNeighbors"),
    ("SVC", "SVR", "NuSV", "KernelRidge", "RBFNetwork", "GaussianProcess"),
    ("RandomForest", "Bagging", "AdaBoost", "GradientBoosting", "HistGradientBoosting", "MLP", "LGBM", "XGB", "Voting",
     "Stacking"),
)  # fmt: skip
"""Families by the beginning of their class names, simplest first: one number, straight lines, one tree or the nearest
rows, kernels, many models at once."""


def simplicity(family: str) -> int | None:
    """The place of a class among `SIMPLICITY`; None for a class that is not listed.

    >>> simplicity("RidgeCV"), simplicity("ExtraTreesClassifier"), simplicity("Mine")
    (1, 4, None)
    """
    if family.startswith("ExtraTrees"):
        return len(SIMPLICITY) - 1
    return next((place for place, names in enumerate(SIMPLICITY) if family.startswith(names)), None)


def is_simpler(one: Any, other: Any) -> bool:
    a, b = (simplicity(getattr(model, "family", "")) for model in (one, other))
    return a is not None and b is not None and a < b


def in_a_row(names: Sequence[str], most: int = 3) -> str:
    """
    >>> in_a_row(["A", "B"]), in_a_row(["A", "B", "C", "D", "E"])
    ('A and B', 'A, B, C and 2 more')
    """
    shown = list(names[:most]) if len(names) > most + 1 else list(names)
    if len(shown) < len(names):
        return f"{', '.join(shown)} and {len(names) - len(shown)} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def counted(n: int, noun: str) -> str:
    """
    >>> counted(1, "simpler model"), counted(3, "simpler model"), counted(20, "other model")
    ('one simpler model', 'three simpler models', '20 other models')
    """
    return f"{SMALL[n] if n < len(SMALL) else n} {noun}{'' if n == 1 else 's'}"


def score_words(mean: float, metric: str) -> str:
    """
    >>> score_words(0.8512, "accuracy"), score_words(-53.127, "−RMSE"), score_words(0.93, "ROC AUC")
    ('85.1 %', '53.1', '0.930')
    """
    if metric in SHARES or metric in VARIANCE:
        return f"{100 * mean:.1f} %".replace("-", "−")
    if metric.startswith("−"):
        return number(-mean)
    return number(mean)


def number(value: float) -> str:
    return f"{value:.3f}" if 0.01 <= abs(value) < 1 else f"{value:.3g}"


def phrase(name: str, mean: float, metric: str, target: str | None) -> str:
    """
    >>> phrase("LDA", 0.98, "accuracy", "species")
    'LDA predicts species with 98.0 % accuracy'
    >>> phrase("Ridge", 0.492, "R²", None)
    'Ridge explains 49.2 % of the variance of the target'
    >>> phrase("Ridge", -53.127, "−RMSE", "price")
    'Ridge predicts price with an RMSE of 53.1'
    """
    what = target or "the target"
    if metric in SHARES:
        return f"{name} predicts {what} with {score_words(mean, metric)} {metric}"
    if metric in VARIANCE:
        return f"{name} explains {score_words(mean, metric)} of the variance of {what}"
    word = metric.removeprefix("−")
    article = "an" if word[:1] in "AEIOUFRSMaeiou" and word != "ROC AUC" else "a"
    return f"{name} predicts {what} with {article} {word} of {score_words(mean, metric)}"


def baseline_words(mean: float, metric: str) -> str:
    """
    >>> baseline_words(0.759, "accuracy"), baseline_words(-0.009, "R²"), baseline_words(-77.0, "−RMSE")
    ('the baseline 75.9 %', 'the baseline nothing of it', 'the baseline 77')
    """
    if metric in VARIANCE and mean < 5e-4:
        return "the baseline nothing of it"
    return f"the baseline {score_words(mean, metric)}"


def plus_minus(mean: float, half: float) -> str:
    """|mean| ± half with two digits of the smaller one.

    >>> plus_minus(-0.0312, 0.0104), plus_minus(12.34, 3.21)
    ('0.031 ± 0.010', '12.3 ± 3.2')
    """
    known = [abs(x) for x in (mean, half) if x and np.isfinite(x)]
    decimals = int(np.clip(1 - np.floor(np.log10(min(known))), 0, 6)) if known else 0
    return f"{abs(mean):.{decimals}f} ± {half:.{decimals}f}"
