"""Trees of merges in pictures: the dendrogram, and the heights (or costs) of the last merges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy


def tree_of(estimator: Any) -> np.ndarray:
    """The linkage matrix of a fitted model; with costs in the place of heights their change since the start."""
    tree = np.array(estimator.linkage_matrix_, dtype=float)
    if hasattr(estimator, "costs_"):
        tree[:, 2] = np.abs(np.asarray(estimator.costs_)[1:] - estimator.costs_[0])
    return tree


class DendrogramDisplay:
    """Holds `linkage_matrix` (SciPy's form; it may stop before the root) and the `n_clusters` that are colored."""

    def __init__(self, *, linkage_matrix: ArrayLike, n_leaves: int | None = None, n_clusters: int = 1) -> None:
        self.linkage_matrix = np.asarray(linkage_matrix, dtype=float)
        if self.linkage_matrix.ndim != 2 or self.linkage_matrix.shape[1] != 4:
            raise InvalidData(f"a linkage matrix has four columns; got shape {self.linkage_matrix.shape}")
        self.n_leaves = len(self.linkage_matrix) + 1 if n_leaves is None else n_leaves
        self.n_clusters = n_clusters

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> DendrogramDisplay:
        """The tree of a fitted AgglomerativeClustering or StepwiseAgglomeration, its clusters in colors."""
        leaves = len(estimator.labels_)
        if hasattr(estimator, "initial_labels_"):
            leaves = int(np.max(estimator.initial_labels_)) + 1
        display = cls(linkage_matrix=tree_of(estimator), n_leaves=leaves, n_clusters=int(estimator.n_clusters_))
        label = "change of the cost" if hasattr(estimator, "costs_") else "height"
        return display.plot(ax, **({"ylabel": label} | kwargs))

    def plot(
        self, ax: Any = None, *, most_leaves: int = 60, name: str | None = None, ylabel: str = "height"
    ) -> DendrogramDisplay:
        """Draw it; of a large tree the last merges, so that at most `most_leaves` clusters stand at the bottom."""
        self.ax_, self.figure_ = axes_of(ax)
        n, m = self.n_leaves, len(self.linkage_matrix)
        first = max(n, m + n - (most_leaves - (n - m)))  # nodes below are leaves of the picture
        cut = n + m - (self.n_clusters - (n - m))  # nodes from here on join clusters
        x, order = self._places(first)
        colors = self._colors(order, max(first, cut) if cut <= first else cut)
        self.lines_ = []
        for node in range(first, n + m):
            a, b = self.linkage_matrix[node - n, :2].astype(int)
            top = self._height(node)
            color = colors.get(node, "#888888") if node < cut else "#888888"
            heights = [self._height(a), top, top, self._height(b)]
            self.lines_ += self.ax_.plot([x[a], x[a], x[b], x[b]], heights, color=color, linewidth=1.2)
        self.ax_.set(ylabel=ylabel, xlim=(-1, len(order)))
        few = len(order) <= 30
        self.ax_.set_xticks(range(len(order)) if few else [], [self._words(node) for node in order] if few else [])
        self.ax_.tick_params(axis="x", labelrotation=90, labelsize=8)
        tidy(self.ax_, "y")
        if name:
            self.ax_.set_title(name)
        return self

    def _height(self, node: int) -> float:
        return float(self.linkage_matrix[node - self.n_leaves, 2]) if node >= self.n_leaves else 0.0

    def _words(self, node: int) -> str:
        if node < self.n_leaves:
            return str(node)
        return f"({int(self.linkage_matrix[node - self.n_leaves, 3])})"

    def _roots(self) -> list[int]:
        inside = set(self.linkage_matrix[:, :2].astype(int).ravel().tolist())
        return [node for node in range(self.n_leaves + len(self.linkage_matrix)) if node not in inside]

    def _places(self, first: int) -> tuple[dict[int, float], list[int]]:
        """(where each node stands, the leaves of the picture from left to right)."""
        order, waiting = [], self._roots()[::-1]
        while waiting:
            node = waiting.pop()
            if node < first:
                order.append(node)
            else:
                waiting += self.linkage_matrix[node - self.n_leaves, :2].astype(int).tolist()[::-1]
        x = {node: float(place) for place, node in enumerate(order)}
        for node in range(first, self.n_leaves + len(self.linkage_matrix)):
            a, b = self.linkage_matrix[node - self.n_leaves, :2].astype(int)
            x[node] = (x[a] + x[b]) / 2
        return x, order

    def _colors(self, order: list[int], cut: int) -> dict[int, str]:
        """One color for all nodes below a cut, clusters from left to right."""
        parent = {}
        for t, (a, b) in enumerate(self.linkage_matrix[:, :2].astype(int)):
            parent[int(a)] = parent[int(b)] = self.n_leaves + t
        colors: dict[int, str] = {}
        tops: dict[int, str] = {}
        for leaf in order:
            path = [leaf]
            while (above := parent.get(path[-1], cut)) < cut:
                path.append(above)
            color = tops.setdefault(path[-1], f"C{len(tops) % 10}")
            colors |= dict.fromkeys(path, color)
        return colors


class MergeHeightsDisplay:
    """Heights of the last merges against the number of clusters before them: a jump says where to stop."""

    def __init__(self, *, n_clusters: ArrayLike, heights: ArrayLike, chosen: int | None = None) -> None:
        self.n_clusters, self.heights = np.asarray(n_clusters, dtype=int), np.asarray(heights, dtype=float)
        self.chosen = chosen
        if self.n_clusters.shape != self.heights.shape:
            raise InvalidData("n_clusters and heights must be of one length")

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int = 30, ax: Any = None, **kwargs: Any) -> MergeHeightsDisplay:
        """Of a fitted AgglomerativeClustering the heights; of a StepwiseAgglomeration the costs."""
        if hasattr(estimator, "costs_"):
            values = np.asarray(estimator.costs_)[::-1]
            left = np.arange(len(values)) + estimator.n_clusters_
            kwargs = {"ylabel": "cost", "xlabel": "number of clusters"} | kwargs
        else:
            values = np.asarray(estimator.linkage_matrix_)[::-1, 2]
            left = np.arange(len(values)) + len(estimator.labels_) - len(values) + 1
        chosen = int(estimator.n_clusters_)
        return cls(n_clusters=left[:most], heights=values[:most], chosen=chosen).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, ylabel: str = "height of the merge",
        xlabel: str = "clusters before the merge",
    ) -> MergeHeightsDisplay:  # fmt: skip
        self.ax_, self.figure_ = axes_of(ax)
        (self.line_,) = self.ax_.plot(self.n_clusters, self.heights, marker="o", markersize=4)
        if self.chosen is not None:
            self.ax_.axvline(self.chosen, color="#888888", linestyle="--", linewidth=1)
        self.ax_.set(xlabel=xlabel, ylabel=ylabel)
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self
