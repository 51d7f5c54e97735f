"""Random forests, fitted and asked: `python -m benchmarks.forest`.

Growth in n: the rows "growth" fit 10⁵, 10⁶ and 4 · 10⁶ rows of ten columns, drawn alike; the time per row stays (but
for trees that are deeper by the logarithm: a fifth more for ten times the rows) when growth is linear in n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Data, Work, main

TREES = 100
SINGLE = 200
_models: dict[str, Any] = {}


def classes(n: int, queries: int, d: int = 20) -> Callable[[], Data]:
    """Two classes in several groups each, at most ten columns carry them, some labels wrong."""

    def make() -> Data:
        from sklearn.datasets import make_classification

        X, y = make_classification(n_samples=n + queries, n_features=d, n_informative=min(10, d - 2), random_state=0)
        return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:]}

    return make


def noisy_sign(n: int, queries: int, d: int = 10) -> Callable[[], Data]:
    """The sign of a function of three normal columns with noise: the same law for any number of rows."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n + queries, d))
        y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) > 0).astype(np.int64)
        return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:]}

    return make


def curve(n: int, queries: int) -> Callable[[], Data]:
    """Friedman's function of five of ten columns, with noise."""

    def make() -> Data:
        from sklearn.datasets import make_friedman1

        X, y = make_friedman1(n + queries, n_features=10, noise=1.0, random_state=0)
        return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:]}

    return make


def classifier(library: str) -> Any:
    if library == "surefit":
        from surefit.ensemble import RandomForestClassifier

        return RandomForestClassifier(TREES, random_state=0)
    if library == "scikit-learn-intelex":
        from sklearnex.ensemble import RandomForestClassifier as Intelex

        return Intelex(TREES, random_state=0, n_jobs=-1)
    if library == "LightGBM":
        from lightgbm import LGBMClassifier

        bagged = {"boosting_type": "rf", "subsample": 0.632, "subsample_freq": 1, "colsample_bytree": 0.7}
        return LGBMClassifier(n_estimators=TREES, num_leaves=4096, min_child_samples=1, verbose=-1, **bagged)
    if library == "XGBoost":
        from xgboost import XGBRFClassifier

        drawn = {"subsample": 0.632, "colsample_bynode": 0.2, "reg_lambda": 0.0, "min_child_weight": 0.0}
        return XGBRFClassifier(
            TREES, tree_method="hist", max_depth=0, max_leaves=4096, grow_policy="lossguide", **drawn
        )
    from sklearn.ensemble import RandomForestClassifier as ScikitLearn

    return ScikitLearn(TREES, random_state=0, n_jobs=-1)


def regressor(library: str) -> Any:
    if library == "surefit":
        from surefit.ensemble import RandomForestRegressor

        return RandomForestRegressor(TREES, max_features=1 / 3, random_state=0)
    if library == "scikit-learn-intelex":
        from sklearnex.ensemble import RandomForestRegressor as Intelex

        return Intelex(TREES, max_features=1 / 3, random_state=0, n_jobs=-1)
    from sklearn.ensemble import RandomForestRegressor as ScikitLearn

    return ScikitLearn(TREES, max_features=1 / 3, random_state=0, n_jobs=-1)


def accuracy(model: Any, data: Data) -> float:
    return float(np.mean(model.predict(data["Q"]) == data["truth"]))


def fitted(make: Callable[[str], Any], library: str, judge: Callable[[Any, Data], float]) -> Callable[[Data], Any]:
    """The time of fit; the quality is looked at after the clock has stopped."""

    def run(data: Data) -> Callable[[], float]:
        model = make(library).fit(data["X"], data["y"])
        return lambda: judge(model, data)

    return run


def ten_trees(library: str) -> Any:
    return classifier(library).set_params(n_estimators=10)


def kept(library: str, data: Data) -> Any:
    """The forest, fitted once in its process, in the run that warms up and is not timed."""
    if library not in _models:
        _models[library] = classifier(library).fit(data["X"], data["y"])
    return _models[library]


def asked(library: str) -> Callable[[Data], Any]:
    """The time of predict_proba of all rows."""

    def run(data: Data) -> Callable[[], float]:
        shares = kept(library, data).predict_proba(data["Q"])
        return lambda: float(np.mean(shares.argmax(axis=1) == data["truth"]))

    return run


def asked_singly(library: str) -> Callable[[Data], Any]:
    """The time of predict_proba of SINGLE rows, one by one, on one thread where the library lets one say so."""

    def run(data: Data) -> Callable[[], float]:
        model = kept(library, data)
        if library in ("scikit-learn", "LightGBM", "XGBoost"):
            model.set_params(n_jobs=1)
        shares = [model.predict_proba(data["Q"][i : i + 1])[0] for i in range(SINGLE)]
        return lambda: float(np.mean(np.argmax(shares, axis=1) == data["truth"][:SINGLE]))

    return run


def error(model: Any, data: Data) -> float:
    return float(np.mean((model.predict(data["Q"]) - data["truth"]) ** 2))


PEERS = ("surefit", "scikit-learn", "scikit-learn-intelex")

ASKED = (*PEERS, "LightGBM", "XGBoost")


def growth(n: int) -> Work:
    return Work(
        f"random forest, growth: {n // 1000}k×10, 10 trees: fit",
        noisy_sign(n, 20_000),
        {name: fitted(ten_trees, name, accuracy) for name in (PEERS if n <= 1_000_000 else PEERS[:1])},
        quality_better="higher",
        quality_name="share told rightly",
        quality_within=1e-2,
        repeats=2,
        seconds=60.0,
    )


WORKS = [
    Work(
        "random forest 100k×20, 100 trees: fit",
        classes(100_000, 20_000),
        {name: fitted(classifier, name, accuracy) for name in PEERS},
        {"scikit-learn-intelex": 1.3, "scikit-learn": 5.0},
        quality_better="higher",
        quality_name="share told rightly",
        quality_within=3e-3,
        repeats=3,
        seconds=60.0,
    ),
    Work(
        "random forest regression 50k×10, 100 trees: fit",
        curve(50_000, 10_000),
        {name: fitted(regressor, name, error) for name in PEERS},
        {"scikit-learn-intelex": 1.3, "scikit-learn": 5.0},
        quality_name="mean squared error",
        quality_within=2e-2,
        repeats=3,
        seconds=60.0,
    ),
    Work(
        "random forest 20k×20, 100 trees: probabilities of 200k rows",
        classes(20_000, 200_000),
        {name: asked(name) for name in ASKED},
        {"scikit-learn": 1.0},
        quality_better="higher",
        quality_name="share told rightly",
        quality_within=3e-3,
        repeats=5,
        seconds=30.0,
    ),
    Work(
        f"random forest 20k×20, 100 trees: probabilities of {SINGLE} rows, one by one",
        classes(20_000, 200_000),
        {name: asked_singly(name) for name in ASKED},
        {"scikit-learn": 1.0},
        quality_better="higher",
        quality_name="share told rightly",
        quality_within=5e-2,
        repeats=3,
        seconds=30.0,
    ),
    growth(100_000),
    growth(1_000_000),
    growth(4_000_000),
]

if __name__ == "__main__":
    main(__file__, WORKS)
