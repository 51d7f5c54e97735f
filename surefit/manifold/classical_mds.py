"""Classical multidimensional scaling: points whose inner products are those of the distances."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.engine.open import open_data
from surefit.manifold.scaling import Pairs, is_euclidean, leading_pairs, pairs_of_rows
from surefit.search.metric import Metric, resolve_metric
from surefit.solvers.embedding.dissimilarities import given_dissimilarities, pairwise_distances
from surefit.solvers.embedding.landmarks import Triangulation, farthest_first
from surefit.solvers.embedding.squared_distances import CenteredSquares, negative_share
from surefit.solvers.numerics.eigen_basis import fix_signs


class ClassicalMDS(Estimator):
    """Points with given distances: Z = V √Λ of the leading eigenpairs of B = −½ J D² J, J = 1 − 11ᵀ/n.

    Of all configurations in so many dimensions, Z has inner products nearest to B (Torgerson, 1952). If D are Euclidean
    distances of rows, Z are their principal components. Only the leading pairs are computed.

    With `landmarks` the pairs are those of a few rows, chosen far from each other, and all rows are placed by their
    distances to these: n × landmarks distances instead of n × n.

    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    eigenvalues_ : ndarray of shape (n_components,)
        Squared lengths of the columns, largest first; zero where there is no further positive eigenvalue.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        Distances of all pairs; with landmarks their distances to all rows, (n_landmarks, n_samples).
    negative_share_ : float or None
        Σ of |negative eigenvalues| / Σ of |all eigenvalues|: zero for Euclidean distances. With landmarks, that of the
        landmarks. None with more than 1500 rows and another metric: it takes all eigenvalues.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        The rows that are landmarks, if `landmarks` is given.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.manifold import ClassicalMDS
    >>> ClassicalMDS(n_components=1).fit_transform(np.array([[0.0], [1.0], [5.0]])).round(6)
    array([[-2.],
           [-1.],
           [ 3.]])
    """

    embedding_: np.ndarray
    eigenvalues_: np.ndarray
    dissimilarity_matrix_: np.ndarray
    negative_share_: float | None
    landmark_indices_: np.ndarray

    def __init__(
        self,
        n_components: Annotated[int, Range(1), "Dimensions of the points."] = 2,
        *,
        metric: Annotated[
            str | Callable, "Name of a distance, a function of two rows, or 'precomputed': X are the distances."
        ] = "euclidean",
        metric_params: Annotated[dict | None, "Keyword arguments for the metric."] = None,
        landmarks: Annotated[int | None, Range(2), "How many rows are landmarks; None takes all rows."] = None,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.landmarks = landmarks
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the rows X: array, dataframe or CSR; or the square matrix of their distances. `y` is not used."""
        p = self._checked()
        metric = resolve_metric(p.metric, metric_params=p.metric_params)
        rows = open_data(self, X, stream=False, instead="PCA", min_rows=2).X
        if metric.is_precomputed:
            rows = given_dissimilarities(rows)
        self.__dict__.pop("landmark_indices_", None)
        n = rows.shape[0]
        k = min(p.n_components, n)
        if p.landmarks is not None and p.landmarks < n:
            self._from_landmarks(p, rows, metric, k)
        else:
            self._from_all(p, rows, metric, k)
        return self

    def _from_all(self, p: SimpleNamespace, rows: Any, metric: Metric, k: int) -> None:
        D = rows if metric.is_precomputed else pairwise_distances(rows, metric, p.n_jobs)
        self.dissimilarity_matrix_ = D
        if is_euclidean(metric) and not sp.issparse(rows) and rows.shape[1] * 4 <= rows.shape[0]:
            pairs, self.negative_share_ = pairs_of_rows(rows, k), 0.0
        else:
            squares = CenteredSquares(D, p.n_jobs)
            pairs = leading_pairs(squares, k)
            self.negative_share_ = 0.0 if is_euclidean(metric) else negative_share(squares)
        self._learn(pairs, pairs.places(), rows.dtype)

    def _from_landmarks(self, p: SimpleNamespace, rows: Any, metric: Metric, k: int) -> None:
        n, m = rows.shape[0], int(p.landmarks)
        if m <= k:
            raise InvalidParameter(f"ClassicalMDS(landmarks={m}) must be more than n_components={k}")
        metric = metric if metric.is_precomputed else metric.fitted(rows)

        def distances(i: int) -> np.ndarray:
            return rows[i] if metric.is_precomputed else metric.pairwise(rows[i : i + 1], rows)[0]

        self.landmark_indices_, self.dissimilarity_matrix_ = farthest_first(distances, n, m)
        squares = CenteredSquares(self.dissimilarity_matrix_[:, self.landmark_indices_], p.n_jobs)
        pairs = leading_pairs(squares, k)
        self.negative_share_ = 0.0 if is_euclidean(metric) else negative_share(squares)
        places = Triangulation(pairs.values, pairs.vectors, squares.mean_sq, squares.unit)
        embedding = places.place(self.dissimilarity_matrix_.T)
        fix_signs(embedding.T)
        self._learn(pairs, embedding, rows.dtype)

    def _learn(self, pairs: Pairs, places: np.ndarray, dtype: np.dtype) -> None:
        missing = int((pairs.values <= 0).sum())
        if (pairs.values < 0).any():
            warnings.warn(
                f"the distances are not Euclidean in {len(pairs.values)} dimensions: {missing} of the eigenvalues are "
                "not positive, and their columns of the embedding are zero. Ask for fewer components, or use MDS.",
                stacklevel=5,
            )
        self.embedding_ = narrowed(places, dtype)
        self.eigenvalues_ = narrowed(pairs.eigenvalues(), dtype)

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """`fit(X)`, and the points."""
        return self.fit(X).embedding_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags
