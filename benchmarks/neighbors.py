"""The search of neighbors against faiss, quitefastmst, scikit-learn-intelex and scikit-learn.

python -m benchmarks.neighbors [--only TEXT] [--repeats N] [--no-save]

Quality is the mean distance to the neighbors found: exact searches agree to rounding. Every contender builds its index
inside the clock.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main

K = 10


def normal_rows(n: int, d: int, m: int = 0, dtype: type = np.float64) -> Data:
    rng = np.random.default_rng(0)
    data = {"X": rng.normal(size=(n, d)).astype(dtype)}
    return data | {"Q": rng.normal(size=(m, d)).astype(dtype)} if m else data


def uniform_rows(n: int, d: int, m: int) -> Data:
    rng = np.random.default_rng(0)
    return {"X": rng.random((n, d)), "Q": rng.random((m, d))}


def mean_of(distances: np.ndarray) -> Callable[[], float]:
    return lambda: float(distances.mean(dtype=np.float64))


def ours(data: Data) -> Callable[[], float]:
    from surefit.search import build_index, resolve_metric

    index = build_index(data["X"], resolve_metric("euclidean"))
    if "Q" in data:
        return mean_of(index.query(data["Q"], K)[0])
    return mean_of(index.query(None, K, exclude_self=True)[0])


def by_faiss(data: Data) -> Callable[[], float]:
    import faiss

    index = faiss.IndexFlatL2(data["X"].shape[1])
    index.add(data["X"])
    squares, _ = index.search(data["Q"], K)
    return lambda: float(np.sqrt(squares.astype(np.float64)).mean())


def by_quitefastmst(data: Data) -> Callable[[], float]:
    import quitefastmst

    return mean_of(quitefastmst.knn_euclid(data["X"], K, data.get("Q"))[0])


def by_sklearnex(data: Data) -> Callable[[], float]:
    from sklearnex.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=K).fit(data["X"])
    return mean_of(model.kneighbors(data.get("Q"))[0])


def counts_by_us(radius: float) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        from surefit.search import build_index, resolve_metric

        index = build_index(data["X"], resolve_metric("euclidean"))
        counts = np.concatenate([np.diff(block[1]) for block in index.radius_blocks(None, radius)])
        return lambda: float(counts.sum())

    return run


def counts_by_sklearn(radius: float) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        from sklearn.neighbors import NearestNeighbors

        lists = NearestNeighbors(radius=radius).fit(data["X"]).radius_neighbors(data["X"], return_distance=True)[1]
        return lambda: float(sum(map(len, lists)))

    return run


def work(name: str, data: Callable[[], Data], peers: dict[str, Contender], bar: dict[str, float]) -> Work:
    return Work(name, data=data, contenders={"surefit": ours, **peers}, bar=bar, quality_name="mean distance")


WORKS = [
    work(
        "k-NN 100k×64, 5k queries, k=10, float32",
        lambda: normal_rows(100_000, 64, 5_000, np.float32),
        {"faiss": by_faiss, "scikit-learn-intelex": by_sklearnex},
        {"faiss": 1.5},
    ),
    work(
        "k-NN 500k×3, 100k queries, k=10",
        lambda: uniform_rows(500_000, 3, 100_000),
        {"quitefastmst": by_quitefastmst, "scikit-learn-intelex": by_sklearnex},
        {"quitefastmst": 1.2, "scikit-learn-intelex": 1.2},
    ),
    work(
        "mean 10-NN distance 200k×8",
        lambda: normal_rows(200_000, 8),
        {"quitefastmst": by_quitefastmst, "scikit-learn-intelex": by_sklearnex},
        {"quitefastmst": 1.5, "scikit-learn-intelex": 1.5},
    ),
    Work(
        "rows within a radius 50k×16",
        data=lambda: normal_rows(50_000, 16),
        contenders={"surefit": counts_by_us(2.5), "scikit-learn": counts_by_sklearn(2.5)},
        bar={"scikit-learn": 1.5},
        quality_better="higher",
        quality_name="pairs",
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
