"""Principal components of rows that come batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, Self

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from surefit._core.base import fitting, updating
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit.decomposition.pca import PCA
from surefit.engine.open import need_memory, open_data
from surefit.engine.sources.source import Source
from surefit.solvers.numerics.eigen_basis import fix_signs
from surefit.solvers.principal.range_of_squares import refuse_beyond_range
from surefit.solvers.principal.running_factor import RunningFactor

EXACT_WIDTH = 1024
"""Up to so many columns nothing is dropped."""


class IncrementalPCA(PCA):
    """Principal components of rows that come batch by batch: what `PCA` finds, without all rows in memory.

    Up to 1024 columns the whole scatter is kept as a triangular factor, and the answer is that of PCA to rounding,
    whatever the batches. Beyond that only the leading directions are kept; `error_bound_` says what was lost.

    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, by decreasing variance; in each the entry of largest size is positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variance along each component, with n − 1 below the line.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The same as a share of the whole variance.
    singular_values_ : ndarray of shape (n_components,)
        Square roots of the sums of squares along the components.
    mean_ : ndarray of shape (n_features,)
        The mean of all rows seen.
    var_ : ndarray of shape (n_features,)
        The variance of each column, with n below the line.
    noise_variance_ : float
        The mean of the variances left out.
    error_bound_ : float
        Each variance of all rows seen lies between explained_variance_ and explained_variance_ + error_bound_.
    n_components_ : int
        How many components were kept.
    n_samples_seen_ : float
        Rows seen (a float, as scikit-learn's).
    batch_size_ : int
        Rows of a batch in `fit`.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from surefit.decomposition import PCA, IncrementalPCA
    >>> X = load_digits().data
    >>> model = IncrementalPCA(n_components=7, batch_size=200).fit(X)
    >>> bool(abs(model.explained_variance_ - PCA(7).fit(X).explained_variance_).max() < 1e-10)
    True
    """

    var_: np.ndarray
    error_bound_: float
    n_samples_seen_: float
    batch_size_: int

    def __init__(
        self,
        n_components: Annotated[int | None, Range(1), "How many components; None for all of the first batch."] = None,
        *,
        whiten: Annotated[bool, "Scale the projections to unit variance (0 where the data does not vary)."] = False,
        copy: Annotated[bool, "For compatibility; X is never changed."] = True,
        batch_size: Annotated[int | None, Range(1), "Rows of a batch in `fit`; None is five times the columns."] = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Learn from X (array, dataframe, CSR, Parquet path or Dask collection) in batches. `y` is not used."""
        p = self._checked()
        data = open_data(self, X, min_rows=2)
        self.n_components_ = self._count(p, data.n_rows)
        self.batch_size_ = p.batch_size or 5 * data.n_features
        most = self._most_kept()
        seen = RunningFactor.nothing(data.n_features)
        progress = Progress(self, -(-data.n_rows // self.batch_size_), X)
        for batch in _batches(data, self.batch_size_):
            seen = seen.with_rows(batch, most)
            progress.step(partial(dict, n_samples_seen_=seen.n_rows))
        progress.end()
        self._take(seen, data.dtype)
        return self

    @updating
    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True) -> Self:
        """Go on with a batch of rows in memory."""
        p = self._checked()
        need_memory(self, X)
        if sp.issparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to dense or use "
                "IncrementalPCA.fit to do so in batches."
            )
        first = not hasattr(self, "_seen")
        rows = take_rows(self, X, reset=first, sparse=False)
        if first:
            count = self._count(p, rows.shape[0])
        else:
            count = len(self.components_) if p.n_components is None else int(p.n_components)
            if count != len(self.components_):
                raise InvalidParameter(
                    f"The number of components was {len(self.components_)} in the calls before and is {count} now: it "
                    "cannot change between calls of partial_fit."
                )
        self.n_components_ = count
        seen = RunningFactor.nothing(rows.shape[1]) if first else RunningFactor(**self._seen)
        self._take(seen.with_rows(rows, self._most_kept()), rows.dtype)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # type: ignore[override]
        """`fit(X)`, then `transform(X)`."""
        return self.fit(X, y, **fit_params).transform(X)

    def _count(self, p: SimpleNamespace, n: int) -> int:
        """How many components, for the rows of the first call."""
        d = self.n_features_in_
        if p.n_components is None:
            return min(n, d)
        if p.n_components > d:
            raise InvalidParameter(
                f"n_components={p.n_components} invalid for n_features={d}, need more rows than columns for "
                "IncrementalPCA processing"
            )
        if p.n_components > n:
            raise InvalidData(
                f"n_components={p.n_components} must be less or equal to the batch number of samples {n} for the first "
                "partial_fit call."
            )
        return int(p.n_components)

    def _most_kept(self) -> int:
        d = self.n_features_in_
        return d if d <= EXACT_WIDTH else min(d, 2 * self.n_components_ + 64)

    def _take(self, seen: RunningFactor, dtype: np.dtype) -> None:
        """The attributes, from a factor of the scatter."""
        n, k, d = seen.n_rows, self.n_components_, self.n_features_in_
        degrees = max(n - 1, 1)
        refuse_beyond_range(float(seen.sum_sq.sum()), degrees, dtype)
        s, Vt = scipy.linalg.svd(seen.factor, full_matrices=seen.factor.shape[0] < k, check_finite=False)[1:]
        s = np.append(s, np.zeros(max(0, k - len(s))))
        total = float(seen.sum_sq.sum())
        left = max(0.0, total - float((s[:k] ** 2).sum()))
        beyond = min(n, d) - k
        self._seen = vars(seen)
        self.n_samples_seen_, self.n_samples_ = float(n), n
        self.mean_ = seen.mean.astype(dtype)
        self.var_ = (seen.sum_sq / n).astype(dtype)
        axes = Vt[:k].copy()
        fix_signs(axes)
        self.components_ = axes.astype(dtype)
        self.singular_values_ = s[:k].astype(dtype)
        self.explained_variance_ = (s[:k] ** 2 / degrees).astype(dtype)
        self.explained_variance_ratio_ = (s[:k] ** 2 / total if total > 0 else np.zeros(k)).astype(dtype)
        self.noise_variance_ = left / degrees / beyond if beyond > 0 else 0.0
        self.error_bound_ = seen.dropped / degrees


def _batches(data: Source, size: int) -> Iterator[np.ndarray]:
    for block in data.blocks():
        for start in range(0, block.n_rows, size):
            rows = block.X[start : start + size]
            yield rows.toarray() if sp.issparse(rows) else rows
