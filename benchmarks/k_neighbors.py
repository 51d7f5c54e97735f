"""Predictions from neighbors, nearest or within a radius, and their number by leaving out rows.

`python -m benchmarks.k_neighbors`
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main

NUMBERS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


def classes(n: int, d: int, queries: int) -> Callable[[], Data]:
    """Ten overlapping groups."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        centers = rng.normal(size=(10, d)) * 0.6
        y = rng.integers(0, 10, n + queries)
        X = (centers[y] + rng.normal(size=(n + queries, d))).astype(np.float32)
        return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:]}

    return make


def curve(n: int, d: int) -> Callable[[], Data]:
    """A smooth function with noise."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        return {"X": X, "y": np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)}

    return make


def noisy_curve(n: int, d: int, queries: int) -> Callable[[], Data]:
    """The same, with rows to predict."""

    def make() -> Data:
        data = curve(n + queries, d)()
        X, y = data["X"], data["y"]
        return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:]}

    return make


def by_radius(module: str, name: str, radius: float, **options: Any) -> Contender:
    """Fit and predict by all rows within the radius; the error of queries that have such rows."""

    def run(data: Data) -> float:
        with warnings.catch_warnings(action="ignore"):  # queries without neighbors
            model = getattr(importlib.import_module(module), name)(radius, **options).fit(data["X"], data["y"])
            found = model.predict(data["Q"])
        if found.dtype.kind == "f":
            return float(np.nanmean((found - data["truth"]) ** 2))
        return float(np.mean(found != data["truth"]))

    return run


def radius_work(title: str, data: Callable[[], Data], name: str, radius: float, **options: Any) -> Work:
    return Work(
        title,
        data,
        {
            "surefit": by_radius("surefit.neighbors", name, radius, **options),
            "scikit-learn": by_radius("sklearn.neighbors", name, radius, n_jobs=-1, **options),
        },
        {"scikit-learn": 1.0},
        quality_name="error of new rows",
        quality_within=1e-6,
        repeats=3,
        seconds=40.0,
    )


def predicted(model: Any, data: Data) -> float:
    """Fit, predict, and the share of queries told rightly."""
    return float(np.mean(model.fit(data["X"], data["y"]).predict(data["Q"]) == data["truth"]))


def ours(data: Data) -> float:
    from surefit.neighbors import KNeighborsClassifier

    return predicted(KNeighborsClassifier(5), data)


def scikit_learn(data: Data) -> float:
    from sklearn.neighbors import KNeighborsClassifier

    return predicted(KNeighborsClassifier(5, n_jobs=-1), data)


def intelex(data: Data) -> float:
    from sklearnex.neighbors import KNeighborsClassifier

    return predicted(KNeighborsClassifier(5, n_jobs=-1), data)


def our_number(data: Data) -> float:
    from surefit.neighbors import KNeighborsRegressor

    return -KNeighborsRegressor(NUMBERS).fit(data["X"], data["y"]).best_score_


def one_search_for_each(data: Data) -> float:
    """scikit-learn's leave-one-out predictions, `predict(None)`, for every number."""
    from sklearn.neighbors import KNeighborsRegressor

    X, y = data["X"], data["y"]
    model = KNeighborsRegressor(n_jobs=-1).fit(X, y)
    return min(float(np.mean((model.set_params(n_neighbors=k).predict(None) - y) ** 2)) for k in NUMBERS)


WORKS = [
    Work(
        "k-NN classifier 100k×64 f32, 5000 predictions, k=5",
        classes(100_000, 64, 5000),
        {"surefit": ours, "scikit-learn": scikit_learn, "scikit-learn-intelex": intelex},
        {"scikit-learn": 1.0},
        quality_better="higher",
        quality_name="share told rightly",
        flops=2.0 * 100_000 * 5000 * 64,
        repeats=5,
        seconds=30.0,
    ),
    Work(
        "number of neighbors by leave-one-out 20k×6, 12 numbers",
        curve(20_000, 6),
        {"surefit": our_number, "scikit-learn": one_search_for_each},
        {"scikit-learn": 5.0},
        quality_name="error of left-out rows",
        quality_within=1e-6,
        repeats=3,
        seconds=40.0,
    ),
    radius_work(
        "radius classifier 100k×3 f32, 20k predictions", classes(100_000, 3, 20_000), "RadiusNeighborsClassifier", 0.2,
        outlier_label="most_frequent",
    ),
    radius_work(
        "radius regressor 100k×3, 20k predictions, 1/distance", noisy_curve(100_000, 3, 20_000),
        "RadiusNeighborsRegressor", 0.2, weights="distance",
    ),
]  # fmt: skip

if __name__ == "__main__":
    main(__file__, WORKS)
