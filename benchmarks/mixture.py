"""Mixtures of Gaussians against daal4py and scikit-learn: `python -m benchmarks.mixture`.

All contenders of a work start from the same weights, means and covariances and do the same number of iterations. With
full covariances an iteration is 2·n·k·d² operations: a triangular solve and the weighted second moments, d² each.
daal4py has no tied covariances; sklearnex has no mixtures.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp

from benchmarks.harness import Contender, Data, Work, main


def rows(n: int, d: int, k: int) -> Callable[[], Data]:
    """Overlapping groups of different shapes, so that the iterations go on; the first means are rows."""

    def make() -> Data:
        rng = np.random.default_rng(0)
        group = rng.integers(k, size=n)
        shapes = np.eye(d) + 0.5 * rng.normal(size=(k, d, d)) / np.sqrt(d)
        X = rng.normal(size=(n, d))
        for j in range(k):
            X[group == j] = X[group == j] @ shapes[j] + 0.5 * rng.normal(size=d)
        return {"X": X, "means": X[rng.choice(n, k, replace=False)], "variance": X.var(axis=0).mean()}

    return make


def covariances_of(kind: str, covariances: np.ndarray, k: int) -> np.ndarray:
    """A matrix for each component."""
    if kind == "tied":
        return np.broadcast_to(covariances, (k, *covariances.shape))
    return covariances if kind == "full" else np.stack([np.diag(np.ravel(v)) for v in covariances])


def log_likelihood(data: Data, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> float:
    """Mean of log Σ_k π_k N(x; m_k, Σ_k), block by block."""
    d, total = means.shape[1], 0.0
    roots = np.linalg.cholesky(covariances)
    scale = np.log(weights) - 0.5 * d * np.log(2 * np.pi) - np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    for start in range(0, len(data["X"]), 8192):
        X = data["X"][start : start + 8192]
        z = [solve_triangular(L, (X - m).T, lower=True) for L, m in zip(roots, means, strict=True)]
        total += float(logsumexp(scale - 0.5 * np.array([(a**2).sum(axis=0) for a in z]).T, axis=1).sum())
    return total / len(data["X"])


def fit(module: str, kind: str, iterations: int) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        GaussianMixture = importlib.import_module(module).GaussianMixture
        k, d = data["means"].shape
        precision = 1 / float(data["variance"])
        start = {
            "full": np.tile(np.eye(d) * precision, (k, 1, 1)),
            "tied": np.eye(d) * precision,
            "diag": np.full((k, d), precision),
        }
        model = GaussianMixture(
            k,
            covariance_type=kind,
            tol=0.0,
            max_iter=iterations,
            weights_init=np.full(k, 1 / k),
            means_init=data["means"],
            precisions_init=start[kind],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(data["X"])
        return lambda: log_likelihood(
            data, model.weights_, model.means_, covariances_of(kind, model.covariances_, len(model.weights_))
        )

    return run


def daal(kind: str, iterations: int) -> Contender:
    def run(data: Data) -> Callable[[], float]:
        module = importlib.import_module("daal4py")
        k, d = data["means"].shape
        variance = float(data["variance"])
        one = np.eye(d) * variance if kind == "full" else np.full((1, d), variance)
        found = module.em_gmm(
            k,
            maxIterations=iterations,
            accuracyThreshold=0.0,
            covarianceStorage="full" if kind == "full" else "diagonal",
        ).compute(data["X"], np.full((1, k), 1 / k), data["means"], [one.copy() for _ in range(k)])
        covariances = np.array([np.asarray(S) for S in found.covariances])
        return lambda: log_likelihood(data, found.weights.ravel(), found.means, covariances_of(kind, covariances, k))

    return run


def work(n: int, d: int, k: int, kind: str, iterations: int = 30) -> Work:
    contenders = {"surefit": fit("surefit.mixture", kind, iterations)}
    if kind != "tied":
        contenders["daal4py"] = daal(kind, iterations)
    contenders["scikit-learn"] = fit("sklearn.mixture", kind, iterations)
    size = f"{n // 1_000_000}M" if n >= 1_000_000 else f"{n // 1000}k"
    return Work(
        f"GMM {kind} {size}×{d}, k={k}, {iterations} it.",
        data=rows(n, d, k),
        contenders=contenders,
        bar={"daal4py": 2.5} if kind != "tied" else {"scikit-learn": 2.5},
        quality_name="log-likelihood",
        quality_better="higher",
        flops=2.0 * n * k * d**2 * iterations if kind == "full" else None,
        repeats=5,
        seconds=30.0,
    )


WORKS = [
    *(work(100_000, 16, 16, kind) for kind in ("full", "diag", "tied")),
    *(work(1_000_000, 8, 8, kind, iterations=10) for kind in ("full", "diag", "tied")),
]


if __name__ == "__main__":
    main(__file__, WORKS)
