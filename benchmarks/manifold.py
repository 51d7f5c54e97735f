"""Classical and metric scaling, Isomap and LLE against scikit-learn: `python -m benchmarks.manifold`.

Quality: the sum of the eigenvalues kept (classical scaling, Isomap; larger is better, so its negative is compared), the
stress (SMACOF), the reconstruction error (LLE). Eigenmaps stand with spectral clustering.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def rows(n: int, d: int) -> Callable[[], Data]:
    return lambda: {"X": np.random.default_rng(0).normal(size=(n, d)) * np.arange(1.0, d + 1)}


def distances(n: int, d: int) -> Callable[[], Data]:
    def make() -> Data:
        X = rows(n, d)()["X"]
        D = importlib.import_module("scipy.spatial.distance").cdist(X, X)
        return {"X": D, "start": np.random.default_rng(1).uniform(size=(n, 2))}

    return make


def roll(n: int) -> Callable[[], Data]:
    return lambda: {"X": importlib.import_module("sklearn.datasets").make_swiss_roll(n, random_state=0)[0]}


def embed(module: str, name: str, quality: Callable[[Any], float], **settings: Any) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        cls = getattr(importlib.import_module(module), name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = cls(**settings).fit(data["X"])
        return lambda: quality(model)

    return run


def scale(module: str) -> Contender:
    """300 steps from one start."""

    def run(data: Data) -> Callable[[], float]:
        smacof = importlib.import_module(module).smacof
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stress = smacof(data["X"], init=data["start"], max_iter=300, eps=0.0)[1]
        return lambda: float(stress)

    return run


def kept(model: Any) -> float:
    return -float(np.square(model.embedding_).sum())


def both(name: str, quality: Callable[[Any], float], **settings: Any) -> dict[str, Contender]:
    return {
        "surefit": embed("surefit.manifold", name, quality, **settings),
        "scikit-learn": embed("sklearn.manifold", name, quality, **settings),
    }


WORKS = [
    Work(
        "classical MDS 3000 (precomputed)",
        data=distances(3000, 10),
        contenders=both("ClassicalMDS", kept, metric="precomputed"),
        bar={"scikit-learn": 20.0},
        quality_name="−Σ eigenvalues",
    ),
    Work(
        "classical MDS 3000×10",
        data=rows(3000, 10),
        contenders=both("ClassicalMDS", kept),
        bar={"scikit-learn": 20.0},
        quality_name="−Σ eigenvalues",
    ),
    Work(
        "SMACOF 1000, 300 iterations",
        data=distances(1000, 10),
        contenders={"surefit": scale("surefit.manifold"), "scikit-learn": scale("sklearn.manifold")},
        bar={"scikit-learn": 3.0},
        quality_name="stress",
        repeats=3,
    ),
    Work(
        "Isomap 4k (swiss roll)",
        data=roll(4000),
        contenders=both("Isomap", kept, n_neighbors=10),
        bar={"scikit-learn": 2.0},
        quality_name="−Σ eigenvalues",
        repeats=3,
    ),
    Work(
        "LLE 5k (swiss roll)",
        data=roll(5000),
        contenders=both("LocallyLinearEmbedding", lambda model: model.reconstruction_error_, n_neighbors=12),
        bar={"scikit-learn": 2.0},
        quality_name="reconstruction error",
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
