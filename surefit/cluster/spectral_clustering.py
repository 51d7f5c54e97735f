"""Spectral clustering."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import Estimator, fitting
from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidData
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit._core.random import RandomStateLike, random_stream
from surefit.cluster.kmeans import KMeans
from surefit.engine.open import need_memory
from surefit.graphs.cuts import cuts_of
from surefit.graphs.laplacians import LaplacianKind, row_sums
from surefit.solvers.spectral.affinity_graph import GIVEN, affinity_graph
from surefit.solvers.spectral.graph_pairs import GraphPairs, graph_pairs
from surefit.solvers.spectral.partition import cluster_qr, discretize

AffinityName = Literal[
    "nearest_neighbors", "mutual_neighbors", "epsilon", "rbf", "precomputed", "precomputed_nearest_neighbors",
    "additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "sigmoid",
]  # fmt: skip


def default_tolerance(n_rows: int) -> float:
    """Of few rows the eigenpairs can be certified to 1e-6; of many only the groups, which 1e-4 decides as well."""
    return 1e-8 if n_rows <= 6000 else 1e-4


NO_EIGENVALUE = 1e-12
"""Of the size of a Laplacian: eigenvalues below are rounding, and count as this much in an eigengap."""


class SpectralClustering(ClusterMixin, Estimator):
    """Groups that few, light edges of a graph join: k-means on the eigenvectors of its Laplacian.

    A graph is made of the rows (wᵢⱼ ≥ 0, the similarity of rows i and j; d its degrees). The k smallest eigenvalues of
    its Laplacian and their eigenvectors solve the relaxation of the normalized cut  Σ_c W(A_c, rest)/vol(A_c)  or, for
    the unnormalized Laplacian, of the ratio cut  Σ_c W(A_c, rest)/|A_c| : the sum of the eigenvalues is below every cut
    into k groups. Rows of the eigenvectors are then grouped. A graph in several components is fine: each component is
    a group of cut 0, and its eigenvector is written down, not searched for.

    {parameters}

    Attributes
    ----------
    affinity_matrix_ : CSR or ndarray of shape (n_samples, n_samples)
        The graph.
    labels_ : ndarray of shape (n_samples,)
        The group of each row.
    eigenvalues_ : ndarray
        The smallest eigenvalues of the Laplacian, one more than vectors are used, where there are so many.
    embedding_ : ndarray of shape (n_samples, n_components)
        The rows that were grouped.
    n_clusters_ : int
        How many groups.
    n_components_graph_ : int
        Connected components of the graph.
    cut_, ratio_cut_, normalized_cut_ : float
        What the groups cut: edges between groups, each once; over the sizes, and over the volumes of groups.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import SpectralClustering
    >>> X = np.array([[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]])
    >>> model = SpectralClustering(n_clusters=2, random_state=0).fit(X)
    >>> int(model.labels_[0] == model.labels_[2]), int(model.labels_[0] == model.labels_[3])
    (1, 0)
    """

    affinity_matrix_: Any
    labels_: np.ndarray
    eigenvalues_: np.ndarray
    embedding_: np.ndarray
    n_clusters_: int
    n_components_graph_: int
    cut_: float
    ratio_cut_: float
    normalized_cut_: float

    def __init__(
        self,
        n_clusters: Annotated[
            int | Literal["eigengap"],
            Range(1),
            "How many groups; 'eigengap': as many as components if there are several (max_clusters at most), else the "
            "k from 2 to max_clusters with the largest λₖ₊₁/λₖ, where eigenvalues below 1e-12 (for the unnormalized "
            "Laplacian, of the largest degree) count as that.",
        ] = 8,
        *,
        eigen_solver: Annotated[
            Literal["arpack", "lobpcg", "amg"] | None, "Accepted for scikit-learn's sake: there is one solver."
        ] = None,
        n_components: Annotated[int | None, Range(1), "Eigenvectors to use; None takes as many as groups."] = None,
        random_state: Annotated[RandomStateLike, "Seed or stream of the starts of k-means; None is 0."] = None,
        n_init: Annotated[int, Range(1), "Starts of k-means, of which the best is kept."] = 10,
        gamma: Annotated[float, Range(0, open="high"), "Of rbf, poly, sigmoid, laplacian and chi2."] = 1.0,
        affinity: Annotated[
            AffinityName | Callable,
            "The graph: neighbors ('nearest_neighbors', 'mutual_neighbors'), rows within `radius` ('epsilon'), a "
            "kernel, a function of two rows, or X itself ('precomputed', or its distances as neighbors).",
        ] = "rbf",
        n_neighbors: Annotated[int, Range(1), "Of graphs of neighbors; the row itself is one of them."] = 10,
        eigen_tol: Annotated[
            float | Literal["auto"],
            Range(0, open="high"),
            "Residual of an eigenpair over its eigenvalue; 'auto' is 1e-8, above 6,000 rows 1e-4; 0 is rounding.",
        ] = "auto",
        assign_labels: Annotated[
            Literal["kmeans", "discretize", "cluster_qr"], "How the rows of the eigenvectors are grouped."
        ] = "kmeans",
        degree: Annotated[float, Range(0, open="high"), "Of the polynomial kernel."] = 3,
        coef0: Annotated[float, Range(open="both"), "Of the polynomial and the sigmoid kernel."] = 1,
        kernel_params: Annotated[dict | None, "Keyword arguments for a function."] = None,
        n_jobs: Annotated[int | None, "Accepted for scikit-learn's sake."] = None,
        verbose: Annotated[int | bool, Range(0), "Print the iterations of k-means."] = False,
        laplacian: Annotated[
            LaplacianKind,
            "'random_walk': rows of D^{-½}U, as scikit-learn; 'symmetric': rows of U made of length one (Ng, Jordan "
            "and Weiss), with U the eigenvectors of D^{-½}(D − W)D^{-½}; 'unnormalized': rows of those of D − W.",
        ] = "random_walk",
        radius: Annotated[
            float | None, Range(0, open="both"), "Largest distance of joined rows; for 'epsilon'."
        ] = None,
        max_clusters: Annotated[int, Range(2), "Most groups that 'eigengap' considers."] = 10,
    ) -> None:
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.laplacian = laplacian
        self.radius = radius
        self.max_clusters = max_clusters

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Group the rows X (array, dataframe or CSR), or the vertices of a graph for affinity='precomputed'."""
        p = self._checked()
        need_memory(self, X, instead="KMeans")
        rows = take_rows(self, X, reset=True, min_rows=2)
        self.affinity_matrix_ = affinity_graph(
            rows,
            p.affinity,
            n_neighbors=p.n_neighbors,
            radius=p.radius,
            gamma=float(p.gamma),
            degree=p.degree,
            coef0=p.coef0,
            kernel_params=p.kernel_params,
        )
        pairs = self._pairs(p)
        self.embedding_ = narrowed(_rows(pairs, p.n_components or self.n_clusters_, p.laplacian), rows.dtype)
        self.labels_ = _labels(p, self.embedding_, self.n_clusters_)
        self.cut_, self.ratio_cut_, self.normalized_cut_ = cuts_of(pairs.weights, self.labels_)
        return self

    def _pairs(self, p: SimpleNamespace) -> GraphPairs:
        n = self.affinity_matrix_.shape[0]
        most = p.max_clusters if p.n_clusters == "eigengap" else p.n_clusters
        if p.n_clusters != "eigengap" and most > n:
            raise InvalidData(f"n_samples={n} should be >= n_clusters={most}.")
        wanted = min(max(most, p.n_components or 0) + 1, n)
        tol = default_tolerance(n) if p.eigen_tol == "auto" else float(p.eigen_tol)
        pairs = graph_pairs(self.affinity_matrix_, wanted, p.laplacian, tol=tol)
        self.eigenvalues_ = pairs.values
        self.n_components_graph_ = pairs.n_components
        self.n_clusters_ = _by_eigengap(pairs, most, p.laplacian) if p.n_clusters == "eigengap" else int(p.n_clusters)
        _warn(pairs, self.n_clusters_)
        return pairs

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """`fit(X)`, then the group of each row."""
        return self.fit(X, y).labels_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.affinity, str) and self.affinity in GIVEN
        tags.input_tags.positive_only = tags.input_tags.pairwise
        return tags


def spectral_clustering(
    affinity: Any,
    *,
    n_clusters: int | str = 8,
    n_components: int | None = None,
    eigen_solver: str | None = None,
    random_state: RandomStateLike = None,
    n_init: int = 10,
    eigen_tol: float | str = "auto",
    assign_labels: str = "kmeans",
    verbose: int | bool = False,
    laplacian: str = "random_walk",
) -> np.ndarray:
    """The groups of the vertices of a graph: `SpectralClustering(affinity='precomputed', …).fit(affinity).labels_`.

    Examples
    --------
    >>> W = [[0, 5, 0, 0], [5, 0, 1, 0], [0, 1, 0, 5], [0, 0, 5, 0]]
    >>> labels = spectral_clustering(W, n_clusters=2, random_state=0)
    >>> int(labels[0] == labels[1]), int(labels[1] == labels[2])
    (1, 0)
    """
    model = SpectralClustering(
        n_clusters,  # type: ignore[arg-type]
        n_components=n_components,
        eigen_solver=eigen_solver,  # type: ignore[arg-type]
        random_state=random_state,
        n_init=n_init,
        eigen_tol=eigen_tol,  # type: ignore[arg-type]
        assign_labels=assign_labels,  # type: ignore[arg-type]
        verbose=verbose,
        affinity="precomputed",
        laplacian=laplacian,  # type: ignore[arg-type]
    )
    return model.fit(affinity).labels_


def _by_eigengap(pairs: GraphPairs, most: int, kind: LaplacianKind) -> int:
    """As many as components, or the k ≥ 2 whose next eigenvalue is the largest multiple of its own."""
    if pairs.n_components > 1:
        return min(pairs.n_components, most)
    if len(pairs.values) < 3:
        return len(pairs.values)
    size = float(row_sums(pairs.weights).max()) if kind == "unnormalized" else 1.0
    values = np.maximum(pairs.values, NO_EIGENVALUE * size)
    return int(np.argmax(values[2:] / values[1:-1])) + 2


def _warn(pairs: GraphPairs, n_clusters: int) -> None:
    c = pairs.n_components
    if c > 1:
        so = f"{n_clusters} groups join some of them at no cost" if c > n_clusters else "none of them is cut needlessly"
        warnings.warn(
            f"Graph is not fully connected: it has {c} components, and {so}. More neighbors or a wider kernel join "
            "them.",
            stacklevel=6,
        )
    if not pairs.converged:
        warnings.warn(
            f"the eigenvectors stopped after {pairs.n_iter} rounds at a residual of {pairs.residual:.1e}; raise "
            "eigen_tol",
            ConvergenceWarning,
            stacklevel=6,
        )


def _rows(pairs: GraphPairs, m: int, kind: LaplacianKind) -> np.ndarray:
    rows = np.ascontiguousarray(pairs.vectors[:, :m])
    if kind == "symmetric":
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / np.where(lengths > 0, lengths, 1.0)
    return rows


def _labels(p: SimpleNamespace, rows: np.ndarray, k: int) -> np.ndarray:
    if p.verbose:
        print(f"Computing label assignment using {p.assign_labels}")
    stream = random_stream(0 if p.random_state is None else p.random_state)
    if p.assign_labels == "cluster_qr":
        return cluster_qr(rows)
    if p.assign_labels == "discretize":
        return discretize(rows, stream)
    with warnings.catch_warnings():  # rows of one component may differ by rounding alone, where k-means does not end
        warnings.filterwarnings("ignore", "KMeans stopped by tol=0", ConvergenceWarning)
        return KMeans(k, n_init=p.n_init, tol=0.0, random_state=stream, verbose=p.verbose).fit(rows).labels_
