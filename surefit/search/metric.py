"""Metrics by name, and one fixed formula for the distance of two rows.

The bits of a distance depend on the two rows alone: not on the block they are computed in, the number of threads, or
the way the pair was found. Sums run over the columns in order, in double precision, without fused products:

    Euclidean  √Σ wⱼ(aⱼ − bⱼ)²     Manhattan  Σ wⱼ|aⱼ − bⱼ|
    Chebyshev  max |aⱼ − bⱼ|       Minkowski  (Σ wⱼ|aⱼ − bⱼ|^p)^(1/p)

Differences are taken first, so an offset common to all rows costs no digits. All formulas are symmetric to the bit.
The distance of angles is 1 − cos(a, b) = ½‖â − b̂‖² of the normalized rows (see `directions`), which keeps its digits
where rows are nearly parallel. What SciPy's `cdist` knows beyond these is passed to it; a function of two rows is
called for every pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from surefit import _native
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.threads import thread_count
from surefit.search.formulas import by_function, centered_rows, directions, haversine, nan_euclidean

ALIASES = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "p": "minkowski",
    "infinity": "chebyshev",
    "matching": "hamming",
    "pyfunc": "function",
}
ORDER = {
    "euclidean": 2.0,
    "sqeuclidean": 2.0,
    "manhattan": 1.0,
    "chebyshev": math.inf,
    "cosine": 2.0,
    "correlation": 2.0,
}
ON_SETS = ("jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
BY_SCIPY = ("braycurtis", "canberra", "hamming", "jensenshannon", "mahalanobis", *ON_SETS)
FORMULAS = {"haversine": haversine, "nan_euclidean": nan_euclidean}
NAMES = (*ORDER, "minkowski", "seuclidean", "precomputed", *FORMULAS, *BY_SCIPY)


@dataclass(frozen=True)
class Metric:
    """A distance of two rows; make one with `resolve_metric`."""

    name: str
    p: float | None = None
    """Of the Minkowski family (2 for Euclidean and what is computed from it), else None."""
    weights: np.ndarray | None = None
    """Of the columns, in the Minkowski family."""
    function: Callable[..., Any] | None = None
    """Of two rows."""
    blocks: Callable[..., Any] | None = None
    """Of many rows and many others: all distances at once."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """For `cdist` or the function."""

    @property
    def is_precomputed(self) -> bool:
        return self.name == "precomputed"

    def fitted(self, X: Any) -> Metric:
        """With what is taken from the rows: variances for `seuclidean`, inverse covariance for `mahalanobis`."""
        if self.name == "seuclidean":
            V = self.params.get("V")
            V = np.var(dense_rows(X), axis=0, ddof=1) if V is None else np.asarray(V, dtype=np.float64)
            if not (V > 0).all():
                raise InvalidData("metric='seuclidean' divides by the variance of each column; a column has none")
            return replace(resolve_metric("euclidean"), weights=1.0 / V)
        if self.name == "mahalanobis" and "VI" not in self.params:
            V = self.params.get("V")
            V = np.cov(dense_rows(X), rowvar=False) if V is None else np.asarray(V, dtype=np.float64)
            return replace(self, params={"VI": np.linalg.inv(np.atleast_2d(V))})
        return self

    def coordinates(self, X: Any) -> np.ndarray:
        """Dense rows between which `form` says the distance: those of X (float32 kept), or their directions."""
        if self.name == "cosine":
            return directions(dense_rows(X))
        if self.name == "correlation":
            return directions(centered_rows(dense_rows(X)))
        X = X.toarray() if sp.issparse(X) else X
        if self.weights is not None and len(self.weights) != X.shape[1]:
            raise InvalidData(f"the metric has {len(self.weights)} weights and the rows have {X.shape[1]} columns")
        if self.weights is not None and self.p == math.inf:
            X = X[:, self.weights > 0]
        if X.shape[1] == 0:
            X = np.zeros((X.shape[0], 1))
        return np.ascontiguousarray(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)

    @property
    def form(self) -> tuple[int, int, float, np.ndarray | None]:
        """Order, finish, p and weights of the columns, as the loops take them (native/src/search/form.hpp)."""
        assert self.p is not None
        order = {2.0: 0, 1.0: 1, math.inf: 2}.get(self.p, 3)
        finish = {"sqeuclidean": 1, "cosine": 2, "correlation": 2}.get(self.name, 0)
        return order, finish, self.p, None if self.p == math.inf else self.weights

    def pairwise(self, A: Any, B: Any) -> np.ndarray:
        """The distances of every row of A (dense or CSR) to every row of B, in double precision."""
        if self.is_precomputed:
            raise InvalidParameter("metric='precomputed' has the distances already: there are no rows to compare")
        if A.shape[1] != B.shape[1]:
            raise InvalidData(f"rows of {A.shape[1]} and of {B.shape[1]} columns cannot be compared")
        if self.p is not None:
            return _native.distances(self.coordinates(A), self.coordinates(B), self.form, thread_count())
        if self.function is not None:
            left, right = (rows if sp.issparse(rows) else dense_rows(rows) for rows in (A, B))
            return by_function(self.function, left, right, self.params)
        A, B = dense_rows(A), dense_rows(B)
        if self.blocks is not None:
            return np.asarray(self.blocks(A, B), dtype=np.float64)
        metric = self.fitted(np.vstack([A, B])) if self.name in ("seuclidean", "mahalanobis") else self
        if metric.p is not None:
            return metric.pairwise(A, B)
        if metric.name in ON_SETS:
            A, B = A != 0, B != 0
        return np.asarray(cdist(A, B, metric.name, **metric.params), dtype=np.float64)


def dense_rows(X: Any) -> np.ndarray:
    """Double precision, row by row in memory."""
    return np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


def resolve_metric(
    metric: Any = "minkowski", *, p: float = 2, metric_params: Mapping[str, Any] | None = None
) -> Metric:
    """The metric of a name or of a function of two rows; `p` is Minkowski's, `metric_params` may hold p, w, V, VI."""
    params = dict(metric_params or {})
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return Metric("function", function=metric, params=params)
    if hasattr(metric, "pairwise"):  # scikit-learn's DistanceMetric
        return Metric("function", blocks=metric.pairwise)
    if not isinstance(metric, str) or ALIASES.get(metric, metric) not in NAMES:
        raise InvalidParameter(
            f"metric={metric!r} is no metric; choose one of {', '.join(sorted(NAMES))}, or a function"
        )
    name = ALIASES.get(metric, metric)
    order = ORDER.get(name)
    if name == "minkowski":
        order = float(params.pop("p", p))
        if not order > 0:
            raise InvalidParameter(f"Minkowski's p must be a number > 0; got {order}")
        name = {1.0: "manhattan", 2.0: "euclidean", math.inf: "chebyshev"}.get(order, name)
    weights = None
    if order is not None and name not in ("cosine", "correlation") and params.get("w") is not None:
        weights = np.asarray(params.pop("w"), dtype=np.float64)
        if weights.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all():
            raise InvalidParameter("the weights w of a metric must be finite numbers ≥ 0, one for each column")
    params = {key: value for key, value in params.items() if value is not None}
    if params and (order is not None or name in FORMULAS or name == "precomputed"):
        raise InvalidParameter(f"metric={metric!r} takes no parameter {', '.join(sorted(params))}")
    return Metric(name, order, weights, blocks=FORMULAS.get(name), params=params)
