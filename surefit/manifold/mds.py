"""Multidimensional scaling: points whose distances are as near as possible to given dissimilarities."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit._core.random import RandomStateLike
from surefit.engine.open import open_data
from surefit.manifold.scaling import leading_pairs, pad_columns
from surefit.manifold.smacof import (
    _smacof_single,
    best_run,
    check_columns,
    given_start,
    given_weights,
    random_starts,
    smacof,
)
from surefit.search.metric import resolve_metric
from surefit.solvers.embedding.dissimilarities import given_dissimilarities, pairwise_distances
from surefit.solvers.embedding.guttman import Stress
from surefit.solvers.embedding.squared_distances import CenteredSquares

__all__ = ["MDS", "smacof"]


class MDS(Estimator):
    """min over points x of the stress  σ = Σ_{i<j} w_ij (δ_ij − ‖x_i − x_j‖)² , by majorization (SMACOF).

    Non-metric scaling (`metric_mds=False`) uses only the order of the dissimilarities δ: they are replaced by the
    nearest numbers in the same order, of a fixed size, in every step. The stress never rises. It has local minima: take
    several random starts, or start from classical scaling.

    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points, about their mean.
    stress_ : float
        σ of the points; √(σ/Σ w d²) where the stress is normalized: below 0.05 good, above 0.2 poor (Kruskal, 1964).
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        δ, given or computed from the rows.
    n_iter_ : int
        Steps of the best run.
    history_ : ndarray of shape (n_iter_ + 1,)
        σ, not normalized, of the start and after each step of the best run: never rising.
    weights_ : ndarray of shape (n_samples, n_samples)
        Weights of the pairs, if they were given.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.manifold import MDS
    >>> X = np.array([[0.0, 0], [0, 3], [4, 0], [4, 3]])
    >>> model = MDS(init="classical_mds").fit(X)
    >>> bool(model.stress_ < 1e-12)
    True
    """

    embedding_: np.ndarray
    stress_: float
    dissimilarity_matrix_: np.ndarray
    n_iter_: int
    history_: np.ndarray
    weights_: np.ndarray

    def __init__(
        self,
        n_components: Annotated[int, Range(1), "Dimensions of the points."] = 2,
        *,
        metric_mds: Annotated[bool, "Metric scaling, or (False) by the order of the dissimilarities alone."] = True,
        n_init: Annotated[int, Range(1), "How many random starts; the result of least stress is kept."] = 1,
        init: Annotated[
            Literal["warn", "random", "classical_mds"],
            "Start at random, or from classical scaling (one start); 'warn' is 'random', with scikit-learn's warning.",
        ] = "warn",
        max_iter: Annotated[int, Range(1), "Most steps of a run."] = 300,
        verbose: Annotated[int, Range(0), "Whether each run is printed."] = 0,
        eps: Annotated[
            float, Range(0, open="high"), "A run ends when a step gains less than this share of the squared distances."
        ] = 1e-6,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
        random_state: Annotated[RandomStateLike, "Seed or stream of the random starts."] = None,
        dissimilarity: Annotated[
            Literal["deprecated", "euclidean", "precomputed"], "The former name of `metric`."
        ] = "deprecated",
        metric: Annotated[
            str | Callable | bool,
            "Name of a distance, a function of two rows, or 'precomputed': X are dissimilarities.",
        ] = "euclidean",
        metric_params: Annotated[dict | None, "Keyword arguments for the metric."] = None,
        normalized_stress: Annotated[
            bool | Literal["auto"], "Whether stress_ is √(σ/Σ w d²); 'auto' for non-metric scaling only."
        ] = "auto",
    ) -> None:
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress

    @fitting
    def fit(self, X: Any, y: Any = None, init: Any = None, weights: Any = None) -> Self:
        """Place the rows X (array, dataframe or CSR), or what the square matrix X are dissimilarities of.

        `init`: a start (n_samples, n_components). `weights`: weights of the pairs (n_samples, n_samples), zero for a
        missing dissimilarity. `y` is not used.
        """
        p = _renamed(self._checked())
        rows = open_data(self, X, stream=False, instead="PCA", min_rows=2).X
        D = self._dissimilarities(p, rows)
        n = len(D)
        w = given_weights(weights, n)
        check_columns(p.n_components)
        progress = Progress(self, p.max_iter, X, y)
        run = best_run(
            _smacof_single,
            Stress(D, w, nonmetric=not p.metric_mds, n_jobs=p.n_jobs),
            self._starts(p, D, init),
            max_iter=p.max_iter,
            eps=float(p.eps),
            normalized_stress=not p.metric_mds if p.normalized_stress == "auto" else bool(p.normalized_stress),
            verbose=p.verbose,
            on_step=lambda look: progress.step(lambda: {"embedding_": look.X}),
        )
        self.__dict__.pop("weights_", None)
        if w is not None:
            self.weights_ = w
        self.dissimilarity_matrix_ = D
        self.embedding_ = narrowed(run.X - run.X.mean(axis=0), rows.dtype)
        self.stress_, self.n_iter_, self.history_ = run.stress, run.n_iter, run.history
        progress.end()
        return self

    def _dissimilarities(self, p: SimpleNamespace, rows: Any) -> np.ndarray:
        metric = resolve_metric(p.metric, metric_params=p.metric_params)
        if metric.is_precomputed:
            return given_dissimilarities(rows)
        if rows.shape[0] == rows.shape[1]:
            warnings.warn(
                "The provided input is a square matrix. Its rows are taken as samples and its columns as features; if "
                "it holds dissimilarities, set metric='precomputed'.",
                stacklevel=5,
            )
        return pairwise_distances(rows, metric, p.n_jobs)

    def _starts(self, p: SimpleNamespace, D: np.ndarray, init: Any) -> Iterable[np.ndarray]:
        n, k = len(D), p.n_components
        if init is not None:
            return [given_start(init, n)]
        if p.init == "classical_mds":
            return [pad_columns(leading_pairs(CenteredSquares(D, p.n_jobs), min(k, n)).places(), k)]
        return random_starts(n, k, p.n_init, p.random_state)

    def fit_transform(self, X: Any, y: Any = None, init: Any = None, weights: Any = None) -> np.ndarray:
        """`fit(X, init=init, weights=weights)`, and the points."""
        return self.fit(X, init=init, weights=weights).embedding_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = "precomputed" in (self.dissimilarity, self.metric)
        return tags


def _renamed(p: SimpleNamespace) -> SimpleNamespace:
    """Parameters under their new names, with scikit-learn's warnings for the old ones."""
    if p.init == "warn":
        _future("The default value of `init` will change from 'random' to 'classical_mds' in scikit-learn 1.10. To "
                "suppress this warning, provide some value of `init`.")  # fmt: skip
    if p.dissimilarity != "deprecated":
        if not isinstance(p.metric, bool) and p.metric != "euclidean":
            raise InvalidParameter("You provided both `dissimilarity` and `metric`. Please use only `metric`.")
        _future("The `dissimilarity` parameter is deprecated. Use `metric` instead.")
    if isinstance(p.metric, bool):
        _future(f"Use metric_mds={p.metric} instead of metric={p.metric}.")
        p.metric_mds, p.metric = p.metric, "euclidean"
    if p.dissimilarity != "deprecated":
        p.metric = p.dissimilarity
    return p


def _future(words: str) -> None:
    warnings.warn(words, FutureWarning, stacklevel=7)
