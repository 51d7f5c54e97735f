"""Forests and histogram boosting against their peers, by quality alone: `python -m benchmarks.tree_accuracy [--write]`.

Three generated data sets, repeated 5-fold cross-validation, the same splits for all. surefit is compared with each
peer by the corrected resampled t-test of Nadeau and Bengio (surefit.model_selection.corrected_difference). `--write`
puts the table into docs/guide/ensemble/accuracy.md.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import ROOT
from benchmarks.table import write

FOLDS, REPEATS, TREES, RATE, LEAVES, BINS, LEAF_ROWS, L2 = 5, 2, 100, 0.1, 31, 255, 20, 1.0
PAGE = ROOT / "docs" / "guide" / "ensemble" / "accuracy.md"
FOREST_PEERS = ("surefit", "scikit-learn")
BOOSTING_PEERS = (*FOREST_PEERS, "LightGBM", "XGBoost")


@dataclass(frozen=True)
class Problem:
    name: str
    X: np.ndarray
    y: np.ndarray
    categorical: tuple[int, ...] = ()
    regression: bool = False


def adult_like(n: int = 10_000) -> Problem:
    """Two classes, a quarter in the rarer one: five numbers (two mostly zero), seven columns of categories, gaps."""
    rng = np.random.default_rng(0)
    age = np.clip(rng.gamma(8.0, 5.0, n), 17, 90).round()
    years = np.clip(rng.normal(10.0, 2.5, n), 1, 16).round()
    hours = np.clip(rng.normal(40.0, 12.0, n), 1, 99).round()
    gain = np.where(rng.random(n) < 0.08, rng.lognormal(8.5, 1.0, n), 0.0).round()
    loss = np.where(rng.random(n) < 0.05, rng.lognormal(7.5, 0.3, n), 0.0).round()
    sizes = (8, 7, 14, 6, 5, 2, 40)
    codes = np.column_stack([np.minimum(rng.geometric(1.5 / size, n) - 1, size - 1) for size in sizes])
    effects = [
        rng.normal(0.0, scale, size) for scale, size in zip((0.4, 1.0, 0.8, 0.5, 0.2, 0.5, 0.3), sizes, strict=True)
    ]
    score = -((age - 48) ** 2) / 250 + 0.35 * (years - 10) + 0.03 * (hours - 40) + 2.0 * (gain > 5_000) + (loss > 1_800)
    score += sum(effect[codes[:, j]] for j, effect in enumerate(effects)) + 0.1 * (years - 10) * (codes[:, 1] == 0)
    y = score + rng.logistic(size=n)
    X = np.column_stack([age, years, hours, gain, loss, codes]).astype(np.float64)
    for column in (2, 5, 7, 11):
        X[rng.random(n) < 0.05, column] = np.nan
    return Problem("adult-like", X, (y > np.quantile(y, 0.75)).astype(np.int64), tuple(range(5, 12)))


def covertype_like(n: int = 10_000) -> Problem:
    """Seven classes of unequal size: ten whole numbers, and two groups of one-hot columns (4 areas, 12 soils)."""
    rng = np.random.default_rng(1)
    area = rng.choice(4, n, p=(0.45, 0.05, 0.43, 0.07))
    soil = (3 * area + rng.choice(6, n, p=(0.4, 0.25, 0.15, 0.1, 0.06, 0.04))) % 12
    height = (2900 + 120 * (area - 1.5) + rng.normal(0, 260, n)).round()
    aspect, slope = rng.uniform(0, 360, n).round(), rng.gamma(3.5, 4.0, n).round()
    water, rise = rng.gamma(1.5, 180.0, n).round(), rng.normal(45, 58, n).round()
    roads, fires = rng.gamma(2.3, 1000.0, n).round(), rng.gamma(2.2, 900.0, n).round()
    sun = aspect * np.pi / 180
    shade = [np.clip(k - slope * np.cos(sun + turn) + rng.normal(0, 4, n), 0, 255).round() for k, turn in
             ((212, -1.0), (223, 0.5), (142, 2.0))]  # fmt: skip
    numbers = np.column_stack([height, aspect, slope, water, rise, roads, fires, *shade])
    middles = np.array([3150, 2900, 2400, 2250, 2750, 2450, 3400.0])
    score = -((height[:, None] - middles) ** 2) / (2 * 170.0**2) + rng.normal(0, 1.2, (12, 7))[soil]
    score += np.array([0.6, 1.2, 0.3, -1.0, -0.8, -0.2, 0.2]) + rng.normal(0, 0.6, (4, 7))[area]
    score += np.outer(np.log1p(water) - 5, [0.3, 0.1, -0.2, -1.0, 0.2, -0.2, 0.3])
    score += np.outer(np.cos(sun) * slope / 10, [0.5, -0.5, 0.4, -0.4, -0.8, 0.8, 0.0])
    score += np.outer(roads / 1500, [0.3, 0.3, -0.6, -0.9, -0.3, -0.6, 0.5])
    y = np.argmax(2 * score + rng.gumbel(size=score.shape), axis=1)
    return Problem("covertype-like", np.column_stack([numbers, np.eye(4)[area], np.eye(12)[soil]]), y)


def friedman(n: int = 5_000) -> Problem:
    """Friedman's first function of five columns among ten, with noise of variance 1."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n, n_features=10, noise=1.0, random_state=0)
    return Problem("Friedman 1", X, y, regression=True)


def forest(library: str, problem: Problem) -> Any:
    """Full trees; categories as numbers, since scikit-learn's forests know no others."""
    import importlib

    family = importlib.import_module("surefit.ensemble" if library == "surefit" else "sklearn.ensemble")
    if problem.regression:
        return family.RandomForestRegressor(TREES, max_features=1 / 3, random_state=0, n_jobs=1)
    return family.RandomForestClassifier(TREES, random_state=0, n_jobs=1)


def boosting(library: str, problem: Problem) -> Any:
    """The same rounds, leaves, bins, L2 and length of the Newton steps for all; categories and gaps in their own ways.

    Of K > 2 classes XGBoost doubles the second derivatives p(1 − p) and LightGBM multiplies them by K / (K − 1): with
    rate and L2 multiplied alike the step rate · G / (H + L2) is the one of the others. XGBoost bounds the sum of second
    derivatives in a leaf, not its rows: for a squared error that is the same; for classes it keeps its default of 1.
    """
    import importlib

    kind = "Regressor" if problem.regression else "Classifier"
    n_classes = 0 if problem.regression else len(np.unique(problem.y))
    if library == "LightGBM":
        same = n_classes / (n_classes - 1) if n_classes > 2 else 1.0
        model = getattr(importlib.import_module("lightgbm"), f"LGBM{kind}")
        return model(
            n_estimators=TREES, learning_rate=RATE * same, reg_lambda=L2 * same, num_leaves=LEAVES, max_bin=BINS,
            min_child_samples=LEAF_ROWS, min_data_in_bin=1, n_jobs=1, verbose=-1,
        )  # fmt: skip
    if library == "XGBoost":
        same = 2.0 if n_classes > 2 else 1.0
        types = ["c" if j in problem.categorical else "q" for j in range(problem.X.shape[1])]
        model = getattr(importlib.import_module("xgboost"), f"XGB{kind}")
        return model(
            n_estimators=TREES, learning_rate=RATE * same, reg_lambda=L2 * same, tree_method="hist", max_bin=BINS,
            grow_policy="lossguide", max_leaves=LEAVES, max_depth=0, n_jobs=1, enable_categorical=True,
            min_child_weight=LEAF_ROWS if problem.regression else 1, feature_types=types,
        )  # fmt: skip
    family = importlib.import_module("surefit.ensemble" if library == "surefit" else "sklearn.ensemble")
    return getattr(family, f"HistGradientBoosting{kind}")(
        learning_rate=RATE, max_iter=TREES, max_leaf_nodes=LEAVES, max_bins=BINS, min_samples_leaf=LEAF_ROWS,
        l2_regularization=L2, early_stopping=False, categorical_features=list(problem.categorical) or None,
        random_state=0,
    )  # fmt: skip


def splits(problem: Problem) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    kind = RepeatedKFold if problem.regression else RepeatedStratifiedKFold
    return kind(n_splits=FOLDS, n_repeats=REPEATS, random_state=0).split(problem.X, problem.y)


def fold_scores(model: Any, problem: Problem, fitted: np.ndarray, asked: np.ndarray, least: float) -> dict[str, float]:
    """Scores of one fold. Shares are raised to `least` before their logarithm: a forest's vote can be unanimous."""
    extra = {}
    if type(model).__module__.startswith("lightgbm") and problem.categorical:
        extra["categorical_feature"] = list(problem.categorical)
    model.fit(problem.X[fitted], problem.y[fitted], **extra)
    X, y = problem.X[asked], problem.y[asked]
    if problem.regression:
        return {"R²": 1 - float(np.mean((model.predict(X) - y) ** 2) / np.var(y))}
    shares = np.maximum(model.predict_proba(X), least)
    log_loss = -float(np.mean(np.log(shares[np.arange(len(y)), y] / shares.sum(axis=1))))
    return {"accuracy": float(np.mean(shares.argmax(axis=1) == y)), "log-loss": log_loss}


def scores(
    make: Callable[[str, Problem], Any], peers: tuple[str, ...], problem: Problem
) -> dict[str, dict[str, list[float]]]:
    """For every score and library the numbers of all folds, in the same order."""
    found: dict[str, dict[str, list[float]]] = {}
    least = 0.5 / TREES if make is forest else 1e-15
    for fitted, asked in splits(problem):
        for library in peers:
            for name, value in fold_scores(make(library, problem), problem, fitted, asked, least).items():
                found.setdefault(name, {}).setdefault(library, []).append(value)
    return found


def lines(problem: Problem, model: str, score: str, values: Mapping[str, list[float]]) -> list[str]:
    """A line for each peer: both means, the difference with its 95 % interval, p, and what it says."""
    from surefit.model_selection import corrected_difference

    rows = []
    ours = np.mean(values["surefit"])
    for peer in list(values)[1:]:
        test = corrected_difference(values["surefit"], values[peer], 1 / (FOLDS - 1))
        better = (test.mean < 0) == (score == "log-loss")
        verdict = "within noise" if test.p >= 0.05 else "surefit better" if better else "surefit worse"
        difference = f"{test.mean:+.4f} ± {test.half:.4f}"
        rows.append(
            f"| {problem.name} | {model} | {score} | {peer} | {ours:.4f} | {np.mean(values[peer]):.4f} "
            f"| {difference} | {test.p:.2f} | {verdict} |"
        )
    return rows


def out_of_bag(seeds: int = 24) -> str:
    """A sentence: the accuracy out of the bag on iris, over seeds, of our forests and of scikit-learn's."""
    from sklearn import ensemble as theirs
    from sklearn.datasets import load_iris

    from surefit import ensemble as ours

    X, y = load_iris(return_X_y=True)
    forests = {
        "surefit": ours.RandomForestClassifier(TREES, oob_score=True),
        "surefit with max_bins=None": ours.RandomForestClassifier(TREES, oob_score=True, max_bins=None),
        "scikit-learn": theirs.RandomForestClassifier(TREES, oob_score=True),
    }
    words = []
    for name, model in forests.items():
        found = [model.set_params(random_state=seed).fit(X, y).oob_score_ for seed in range(seeds)]
        words.append(f"{name} {np.mean(found):.4f} (standard deviation over seeds {np.std(found, ddof=1):.4f})")
    return f"Accuracy out of the bag on iris, {TREES} trees, mean over {seeds} seeds: {', '.join(words)}."


def table() -> str:
    head = "| data | model | score | peer | surefit | peer's | difference, 95 % | p | |"
    found = [head, "|---|---|---|---|---|---|---|---|---|"]
    for problem in (adult_like(), covertype_like(), friedman()):
        for model, make, peers in (("forest", forest, FOREST_PEERS), ("boosting", boosting, BOOSTING_PEERS)):
            for score, values in scores(make, peers, problem).items():
                rows = lines(problem, model, score, values)
                print(*rows, sep="\n", flush=True)
                found += rows
    return "\n".join([*found, "", out_of_bag()])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tree_accuracy", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # nothing is timed, and threads that wait for each other cost most of the time
    text = table()
    if options.write:
        write(PAGE, text)


if __name__ == "__main__":
    main()
