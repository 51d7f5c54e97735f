"""Locally linear embedding: points that their neighbors rebuild with the weights of the data."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.random import RandomStateLike
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.graphs import connected_components
from surefit.search.metric import dense_rows, resolve_metric
from surefit.solvers.embedding.alignment import alignment_matrix
from surefit.solvers.embedding.local_weights import local_weights, null_vector, rebuilt, weights_matrix
from surefit.solvers.embedding.neighborhoods import Neighborhoods
from surefit.solvers.spectral.smallest_pairs import smallest_pairs


class LocallyLinearEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """min over centered points with YᵀY = 1 of ‖(1 − W) Y‖² , W the weights that rebuild each row from its neighbors.

    Neighbors are the `n_neighbors` nearest rows, or all within `radius`. The points are the lowest eigenvectors of
    M = (1 − W)ᵀ(1 − W) beyond the constant one (Roweis and Saul, 2000). The other methods put another matrix in the
    place of M: several weights for each row (`modified`), local Hessians (`hessian`), local tangent spaces (`ltsa`).

    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points: orthonormal columns; in each the entry of largest size is positive.
    reconstruction_error_ : float
        Σ of the eigenvalues; for the standard method ‖(1 − W) Y‖².
    eigenvalues_ : ndarray of shape (n_components,)
        Of the matrix of the method, smallest first, without that of the constant vector.
    weights_ : CSR of shape (n_samples, n_samples)
        W, rows sum to one; for the standard method.
    nbrs_ : object
        The fitted rows and their neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.manifold import LocallyLinearEmbedding
    >>> t = np.linspace(0, 3, 30)
    >>> curve = np.column_stack([np.cos(t), np.sin(t), t**2])
    >>> line = LocallyLinearEmbedding(n_components=1, n_neighbors=4).fit_transform(curve)[:, 0]
    >>> bool((np.diff(line) > 0).all() or (np.diff(line) < 0).all())
    True
    """

    embedding_: np.ndarray
    reconstruction_error_: float
    eigenvalues_: np.ndarray
    weights_: sp.csr_array
    nbrs_: Neighborhoods

    def __init__(
        self,
        *,
        n_neighbors: Annotated[int | None, Range(1), "Neighbors of each row; None where `radius` is given."] = 5,
        n_components: Annotated[int, Range(1), "Dimensions of the points."] = 2,
        reg: Annotated[float, Range(0, open="high"), "Penalty of the weights, relative to the spread."] = 1e-3,
        eigen_solver: Annotated[
            Literal["auto", "arpack", "dense"], "'dense': LAPACK; else sparse matrices are iterated on."
        ] = "auto",
        tol: Annotated[float, Range(0, open="high"), "Relative residual at which the iteration stops."] = 1e-6,
        max_iter: Annotated[int, Range(1), "Most rounds of the iteration."] = 100,
        method: Annotated[
            Literal["standard", "hessian", "modified", "ltsa"], "Which matrix is decomposed."
        ] = "standard",
        hessian_tol: Annotated[float, Range(0, open="high"), "Sums of Hessian rows below it count as zero."] = 1e-4,
        modified_tol: Annotated[float, Range(0, open="high"), "Reflections shorter than it are left out."] = 1e-12,
        neighbors_algorithm: Annotated[
            Literal["auto", "brute", "kd_tree", "ball_tree"], "How neighbors are searched; the answer is the same."
        ] = "auto",
        random_state: Annotated[RandomStateLike, "Accepted for scikit-learn's sake: nothing depends on it."] = None,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
        radius: Annotated[float | None, Range(0, open="both"), "Rows within this distance are neighbors."] = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.radius = radius

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the rows X: array, dataframe or CSR. `y` is not used."""
        p = self._checked()
        rows = open_data(self, X, stream=False, instead="PCA", min_rows=2).X
        _check_sizes(p, *rows.shape)
        self.nbrs_ = Neighborhoods(rows, resolve_metric("euclidean"), p.n_neighbors, p.radius, p.neighbors_algorithm)
        near = self.nbrs_.graph()
        self._explain(near)
        self.__dict__.pop("weights_", None)
        unit = _unit(rows)
        M = self._matrix(p, dense_rows(rows) / unit, near)
        self._solve(p, M, rows.shape[0], rows.dtype)
        return self

    def _matrix(self, p: SimpleNamespace, X: np.ndarray, near: sp.csr_array) -> sp.csr_array:
        if p.method != "standard":
            return alignment_matrix(
                X, near, p.method, p.n_components, hessian_tol=p.hessian_tol, modified_tol=p.modified_tol
            )
        self.weights_ = local_weights(X, X, near, p.reg, p.n_jobs)
        return weights_matrix(self.weights_)

    def _solve(self, p: SimpleNamespace, M: sp.csr_array, n: int, dtype: np.dtype) -> None:
        k = p.n_components
        A = M.toarray() if p.eigen_solver == "dense" else M
        found = smallest_pairs(A, k + 1, tol=min(max(float(p.tol), 1e-9), 1e-6), null_space=null_vector(n))
        if not found.converged:
            warnings.warn(
                f"the eigenvectors have residuals up to {found.residual_norms.max():.1e}; try eigen_solver='dense', or "
                "more neighbors",
                ConvergenceWarning,
                stacklevel=5,
            )
        self.eigenvalues_ = found.values[1:]
        self.reconstruction_error_ = float(found.values[1:].sum())
        self.embedding_ = found.vectors[:, 1:].astype(dtype)

    def _explain(self, near: sp.csr_array) -> None:
        """A row without neighbors cannot be rebuilt; components are placed without regard to each other."""
        alone = np.flatnonzero(np.diff(near.indptr) == 0)
        if len(alone):
            raise InvalidData(
                f"{len(alone)} rows (the first is {alone[0]}) have no neighbor within radius={self.radius}: raise it"
            )
        count, labels = connected_components(near)
        if count > 1:
            sizes = np.sort(np.bincount(labels))[::-1]
            warnings.warn(
                f"the graph of neighbors has {count} connected components (the largest have "
                f"{', '.join(str(size) for size in sizes[:3])} rows): the first coordinates tell them from each other, "
                "and where they lie to each other means nothing. Raise n_neighbors or radius, or embed each by itself.",
                stacklevel=5,
            )

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit(X)`, and the points."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Any:
        """Places of new rows: rebuilt from those of their neighbors with the weights that rebuild the rows."""
        check_is_fitted(self)
        unit = _unit(self.nbrs_.X_fit_)

        def place(rows: Any) -> np.ndarray:
            near = self.nbrs_.of(rows)
            if (np.diff(near.indptr) == 0).any():
                raise InvalidData(f"some rows have no fitted row within radius={self.radius}: they cannot be placed")
            fitted = dense_rows(self.nbrs_.X_fit_) / unit
            W = local_weights(dense_rows(rows) / unit, fitted, near, self.reg, self.n_jobs)
            return rebuilt(W, self.embedding_.astype(np.float64)).astype(self.embedding_.dtype)

        return apply_rows(self, X, place)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        return tags


def locally_linear_embedding(
    X: Any,
    *,
    n_neighbors: int,
    n_components: int,
    reg: float = 1e-3,
    eigen_solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 100,
    method: str = "standard",
    hessian_tol: float = 1e-4,
    modified_tol: float = 1e-12,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, float]:
    """(points, reconstruction error) of `LocallyLinearEmbedding(…)` of X, rows or a fitted search for neighbors.

    Examples
    --------
    >>> from sklearn.datasets import make_swiss_roll
    >>> points, error = locally_linear_embedding(make_swiss_roll(100, random_state=0)[0], n_neighbors=8, n_components=2)
    >>> points.shape, error < 1e-5
    ((100, 2), True)
    """
    model = LocallyLinearEmbedding(
        n_neighbors=n_neighbors,
        n_components=n_components,
        reg=reg,
        eigen_solver=eigen_solver,  # type: ignore[arg-type]
        tol=tol,
        max_iter=max_iter,
        method=method,  # type: ignore[arg-type]
        hessian_tol=hessian_tol,
        modified_tol=modified_tol,
        random_state=random_state,
        n_jobs=n_jobs,
    ).fit(getattr(X, "X_fit_", X))
    return model.embedding_, model.reconstruction_error_


def _unit(rows: Any) -> float:
    """What rows are divided by where their squares would leave the range of floating point."""
    largest = float(abs(rows).max())
    return 1.0 if 1e-100 < largest < 1e100 or largest == 0 else largest


def _check_sizes(p: SimpleNamespace, n: int, d: int) -> None:
    if (p.n_neighbors is None) == (p.radius is None):
        raise InvalidParameter("LocallyLinearEmbedding needs one of n_neighbors and radius: set the other to None")
    k, c = p.n_neighbors, p.n_components
    if c > d:
        raise InvalidData(
            f"output dimension must be less than or equal to input dimension: n_components={c}, {d} columns"
        )
    if c >= n:
        raise InvalidData(f"n_components={c} must be below the number of rows, {n}")
    if p.method == "hessian" and k is not None and k <= c * (c + 3) // 2:
        raise InvalidParameter(
            "for method='hessian', n_neighbors must be greater than [n_components * (n_components + 3) / 2]; "
            f"got {k} for {c} components"
        )
    if p.method == "modified" and k is not None and k < c:
        raise InvalidParameter(f"modified LLE requires n_neighbors >= n_components; got {k} and {c}")
