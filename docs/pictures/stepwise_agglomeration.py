"""Twelve clusters of k-means merged step by step: `python docs/pictures/stepwise_agglomeration.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from surefit.cluster import KMeans, StepwiseAgglomeration
from surefit.plot import DendrogramDisplay, MergeHeightsDisplay


def main() -> None:
    X, _ = make_blobs(600, centers=4, cluster_std=1.2, random_state=3)
    start = KMeans(12, random_state=0).fit(X)
    model = StepwiseAgglomeration(n_clusters=1).fit(X, initial_labels=start.labels_)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
    left.scatter(*X.T, c=[f"C{label}" for label in model.labels_at(4)], s=5)
    for c, (x, y) in enumerate(start.cluster_centers_):
        left.text(x, y, str(c), ha="center", va="center", fontsize=8, bbox={"fc": "white", "ec": "none", "pad": 0.6})
    left.set(title="12 clusters, merged to 4", xticks=[], yticks=[])
    DendrogramDisplay(linkage_matrix=model.linkage_matrix_, n_clusters=4).plot(middle, ylabel="rise of the cost")
    MergeHeightsDisplay.from_estimator(model, ax=right)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
