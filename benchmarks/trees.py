"""Pruning and prediction with one tree: `python -m benchmarks.trees`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.harness import Data, Work, main

ROWS, COLUMNS, SINGLE = 200_000, 20, 1000
_models: dict[str, Any] = {}


def classes() -> Data:
    """Two overlapping classes: a tree that is grown out has tens of thousands of leaves."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * ROWS, COLUMNS)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=2 * ROWS) > 0).astype(np.int64)
    return {"X": X[:ROWS], "y": y[:ROWS], "Q": X[ROWS:], "truth": y[ROWS:]}


def fitted(name: str, make: Callable[[], Any], data: Data) -> Any:
    """The model, fitted once in its process, in the run that warms up."""
    if name not in _models:
        _models[name] = make().fit(data["X"], data["y"])
    return _models[name]


def ours(data: Data) -> Any:
    from surefit.tree import DecisionTreeClassifier

    return fitted("surefit", DecisionTreeClassifier, data)


def scikit_learn(data: Data) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return fitted("scikit-learn", lambda: DecisionTreeClassifier(random_state=0), data)


@cache
def lightgbm_model() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=1, num_leaves=2_000, min_child_samples=1, verbose=-1, n_jobs=-1)


def lightgbm(data: Data) -> Any:
    return fitted("lightgbm", lightgbm_model, data)


def our_path(data: Data) -> float:
    from surefit.solvers.growing.pruning import pruning_path

    return float(pruning_path(ours(data).tree_).alphas[-1])


def their_path(data: Data) -> float:
    """The step of cost_complexity_pruning_path that follows its fit."""
    from sklearn.tree._tree import ccp_pruning_path

    return float(ccp_pruning_path(scikit_learn(data).tree_)["ccp_alphas"][-1])


def batch(model: Callable[[Data], Any]) -> Callable[[Data], Any]:
    def run(data: Data) -> Any:
        answer = model(data).predict(data["Q"])
        return lambda: float(np.mean(answer == data["truth"]))

    return run


def single(model: Callable[[Data], Any]) -> Callable[[Data], Any]:
    def run(data: Data) -> Any:
        predict, Q = model(data).predict, data["Q"]
        answer = [predict(Q[i : i + 1])[0] for i in range(SINGLE)]
        return lambda: float(np.mean(answer == data["truth"][:SINGLE]))

    return run


WORKS = [
    Work(
        "pruning path of a tree on 200k×20",
        classes,
        {"surefit": our_path, "scikit-learn": their_path},
        {"scikit-learn": 5.0},
        quality_name="last penalty",
        quality_within=1e-6,
        seconds=10.0,
    ),
    Work(
        "decision tree, 200k×20 predictions",
        classes,
        {"surefit": batch(ours), "scikit-learn": batch(scikit_learn), "LightGBM": batch(lightgbm)},
        {"scikit-learn": 1.0},
        quality_better="higher",
        quality_name="accuracy",
        quality_within=1e-2,
        seconds=10.0,
    ),
    Work(
        "decision tree, 1000 single predictions",
        classes,
        {"surefit": single(ours), "scikit-learn": single(scikit_learn), "LightGBM": single(lightgbm)},
        {"scikit-learn": 1.0},
        quality_better="higher",
        quality_name="accuracy",
        quality_within=5e-2,
        seconds=10.0,
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
