"""Votes within two radii, and means with a gap: `python docs/pictures/radius_neighbors.py`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from surefit.neighbors import RadiusNeighborsClassifier, RadiusNeighborsRegressor


def votes(ax: Any, radius: float) -> None:
    """The share of a class within the radius; white where no row is near."""
    X, y = make_moons(400, noise=0.25, random_state=0)
    columns, lines = np.linspace(-2.2, 3.2, 200), np.linspace(-1.8, 2.3, 160)
    grid = np.stack(np.meshgrid(columns, lines), axis=-1).reshape(-1, 2)
    model = RadiusNeighborsClassifier(radius, outlier_label=-1).fit(X, y)
    with warnings.catch_warnings(action="ignore"):  # points without neighbors are what the picture shows
        shares = model.predict_proba(grid)
    share = np.where(shares.sum(axis=1) > 0, shares[:, 1], np.nan).reshape(160, 200)
    ax.contourf(columns, lines, share, np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.6)
    ax.scatter(*X.T, c=y, s=5, cmap="RdBu_r", edgecolors="none")
    ax.set(title=f"radius = {radius:g}; white: no row is near", xticks=[], yticks=[])


def means(ax: Any) -> None:
    """A curve with a gap that one radius bridges and the other does not."""
    rng = np.random.default_rng(0)
    x = np.sort(np.concatenate([rng.uniform(0, 4, 80), rng.uniform(6, 10, 80)]))
    y = np.sin(x) + 0.2 * rng.normal(size=len(x))
    along = np.linspace(-0.5, 10.5, 800)
    ax.scatter(x, y, s=6, color="0.6")
    for radius in (0.4, 1.5):
        with warnings.catch_warnings(action="ignore"):
            mean = RadiusNeighborsRegressor(radius, weights="uniform").fit(x[:, None], y).predict(along[:, None])
        ax.plot(along, mean, label=f"radius = {radius:g}")
    ax.set(title="means; NaN where no row is near", xlabel="x")
    ax.legend()


def main() -> None:
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    votes(axes[0], 0.15)
    votes(axes[1], 0.5)
    means(axes[2])
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
