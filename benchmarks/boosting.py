"""Gradient boosting against scikit-learn's, histogram boosting against its peers: `python -m benchmarks.boosting`.

Quality is the loss of 20,000 rows that were not fitted to, in the same units for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main

HELD_OUT = 20_000
SINGLE = 500
_models: dict[str, Any] = {}


def friedman(n: int, d: int = 20, classes: bool = False) -> Data:
    """Friedman's function of five columns among d, with noise; its sign for classes."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n + HELD_OUT, d))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y = f + rng.normal(size=len(f)) * 2
    y = (y > np.median(y)).astype(float) if classes else y
    return {"X": X[:n], "y": y[:n], "Q": X[n:], "r": y[n:]}


def squared_error(model: object, data: Data) -> float:
    return float(np.mean((model.predict(data["Q"]) - data["r"]) ** 2))  # type: ignore[attr-defined]


def log_loss(model: object, data: Data) -> float:
    shares = np.clip(model.predict_proba(data["Q"]), 1e-15, 1)  # type: ignore[attr-defined]
    return float(-np.mean(np.log(shares[np.arange(len(shares)), data["r"].astype(int)])))


def regressor(module: str, **settings: object) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        import importlib

        model = importlib.import_module(module).GradientBoostingRegressor(random_state=0, **settings)
        model.fit(data["X"], data["y"])
        return lambda: squared_error(model, data)

    return run


def classifier(module: str, **settings: object) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        import importlib

        model = importlib.import_module(module).GradientBoostingClassifier(random_state=0, **settings)
        model.fit(data["X"], data["y"])
        return lambda: log_loss(model, data)

    return run


def both(make: Callable[..., Contender], **settings: object) -> dict[str, Contender]:
    ours = "surefit.ensemble"
    return {"surefit": make(ours, **settings), "scikit-learn": make("sklearn.ensemble", **settings)}


def histogram_classes(n: int, d: int = 28, asked: int = HELD_OUT) -> Data:
    """Two classes from products, waves and squares of five columns among d."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + asked, d))
    z = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] ** 2 - 1 + 0.5 * X[:, 4]
    y = (rng.random(len(z)) < 1 / (1 + np.exp(-2 * z))).astype(float)
    return {"X": X[:n], "y": y[:n], "Q": X[n:], "r": y[n:]}


def histogram_model(peer: str) -> object:
    """100 trees of 31 leaves, 255 bins, rate 0.1, no early stopping."""
    if peer == "XGBoost":
        import xgboost

        return xgboost.XGBClassifier(
            tree_method="hist", grow_policy="lossguide", max_leaves=31, max_depth=0, max_bin=255, learning_rate=0.1,
            min_child_weight=5, reg_lambda=0.0, n_estimators=100, n_jobs=2,
        )  # fmt: skip
    if peer.startswith("LightGBM"):
        import lightgbm

        quantised = {"use_quantized_grad": True} if "quantised" in peer else {}
        return lightgbm.LGBMClassifier(n_estimators=100, max_bin=255, n_jobs=2, verbose=-1, **quantised)
    import importlib

    family = importlib.import_module("surefit.ensemble" if peer == "surefit" else "sklearn.ensemble")
    return family.HistGradientBoostingClassifier(early_stopping=False)


def histogram_fit(peer: str) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        model = histogram_model(peer)
        model.fit(data["X"], data["y"])  # type: ignore[attr-defined]
        return lambda: log_loss(model, data)

    return run


def kept(peer: str, data: Data) -> Any:
    """The model, fitted once in its process, in the run that warms up and is not timed."""
    if peer not in _models:
        _models[peer] = histogram_model(peer)
        _models[peer].fit(data["X"], data["y"])
    return _models[peer]


def histogram_ask(peer: str) -> Contender:
    """The time of predict_proba of all rows; the loss is that of the first HELD_OUT."""

    def run(data: Data) -> Callable[[], float]:
        kept(peer, data).predict_proba(data["Q"])
        return lambda: log_loss(kept(peer, data), {"Q": data["Q"][:HELD_OUT], "r": data["r"][:HELD_OUT]})

    return run


def histogram_ask_singly(peer: str) -> Contender:
    """The time of predict_proba of SINGLE rows, one by one, on one thread where the library lets one say so."""

    def run(data: Data) -> Callable[[], float]:
        model = kept(peer, data)
        if peer in ("LightGBM", "XGBoost"):
            model.set_params(n_jobs=1)
        for i in range(SINGLE):
            model.predict_proba(data["Q"][i : i + 1])
        return lambda: log_loss(model, {"Q": data["Q"][:HELD_OUT], "r": data["r"][:HELD_OUT]})

    return run


PEERS = ("surefit", "LightGBM", "LightGBM quantised", "XGBoost", "scikit-learn")


def histogram_work(n: int, bar: dict[str, float]) -> Work:
    return Work(
        f"histogram boosting, classes {n // 1000}k×28, 100 trees of 31 leaves",
        data=lambda: histogram_classes(n),
        contenders={peer: histogram_fit(peer) for peer in PEERS},
        bar=bar,
        quality_name="log-loss",
        quality_within=0.005,
    )


ASKED = ("surefit", "LightGBM", "XGBoost", "scikit-learn")


def asking_work(what: str, ask: Callable[[str], Contender]) -> Work:
    return Work(
        f"histogram boosting, 100 trees of 31 leaves: probabilities of {what}",
        data=lambda: histogram_classes(50_000, asked=200_000),
        contenders={peer: ask(peer) for peer in ASKED},
        bar={"scikit-learn": 1.0, "XGBoost": 1.0},
        quality_name="log-loss",
        quality_within=0.01,
        seconds=30.0,
    )


def growth_work(n: int) -> Work:
    """The same function of ten columns for ever more rows: growth is linear when the time per row stays."""
    return Work(
        f"histogram boosting, growth: {n // 1000}k×10, 100 trees of 31 leaves",
        data=lambda: histogram_classes(n, d=10),
        contenders={peer: histogram_fit(peer) for peer in ASKED if n <= 1_000_000 or peer != "scikit-learn"},
        quality_name="log-loss",
        quality_within=0.005,
        repeats=2,
        seconds=60.0,
    )


WORKS = [
    histogram_work(500_000, {"XGBoost": 1.3, "LightGBM": 1.3, "LightGBM quantised": 1.3}),
    asking_work("200k rows", histogram_ask),
    asking_work(f"{SINGLE} rows, one by one", histogram_ask_singly),
    growth_work(100_000),
    growth_work(1_000_000),
    growth_work(4_000_000),
    Work(
        "gradient boosting, classes 30k×20, 100 trees of depth 3",
        data=lambda: friedman(30_000, classes=True),
        contenders=both(classifier),
        bar={"scikit-learn": 5.0},
        quality_name="log-loss",
        quality_within=0.001,
    ),
    Work(
        "gradient boosting, regression 30k×20, 100 trees of depth 3",
        data=lambda: friedman(30_000),
        contenders=both(regressor),
        bar={"scikit-learn": 5.0},
        quality_name="squared error",
        quality_within=0.001,
    ),
    Work(
        "gradient boosting, median 50k×20, 50 trees of depth 3",
        data=lambda: friedman(50_000),
        contenders=both(regressor, loss="absolute_error", n_estimators=50),
        bar={"scikit-learn": 3.0},
        quality_name="squared error",
        quality_within=0.02,
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
