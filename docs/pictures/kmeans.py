"""Three groups found in iris, and the inertia falling from three kinds of start: `python docs/pictures/kmeans.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits, load_iris

from surefit.cluster import KMeans


def main() -> None:
    iris = load_iris()
    X = iris.data
    model = KMeans(3, n_init=10, random_state=0).fit(X)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    for c, marker in enumerate("os^"):
        rows = X[model.labels_ == c]
        left.scatter(rows[:, 2], rows[:, 3], s=14, marker=marker, alpha=0.6)
    left.scatter(*model.cluster_centers_[:, 2:].T, s=90, marker="X", color="black", label="centres")
    left.set(xlabel=iris.feature_names[2], ylabel=iris.feature_names[3])
    left.legend(fontsize=8)
    digits = load_digits().data
    for init in ("random", "farthest", "k-means++"):
        run = KMeans(10, init=init, n_init=1, tol=0, random_state=2).fit(digits)
        right.plot(range(1, len(run.history_) + 1), run.history_, marker=".", label=init)
    right.set(xlabel="iteration", ylabel="inertia (digits, k = 10)", yscale="log")
    right.legend(fontsize=8, title="start", title_fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
