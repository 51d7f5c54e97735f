"""A complete example of a family file: `python -m benchmarks._example --no-save`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Data, Work, main


def rows() -> Data:
    """Correlated columns with an offset, the same on every run."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(64, 64)) / 8
    X = rng.normal(size=(20_000, 64)) @ mixing + 10
    return {"X": X}


def residual(X: np.ndarray, components: np.ndarray) -> float:
    """‖X − X̄ − projection‖² / n: what the components leave over. Peers may differ by rounding only."""
    centred = X - X.mean(axis=0)
    return float((centred**2).sum() - ((centred @ components.T) ** 2).sum()) / len(X)


def numpy_svd(data: Data) -> Callable[[], float]:
    X = data["X"]
    _, _, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return lambda: residual(X, Vt[:20])  # computed after the clock has stopped


def sklearn_pca(data: Data) -> Callable[[], float]:
    from sklearn.decomposition import PCA

    model = PCA(20).fit(data["X"])
    return lambda: residual(data["X"], model.components_)


def surefit_pca(data: Data) -> Callable[[], float]:
    from surefit.decomposition import PCA

    model = PCA(20).fit(data["X"])
    return lambda: residual(data["X"], model.components_)


WORKS = [
    Work(
        "PCA 20k×64→20",
        data=rows,
        contenders={"surefit": surefit_pca, "scikit-learn": sklearn_pca, "numpy svd": numpy_svd},
        bar={"scikit-learn": 1.0},
        quality_better="lower",
        quality_name="left over",
        flops=20_000 * 64 * 64,
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
