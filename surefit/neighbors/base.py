"""What all estimators on neighbors share: the rows they keep, the metric, and the index that is searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator
from surefit._core.data.intake import NotFinite, take_rows
from surefit._core.errors import InvalidData
from surefit.engine.apply import apply_rows
from surefit.engine.open import kind_of, need_memory
from surefit.neighbors.parameters import effective_metric, refuse_unsuited_trees
from surefit.search import NeighborIndex, build_index, resolve_metric

UNREADABLE = ("bsr", "dia", "dok")


class NeighborModel(Estimator):
    """Keeps the rows it was fitted on, and an index of them.

    The index follows from `X_fit_`: it is not saved with the model, and is built again when it is asked for.
    """

    X_fit_: Any
    n_samples_fit_: int
    effective_metric_: str | Callable
    effective_metric_params_: dict[str, Any]
    _searched: tuple[Any, NeighborIndex]

    def _keep_rows(self, p: Any, X: Any, *, min_rows: int = 1) -> Any:
        """Check X and keep it with its metric and index: `X_fit_`, `n_samples_fit_`, `effective_metric_` …"""
        metric, params = effective_metric(p)
        refuse_unsuited_trees(p, metric, params)
        rows = self._rows_to_keep(X, metric, min_rows)
        if sp.issparse(rows) and metric in ("haversine", "nan_euclidean"):
            raise InvalidData(f"Metric '{metric}' not valid for sparse input. Pass dense rows, or another metric.")
        _refuse_overflow(rows, metric, params)
        self.effective_metric_, self.effective_metric_params_ = metric, params
        self.X_fit_, self.n_samples_fit_ = rows, rows.shape[0]
        self._searched = (rows, self._built(p.algorithm, p.leaf_size))
        return rows

    def _rows_to_keep(self, X: Any, metric: Any, min_rows: int) -> Any:
        if isinstance(X, NeighborModel):
            check_is_fitted(X, "X_fit_")
            X = X.X_fit_
        elif hasattr(X, "query_radius") and hasattr(X, "data"):  # scikit-learn's KDTree and BallTree
            X = np.asarray(X.data)
        need_memory(self, X)
        if metric == "precomputed":
            rows = self._distances(X, reset=True)
            if rows.shape[0] != rows.shape[1]:
                raise InvalidData(
                    f"Precomputed matrix must be square. Input is a {rows.shape[0]}x{rows.shape[1]} matrix."
                )
            return rows
        rows = take_rows(self, X, reset=True, min_rows=min_rows, not_finite=_not_finite(metric))
        return rows if sp.issparse(rows) else np.ascontiguousarray(rows)

    def _distances(self, D: Any, *, reset: bool) -> Any:
        """Given distances: dense, or sparse with zeros that are meant."""
        if sp.issparse(D) and D.format in UNREADABLE:
            raise TypeError(
                f"Sparse matrix in {D.format!r} format is not supported due to its handling of explicit zeros"
            )
        rows = take_rows(self, D, reset=reset)
        stored = rows.data if sp.issparse(rows) else rows
        if stored.size and stored.min() < 0:
            name = "precomputed distance matrix" if sp.issparse(rows) else "X"
            raise InvalidData(f"Negative values in data passed to {name}. Distances are numbers ≥ 0.")
        return rows

    def _built(self, algorithm: str, leaf_size: int) -> NeighborIndex:
        params = {name: value for name, value in self.effective_metric_params_.items() if value is not None}
        metric = resolve_metric(self.effective_metric_, metric_params=params)
        return build_index(self.X_fit_, metric, algorithm=algorithm, leaf_size=leaf_size)

    @property
    def _index(self) -> NeighborIndex:
        """The index of `X_fit_`; built again for a model that was loaded, or whose rows were replaced."""
        rows, index = self.__dict__.get("_searched", (None, None))
        if rows is not self.X_fit_ or index is None:
            index = self._built(self.algorithm, self.leaf_size)
            self._searched = (self.X_fit_, index)
        index.n_jobs = self.n_jobs
        return index

    @property
    def _fit_method(self) -> str:
        """How neighbors are searched, in scikit-learn's word and under its name, which others read."""
        return self._index.kind

    def _queries(self, X: Any) -> Any:
        """Rows to ask about, checked; None stands for the rows kept, each without itself."""
        if "X_fit_" not in self.__dict__:
            check_is_fitted(self, "X_fit_")
        if X is None:
            return None
        if self.effective_metric_ == "precomputed":
            return self._distances(X, reset=False)
        return take_rows(self, X, reset=False, not_finite=_not_finite(self.effective_metric_))

    def _each_row(self, X: Any, answer: Callable[[Any], np.ndarray]) -> Any:
        """`answer` of the rows of X, wherever they are; None stands for the rows kept."""
        if X is None or isinstance(X, np.ndarray) or kind_of(X) == "memory":
            return answer(self._queries(X))
        check_is_fitted(self, "X_fit_")
        return apply_rows(self, X, answer, not_finite=_not_finite(self.effective_metric_))

    def _n_queries(self, Q: Any) -> int:
        return self.n_samples_fit_ if Q is None else Q.shape[0]

    def _single(self, Q: Any) -> bool:
        """Whether answers about Q are in single precision, as the rows kept and the rows asked about are."""
        return self.X_fit_.dtype == np.float32 and (Q is None or Q.dtype == np.float32)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_searched"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        named = self.metric if isinstance(self.metric, str) else ""
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = named == "precomputed"
        tags.input_tags.positive_only = named == "precomputed"
        tags.input_tags.allow_nan = named == "nan_euclidean"
        return tags


def _refuse_overflow(rows: Any, metric: Any, params: dict[str, Any]) -> None:
    """Distances that are sums of powers of differences: beyond floating point all rows would be equally far."""
    powers = {"euclidean": 2.0, "l2": 2.0, "sqeuclidean": 2.0, "minkowski": float(params.get("p") or 2.0)}
    power = powers.get(metric, np.inf) if isinstance(metric, str) else np.inf
    stored = rows.data if sp.issparse(rows) else rows
    if not np.isfinite(power) or not stored.size:
        return
    largest = max(float(stored.max()), -float(stored.min()))
    most = (np.finfo(np.float64).max / rows.shape[1]) ** (1 / max(power, 1.0)) / 2
    if largest > most:
        raise InvalidData(
            f"X has numbers up to {largest:.2g}: sums of their differences to the power {power:g} are beyond floating "
            f"point. Divide the columns so that none is larger than {most:.1g}"
        )


def _not_finite(metric: Any) -> NotFinite:
    return "NaN" if isinstance(metric, str) and metric == "nan_euclidean" else "refuse"
