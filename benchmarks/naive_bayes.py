"""Naive Bayes on numbers, counts and categories: `python -m benchmarks.naive_bayes`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def numbers(n: int, d: int) -> Callable[[], Data]:
    """Two classes a little apart in every column."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, n)
        return {"X": rng.normal(size=(n, d)) + 0.1 * y[:, None], "y": y}

    return make


def counts(n: int, d: int) -> Callable[[], Data]:
    """Five classes with rates of their own."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 5, n)
        return {"X": rng.poisson(rng.gamma(2, 0.5, (5, d))[y]).astype(np.float64), "y": y}

    return make


def categories(n: int, d: int) -> Callable[[], Data]:
    """Five classes; ten categories in each column."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 5, n)
        return {"X": np.minimum(rng.poisson(2 + 0.2 * y[:, None], (n, d)), 9), "y": y}

    return make


def fit(module: str, name: str) -> Contender:
    """A contender; its quality is the mean log-probability of the right class on 20 000 rows."""

    def run(data: Data) -> Callable[[], float]:
        model: Any = getattr(importlib.import_module(module), name)().fit(data["X"], data["y"])
        rows, labels = data["X"][:20_000], data["y"][:20_000]
        return lambda: float(-model.predict_log_proba(rows)[np.arange(len(labels)), labels].mean())

    return run


def work(title: str, name: str, data: Callable[[], Data], bar: float) -> Work:
    contenders = {"surefit": fit("surefit.naive_bayes", name), "scikit-learn": fit("sklearn.naive_bayes", name)}
    return Work(title, data=data, contenders=contenders, bar={"scikit-learn": bar}, quality_name="−log P of the class")


WORKS = [
    work("GaussianNB 500k×50", "GaussianNB", numbers(500_000, 50), 5.0),
    work("MultinomialNB 200k×300", "MultinomialNB", counts(200_000, 300), 3.0),
    work("CategoricalNB 500k×20", "CategoricalNB", categories(500_000, 20), 8.0),
]

if __name__ == "__main__":
    main(__file__, WORKS)
