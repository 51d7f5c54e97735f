"""Graphs of neighbors of two moons: `python docs/pictures/nearest_neighbors.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from surefit.neighbors import NearestNeighbors
from surefit.plot import NeighborGraphDisplay


def main() -> None:
    X, y = make_moons(150, noise=0.08, random_state=1)
    colors = ["C0" if label else "C1" for label in y]
    figure, axes = plt.subplots(1, 3, figsize=(11, 2.6), layout="constrained")
    model = NearestNeighbors(n_neighbors=4, radius=0.25).fit(X)
    nearest = model.kneighbors_graph()
    NeighborGraphDisplay.from_graph(nearest, X, ax=axes[0], name="4 nearest neighbors", colors=colors)
    mutual = nearest.multiply(nearest.T)
    NeighborGraphDisplay.from_graph(mutual, X, ax=axes[1], name="neighbors of each other", colors=colors)
    within = model.radius_neighbors_graph()
    NeighborGraphDisplay.from_graph(within, X, ax=axes[2], name="within a radius of 0.25", colors=colors)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
