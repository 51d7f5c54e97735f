"""Gaussian support vector machines, fit and decisions, at equal objective: rows of `python -m benchmarks.svm`."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work

CACHE_MB = 500


def noisy(n: int, d: int) -> Callable[[], Data]:
    """Two classes of several clumps each, with a tenth of the labels drawn at random."""

    def make() -> Data:
        from sklearn.datasets import make_classification

        X, y = make_classification(n, d, n_informative=d // 2, flip_y=0.2, class_sep=0.5, random_state=0)
        return {"X": X, "y": y}

    return make


def dual_value(X: np.ndarray, model: object) -> float:
    """½ βᵀKβ − Σ|β| over the support vectors, which all want to be low."""
    vectors, beta = X[model.support_], model.dual_coef_.ravel()  # type: ignore[attr-defined]
    gamma, norms, total = 1 / (X.shape[1] * X.var()), (vectors**2).sum(axis=1), 0.0
    for first in range(0, len(beta), 500):
        part = slice(first, first + 500)
        distances = norms[part, None] + norms - 2 * vectors[part] @ vectors.T
        total += float(beta[part] @ (np.exp(-gamma * np.maximum(distances, 0)) @ beta))
    return 0.5 * total - float(np.abs(beta).sum())


def fit(module: str) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        model = importlib.import_module(module).SVC(cache_size=CACHE_MB).fit(data["X"], data["y"])
        return lambda: dual_value(data["X"], model)

    return run


def predict(module: str) -> Contender:
    """Decisions of one model, fitted by scikit-learn before on a part of the rows, for all rows."""
    models: dict[str, object] = {}

    def run(data: Data) -> Callable[[], float]:
        X, y = data["X"], data["y"]
        if module not in models:
            models[module] = importlib.import_module(module).SVC().fit(X[:4000], y[:4000])
            models[module].decision_function(X[:10])  # type: ignore[attr-defined]
        scores = models[module].decision_function(X)  # type: ignore[attr-defined]
        return lambda: float(np.mean((scores > 0) != y))

    return run


def contenders(kind: Callable[[str], Contender]) -> dict[str, Contender]:
    modules = {"surefit": "surefit.svm", "sklearnex": "sklearnex.svm", "scikit-learn": "sklearn.svm"}
    return {name: kind(module) for name, module in modules.items()}


def fit_work(n: int) -> Work:
    return Work(
        f"SVC rbf {n // 1000}k×20, cache {CACHE_MB} MB",
        data=noisy(n, 20),
        contenders=contenders(fit),
        bar={"sklearnex": 1.5, "scikit-learn": 6.0},
        quality_better="lower",
        quality_name="dual value",
        quality_within=1e-4,
    )


KERNEL_WORKS = [
    fit_work(20_000),
    fit_work(50_000),
    Work(
        "SVC rbf decisions 20k×20",
        data=noisy(20_000, 20),
        contenders=contenders(predict),
        bar={"scikit-learn": 3.0},
        quality_better="lower",
        quality_name="errors",
    ),
]
