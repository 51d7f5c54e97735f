"""k-means and k-means++ against faiss, sklearnex, daal4py and scikit-learn: `python -m benchmarks.cluster`.

All contenders of a k-means work start from the same centres and do the same number of iterations. The work of one
iteration is 2·n·k·d operations; its share of what the machine can do is printed last, against a product of matrices.
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main
from benchmarks.sampled_kmeans import sampled_works

TRIALS = 6  # 2 + ⌊ln 100⌋


def rows(n: int, d: int, k: int, dtype: Any, spread: float = 1.0) -> Callable[[], Data]:
    """Overlapping groups, so that the iterations go on; the first centres are rows."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d)) + spread * rng.normal(size=(k, d))[rng.integers(k, size=n)]
        X = X.astype(dtype)
        return {"X": X, "start": X[rng.choice(n, k, replace=False)]}

    return make


def inertia(data: Data, centers: np.ndarray) -> float:
    """Σ min‖x − c‖², block by block in double precision."""
    C = np.asarray(centers, dtype=np.float64)
    c_sq, total = (C**2).sum(axis=1), 0.0
    for start in range(0, len(data["X"]), 8192):
        X = data["X"][start : start + 8192].astype(np.float64)
        total += float((np.min(c_sq - 2 * (X @ C.T), axis=1) + (X**2).sum(axis=1)).sum())
    return total


def fit(module: str, iterations: int) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        KMeans = importlib.import_module(module).KMeans
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = KMeans(len(data["start"]), init=data["start"], n_init=1, max_iter=iterations, tol=0.0)
            model.fit(data["X"])
        return lambda: inertia(data, model.cluster_centers_)

    return run


def faiss(iterations: int) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        module = importlib.import_module("faiss")
        n, d = data["X"].shape
        model = module.Kmeans(d, len(data["start"]), niter=iterations, max_points_per_centroid=n, verbose=False)
        model.train(data["X"], init_centroids=data["start"])
        return lambda: inertia(data, model.centroids)

    return run


def seeds(module: str) -> Contender:
    """Quality is the potential the chosen rows leave, over five seeds."""

    def run(data: Data) -> Callable[[], float]:
        choose = importlib.import_module(module).kmeans_plusplus
        k = len(data["start"])
        chosen = choose(data["X"], k, random_state=0, n_local_trials=TRIALS)[0]
        others = range(1, 5)
        return lambda: float(
            np.mean(
                [inertia(data, chosen)]
                + [inertia(data, choose(data["X"], k, random_state=s, n_local_trials=TRIALS)[0]) for s in others]
            )
        )

    return run


def daal_seeds(data: Data) -> Callable[[], float]:
    module = importlib.import_module("daal4py")
    X, k = data["X"], len(data["start"])
    kind = "float" if X.dtype == np.float32 else "double"

    def choose(seed: int) -> np.ndarray:
        engine = module.engines_mt19937(fptype=kind, seed=seed + 1)
        algorithm = module.kmeans_init(k, fptype=kind, method="plusPlusDense", nTrials=TRIALS, engine=engine)
        return algorithm.compute(X).centroids

    chosen = choose(0)
    return lambda: float(np.mean([inertia(data, chosen)] + [inertia(data, choose(s)) for s in range(1, 5)]))


OURS, THEIRS, INTEL = "surefit.cluster", "sklearn.cluster", "sklearnex.cluster"


def lloyd(name: str, n: int, d: int, k: int, iterations: int, dtype: Any, bar: dict[str, float]) -> Work:
    contenders = {"surefit": fit(OURS, iterations)}
    if dtype == np.float32:
        contenders["faiss"] = faiss(iterations)
    contenders |= {"sklearnex": fit(INTEL, iterations), "scikit-learn": fit(THEIRS, iterations)}
    return Work(
        name,
        data=rows(n, d, k, dtype),
        contenders=contenders,
        bar=bar,
        quality_name="inertia",
        flops=2.0 * n * k * d * iterations,
        repeats=5,
    )


WORKS = [
    lloyd("k-means 200k×32, k=100, 50 it., float32", 200_000, 32, 100, 50, np.float32, {"faiss": 1.3}),
    lloyd("k-means 200k×32, k=100, 50 it., float64", 200_000, 32, 100, 50, np.float64, {"scikit-learn": 2.5}),
    lloyd(
        "k-means 1M×8, k=16, 30 it., float32", 1_000_000, 8, 16, 30, np.float32, {"scikit-learn": 2.0, "sklearnex": 2.0}
    ),
    *(
        Work(
            f"k-means++ 200k×32, k=100, {TRIALS} trials, {dtype.__name__}",
            data=rows(200_000, 32, 100, dtype),
            contenders={"surefit": seeds(OURS), "daal4py": daal_seeds, "scikit-learn": seeds(THEIRS)},
            bar={"daal4py": 2.0},
            quality_name="potential",
            quality_within=0.02,
            repeats=5,
        )
        for dtype in (np.float32, np.float64)
    ),
    *sampled_works(rows, inertia),
]


def product_rate(dtype: Any, n: int = 2048) -> float:
    """Gflop/s of a product of matrices on all cores."""
    A = np.random.default_rng(0).normal(size=(n, n)).astype(dtype)
    best = np.inf
    for _ in range(7):
        start = time.perf_counter()
        A @ A
        best = min(best, time.perf_counter() - start)
    return 2.0 * n**3 / best / 1e9


if __name__ == "__main__":
    main(__file__, WORKS)
    print(
        f"\nproduct of matrices: {product_rate(np.float32):.0f} Gflop/s single, {product_rate(np.float64):.0f} double"
    )
