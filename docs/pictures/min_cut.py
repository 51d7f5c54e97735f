"""The lightest cut of a graph of neighbors, for two weights of its edges: `python docs/pictures/min_cut.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from surefit.cluster import MinCut
from surefit.graphs import neighbor_graph


def two_groups() -> np.ndarray:
    rng = np.random.default_rng(7)
    return np.vstack([rng.normal(size=(40, 2)) * 0.8, rng.normal(size=(40, 2)) * 0.8 + [3.4, 0.6]])


def draw(axes: plt.Axes, X: np.ndarray, mode: Literal["connectivity", "similarity"], title: str) -> None:
    W = neighbor_graph(X, 6, mode=mode)
    model = MinCut(affinity="precomputed").fit(W)
    edges = W.tocoo()
    between = model.labels_[edges.row] != model.labels_[edges.col]
    lines = np.stack([X[edges.row], X[edges.col]], axis=1)
    axes.add_collection(LineCollection(lines[~between], colors="0.8", linewidths=0.6, zorder=0))
    axes.add_collection(LineCollection(lines[between], colors="tab:red", linewidths=1.5, zorder=1))
    for label, marker in enumerate("os"):
        axes.scatter(*X[model.labels_ == label].T, s=18, marker=marker, zorder=2)
    axes.set(title=f"{title}: cut {model.cut_value_:.2g}", xticks=[], yticks=[], aspect="equal")


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    draw(left, two_groups(), "connectivity", "every edge weighs 1")
    draw(right, two_groups(), "similarity", "long edges weigh little")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
