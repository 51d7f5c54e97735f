"""Step-wise optimal agglomeration."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit.cluster.agglomerative_clustering import MetricName
from surefit.engine.open import open_data
from surefit.solvers.clustering.dendrogram import sizes
from surefit.solvers.clustering.pair_distances import PairDistances, dense
from surefit.solvers.clustering.stepwise import (
    BetweenCost,
    CenterCost,
    Cost,
    WithinCost,
    agglomerate,
    agglomerate_by_function,
    names_after,
    pair_sums,
    refuse_pairs,
)


class StepwiseAgglomeration(ClusterMixin, Estimator):
    """From any clustering, merge the pair of clusters that leaves the lowest cost, until few enough are left.

    The costs, with d the metric, s(i, j) = exp(−gamma ‖xᵢ − xⱼ‖²) and μ_c the mean of cluster c:

    - "kmeans": Σ_c Σ_{i∈c} ‖xᵢ − μ_c‖², the sum of squares (from single rows: Ward's tree);
    - "within": Σ_c 1/(2|c|) Σ_{i,j∈c} d(i, j), distances inside clusters (squared Euclidean ones make it "kmeans");
    - "between": Σ_c Σ_{i∈c, j∉c} s(i, j), similarities across clusters;
    - any function of (X, labels).

    {parameters}

    Attributes
    ----------
    merges_ : ndarray of shape (n_merges, 2)
        The two clusters of each merge: the k initial ones are 0 … k−1, merge t makes cluster k + t.
    costs_ : ndarray of shape (n_merges + 1,)
        The cost at the start and after each merge.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row at the end.
    n_clusters_ : int
        How many clusters are left.
    initial_labels_ : ndarray of shape (n_samples,)
        The initial cluster of each row, 0 … k−1.
    linkage_matrix_ : ndarray of shape (n_merges, 4)
        The merges as SciPy writes them, for k leaves: the two clusters, by how much the cost rose (below zero where it
        fell), the number of initial clusters.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import StepwiseAgglomeration
    >>> X = np.array([[0.0], [2.0], [10.0], [13.0]])
    >>> model = StepwiseAgglomeration(n_clusters=2).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.costs_
    array([0. , 2. , 6.5])
    """

    merges_: np.ndarray
    costs_: np.ndarray
    labels_: np.ndarray
    n_clusters_: int
    initial_labels_: np.ndarray
    linkage_matrix_: np.ndarray

    def __init__(
        self,
        cost: Annotated[
            Literal["kmeans", "within", "between"] | Callable,
            "What is kept low; a function of (X, labels) is called for every pair at every step.",
        ] = "kmeans",
        n_clusters: Annotated[int, Range(1), "How many clusters are left at the end."] = 1,
        *,
        metric: Annotated[
            MetricName | Callable,
            "d of cost 'within'; 'precomputed': X holds the distances ('within') or similarities ('between').",
        ] = "euclidean",
        gamma: Annotated[
            float | None, Range(0, open="low"), "Of the similarity of cost 'between'; None is 1 / n_features."
        ] = None,
    ) -> None:
        self.cost = cost
        self.n_clusters = n_clusters
        self.metric = metric
        self.gamma = gamma

    @fitting
    def fit(self, X: Any, y: Any = None, initial_labels: Any = None) -> Self:
        """Merge clusters of X. `initial_labels`: where to start, one label for each row; None: every row by itself."""
        p = self._checked()
        if p.metric == "precomputed" and p.cost == "kmeans":
            raise InvalidParameter("cost='kmeans' needs rows, not distances; use 'within' with metric='precomputed'.")
        rows = dense(open_data(self, X, stream=False, instead="KMeans").X)
        codes, k = _codes(initial_labels, rows.shape[0])
        if p.n_clusters > k:
            raise InvalidData(
                f"n_clusters={p.n_clusters}, but there are n_samples={rows.shape[0]} rows in {k} clusters."
            )
        progress = Progress(self, 1, X)
        if callable(p.cost):
            self.merges_, self.costs_ = agglomerate_by_function(
                lambda labels: p.cost(rows, labels), codes, k, p.n_clusters
            )
        else:
            with np.errstate(over="ignore", invalid="ignore"):  # told below
                self.merges_, self.costs_ = agglomerate(_cost(p, rows, codes, k), k, p.n_clusters)
        if not np.isfinite(self.costs_).all():
            raise InvalidData(
                "costs are beyond floating point: divide the columns of X by their size, or let the cost give numbers"
            )
        self.initial_labels_ = codes
        self.n_clusters_ = p.n_clusters
        self.labels_ = self.labels_at(p.n_clusters)
        heights = np.diff(self.costs_)
        self.linkage_matrix_ = np.column_stack([self.merges_, heights, sizes(self.merges_, k)])
        progress.step(lambda: {"labels_": self.labels_, "costs_": self.costs_})
        progress.end()
        return self

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """The labels when n_clusters clusters were left: those made later have higher numbers."""
        check_is_fitted(self)
        k = int(self.initial_labels_.max()) + 1
        if not k - len(self.merges_) <= n_clusters <= k:
            raise InvalidParameter(
                f"labels_at({n_clusters}): between {k - len(self.merges_)} and {k} clusters were there."
            )
        names = names_after(self.initial_labels_, self.merges_, k, k - n_clusters)
        return np.unique(names, return_inverse=True)[1].astype(np.intp)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _codes(initial_labels: Any, n: int) -> tuple[np.ndarray, int]:
    """(the place of each row's label among the sorted labels, how many there are)."""
    if initial_labels is None:
        return np.arange(n), n
    labels = np.asarray(initial_labels)
    if labels.shape != (n,):
        raise InvalidData(f"initial_labels must hold one label for each of the {n} rows; got shape {labels.shape}")
    known, codes = np.unique(labels, return_inverse=True)
    return codes.reshape(n), len(known)


def _cost(p: SimpleNamespace, rows: np.ndarray, codes: np.ndarray, k: int) -> Cost:
    refuse_pairs(k)
    if p.cost == "kmeans":
        return CenterCost(rows, codes, k)
    size = np.bincount(codes, minlength=k)
    n = rows.shape[0]
    everything = slice(0, n)
    if p.cost == "within":
        distances = PairDistances(rows, p.metric)
        return WithinCost(pair_sums(lambda part: distances.between(part, everything), codes, k), size)
    if p.metric == "precomputed":
        given = PairDistances(rows, "precomputed", similarities=True)
        return BetweenCost(pair_sums(lambda part: given.between(part, everything), codes, k), size)
    gamma = 1.0 / rows.shape[1] if p.gamma is None else p.gamma
    squared = PairDistances(rows, "sqeuclidean")
    return BetweenCost(pair_sums(lambda part: np.exp(-gamma * squared.between(part, everything)), codes, k), size)
