"""PCA batch by batch and random projections against scikit-learn: rows of `python -m benchmarks.decomposition`.

The quality of a projection is the root mean square of ‖A x − A y‖²/‖x − y‖² − 1 over pairs of rows: √(2/k) for k
dimensions, whatever the draw.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Contender, Data, Work

PAIRS = 5000


def dense_rows(n: int, d: int, dtype: Any) -> Callable[[], Data]:
    """From another stream than the matrices, which have the seed 0."""
    return lambda: {"X": np.random.default_rng(7).standard_normal((n, d)).astype(dtype)}


def sparse_rows(n: int, d: int, entries: int) -> Callable[[], Data]:
    """CSR rows of so many entries each."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        columns = np.sort((np.cumsum(rng.integers(1, d // entries, size=(n, entries)), axis=1) - 1), axis=1)
        indptr = np.arange(0, n * entries + 1, entries, dtype=np.int32)
        values = rng.exponential(size=n * entries)
        return {"values": values, "columns": columns.ravel().astype(np.int32), "indptr": indptr, "width": np.array(d)}

    return make


def given(data: Data) -> Any:
    if "X" in data:
        return data["X"]
    shape = (len(data["indptr"]) - 1, int(data["width"]))
    return sp.csr_matrix((data["values"], data["columns"], data["indptr"]), shape=shape)


def distortion(X: Any, Z: np.ndarray) -> float:
    rng = np.random.default_rng(1)
    i = rng.integers(X.shape[0], size=PAIRS)
    j = (i + rng.integers(1, X.shape[0], size=PAIRS)) % X.shape[0]
    apart = X[i] - X[j]
    before = np.asarray(apart.multiply(apart).sum(axis=1)).ravel() if sp.issparse(X) else (apart**2).sum(axis=1)
    after = ((Z[i].astype(np.float64) - Z[j]) ** 2).sum(axis=1)
    return float(np.sqrt(((after / before - 1) ** 2).mean()))


def project(module: str, k: int) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        X = given(data)
        Z = importlib.import_module(module).GaussianRandomProjection(k, random_state=0).fit_transform(X)
        return lambda: distortion(X, Z)

    return run


def projection(name: str, rows: Callable[[], Data], k: int, flops: float) -> Work:
    return Work(
        name,
        data=rows,
        contenders={
            "surefit": project("surefit.random_projection", k),
            "scikit-learn": project("sklearn.random_projection", k),
        },
        bar={"scikit-learn": 1.0},
        quality_name="distortion",
        quality_within=0.1,
        flops=flops,
        repeats=5,
    )


def incremental(module: str) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        from benchmarks.decomposition import left_over

        model = importlib.import_module(module).IncrementalPCA(20).fit(data["X"])
        return lambda: left_over(data["X"], model.components_)

    return run


INCREMENTAL = {"surefit": incremental("surefit.decomposition"), "scikit-learn": incremental("sklearn.decomposition")}
PROJECTION_WORKS = [
    projection("random projection 20k×2000→300", dense_rows(20_000, 2000, np.float64), 300, 2.0 * 20_000 * 2000 * 300),
    projection(
        "random projection 20k×2000→300 float32", dense_rows(20_000, 2000, np.float32), 300, 2.0 * 20_000 * 2000 * 300
    ),
    projection(
        "random projection, CSR 20k×20k→300, 100 entries a row",
        sparse_rows(20_000, 20_000, 100),
        300,
        2.0 * 20_000 * 100 * 300,
    ),
]
