"""A tree of merges: merge t joins two clusters to cluster n + t. In leaf order every cluster is a run of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64


@dataclass(frozen=True)
class MergeTree:
    n: int  # rows
    children: NDArray  # (m, 2)
    size: NDArray  # rows of each of the n + m clusters
    first: NDArray  # where the run of each cluster begins
    order: NDArray  # the rows in leaf order
    until: NDArray  # the merge that ends each cluster; m for those that stay

    def rows(self, cluster: int) -> NDArray:
        return self.order[self.first[cluster] : self.first[cluster] + self.size[cluster]]

    def active(self, t: int) -> NDArray:
        """The clusters that exist before merge t, in leaf order."""
        alive = np.flatnonzero(self.until[: self.n + t] >= t)
        return alive[np.argsort(self.first[alive])]


def read_tree(attrs: Attributes, n: int, least: int, name: str = "children_") -> MergeTree | None:
    """The attribute as a tree of n leaves with at least so many merges, or None; faults are noted, also those of
    linkage_matrix_ and the length of distances_ where the model has them."""
    children = attrs.array(name)
    if children is None:
        return None
    m = len(children) if children.ndim else -1
    if children.shape != (m, 2) or not least <= m <= max(n - 1, 0) or not (children == np.rint(children)).all():
        attrs.faults.append(f"{name} has the shape {children.shape}, expected ({n - 1}, 2) whole numbers")
        return None
    pairs, until = children.astype(np.intp), np.full(n + m, m)
    used = pairs.ravel()
    if (pairs < 0).any() or (pairs >= n + np.arange(m)[:, None]).any() or len(np.unique(used)) != len(used):
        attrs.faults.append(f"{name} is no tree: a cluster is merged twice, or before it exists")
        return None
    until[used] = np.repeat(np.arange(m), 2)
    size, first = np.ones(n + m, np.intp), np.zeros(n + m, np.intp)
    for t, (a, b) in enumerate(pairs.tolist()):
        size[n + t] = size[a] + size[b]
    roots = np.flatnonzero(until == m)
    first[roots] = np.cumsum(size[roots]) - size[roots]
    for t in range(m - 1, -1, -1):
        a, b = pairs[t]
        first[a], first[b] = first[n + t], first[n + t] + size[a]
    if attrs.has("distances_"):
        attrs.array("distances_", (m,))
    Z = attrs.array("linkage_matrix_", (m, 4)) if attrs.has("linkage_matrix_") else None
    if Z is not None and not ((np.sort(Z[:, :2]) == np.sort(pairs)).all() and (Z[:, 3] == size[n:]).all()):
        attrs.faults.append(f"linkage_matrix_ has other clusters than {name}, or other sizes")
    return MergeTree(n, pairs, size, first, np.argsort(first[:n]), until)


def read_labels(attrs: Attributes, n: int) -> F64 | None:
    """labels_, with a fault noted unless they are n whole numbers by their type."""
    if np.asarray(getattr(attrs.model, "labels_", None)).dtype.kind not in "iu":
        attrs.faults.append("labels_ is not a list of whole numbers")
    return attrs.array("labels_", (n,))


def wrong_labels(tree: MergeTree, labels: F64, k: int) -> int:
    """Rows whose label is not that of their cluster when k are left: one label 0 … k − 1 for each, all different."""
    clusters = tree.active(tree.n - k)
    along, starts = labels[tree.order], tree.first[clusters]
    own = along[starts]
    wrong = int((along != np.repeat(own, tree.size[clusters])).sum())
    return wrong + len(set(own.tolist()) ^ set(range(len(clusters))))
