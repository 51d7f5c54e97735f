"""Exact decision trees against scikit-learn: `python -m benchmarks.cart`.

Both look at every split of every node, so up to ties they grow the same tree; quality is what it gets wrong on rows
it has not seen. Growth in the number of rows is measured for surefit alone: scikit-learn would take minutes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main

UNSEEN = 20_000


def rows(n: int, d: int = 20) -> Callable[[], Data]:
    """Friedman's first function with noise on d uniform columns, and whether it is above its mean."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(n + UNSEEN, d))
        y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
        y += rng.normal(size=len(y))
        return {
            "X": X[:n],
            "y": y[:n],
            "label": y[:n] > 14.4,
            "X_new": X[n:],
            "y_new": y[n:],
            "label_new": y[n:] > 14.4,
        }

    return make


def classifier(package: str, **settings: Any) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        DecisionTreeClassifier = importlib.import_module(f"{package}.tree").DecisionTreeClassifier
        model = DecisionTreeClassifier(random_state=0, **settings).fit(data["X"], data["label"])
        return lambda: float(np.mean(model.predict(data["X_new"]) != data["label_new"]))

    return run


def regressor(package: str, **settings: Any) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        DecisionTreeRegressor = importlib.import_module(f"{package}.tree").DecisionTreeRegressor
        model = DecisionTreeRegressor(random_state=0, **settings).fit(data["X"], data["y"])
        return lambda: float(np.mean((model.predict(data["X_new"]) - data["y_new"]) ** 2))

    return run


def both(kind: Callable[..., Contender], **settings: Any) -> dict[str, Contender]:
    return {"surefit": kind("surefit", **settings), "scikit-learn": kind("sklearn", **settings)}


CART = {"bar": {"scikit-learn": 5.0}, "quality_within": 0.02, "repeats": 3}

WORKS = [
    Work("CART 200k×20, Gini", rows(200_000), both(classifier), quality_name="wrong", **CART),
    Work("CART 200k×20, entropy", rows(200_000), both(classifier, criterion="entropy"), quality_name="wrong", **CART),
    Work("CART 200k×20, squared error", rows(200_000), both(regressor), quality_name="squared error", **CART),
    Work(
        "CART 20k×20, absolute error",
        rows(20_000),
        both(regressor, criterion="absolute_error"),
        bar={"scikit-learn": 1.0},
        quality_name="squared error",
        quality_within=0.02,
        repeats=3,
    ),
    Work(
        "CART 200k×20, 500 leaves best first",
        rows(200_000),
        both(regressor, max_leaf_nodes=500),
        quality_name="squared error",
        **CART,
    ),
    *(
        Work(
            f"CART {n // 1000:,}k×20, squared error: growth",
            rows(n),
            {"surefit": regressor("surefit")},
            quality_name="squared error",
            repeats=2,
        )
        for n in (100_000, 1_000_000, 4_000_000)
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
