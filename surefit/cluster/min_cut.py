"""The minimum cut of a similarity graph."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.utils import Tags

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows
from surefit._core.params import Range
from surefit.engine.open import need_memory
from surefit.graphs import epsilon_graph, gaussian_graph, neighbor_graph
from surefit.graphs.weights import take_weights_of_edges, without_loops
from surefit.solvers.clustering.min_cut import minimum_cut


class MinCut(ClusterMixin, Estimator):
    """Two groups with the least weight between them: min over A of  Σ_{i ∈ A, j ∉ A} wᵢⱼ .

    The exact answer, for a graph of similarities that is given or built from rows (Stoer and Wagner 1997, with all
    vertices that no lighter cut can part merged at once, Nagamochi and Ibaraki 1992). The lightest cut often takes a
    single row from the rest: `SpectralClustering` weighs the cut against the sizes of the groups.

    {parameters}

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        0 for the group of the first row, 1 for the other.
    cut_value_ : float
        The weight of the edges between the groups, each edge once. Where the graph is in pieces it is 0, and the first
        group is the piece of the first row.
    affinity_matrix_ : CSR of shape (n_samples, n_samples)
        The graph: symmetric, without loops.
    n_iter_ : int
        Rounds of merging.
    history_ : list of float
        The lightest cut seen after each round.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import MinCut
    >>> W = np.array([[0, 3, 3, 0, 0], [3, 0, 3, 0, 0], [3, 3, 0, 1, 0], [0, 0, 1, 0, 4], [0, 0, 0, 4, 0]])
    >>> model = MinCut(affinity="precomputed").fit(W)
    >>> model.labels_, model.cut_value_
    (array([0, 0, 0, 1, 1]), 1.0)
    """

    labels_: np.ndarray
    cut_value_: float
    affinity_matrix_: sp.csr_array
    n_iter_: int
    history_: list[float]

    def __init__(
        self,
        affinity: Annotated[
            Literal["nearest_neighbors", "mutual_neighbors", "epsilon", "rbf", "precomputed"],
            "The graph: each row joined to its nearest others, only to those it is also nearest to, to all within "
            "`radius`, to all; or X is the matrix of weights.",
        ] = "nearest_neighbors",
        *,
        n_neighbors: Annotated[int, Range(1), "Nearest others of a row; fewer where there are fewer."] = 10,
        radius: Annotated[float, Range(0, open="both"), "Largest length of an edge of the 'epsilon' graph."] = 1.0,
        sigma: Annotated[
            float | None,
            Range(0, open="both"),
            "Edges weigh exp(−d²/(2σ²)); None takes the median length of an edge between rows that differ.",
        ] = None,
        metric: Annotated[str | Callable, "Distance of two rows, as in `surefit.neighbors`."] = "euclidean",
    ) -> None:
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.sigma = sigma
        self.metric = metric

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cut the graph of the rows X, or the graph X with affinity="precomputed". `y` is not used."""
        p = self._checked()
        need_memory(self, X, instead="KMeans")
        rows = take_rows(self, X, reset=True, min_rows=2)
        graph = _graph(p, rows)
        progress = Progress(self, rows.shape[0], X)
        history: list[float] = []

        def report(left: int, best: float) -> None:
            history.append(best)
            progress.step(lambda: {"cut_value_": best})

        found = minimum_cut(graph, report)
        progress.end()
        self.affinity_matrix_ = graph
        self.labels_ = np.where(found.side, 0, 1)
        self.cut_value_ = found.value
        self.n_iter_ = found.n_rounds
        self.history_ = history
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


def _graph(p: SimpleNamespace, rows: Any) -> sp.csr_array:
    """The graph of the rows: symmetric, without loops, float64."""
    if p.affinity == "precomputed":
        return sp.csr_array(without_loops(take_weights_of_edges(rows, name="X")))
    if p.affinity == "rbf":
        return sp.csr_array(gaussian_graph(rows, p.sigma, metric=p.metric))
    if p.affinity == "epsilon":
        return epsilon_graph(rows, p.radius, metric=p.metric, mode="similarity", sigma=p.sigma)
    k = min(p.n_neighbors, rows.shape[0] - 1)
    mutual = p.affinity == "mutual_neighbors"
    return neighbor_graph(rows, k, mutual=mutual, metric=p.metric, mode="similarity", sigma=p.sigma)
