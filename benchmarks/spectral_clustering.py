"""Spectral clustering and eigenmaps against scikit-learn: `python -m benchmarks.spectral_clustering`.

Quality of groups is their normalized cut in the graph of ten neighbors (the row itself among them); of coordinates the
sum of their Rayleigh quotients, which no two coordinates at right angles to the constant one can undercut.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def blobs(n: int, d: int, k: int, spread: float) -> Callable[[], Data]:
    """Overlapping groups, so that the graph is in one piece."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        return {"X": spread * rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))}

    return make


def roll(n: int) -> Callable[[], Data]:
    def make() -> Data:
        datasets = importlib.import_module("sklearn.datasets")
        return {"X": datasets.make_swiss_roll(n, random_state=0)[0]}

    return make


def graph_of(X: np.ndarray) -> Any:
    A = importlib.import_module("sklearn.neighbors").kneighbors_graph(X, 9)
    return (A + A.T) / 2


def cluster(module: str, k: int, **settings: Any) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        SpectralClustering = importlib.import_module(module).SpectralClustering
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=10, random_state=0, **settings).fit(
                data["X"]
            )
        cut = importlib.import_module("surefit.graphs").normalized_cut
        return lambda: cut(graph_of(data["X"]), model.labels_)

    return run


def embed(module: str, **settings: Any) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        SpectralEmbedding = importlib.import_module(module).SpectralEmbedding
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = SpectralEmbedding(2, n_neighbors=10, random_state=0, **settings).fit(data["X"])
        return lambda: rayleigh(graph_of(data["X"]), model.embedding_)

    return run


def rayleigh(W: Any, Y: np.ndarray) -> float:
    """The trace of (YᵀDY)⁻¹ YᵀLY, with Y made D-orthogonal to the constant."""
    d = np.asarray(W.sum(axis=1)).reshape(-1)
    Y = Y - (d @ Y) / d.sum()
    return float(np.trace(np.linalg.solve(Y.T @ (d[:, None] * Y), Y.T @ (d[:, None] * Y - W @ Y))))


EIGENMAPS = Work(
    "eigenmaps 10k (swiss roll)",
    data=roll(10_000),
    contenders={
        "surefit": embed("surefit.manifold"),
        "scikit-learn amg": embed("sklearn.manifold", eigen_solver="amg"),
    },
    bar={"scikit-learn amg": 1.0},
    quality_name="Rayleigh quotients",
)

WORKS = [
    Work(
        "spectral clustering 20k×10, k=10",
        data=blobs(20_000, 10, 10, 2.0),
        contenders={
            "surefit": cluster("surefit.cluster", 10),
            "scikit-learn lobpcg": cluster("sklearn.cluster", 10, eigen_solver="lobpcg"),
        },
        bar={"scikit-learn lobpcg": 3.0},
        quality_name="normalized cut",
        quality_within=1e-2,
        repeats=3,
    ),
    EIGENMAPS,
]

if __name__ == "__main__":
    main(__file__, WORKS)
