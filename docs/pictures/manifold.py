"""Embeddings: an unrolled sheet, stress, Shepard's diagram, residual variance: `python docs/pictures/manifold.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris, make_swiss_roll

from surefit.manifold import MDS, ClassicalMDS, Isomap, LocallyLinearEmbedding

HERE = Path(__file__).parent


def saved(figure: plt.Figure, name: str) -> None:
    figure.savefig(HERE / f"{name}.png", dpi=90)
    plt.close(figure)


def sheet(figure: plt.Figure, places: list[tuple[str, np.ndarray]], X: np.ndarray, color: np.ndarray) -> None:
    solid = figure.add_subplot(1, len(places) + 1, 1, projection="3d")
    solid.scatter(*X.T, c=color, s=4)
    solid.set_title("rows")
    for number, (name, points) in enumerate(places, start=2):
        axes = figure.add_subplot(1, len(places) + 1, number)
        axes.scatter(*points.T, c=color, s=4)
        axes.set_title(name)


def main() -> None:
    X, along = make_swiss_roll(1000, random_state=0)
    isomap = Isomap(n_neighbors=10, n_components=6).fit(X)
    figure = plt.figure(figsize=(11, 3.3), layout="constrained")
    sheet(figure, [("Isomap", isomap.embedding_[:, :2])], X, along)
    axes = figure.add_subplot(1, 3, 3)
    figure.axes[1].set_position(figure.axes[1].get_position())
    left = [Isomap(n_neighbors=10, n_components=k).fit(X).residual_variance_ for k in range(1, 7)]
    axes.plot(range(1, 7), left, "o-")
    axes.set(xlabel="dimensions", title="residual variance")
    for number, one in enumerate(figure.axes):
        one.set_subplotspec(figure.add_gridspec(1, 3)[number])
    saved(figure, "isomap")

    figure = plt.figure(figsize=(11, 3.3), layout="constrained")
    lle = [(m, LocallyLinearEmbedding(n_neighbors=12, method=m).fit_transform(X)) for m in ("standard", "ltsa")]
    sheet(figure, lle, X, along)
    saved(figure, "locally_linear_embedding")

    iris = load_iris()
    model = MDS(init="random", random_state=0, eps=1e-9).fit(iris.data)
    figure, (left_axes, middle, right) = plt.subplots(1, 3, figsize=(11, 3.3), layout="constrained")
    left_axes.scatter(*model.embedding_.T, c=iris.target, s=8)
    left_axes.set_title("MDS of iris")
    middle.semilogy(model.history_)
    middle.set(xlabel="iteration", title="stress")
    right.plot(pdist(iris.data), pdist(model.embedding_), ",")
    right.set(xlabel="dissimilarity", ylabel="distance of points", title="Shepard's diagram")
    saved(figure, "mds")

    figure, (left_axes, right) = plt.subplots(1, 2, figsize=(8, 3.3), layout="constrained")
    for axes, metric in ((left_axes, "euclidean"), (right, "manhattan")):
        fitted = ClassicalMDS(metric=metric).fit(iris.data)
        axes.scatter(*fitted.embedding_.T, c=iris.target, s=8)
        axes.set_title(f"{metric}: negative share {fitted.negative_share_:.2f}")
    saved(figure, "classical_mds")


if __name__ == "__main__":
    main()
