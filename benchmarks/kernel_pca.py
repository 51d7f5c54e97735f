"""Kernel principal components, few of many rows: rows of `python -m benchmarks.decomposition`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np

from benchmarks.harness import Contender, Data, Work


def clouds(n: int, d: int) -> Data:
    """Ten clouds: the leading features of a Gaussian kernel tell them apart."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(-1, 1, size=(10, d))
    return {"X": centers[rng.integers(0, 10, n)] + 0.3 * rng.normal(size=(n, d))}


def residual(X: np.ndarray, values: np.ndarray, vectors: np.ndarray, gamma: float) -> float:
    """The largest ‖K_c v − λ v‖ over the largest λ, on top of 1e-12: below that all are rounding."""
    squares = (X**2).sum(axis=1)
    K = np.exp(-gamma * np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0.0))
    K -= K.mean(axis=0)
    K -= K.mean(axis=1)[:, None]
    return 1e-12 + float(np.linalg.norm(K @ vectors - vectors * values, axis=0).max() / values[0])


def fit(module: str, **parameters: object) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        X = data["X"]
        model = import_module(module).KernelPCA(10, kernel="rbf", **parameters).fit(X)
        return lambda: residual(X, model.eigenvalues_, model.eigenvectors_, 1 / X.shape[1])

    return run


def projection(module: str) -> Contender:
    """Projects ten times as many new rows; the fit is not in the clock after the first call."""
    models: dict[str, object] = {}

    def run(data: Data) -> Callable[[], float]:
        if module not in models:
            models[module] = (
                import_module(module).KernelPCA(10, kernel="rbf", eigen_solver="arpack").fit(data["X"][:2000])
            )
        Z = models[module].transform(data["X"])  # type: ignore[attr-defined]
        return lambda: 1.0 / float(Z.var(axis=0).sum())

    return run


KERNEL_WORKS = [
    Work(
        "kernel PCA 6000×20→10",
        data=lambda: clouds(6000, 20),
        contenders={
            "surefit": fit("surefit.decomposition"),
            "scikit-learn": fit("sklearn.decomposition", eigen_solver="arpack", random_state=0),
        },
        bar={"scikit-learn": 1.3},
        quality_name="residual",
        quality_within=1.0,
    ),
    Work(
        "kernel PCA, 20k rows projected",
        data=lambda: clouds(20_000, 20),
        contenders={
            "surefit": projection("surefit.decomposition"),
            "scikit-learn": projection("sklearn.decomposition"),
        },
        bar={"scikit-learn": 1.0},
        quality_name="1/variance",
    ),
]
