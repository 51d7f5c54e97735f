"""Isomap: classical scaling of distances along the data."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.graphs import connected_components
from surefit.manifold.scaling import leading_pairs
from surefit.search.metric import Metric, resolve_metric
from surefit.solvers.embedding.geodesics import Paths, joined, residual_variance
from surefit.solvers.embedding.landmarks import Triangulation, farthest_first
from surefit.solvers.embedding.neighborhoods import Neighborhoods
from surefit.solvers.embedding.squared_distances import CenteredSquares

QUERY_ROWS = 256


class Isomap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Points whose distances are those along the data: classical scaling of shortest paths between neighbors.

    Each row is joined to its `n_neighbors` nearest, or to all within `radius`; the distance of two rows is that of the
    shortest path; and the points are √λ v of the leading eigenpairs of −½ J D² J (Tenenbaum, de Silva and Langford,
    2000). With `landmarks` only the paths from a few rows are computed, and all rows are placed by these.

    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    dist_matrix_ : ndarray of shape (n_samples, n_samples)
        Lengths of shortest paths; with landmarks those from the landmarks, (n_landmarks, n_samples).
    eigenvalues_ : ndarray of shape (n_components,)
        Of −½ J D² J, largest first; zero where there is no further positive one.
    residual_variance_ : float
        1 − r² of the lengths of paths and the distances of the points: what the points do not show.
    kernel_pca_ : object
        Places rows from the kernel −½ D²: `eigenvalues_`, `eigenvectors_`, `transform(K)`.
    nbrs_ : object
        The fitted rows and their neighbors.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        The rows that are landmarks, if `landmarks` is given.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.manifold import Isomap
    >>> t = np.linspace(0, np.pi, 9)
    >>> arc = np.column_stack([np.cos(t), np.sin(t)])
    >>> line = Isomap(n_neighbors=2, n_components=1).fit_transform(arc)
    >>> abs(int(np.sign(np.diff(line[:, 0])).sum()))  # the arc unrolled: all eight steps go one way
    8
    """

    embedding_: np.ndarray
    dist_matrix_: np.ndarray
    eigenvalues_: np.ndarray
    residual_variance_: float
    kernel_pca_: Triangulation
    nbrs_: Neighborhoods
    landmark_indices_: np.ndarray

    def __init__(
        self,
        *,
        n_neighbors: Annotated[int | None, Range(1), "Neighbors of each row; None where `radius` is given."] = 5,
        radius: Annotated[float | None, Range(0), "Rows within this distance are neighbors."] = None,
        n_components: Annotated[int, Range(1), "Dimensions of the points."] = 2,
        eigen_solver: Annotated[
            Literal["auto", "arpack", "dense"], "'dense': LAPACK; 'arpack': Lanczos in blocks; 'auto' chooses by shape."
        ] = "auto",
        tol: Annotated[float, Range(0, open="high"), "Relative residual at which Lanczos stops; 0 is rounding."] = 0,
        max_iter: Annotated[int | None, Range(1), "Accepted for scikit-learn's sake: Lanczos goes on."] = None,
        path_method: Annotated[
            Literal["auto", "FW", "D"], "Shortest paths by Floyd and Warshall or by Dijkstra ('auto')."
        ] = "auto",
        neighbors_algorithm: Annotated[
            Literal["auto", "brute", "kd_tree", "ball_tree"], "How neighbors are searched; the answer is the same."
        ] = "auto",
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
        metric: Annotated[
            str | Callable,
            "Name of a distance, a function of two rows, or 'precomputed': X are distances, or a sparse graph of them.",
        ] = "minkowski",
        p: Annotated[float, Range(1), "Of Minkowski's distance."] = 2,
        metric_params: Annotated[dict | None, "Keyword arguments for the metric."] = None,
        landmarks: Annotated[int | None, Range(2), "How many rows are landmarks; None takes all rows."] = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.landmarks = landmarks

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the rows X: array, dataframe or CSR; or distances, or a sparse graph of them. `y` is not used."""
        p = self._checked()
        _check_neighbors(p)
        metric = resolve_metric(p.metric, p=p.p, metric_params=p.metric_params)
        rows = open_data(self, X, stream=False, instead="PCA", min_rows=2).X
        self.nbrs_ = Neighborhoods(rows, metric, p.n_neighbors, p.radius, p.neighbors_algorithm)
        paths = Paths(self._connected(self.nbrs_.graph(), rows, self.nbrs_.metric), p.n_jobs)
        self.__dict__.pop("landmark_indices_", None)
        self._place(p, paths, np.dtype(np.float32) if rows.dtype == np.float32 else np.dtype(np.float64))
        return self

    def _connected(self, graph: sp.csr_array, rows: Any, metric: Metric) -> sp.csr_array:
        count, labels = connected_components(graph)
        if count == 1:
            return graph
        words = f"The number of connected components of the neighbors graph is {count} > 1"
        if metric.is_precomputed and sp.issparse(rows):
            raise _Disconnected(
                f"{words}, and a sparse graph does not say how far they are from each other: Isomap cannot be fitted. "
                "Build the graph with more neighbors, or pass the distances of all pairs."
            )
        sizes = np.sort(np.bincount(labels))[::-1]
        warnings.warn(
            f"{words} (the largest have {', '.join(str(size) for size in sizes[:3])} rows). They are joined where they "
            "come nearest, which bends the embedding there: raise n_neighbors or radius, or embed each component by "
            "itself.",
            stacklevel=5,
        )
        return joined(graph, labels, rows, metric)

    def _place(self, p: SimpleNamespace, paths: Paths, dtype: np.dtype) -> None:
        n = paths.n
        k = min(p.n_components, n)
        if p.landmarks is not None and p.landmarks < n:
            if p.landmarks <= k:
                raise InvalidParameter(f"Isomap(landmarks={p.landmarks}) must be more than n_components={k}")
            chosen, table = farthest_first(lambda i: paths.from_sources(np.array([i]))[0], n, p.landmarks)
            self.landmark_indices_, self.dist_matrix_ = chosen, table.astype(dtype, copy=False)
            squares = CenteredSquares(table[:, chosen], p.n_jobs)
        else:
            chosen = np.arange(n)
            self.dist_matrix_ = paths.between_all(p.path_method, dtype)
            squares = CenteredSquares(self.dist_matrix_, p.n_jobs)
        iterate = {"auto": None, "dense": False, "arpack": n > 50}[p.eigen_solver]
        pairs = leading_pairs(squares, k, iterate=iterate, tol=float(p.tol))
        self.kernel_pca_ = Triangulation(pairs.values, pairs.vectors, squares.mean_sq, squares.unit)
        landmarks = hasattr(self, "landmark_indices_")
        places = self.kernel_pca_.place(self.dist_matrix_.T) if landmarks else pairs.places()
        self.embedding_ = narrowed(places, dtype)
        self.eigenvalues_ = narrowed(pairs.eigenvalues(), dtype)
        self.residual_variance_ = residual_variance(self.dist_matrix_, places[chosen], places, p.n_jobs)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit(X)`, and the points."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Any:
        """Places of new rows: their paths go through their neighbors among the fitted rows."""
        check_is_fitted(self)

        def place(rows: Any) -> np.ndarray:
            dtype = np.float32 if rows.dtype == np.float32 else np.float64
            out = np.empty((rows.shape[0], len(self.eigenvalues_)), dtype)
            near = self.nbrs_.of(rows)
            alone = np.flatnonzero(np.diff(near.indptr) == 0)
            if len(alone):
                raise InvalidData(
                    f"{len(alone)} rows (the first is row {alone[0]}) have no fitted row within radius={self.radius}: "
                    "they cannot be placed"
                )
            for start in range(0, rows.shape[0], QUERY_ROWS):
                out[start : start + QUERY_ROWS] = self._placed(near[start : start + QUERY_ROWS])
            return out

        return apply_rows(self, X, place)

    def _placed(self, near: sp.csr_array) -> np.ndarray:
        """g(x, i) = min over neighbors j of x of  d(x, j) + D(j, i)"""
        D = self.dist_matrix_.T if hasattr(self, "landmark_indices_") else self.dist_matrix_
        lengths = np.empty((near.shape[0], D.shape[1]))
        for row in range(near.shape[0]):
            these = slice(near.indptr[row], near.indptr[row + 1])
            lengths[row] = (D[near.indices[these]] + near.data[these, None]).min(axis=0)
        return self.kernel_pca_.place(lengths)

    def reconstruction_error(self) -> float:
        """‖K(D) − K(D of the points)‖ / n, with K(D) = −½ J D² J; of the landmarks, if there are any."""
        check_is_fitted(self)
        D = self.dist_matrix_
        D = D[:, self.landmark_indices_] if hasattr(self, "landmark_indices_") else D
        squares = CenteredSquares(D, self.n_jobs)
        left = squares.sq_norm() - float(np.square(self.kernel_pca_.eigenvalues_ / squares.unit**2).sum())
        return float(np.sqrt(max(left, 0.0))) * squares.unit**2 / len(D)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags


class _Disconnected(InvalidData, RuntimeError):
    """scikit-learn's kind of error for a graph that cannot be joined."""


def _check_neighbors(p: SimpleNamespace) -> None:
    if p.n_neighbors is not None and p.radius is not None:
        raise InvalidParameter(
            "Both n_neighbors and radius are provided. Use Isomap(radius=…, n_neighbors=None) for neighbors within a "
            "radius"
        )
    if p.n_neighbors is None and p.radius is None:
        raise InvalidParameter("Isomap needs n_neighbors or radius; both are None")
