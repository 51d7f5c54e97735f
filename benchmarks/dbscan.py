"""DBSCAN against `dbscan`, sklearnex and scikit-learn: `python -m benchmarks.dbscan`.

Quality is the share of wrong core flags among 2,000 rows, counted with SciPy's tree; surefit and scikit-learn have none
by definition, `dbscan` has from three columns on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.harness import Contender, Data, Work, main

ROWS = 2000


def rows(n: int, d: int, k: int, spread: float, eps: float, min_samples: int) -> Callable[[], Data]:
    """k Gaussian groups in a box of side 100, and a tenth of the rows anywhere in it."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        grouped = int(0.9 * n)
        X = rng.uniform(0, 100, size=(n, d))
        X[:grouped] = rng.uniform(0, 100, size=(k, d))[rng.integers(k, size=grouped)]
        X[:grouped] += spread * rng.normal(size=(grouped, d))
        return {"X": X[rng.permutation(n)], "eps": np.array(eps), "min_samples": np.array(min_samples)}

    return make


def wrong(data: Data, core: np.ndarray) -> float:
    """The share of rows, of those looked at, that are core and not said to be, or the other way round."""
    X = data["X"]
    some = np.linspace(0, len(X) - 1, ROWS).astype(int)
    counts = cKDTree(X).query_ball_point(X[some], float(data["eps"]), return_length=True)
    return float(np.mean((counts >= int(data["min_samples"])) != core[some]))


def estimator(module: str) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        DBSCAN = importlib.import_module(module).DBSCAN
        model = DBSCAN(eps=float(data["eps"]), min_samples=int(data["min_samples"]), n_jobs=-1).fit(data["X"])
        core = np.zeros(len(data["X"]), dtype=bool)
        core[model.core_sample_indices_] = True
        return lambda: wrong(data, core)

    return run


def dbscan(data: Data) -> Callable[[], float]:
    module = importlib.import_module("dbscan")
    _, core = module.DBSCAN(data["X"], eps=float(data["eps"]), min_samples=int(data["min_samples"]))
    return lambda: wrong(data, np.asarray(core, dtype=bool))


OURS, THEIRS, INTEL = estimator("surefit.cluster"), estimator("sklearn.cluster"), estimator("sklearnex.cluster")

WORKS = [
    Work(
        "DBSCAN 500k×2",
        data=rows(500_000, 2, 50, 1.0, 0.1, 10),
        contenders={"surefit": OURS, "dbscan": dbscan, "scikit-learn": THEIRS},
        bar={"dbscan": 1.0},
        quality_name="wrong core flags",
        repeats=5,
    ),
    Work(
        "DBSCAN 200k×2, dense",
        data=rows(200_000, 2, 10, 1.0, 2.0, 10),
        contenders={"surefit": OURS, "dbscan": dbscan},
        bar={"dbscan": 1.0},
        quality_name="wrong core flags",
        repeats=5,
    ),
    Work(
        "DBSCAN 200k×3",
        data=rows(200_000, 3, 20, 3.0, 0.5, 10),
        contenders={"surefit": OURS, "dbscan": dbscan, "scikit-learn": THEIRS},
        bar={"scikit-learn": 8.0},
        quality_name="wrong core flags",
        repeats=5,
    ),
    Work(
        "DBSCAN 50k×16",
        data=rows(50_000, 16, 20, 1.0, 4.0, 10),
        contenders={"surefit": OURS, "sklearnex": INTEL},
        bar={"sklearnex": 1.5},
        quality_name="wrong core flags",
        repeats=3,
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
