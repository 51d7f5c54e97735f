"""k-means."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows, take_weights
from surefit._core.errors import CannotStream, InvalidData
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit.engine.apply import apply_rows
from surefit.engine.leaves import leaf_rows, leaf_threads
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import MemorySource, Source
from surefit.solvers.clustering.center_distances import center_distances
from surefit.solvers.clustering.lloyd import (
    Extent,
    Frame,
    LloydResult,
    LloydState,
    LloydStep,
    lloyd,
    measure_extent,
    nearest_centers,
)
from surefit.solvers.clustering.seeding import canonical_sample, choose, rows_at

CONVERGED, NOT_CONVERGED = 1e-6, 1e-2
"""Shares of the inertia that one more step may save: up to the first a fixed point, beyond the second none."""


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """k centers that are near all rows: min over c₁ … c_k of  Σ ωᵢ minⱼ ‖xᵢ − cⱼ‖² .

    Lloyd's iteration, made exact and fast: rows whose nearest center cannot have changed are not looked at again, and
    the answer is the same, bit for bit, as if they had been. Starts do not depend on the order of the rows, so a row of
    weight two is a row given twice. Works on arrays, CSR, dataframes, Parquet files and Dask collections.

    {parameters}

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers, in the type of the data.
    labels_ : ndarray of shape (n_samples,)
        The nearest center of each row; only for data in memory.
    inertia_ : float
        Σ ω ‖x − c‖² to the nearest centers.
    n_iter_ : int
        Iterations of the best run.
    history_ : list of float
        Inertia at each iteration of the best run; it never rises.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import KMeans
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist())
    [[1.0, 2.0], [10.0, 2.0]]
    >>> model.inertia_
    16.0
    """

    cluster_centers_: np.ndarray
    labels_: np.ndarray
    inertia_: float
    n_iter_: int
    history_: list[float]

    def __init__(
        self,
        n_clusters: Annotated[int, Range(1), "How many clusters."] = 8,
        *,
        init: Annotated[
            Literal["k-means++", "random", "farthest"] | Callable | np.ndarray,
            "Where to start: 'k-means++', 'random' rows, 'farthest' points, an array of centers, or a function of "
            "(X, n_clusters, random_state) for data in memory.",
        ] = "k-means++",
        n_init: Annotated[
            int | Literal["auto"],
            Range(1),
            "Starts, of which the best is kept; 'auto' is 10 for 'random' and functions, else 1.",
        ] = "auto",
        max_iter: Annotated[int, Range(1), "Iterations at most, for each start."] = 300,
        tol: Annotated[
            float, Range(0), "Stop when the squared movement of the centers is at most tol · mean variance."
        ] = 1e-4,
        verbose: Annotated[int | bool, Range(0), "Print the inertia of every iteration, and how each start ended."] = 0,
        random_state: Annotated[RandomStateLike, "Seed or stream of the starts."] = None,
        copy_x: Annotated[bool, "For compatibility; X is never changed."] = True,
        algorithm: Annotated[
            Literal["lloyd", "elkan"], "For compatibility; both give the same, exact iterations."
        ] = "lloyd",
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the centers of X: array, dataframe, CSR, Parquet path or Dask collection. `y` is not used."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight)
        if data.n_rows < p.n_clusters:
            raise InvalidData(f"n_samples={data.n_rows} should be >= n_clusters={p.n_clusters}.")
        starts, n_init = _starts(self, p, data)
        self._n_init = n_init  # where scikit-learn keeps it
        extent = measure_extent(data)
        progress = Progress(self, n_init * p.max_iter, X)
        best: LloydResult | None = None
        for _ in range(n_init):
            report = _reporter(p, progress)
            result = lloyd(data, starts(extent.frame.scale), extent, p.max_iter, p.tol, report)
            if p.verbose:
                _print_end(p, result, extent)
            if best is None or result.inertia < best.inertia:
                best = result
        assert best is not None, "n_init is at least one"
        self._learn(best, extent.frame, data)
        progress.end()
        _warn(self, p, best)
        return self

    def _learn(self, best: LloydResult, frame: Frame, data: Source) -> None:
        self.cluster_centers_ = best.centers.astype(data.dtype)
        self.inertia_ = best.inertia
        self.n_iter_ = best.n_iter
        self.history_ = best.history
        self._n_features_out = len(best.centers)
        self._shift, self._scale = frame.shift, frame.scale
        self.__dict__.pop("labels_", None)
        if best.labels is not None:
            self.labels_ = best.labels

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X)`, then the cluster of each row."""
        self.fit(X, y, sample_weight)
        return self.labels_ if hasattr(self, "labels_") else self.predict(X)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X)`, then `transform(X)`."""
        return self.fit(X, y, sample_weight).transform(X)

    def predict(self, X: Any) -> Any:
        """The nearest center of each row; among equally near ones the first."""
        check_is_fitted(self)
        frame = Frame(self._shift, self._scale)
        return apply_rows(self, X, partial(nearest, centers=self.cluster_centers_, frame=frame))

    def transform(self, X: Any) -> Any:
        """The distance of each row to each center."""
        check_is_fitted(self)
        return apply_rows(self, X, partial(center_distances, centers=self.cluster_centers_, shift=self._shift))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the weighted sum of squared distances to the nearest centers: larger is better."""
        check_is_fitted(self)
        if kind_of(X) == "memory":
            rows = take_rows(self, X, reset=False)
            data: Source = MemorySource(rows, w=take_weights(sample_weight, rows.shape[0]))
        else:
            data = open_data(Estimator(), X, y, sample_weight)
            if data.n_features != self.n_features_in_:
                raise InvalidData(
                    f"X has {data.n_features} features, but KMeans is expecting {self.n_features_in_} features as input"
                )
        centers = np.ascontiguousarray(self.cluster_centers_, dtype=np.float64)
        shift = None if self._shift is None or data.is_sparse else self._shift.astype(data.dtype)
        passed = data.fold(LloydStep(), LloydState(centers, Frame(shift, self._scale)))
        return -passed.inertia / self._scale / self._scale

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _starts(estimator: KMeans, p: SimpleNamespace, data: Source) -> tuple[Callable[[float], np.ndarray], int]:
    """A function that gives the centers of the next start, and how many starts there are."""
    rng = random_stream(p.random_state)
    if isinstance(p.init, str):
        many = 10 if p.init == "random" else 1
        sample = canonical_sample(data, p.n_clusters)

        def seeded(scale: float) -> np.ndarray:
            chosen, _ = choose(sample, p.n_clusters, p.init, rng, scale)
            return rows_at(sample, chosen)

        return seeded, many if p.n_init == "auto" else p.n_init
    if callable(p.init):
        if not data.resident:
            raise CannotStream(
                "KMeans(init=function) needs its rows in memory. Use 'k-means++', 'random', 'farthest' or an array."
            )

        def called(scale: float) -> np.ndarray:
            stream = np.random.RandomState(rng.integers(0, 2**31, size=4))
            return given_centers(p.init(data.X, p.n_clusters, random_state=stream), p.n_clusters, data)

        return called, 10 if p.n_init == "auto" else p.n_init
    centers = given_centers(p.init, p.n_clusters, data)
    if p.n_init not in ("auto", 1):
        warnings.warn(
            f"Explicit initial center position passed: performing only one init in {type(estimator).__name__} "
            f"instead of n_init={p.n_init}.",
            RuntimeWarning,
            stacklevel=5,
        )
    return lambda scale: centers, 1


def given_centers(centers: Any, n_clusters: int, data: Source) -> np.ndarray:
    """Centers that a user gave, checked against the data."""
    centers = take_rows(Estimator(), np.asarray(centers), reset=True, sparse=False)
    if centers.shape[0] != n_clusters:
        raise InvalidData(
            f"The shape of the initial centers {centers.shape} does not match the number of clusters {n_clusters}."
        )
    if centers.shape[1] != data.n_features:
        raise InvalidData(
            f"The shape of the initial centers {centers.shape} does not match the number of features of the data "
            f"{data.n_features}."
        )
    return centers


def _reporter(p: SimpleNamespace, progress: Progress) -> Callable[[np.ndarray, float], bool]:
    count = 0
    if p.verbose:
        print("Initialization complete")

    def report(centers: np.ndarray, inertia: float) -> bool:
        nonlocal count
        if p.verbose:
            print(f"Iteration {count}, inertia {inertia}.")
        count += 1
        return progress.step(lambda: {"cluster_centers_": centers, "inertia_": inertia, "n_iter_": count})

    return report


def _print_end(p: SimpleNamespace, result: LloydResult, extent: Extent) -> None:
    """scikit-learn's words."""
    last = result.n_iter - 1
    if result.unchanged:
        print(f"Iteration {last}, inertia {result.inertia}.")
        print(f"Converged at iteration {last}: strict convergence.")
    elif result.unfinished is None:
        allowed = p.tol * extent.variance / extent.frame.scale / extent.frame.scale
        print(f"Converged at iteration {last}: center shift {result.moved} within tolerance {allowed}.")


def _warn(estimator: KMeans, p: SimpleNamespace, best: LloydResult) -> None:
    if best.n_used < p.n_clusters:
        warnings.warn(
            f"Number of distinct clusters ({best.n_used}) found smaller than n_clusters ({p.n_clusters}). Possibly due "
            "to duplicate points in X.",
            ConvergenceWarning,
            stacklevel=5,
        )
    if best.unfinished is not None and best.n_iter == p.max_iter:
        beyond = f"{best.unfinished:.3g} times what tol={p.tol:g} allows" if p.tol > 0 else "not settled, and tol is 0"
        warnings.warn(
            f"KMeans stopped after {best.n_iter} iterations; the squared movement of the centers was {beyond}. Raise "
            "max_iter or tol.",
            ConvergenceWarning,
            stacklevel=5,
        )
    elif not best.unchanged and best.saving > max(CONVERGED, min(best.expected_saving, NOT_CONVERGED)):
        warnings.warn(
            f"KMeans stopped by tol={p.tol:g} before a fixed point: moving each center to the mean of its rows would "
            f"still save {best.saving:.2g} of the inertia. Lower tol.",
            ConvergenceWarning,
            stacklevel=5,
        )


def nearest(X: Any, centers: np.ndarray, frame: Frame) -> np.ndarray:
    """The place of the nearest center of each row in memory; of the first where several are as near."""
    n_rows, n_features = X.shape
    L = leaf_rows(n_features)
    return nearest_centers(X, centers, frame, L, leaf_threads(n_rows, L))[0]
