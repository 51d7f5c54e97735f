"""The lightest cut of a graph of neighbors, and what one row far out does to it: `python docs/pictures/min_cut.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from surefit.cluster import MinCut
from surefit.graphs import neighbor_graph


def two_groups(outlier: bool) -> np.ndarray:
    rng = np.random.default_rng(7)
    X = np.vstack([rng.normal(size=(40, 2)) * 0.8, rng.normal(size=(40, 2)) * 0.8 + [3.2, 0.6]])
    return np.vstack([X, [[1.2, 4.2]]]) if outlier else X


def draw(axes: plt.Axes, X: np.ndarray, title: str) -> None:
    W = neighbor_graph(X, 6, mode="similarity")
    model = MinCut(affinity="precomputed").fit(W)
    edges = W.tocoo()
    between = model.labels_[edges.row] != model.labels_[edges.col]
    lines = np.stack([X[edges.row], X[edges.col]], axis=1)
    axes.add_collection(LineCollection(lines[~between], colors="0.8", linewidths=0.6, zorder=0))
    axes.add_collection(LineCollection(lines[between], colors="tab:red", linewidths=1.5, zorder=1))
    for label, marker in enumerate("os"):
        axes.scatter(*X[model.labels_ == label].T, s=18, marker=marker, zorder=2)
    axes.set(title=f"{title}: cut {model.cut_value_:.2f}", xticks=[], yticks=[], aspect="equal")


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    draw(left, two_groups(outlier=False), "two groups")
    draw(right, two_groups(outlier=True), "with one row far out")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
