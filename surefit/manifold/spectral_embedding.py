"""Laplacian eigenmaps."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import Estimator, fitting
from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidData
from surefit._core.params import Range
from surefit._core.random import RandomStateLike
from surefit.engine.open import need_memory
from surefit.graphs.laplacians import LaplacianKind
from surefit.solvers.spectral.affinity_graph import GIVEN, NEIGHBORS, affinity_graph
from surefit.solvers.spectral.graph_pairs import GraphPairs, graph_pairs

TOLERANCE = 1e-7


class SpectralEmbedding(Estimator):
    """Coordinates in which joined rows of a graph lie near each other: the smallest eigenvectors of its Laplacian.

        min over Y of  ½ Σᵢⱼ wᵢⱼ ‖yᵢ − yⱼ‖²    with  YᵀD Y = I  and  YᵀD 1 = 0

    The columns of Y are the generalized eigenvectors  (D − W) y = λ D y  after the constant one (Belkin and Niyogi,
    2003). The sign of a column makes its entry of largest size positive. A graph in several components has one
    coordinate constant on each for every component beyond the first, and a warning says how many there are.

    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates Y.
    eigenvalues_ : ndarray of shape (n_components,)
        λ of each.
    affinity_matrix_ : CSR or ndarray of shape (n_samples, n_samples)
        The graph.
    n_neighbors_ : int
        Neighbors used, the row itself among them; for graphs of neighbors.
    gamma_ : float
        The gamma used; for affinity='rbf'.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.manifold import SpectralEmbedding
    >>> path = np.diag([1.0, 1.0, 1.0], 1) + np.diag([1.0, 1.0, 1.0], -1)
    >>> SpectralEmbedding(1, affinity="precomputed").fit(path).eigenvalues_.round(6)
    array([0.5])
    """

    embedding_: np.ndarray
    eigenvalues_: np.ndarray
    affinity_matrix_: Any
    n_neighbors_: int
    gamma_: float

    def __init__(
        self,
        n_components: Annotated[int, Range(1), "Coordinates."] = 2,
        *,
        affinity: Annotated[
            Literal[
                "nearest_neighbors",
                "mutual_neighbors",
                "epsilon",
                "rbf",
                "precomputed",
                "precomputed_nearest_neighbors",
            ]
            | Callable,
            "The graph: neighbors, rows within `radius` ('epsilon'), a Gaussian kernel, a function that makes it of X, "
            "or X itself ('precomputed', or 'precomputed_nearest_neighbors' for distances).",
        ] = "nearest_neighbors",
        gamma: Annotated[float | None, Range(0, open="high"), "Of rbf; None is 1/n_features."] = None,
        random_state: Annotated[RandomStateLike, "Accepted for scikit-learn's sake: nothing depends on it."] = None,
        eigen_solver: Annotated[
            Literal["arpack", "lobpcg", "amg"] | None, "Accepted for scikit-learn's sake: there is one solver."
        ] = None,
        eigen_tol: Annotated[
            float | Literal["auto"],
            Range(0, open="high"),
            "Residual of an eigenpair over its eigenvalue; 'auto' is 1e-7, 0 is rounding.",
        ] = "auto",
        n_neighbors: Annotated[
            int | None, Range(1), "Of graphs of neighbors, the row itself counted; None is n_samples/10."
        ] = None,
        n_jobs: Annotated[int | None, "Accepted for scikit-learn's sake."] = None,
        laplacian: Annotated[
            LaplacianKind,
            "'symmetric' and 'random_walk': D^{-½} times the eigenvectors of the symmetric Laplacian, as scikit-learn, "
            "which are those of the random walk; 'unnormalized': the eigenvectors of D − W, YᵀY = I.",
        ] = "symmetric",
        radius: Annotated[
            float | None, Range(0, open="both"), "Largest distance of joined rows; for 'epsilon'."
        ] = None,
    ) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.random_state = random_state
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.laplacian = laplacian
        self.radius = radius

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows X (array, dataframe or CSR), or the vertices of a graph for affinity='precomputed'."""
        p = self._checked()
        need_memory(self, X, instead="PCA")
        rows = take_rows(self, X, reset=True, min_rows=2)
        n = rows.shape[0]
        if p.n_components >= n:
            raise InvalidData(f"n_components={p.n_components} must be less than n_samples={n}.")
        self.affinity_matrix_ = self._graph(p, rows)
        kind: LaplacianKind = "unnormalized" if p.laplacian == "unnormalized" else "random_walk"
        tol = TOLERANCE if p.eigen_tol == "auto" else float(p.eigen_tol)
        pairs = graph_pairs(self.affinity_matrix_, p.n_components + 1, kind, tol=tol, constant_first=True)
        self.eigenvalues_ = pairs.values[1:]
        self.embedding_ = np.ascontiguousarray(pairs.vectors[:, 1:], dtype=rows.dtype)
        _warn(pairs)
        return self

    def _graph(self, p: SimpleNamespace, rows: Any) -> Any:
        n = rows.shape[0]
        for name in ("n_neighbors_", "gamma_"):
            self.__dict__.pop(name, None)
        if callable(p.affinity):
            W = p.affinity(rows)
            return W if sp.issparse(W) else np.asarray(W)
        if p.affinity in NEIGHBORS:
            self.n_neighbors_ = max(n // 10, 1) if p.n_neighbors is None else int(p.n_neighbors)
        if p.affinity == "rbf":
            self.gamma_ = 1.0 / rows.shape[1] if p.gamma is None else float(p.gamma)
        W = affinity_graph(
            rows,
            p.affinity,
            n_neighbors=getattr(self, "n_neighbors_", 1),
            radius=p.radius,
            gamma=getattr(self, "gamma_", 1.0),
        )
        return W if sp.issparse(W) else W.astype(rows.dtype, copy=False)

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """`fit(X)`, and the coordinates."""
        return self.fit(X, y).embedding_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.affinity, str) and self.affinity in GIVEN
        tags.input_tags.positive_only = tags.input_tags.pairwise
        return tags


def spectral_embedding(
    adjacency: Any,
    *,
    n_components: int = 8,
    eigen_solver: str | None = None,
    random_state: RandomStateLike = None,
    eigen_tol: float | str = "auto",
    norm_laplacian: bool = True,
    drop_first: bool = True,
) -> np.ndarray:
    """Coordinates of the vertices of a graph: `SpectralEmbedding(affinity='precomputed', …)` as a function.

    norm_laplacian   eigenvectors of the symmetric Laplacian over √degree; else those of D − W
    drop_first       without the constant coordinate; else it is the first of the n_components

    Examples
    --------
    >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> np.abs(spectral_embedding(path, n_components=1)).round(3).ravel().tolist()
    [0.707, 0.0, 0.707]
    """
    wanted = n_components if drop_first else n_components - 1
    model = SpectralEmbedding(
        max(wanted, 1),
        affinity="precomputed",
        random_state=random_state,
        eigen_solver=eigen_solver,  # type: ignore[arg-type]
        eigen_tol=eigen_tol,  # type: ignore[arg-type]
        laplacian="symmetric" if norm_laplacian else "unnormalized",
    ).fit(adjacency)
    found = model.embedding_[:, :wanted]
    if drop_first:
        return found
    W = model.affinity_matrix_
    total = float(W.sum() - W.diagonal().sum()) if norm_laplacian else float(W.shape[0])
    return np.column_stack([np.full(len(found), total**-0.5), found]).astype(found.dtype)


def _warn(pairs: GraphPairs) -> None:
    if pairs.n_components > 1:
        warnings.warn(
            f"Graph is not fully connected: it has {pairs.n_components} components, and the first "
            f"{pairs.n_components - 1} coordinates only tell these from each other. Raise n_neighbors, radius or the "
            "width of the kernel, or embed each component by itself.",
            stacklevel=6,
        )
    if not pairs.converged:
        warnings.warn(
            f"the eigenvectors stopped after {pairs.n_iter} rounds at a residual of {pairs.residual:.1e}; raise "
            "eigen_tol",
            ConvergenceWarning,
            stacklevel=6,
        )
