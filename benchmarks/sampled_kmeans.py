"""k-means by samples of the rows, and by cutting clusters in two, against scikit-learn: `python -m benchmarks.cluster`.

Both contenders of mini-batch k-means start from the same centers and draw the same number of samples of the same size,
and assign all rows at the end. Cutting ends where the defaults of both end it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work

Rows = Callable[[], Data]
Inertia = Callable[[Data, np.ndarray], float]


def sampled(module: str, passes: int, inertia: Inertia) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        model = importlib.import_module(module).MiniBatchKMeans(
            len(data["start"]),
            init=data["start"],
            n_init=1,
            max_iter=passes,
            max_no_improvement=None,
            tol=0.0,
            random_state=0,
        )
        model.fit(data["X"])
        return lambda: inertia(data, model.cluster_centers_)

    return run


def cut(module: str, inertia: Inertia) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        model = importlib.import_module(module).BisectingKMeans(len(data["start"]), random_state=0).fit(data["X"])
        return lambda: inertia(data, model.cluster_centers_)

    return run


def work(name: str, rows: Rows, make: Callable[[str], Contender], bar: float, **more: Any) -> Work:
    return Work(
        name,
        data=rows,
        contenders={"surefit": make("surefit.cluster"), "scikit-learn": make("sklearn.cluster")},
        bar={"scikit-learn": bar},
        quality_name="inertia",
        quality_within=0.02,
        repeats=5,
        **more,
    )


def sampled_works(rows: Callable[..., Rows], inertia: Inertia) -> list[Work]:
    """`rows(n, d, k, dtype)` makes the data, `inertia(data, centers)` judges."""
    return [
        *(
            work(
                f"mini-batch k-means 200k×32, k=100, 5 passes, {dtype.__name__}",
                rows(200_000, 32, 100, dtype),
                lambda module: sampled(module, 5, inertia),
                1.5,
            )
            for dtype in (np.float32, np.float64)
        ),
        work(
            "mini-batch k-means 1M×8, k=16, 1 pass, float32",
            rows(1_000_000, 8, 16, np.float32),
            lambda module: sampled(module, 1, inertia),
            1.5,
        ),
        work(
            "bisecting k-means 200k×32, k=16, float64",
            rows(200_000, 32, 16, np.float64),
            lambda module: cut(module, inertia),
            1.0,
        ),
    ]
