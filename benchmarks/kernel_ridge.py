"""Kernel ridge: one penalty, a path of them by leave-one-out, beyond memory: `python -m benchmarks.kernel_ridge`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Data, Work, main

PENALTIES = np.logspace(-4, 2, 20)
GAMMA = 0.05
ALPHA = 1e-2


def rows(n: int, d: int) -> Callable[[], Data]:
    """A smooth function of a few columns, with noise."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        return {"X": X, "y": np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)}

    return make


def residual(model: Any, data: Data, alpha: float) -> Callable[[], float]:
    """‖y − (K + αI) a‖ / ‖y‖, the kernel by scikit-learn's function, on two thousand rows of the system; at least 1e-9.

    What is smaller is rounding, and equal.
    """

    def value() -> float:
        from sklearn.metrics.pairwise import rbf_kernel

        X, y, a = data["X"], data["y"], model.dual_coef_
        some = np.arange(0, len(X), max(1, len(X) // 2000))
        missed = y[some] - rbf_kernel(X[some], X, gamma=GAMMA) @ a - alpha * a[some]
        return max(1e-9, float(np.linalg.norm(missed) / np.linalg.norm(y[some])))

    return value


def ours(data: Data) -> Callable[[], float]:
    from surefit.kernel_ridge import KernelRidge

    model = KernelRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA).fit(data["X"], data["y"])
    return residual(model, data, ALPHA)


def scikit_learn(data: Data) -> Callable[[], float]:
    from sklearn.kernel_ridge import KernelRidge

    model = KernelRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA).fit(data["X"], data["y"])
    return residual(model, data, ALPHA)


def our_path(data: Data) -> float:
    from surefit.kernel_ridge import KernelRidgeCV

    return -float(KernelRidgeCV(PENALTIES, kernel="rbf", gamma=GAMMA).fit(data["X"], data["y"]).best_score_)


def eigendecomposition(data: Data) -> float:
    """SciPy's, threaded, with the identity by hand."""
    from scipy.linalg import eigh
    from sklearn.metrics.pairwise import rbf_kernel

    K, y = rbf_kernel(data["X"], gamma=GAMMA), data["y"]
    values, U = eigh(K)
    rotated, squares = U.T @ y, U * U
    shrink = 1 / (values[:, None] + PENALTIES)
    errors = (U @ (shrink * rotated[:, None])) / (squares @ shrink)
    return float((errors**2).mean(axis=0).min())


def grid_search(data: Data) -> float:
    """scikit-learn has no leave-one-out in closed form for kernels: five folds, fitted for every penalty."""
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    model = KernelRidge(kernel="rbf", gamma=GAMMA)
    search = GridSearchCV(model, {"alpha": PENALTIES}, cv=5, scoring="neg_mean_squared_error")
    return -float(search.fit(data["X"], data["y"]).best_score_)


def our_iterations(data: Data) -> Callable[[], float]:
    from surefit.kernel_ridge import KernelRidge

    model = KernelRidge(alpha=1.0, kernel="rbf", gamma=GAMMA, solver="nystrom_cg", tol=1e-6)
    return residual(model.fit(data["X"], data["y"]), data, 1.0)


WORKS = [
    Work(
        "kernel ridge rbf 8000×20",
        rows(8000, 20),
        {"surefit": ours, "scikit-learn": scikit_learn},
        {"scikit-learn": 1.2},
        quality_name="relative residual",
        quality_within=9.0,
        flops=8000**3 / 3,
        repeats=5,
        seconds=40.0,
    ),
    Work(
        "kernel ridge leave-one-out rbf 4000×20, 20 penalties",
        rows(4000, 20),
        {"surefit": our_path, "scikit-learn 5 folds": grid_search, "SciPy eigh": eigendecomposition},
        {"scikit-learn 5 folds": 10.0},
        quality_name="error of left-out rows",
        quality_within=1e-6,
        repeats=3,
        seconds=60.0,
    ),
    Work(
        "kernel ridge rbf 30k×10 without the Gram matrix",
        rows(30_000, 10),
        {"surefit": our_iterations},
        quality_name="relative residual",
        repeats=2,
        seconds=60.0,
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
