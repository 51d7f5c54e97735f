"""Linkages against fastcluster, quitefastmst and genieclust: `python -m benchmarks.linkage`.

The quality of a tree is the sum of its heights: every contender must have the same, to rounding.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def rows(n: int, d: int) -> Callable[[], Data]:
    def make() -> Data:
        return {"X": np.random.default_rng(0).normal(size=(n, d))}

    return make


def surefit(linkage: str) -> Contender:
    def run(data: Data) -> float:
        module = importlib.import_module("surefit.cluster")
        return float(module.AgglomerativeClustering(2, linkage=linkage).fit(data["X"]).linkage_matrix_[:, 2].sum())

    return run


def fastcluster(method: str, function: str) -> Contender:
    """`linkage_vector` needs no matrix; `linkage` makes one."""

    def run(data: Data) -> float:
        return float(getattr(importlib.import_module("fastcluster"), function)(data["X"], method=method)[:, 2].sum())

    return run


def quitefastmst(data: Data) -> float:
    return float(importlib.import_module("quitefastmst").mst_euclid(data["X"])[0].sum())


def genieclust(data: Data) -> float:
    """Its Genie with a Gini threshold of one is single linkage."""
    model: Any = importlib.import_module("genieclust").Genie(n_clusters=2, gini_threshold=1.0)
    return float(model.fit(data["X"]).distances_.sum())


def single(n: int, d: int, name: str) -> Work:
    contenders = {"surefit": surefit("single"), "quitefastmst": quitefastmst, "genieclust": genieclust}
    bar = {"quitefastmst": 1.0, "genieclust": 1.0}
    return Work(f"single linkage {name}", rows(n, d), contenders, bar, quality_within=1e-9, quality_name="heights")


def matrix(method: str, n: int, name: str) -> Work:
    contenders = {"surefit": surefit(method), "fastcluster": fastcluster(method, "linkage")}
    return Work(
        f"{method} linkage {name}", rows(n, 10), contenders, {"fastcluster": 3.0}, quality_within=1e-9,
        quality_name="heights", seconds=40,
    )  # fmt: skip


WORKS = [
    Work(
        "Ward 20k×10",
        rows(20_000, 10),
        {"surefit": surefit("ward"), "fastcluster": fastcluster("ward", "linkage_vector")},
        {"fastcluster": 1.5},
        quality_within=1e-9,
        quality_name="heights",
    ),
    single(20_000, 10, "20k×10"),
    single(200_000, 3, "200k×3"),
    matrix("average", 20_000, "20k×10"),
    matrix("complete", 20_000, "20k×10"),
]

if __name__ == "__main__":
    main(__file__, WORKS)
