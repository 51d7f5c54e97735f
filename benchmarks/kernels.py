"""Gram matrices against scikit-learn's pairwise kernels: whole ones, and blocks of rows as solvers ask for them.

python -m benchmarks.kernels [--only TEXT] [--repeats N] [--no-save]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main

GAMMA = 0.05


def normal_rows(n: int, d: int, dtype: type) -> Data:
    return {"X": np.random.default_rng(0).normal(size=(n, d)).astype(dtype)}


def worst_error(X: np.ndarray, K: np.ndarray, rows: np.ndarray) -> float:
    """The largest error of K = k(X[rows], X) in 40 × 1000 pairs, against long double; at least eight roundings."""
    some = np.linspace(0, len(rows) - 1, 40).astype(int)
    A, B = X[rows[some]].astype(np.longdouble), X[:1000].astype(np.longdouble)
    exact = np.exp(-np.longdouble(GAMMA) * ((A[:, None] - B) ** 2).sum(axis=2))
    return float(max(np.abs(K[some, :1000] - exact).max(), 8 * np.finfo(X.dtype).eps))


def whole_matrix() -> dict[str, Contender]:
    def ours(data: Data) -> Callable[[], float]:
        from surefit.kernels import Gaussian

        K = Gaussian(GAMMA)(data["X"])
        return lambda: worst_error(data["X"], K, np.arange(len(K)))

    def theirs(data: Data) -> Callable[[], float]:
        from sklearn.metrics.pairwise import rbf_kernel

        K = rbf_kernel(data["X"], gamma=GAMMA)
        return lambda: worst_error(data["X"], K, np.arange(len(K)))

    return {"surefit": ours, "scikit-learn": theirs}


def blocks_of_rows(size: int, count: int) -> dict[str, Contender]:
    """`count` blocks of `size` rows, somewhere in X, against all of X."""

    def places(n: int) -> np.ndarray:
        return np.random.default_rng(1).integers(0, n, size=(count, size))

    def ours(data: Data) -> Callable[[], float]:
        from surefit.kernels import Gaussian, GramRows

        X = data["X"]
        gram = GramRows(Gaussian(GAMMA), X)
        K = np.empty((size, len(X)), dtype=X.dtype)
        for rows in places(len(X)):
            gram.rows(rows, out=K)
        return lambda: worst_error(X, K, places(len(X))[-1])

    def theirs(data: Data) -> Callable[[], float]:
        from sklearn.metrics.pairwise import rbf_kernel

        X = data["X"]
        K = None
        for rows in places(len(X)):
            K = rbf_kernel(X[rows], X, gamma=GAMMA)
        return lambda: worst_error(X, K, places(len(X))[-1])

    return {"surefit": ours, "scikit-learn": theirs}


def work(name: str, n: int, d: int, contenders: dict[str, Contender], bar: float, dtype: type = np.float64) -> Work:
    return Work(
        name,
        data=lambda: normal_rows(n, d, dtype),
        contenders=contenders,
        bar={"scikit-learn": bar},
        quality_name="worst error",
    )


WORKS = [
    work("Gram rbf 8000×20", 8000, 20, whole_matrix(), 2.0),
    work("Gram rbf 8000×20 float32", 8000, 20, whole_matrix(), 2.0, np.float32),
    work("Gram rows rbf 20×256 of 20k×20", 20_000, 20, blocks_of_rows(256, 20), 2.0),
    work("Gram rows rbf 20×256 of 20k×20 float32", 20_000, 20, blocks_of_rows(256, 20), 2.0, np.float32),
    work("Gram rows rbf 4×256 of 10k×784", 10_000, 784, blocks_of_rows(256, 4), 1.3),
]

if __name__ == "__main__":
    main(__file__, WORKS)
