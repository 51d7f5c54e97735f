"""Linear support vector machines, dense and on texts, at equal objective: rows of `python -m benchmarks.svm`."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work


def overlapping(n: int, d: int) -> Callable[[], Data]:
    """Two classes on the two sides of a hyperplane, with noise as large as the signal."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        z = X @ rng.normal(size=d) + np.sqrt(d) * rng.normal(size=n)
        return {"X": X, "y": (z > 0).astype(np.int64)}

    return make


def texts(n: int, d: int, words: int) -> Callable[[], Data]:
    """Rows of `words` words drawn by Zipf's law, weighted by rarity, of unit length; two classes with noise."""

    def make() -> Data:
        import scipy.sparse as sp
        from sklearn.preprocessing import normalize

        rng = np.random.default_rng(0)
        share = 1 / (np.arange(d) + 50.0)
        share /= share.sum()
        column = rng.choice(d, size=n * words, p=share)
        values = rng.gamma(1.0, size=n * words) * np.log(1 / share[column])
        X = normalize(sp.csr_matrix((values, column, np.arange(0, n * words + 1, words)), shape=(n, d)))
        X.sum_duplicates()
        z = X @ (rng.normal(size=d) * (rng.random(d) < 0.1))
        y = (z + 0.5 * z.std() * rng.normal(size=n) > 0).astype(np.int64)
        return {"values": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape), "y": y}

    return make


def rows_of(data: Data) -> Any:
    if "X" in data:
        return data["X"]
    import scipy.sparse as sp

    return sp.csr_matrix((data["values"], data["indices"], data["indptr"]), shape=tuple(data["shape"]))


def fit(module: str, options: dict[str, Any]) -> Contender:
    """A contender; its quality is the objective."""

    def run(data: Data) -> Callable[[], float]:
        X, y = rows_of(data), data["y"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model: Any = importlib.import_module(module).LinearSVC(**options).fit(X, y)
        return lambda: objective(X, y, model, options)

    return run


def objective(X: Any, y: np.ndarray, model: Any, options: dict[str, Any]) -> float:
    w, b = model.coef_[0], float(model.intercept_[0])
    slack = np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0) * (X @ w + b))
    loss = slack.sum() if options.get("loss") == "hinge" else (slack**2).sum()
    size = np.abs(w).sum() + abs(b) if options.get("penalty") == "l1" else 0.5 * (w @ w + b * b)
    return float(size + options.get("C", 1.0) * loss)


def work(title: str, data: Callable[[], Data], bar: float, **options: Any) -> Work:
    contenders = {"surefit": fit("surefit.svm", options), "scikit-learn": fit("sklearn.svm", options)}
    return Work(
        title,
        data=data,
        contenders=contenders,
        bar={"scikit-learn": bar},
        quality_name="objective",
        quality_within=1e-5,
        repeats=5,
    )


LINEAR_WORKS = [
    work("LinearSVC 200k×100", overlapping(200_000, 100), 5.0),
    work("LinearSVC hinge 50k×50", overlapping(50_000, 50), 5.0, loss="hinge"),
    work("LinearSVC L1 100k×100", overlapping(100_000, 100), 1.0, penalty="l1"),
    work("LinearSVC text 50k×50k", texts(50_000, 50_000, 100), 1.0),
    work("LinearSVC text 50k×50k dual", texts(50_000, 50_000, 100), 1.0, dual=True),
    work("LinearSVC text 50k×50k hinge", texts(50_000, 50_000, 100), 1.0, loss="hinge"),
    work("LinearSVC text 50k×50k L1", texts(50_000, 50_000, 100), 1.0, penalty="l1"),
]
