"""Ellipses of a mixture with responsibilities, and the choice of a size: `python docs/pictures/gaussian_mixture.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from surefit.mixture import GaussianMixture
from surefit.plot import MixtureDisplay


def main() -> None:
    iris = load_iris()
    X = iris.data[:, [0, 2]]
    model = GaussianMixture(3, n_init=5, tol=1e-6, max_iter=1000, random_state=0).fit(X)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    MixtureDisplay.from_estimator(model, X, ax=left)
    left.set(xlabel=iris.feature_names[0], ylabel=iris.feature_names[2])
    sizes = range(1, 6)
    for kind, marker in zip(("full", "tied", "diag", "spherical"), "os^v", strict=True):
        runs = [
            GaussianMixture(k, covariance_type=kind, n_init=5, max_iter=1000, random_state=0).fit(iris.data)
            for k in sizes
        ]
        right.plot(sizes, [run.bic(iris.data) for run in runs], marker=marker, ms=4, label=kind)
    right.set(xlabel="components", ylabel="BIC (iris, four columns)")
    right.legend(fontsize=8, title="covariance_type", title_fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
