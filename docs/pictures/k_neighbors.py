"""Regions of two classes, and the number of neighbors by cross-validation: `python docs/pictures/k_neighbors.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from surefit.neighbors import KNeighborsClassifier
from surefit.plot import NeighborCurveDisplay


def main() -> None:
    X, y = make_moons(400, noise=0.3, random_state=0)
    columns, lines = np.linspace(-2, 3, 200), np.linspace(-1.6, 2.1, 160)
    grid = np.stack(np.meshgrid(columns, lines), axis=-1).reshape(-1, 2)
    chosen = KNeighborsClassifier("cv").fit(X, y)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    for ax, k in zip(axes[:2], (1, chosen.n_neighbors_), strict=True):
        share = KNeighborsClassifier(k).fit(X, y).predict_proba(grid)[:, 1].reshape(160, 200)
        ax.contourf(columns, lines, share, np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.6)
        ax.contour(columns, lines, share, [0.5], colors="black", linewidths=1)
        ax.scatter(*X.T, c=y, s=5, cmap="RdBu_r", edgecolors="none")
        ax.set(title=f"k = {k}", xticks=[], yticks=[])
    NeighborCurveDisplay.from_estimator(chosen, ax=axes[2], name="each row from the others")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
