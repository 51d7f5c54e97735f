"""Three graphs of the same rows: `python docs/pictures/graphs.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.datasets import make_moons

from surefit.graphs import connected_components, epsilon_graph, neighbor_graph


def main() -> None:
    X, _ = make_moons(90, noise=0.08, random_state=1)
    graphs = {
        "within a radius of 0.35": epsilon_graph(X, 0.35),
        "5 nearest neighbors": neighbor_graph(X, 5),
        "5 mutual neighbors": neighbor_graph(X, 5, mutual=True),
    }
    figure, panels = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
    for axes, (name, W) in zip(panels, graphs.items(), strict=True):
        count, labels = connected_components(W)
        ends = np.repeat(np.arange(len(X)), np.diff(W.indptr)), W.indices
        axes.add_collection(LineCollection(np.stack([X[ends[0]], X[ends[1]]], axis=1), colors="0.6", linewidths=0.6))
        axes.scatter(*X.T, c=labels % 10, cmap="tab10", vmin=0, vmax=9, s=14, zorder=2)
        axes.set(title=f"{name}: {count} {'piece' if count == 1 else 'pieces'}", xticks=[], yticks=[], aspect="equal")
        axes.title.set_fontsize(9)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
