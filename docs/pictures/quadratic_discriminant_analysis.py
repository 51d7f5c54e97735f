"""Regions of a shared and of separate covariances: `python docs/pictures/quadratic_discriminant_analysis.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from surefit.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

COLOURS = ("tab:blue", "tab:orange", "tab:green")
SHAPES = (np.array([[1.0, 0.0], [0.0, 0.25]]), np.array([[0.2, 0.0], [0.3, 1.0]]), np.array([[0.6, -0.5], [0.0, 0.4]]))


def main() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [2.2, 1.0], [-0.5, 2.2]])
    X = np.vstack([m + rng.normal(size=(150, 2)) @ A for m, A in zip(centres, SHAPES, strict=True)])
    y = np.repeat(np.arange(3), 150)
    (left, bottom), (right, top) = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    across, up = np.meshgrid(np.linspace(left, right, 400), np.linspace(bottom, top, 400))
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharey=True)
    for plot, model in zip(axes, (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()), strict=True):
        model.fit(X, y)
        regions = model.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
        plot.pcolormesh(across, up, regions, cmap=ListedColormap(COLOURS), alpha=0.25, rasterized=True)
        plot.contour(across, up, regions, levels=[0.5, 1.5], colors="0.3", linewidths=0.8)
        for k, colour in enumerate(COLOURS):
            plot.scatter(*X[y == k].T, s=8, color=colour, linewidths=0)
        plot.set_title(f"{type(model).__name__}: {model.score(X, y):.1%} right", fontsize=10)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
