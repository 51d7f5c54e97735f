"""Agglomerative clustering."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_memory

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit.engine.open import open_data
from surefit.solvers.clustering.dendrogram import cut, cut_forest, merges_at_threshold, sizes
from surefit.solvers.clustering.linkage import linkage_matrix
from surefit.solvers.clustering.pair_distances import PairDistances, dense
from surefit.solvers.clustering.restricted_linkage import complete_graph, restricted_linkage

MetricName = Literal[
    "euclidean", "l2", "manhattan", "l1", "cityblock", "cosine", "precomputed", "chebyshev", "infinity", "sqeuclidean",
    "correlation", "canberra", "braycurtis", "hamming", "jaccard", "minkowski", "haversine",
]  # fmt: skip


class AgglomerativeClustering(ClusterMixin, Estimator):
    """Every row begins as a cluster; the closest two merge until few enough are left.

    How far two clusters A and B are from each other, d being the metric and c the mean of a cluster:

    - "ward": sqrt(2|A||B| / (|A| + |B|)) ‖c_A − c_B‖, which merges what raises the sum of squares least;
    - "single", "complete", "average": the smallest, largest and mean d(a, b) over a in A, b in B.

    Every tree is exact. Single linkage and Ward need memory linear in the rows; complete and average linkage keep half
    the matrix of distances, and refuse when it does not fit. The SciPy linkage matrix is an attribute.

    {parameters}

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    n_clusters_ : int
        How many clusters there are.
    linkage_matrix_ : ndarray of shape (n_merges, 4)
        All merges as SciPy writes them: the two clusters, the height, the number of rows. Without `connectivity`
        heights ascend. `scipy.cluster.hierarchy` takes it as it is.
    children_ : ndarray of shape (n_merges, 2)
        The two clusters of each merge; merge t makes cluster n_samples + t.
    distances_ : ndarray of shape (n_merges,)
        The heights; only with `compute_distances`, `distance_threshold` or `distance_fraction`.
    n_leaves_ : int
        The number of rows.
    n_connected_components_ : int
        Pieces of the graph of `connectivity`, before it was completed.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import AgglomerativeClustering
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]])
    >>> AgglomerativeClustering().fit(X).labels_
    array([1, 1, 1, 0, 0, 0])
    """

    labels_: np.ndarray
    n_clusters_: int
    linkage_matrix_: np.ndarray
    children_: np.ndarray
    distances_: np.ndarray
    n_leaves_: int
    n_connected_components_: int

    def __init__(
        self,
        n_clusters: Annotated[int | None, Range(1), "Stop at so many clusters; None with another stopping rule."] = 2,
        *,
        metric: Annotated[
            MetricName | Callable,
            "Distance of two rows; 'precomputed': X holds the distances. A function takes two rows, or all rows and "
            "returns the matrix. Ward takes 'euclidean' ('l2') only.",
        ] = "euclidean",
        memory: Annotated[
            Any, "A folder or joblib.Memory where trees are kept for the next fit on the same data."
        ] = None,
        connectivity: Annotated[
            Any, "A graph (array, sparse matrix, or function of X): only neighbors in it may merge."
        ] = None,
        compute_full_tree: Annotated[
            bool | Literal["auto"],
            "With `connectivity`: build the tree to its root, or stop at n_clusters; 'auto' stops when n_clusters is "
            "large.",
        ] = "auto",
        linkage: Annotated[
            Literal["ward", "complete", "average", "single"], "How far two clusters are from each other."
        ] = "ward",
        distance_threshold: Annotated[
            float | None, Range(0), "Clusters at this distance or farther do not merge; n_clusters must be None."
        ] = None,
        compute_distances: Annotated[bool, "Keep `distances_` when n_clusters stops."] = False,
        distance_fraction: Annotated[
            float | None,
            Range(0, 1),
            "Clusters at this fraction of the largest height or farther do not merge; n_clusters must be None.",
        ] = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances
        self.distance_fraction = distance_fraction

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the tree of X (rows, or distances with metric="precomputed") and cut it. `y` is not used."""
        p = self._checked()
        _refuse_contradictions(p)
        rows = dense(open_data(self, X, stream=False, instead="KMeans", min_rows=2).X)
        n = rows.shape[0]
        if p.n_clusters is not None and p.n_clusters > n:
            raise InvalidData(
                f"Cannot extract more clusters than samples: {p.n_clusters} clusters were asked of {n} rows."
            )
        progress = Progress(self, 1, X)
        tree = check_memory(p.memory).cache(_tree) if p.memory is not None else _tree
        self.linkage_matrix_, self.n_connected_components_ = tree(
            rows, _graph(p, X), p.linkage, p.metric, _merges(p, n)
        )
        self._cut(p, n)
        progress.step(lambda: {"labels_": self.labels_, "linkage_matrix_": self.linkage_matrix_})
        progress.end()
        return self

    def _cut(self, p: SimpleNamespace, n: int) -> None:
        heights = self.linkage_matrix_[:, 2]
        self.n_leaves_ = n
        self.children_ = self.linkage_matrix_[:, :2].astype(np.intp)
        threshold = p.distance_threshold
        if p.distance_fraction is not None:
            threshold = p.distance_fraction * heights.max()
        self.n_clusters_ = p.n_clusters if threshold is None else merges_at_threshold(heights, threshold) + 1
        self.__dict__.pop("distances_", None)
        if threshold is not None or p.compute_distances:
            self.distances_ = heights.copy()
        if len(self.children_) == n - 1:
            self.labels_ = cut(self.children_, n, self.n_clusters_)
        else:
            self.labels_ = cut_forest(self.children_, n)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _refuse_contradictions(p: SimpleNamespace) -> None:
    rules = {name: getattr(p, name) for name in ("n_clusters", "distance_threshold", "distance_fraction")}
    given = [name for name, value in rules.items() if value is not None]
    if len(given) != 1:
        raise InvalidParameter(
            "Exactly one of n_clusters, distance_threshold and distance_fraction has to be set, and the others need to "
            f"be None; got {' and '.join(given) or 'none'}."
        )
    if p.n_clusters is None and not p.compute_full_tree:
        raise InvalidParameter(f"compute_full_tree must be True if {given[0]} is set.")
    if p.linkage == "ward" and p.metric not in ("euclidean", "l2"):
        raise InvalidParameter(
            f"{p.metric} was provided as metric. Ward can only work with euclidean distances (i.e. 'euclidean' and "
            "'l2'); linkage='average' takes any."
        )


def _merges(p: SimpleNamespace, n: int) -> int:
    """How many merges are wanted. Stopping early saves work for large numbers of clusters only."""
    full = p.compute_full_tree
    if full == "auto":
        full = p.n_clusters is None or p.n_clusters < max(100, 0.02 * n)
    return n - 1 if full or p.connectivity is None else n - p.n_clusters


def _graph(p: SimpleNamespace, X: Any) -> Any:
    graph = p.connectivity(X) if callable(p.connectivity) else p.connectivity
    return graph if graph is None or sp.issparse(graph) else np.asarray(graph)


def _tree(rows: np.ndarray, graph: Any, method: str, metric: str | Callable, n_merges: int) -> tuple[np.ndarray, int]:
    """(linkage matrix, pieces of the graph)."""
    if graph is None:
        return linkage_matrix(rows, method, metric), 1
    distances = PairDistances(rows, metric)
    joined, n_components = complete_graph(graph, distances)
    children, heights = restricted_linkage(joined, distances, method, n_merges)
    return np.column_stack([children, heights, sizes(children, rows.shape[0])]), n_components
