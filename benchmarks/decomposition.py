"""PCA against scikit-learn and NumPy: tall data, wide data, batch by batch; kernel PCA; random projections.

python -m benchmarks.decomposition [--only TEXT] [--repeats N] [--no-save]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main
from benchmarks.kernel_pca import KERNEL_WORKS
from benchmarks.projections import INCREMENTAL, PROJECTION_WORKS


def low_rank_plus_noise(n: int, d: int, rank: int, dtype: type = np.float64) -> Data:
    """A few strong directions of decreasing strength in noise, with an offset."""
    rng = np.random.default_rng(0)
    strengths = np.linspace(10.0, 2.0, rank)
    X = (rng.normal(size=(n, rank)) * strengths) @ (rng.normal(size=(rank, d)) / np.sqrt(d))
    X += rng.normal(size=(n, d)) + rng.normal(size=d)
    return {"X": X.astype(dtype)}


def left_over(X: np.ndarray, components: np.ndarray) -> float:
    """‖X − m − projection‖² / ‖X − m‖² on up to 20000 rows and 30 components."""
    rows = X[:20_000].astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    V = components[:30].astype(np.float64)
    return float(((rows - (rows @ V.T) @ V) ** 2).sum() / (rows**2).sum())


def fits(n_components: int | None, **parameters: object) -> dict[str, Contender]:
    """surefit's and scikit-learn's PCA with the same parameters, all others at their defaults."""

    def ours(data: Data) -> Callable[[], float]:
        from surefit.decomposition import PCA

        model = PCA(n_components, **parameters).fit(data["X"])
        return lambda: left_over(data["X"], model.components_)

    def theirs(data: Data) -> Callable[[], float]:
        from sklearn.decomposition import PCA

        model = PCA(n_components, **parameters).fit(data["X"])
        return lambda: left_over(data["X"], model.components_)

    return {"surefit": ours, "scikit-learn": theirs}


def gram_by_hand(data: Data) -> Callable[[], float]:
    X = data["X"]
    A = X - X.mean(axis=0)
    values, U = np.linalg.eigh(A @ A.T)
    V = (U[:, :0:-1] / np.sqrt(values[:0:-1])).T @ A
    return lambda: left_over(X, V)


def work(name: str, n: int, d: int, contenders: dict[str, Contender], bar: float, **more: object) -> Work:
    dtype = more.pop("dtype", np.float64)
    return Work(
        name,
        data=lambda: low_rank_plus_noise(n, d, 20, dtype),  # type: ignore[arg-type]
        contenders=contenders,
        bar={"scikit-learn": bar},
        quality_better="lower",
        quality_name="left over",
        **more,  # type: ignore[arg-type]
    )


WORKS = [
    work("PCA 100k×256→20", 100_000, 256, fits(20), 1.0, flops=100_000 * 256 * 256),
    work("PCA 100k×256→20 float32", 100_000, 256, fits(20), 1.0, dtype=np.float32, flops=100_000 * 256 * 256),
    work("PCA 500×20000, all", 500, 20_000, {**fits(None), "gram by hand": gram_by_hand}, 2.5, flops=15e9),
    work("PCA 500×20000→20", 500, 20_000, fits(20), 1.0),
    work("PCA 20k×200→20 full", 20_000, 200, fits(20, svd_solver="full"), 1.0),
    work("PCA 20k×500→20 randomized", 20_000, 500, fits(20, svd_solver="randomized", random_state=0), 1.0),
    work("incremental PCA 100k×256→20", 100_000, 256, INCREMENTAL, 1.0),
    *KERNEL_WORKS,
    *PROJECTION_WORKS,
]

if __name__ == "__main__":
    main(__file__, WORKS)
