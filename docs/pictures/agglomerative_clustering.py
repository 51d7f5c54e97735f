"""Four linkages on two moons, and Ward's dendrogram of iris: `python docs/pictures/agglomerative_clustering.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris, make_moons

from surefit.cluster import AgglomerativeClustering
from surefit.plot import DendrogramDisplay, MergeHeightsDisplay


def main() -> None:
    figure = plt.figure(figsize=(8.4, 5.6), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=[2, 3])
    moons, _ = make_moons(300, noise=0.06, random_state=0)
    for axes, linkage in zip(top.subplots(1, 4), ("single", "complete", "average", "ward"), strict=True):
        labels = AgglomerativeClustering(2, linkage=linkage).fit_predict(moons)
        axes.scatter(*moons.T, c=[f"C{label}" for label in labels], s=5)
        axes.set(title=linkage, xticks=[], yticks=[])
    left, right = bottom.subplots(1, 2, width_ratios=[2, 1])
    model = AgglomerativeClustering(3).fit(load_iris().data)
    DendrogramDisplay.from_estimator(model, ax=left, most_leaves=30, name="iris, Ward")
    MergeHeightsDisplay.from_estimator(model, ax=right, most=15)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
