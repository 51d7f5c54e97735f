"""Ellipses of a mixture with responsibilities, and the choice of a size: `python docs/pictures/gaussian_mixture.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Ellipse
from sklearn.datasets import load_iris

from surefit.mixture import GaussianMixture

COLORS = np.array([to_rgb(f"C{k}") for k in range(3)])


def draw_ellipses(axes: Axes, model: GaussianMixture) -> None:
    """Where the density of a component is that of one and of two deviations from its mean."""
    for color, mean, covariance in zip(COLORS, model.means_, model.covariances_, strict=True):
        variances, directions = np.linalg.eigh(covariance)
        angle = np.degrees(np.arctan2(directions[1, 1], directions[0, 1]))
        for deviations in (1, 2):
            width, height = 2 * deviations * np.sqrt(variances[::-1])
            axes.add_patch(Ellipse(mean, width, height, angle=angle, fill=False, edgecolor=color, lw=1.5))


def main() -> None:
    iris = load_iris()
    X = iris.data[:, [0, 2]]
    model = GaussianMixture(3, n_init=5, tol=1e-6, max_iter=1000, random_state=0).fit(X)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    mixed = np.clip(model.predict_proba(X) @ COLORS, 0, 1)
    left.scatter(*X.T, s=16, c=mixed, edgecolors="black", linewidths=0.2)
    draw_ellipses(left, model)
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
