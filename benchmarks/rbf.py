"""Radial basis functions and recursive least squares against SciPy and scikit-learn: `python -m benchmarks.rbf`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contender, Data, Work, main


def surface(n: int, d: int) -> Data:
    """A smooth surface with a little noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, d))
    return {"X": X, "y": np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 0] + 0.01 * rng.normal(size=n)}


def missed(predicted: np.ndarray, y: np.ndarray) -> float:
    """Root mean square, on top of 1e-9: an interpolant that misses by less goes through the points."""
    return 1e-9 + float(np.sqrt(np.mean((predicted - y) ** 2)))


def interpolator(data: Data) -> Callable[[], float]:
    from surefit.rbf import RBFInterpolator

    model = RBFInterpolator("thin_plate_spline").fit(data["X"], data["y"])
    return lambda: missed(model.predict(data["X"][:500]), data["y"][:500])


def scipy_interpolator(data: Data) -> Callable[[], float]:
    from scipy.interpolate import RBFInterpolator

    model = RBFInterpolator(data["X"], data["y"], kernel="thin_plate_spline")
    return lambda: missed(model(data["X"][:500]), data["y"][:500])


def network(data: Data) -> Callable[[], float]:
    from surefit.rbf import RBFNetworkRegressor

    model = RBFNetworkRegressor(100, random_state=0).fit(data["X"], data["y"])
    return lambda: missed(model.predict(data["X"]), data["y"])


def pipeline(data: Data) -> Callable[[], float]:
    """k-means, a Gaussian layer by hand and ridge regression."""
    from sklearn.cluster import KMeans
    from sklearn.linear_model import Ridge
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import rbf_kernel

    X, y = data["X"], data["y"]
    centers = KMeans(100, random_state=0).fit(X).cluster_centers_
    gamma = 0.5 / (pairwise_distances(centers).sum() / (100 * 99)) ** 2
    model = Ridge(1e-3).fit(rbf_kernel(X, centers, gamma), y)
    return lambda: missed(model.predict(rbf_kernel(X, centers, gamma)), y)


def recursive(data: Data) -> Callable[[], float]:
    from surefit.linear_model import RecursiveLeastSquares

    model = RecursiveLeastSquares().fit(data["X"], data["y"])
    return lambda: missed(model.predict(data["X"]), data["y"])


def ridge_by_svd(data: Data) -> Callable[[], float]:
    """scikit-learn's ridge by a singular value decomposition, which does not square the condition either."""
    from sklearn.linear_model import Ridge

    model = Ridge(1.0, solver="svd").fit(data["X"], data["y"])
    return lambda: missed(model.predict(data["X"]), data["y"])


def work(name: str, n: int, d: int, contenders: dict[str, Contender], bar: dict[str, float]) -> Work:
    """Centers of k-means are a matter of luck: five percent."""
    return Work(
        name,
        data=lambda: surface(n, d),
        contenders=contenders,
        bar=bar,
        quality_name="missed by",
        quality_within=0.05,
    )


WORKS = [
    work("thin plate through 3000", 3000, 2, {"surefit": interpolator, "SciPy": scipy_interpolator}, {}),
    work("RBF network 50k×2, 100 centers", 50_000, 2, {"surefit": network, "by hand": pipeline}, {"by hand": 1.0}),
    work(
        "recursive LS 500k×20", 500_000, 20, {"surefit": recursive, "scikit-learn": ridge_by_svd}, {"scikit-learn": 1.0}
    ),
]

if __name__ == "__main__":
    main(__file__, WORKS)
