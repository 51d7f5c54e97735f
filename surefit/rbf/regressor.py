"""A network of radial basis functions for regression."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting, updating
from surefit._core.data.intake import take_rows, take_targets, take_weights
from surefit._core.errors import InvalidData
from surefit._core.precision import narrowed
from surefit.engine.apply import apply_rows
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import MemorySource, Source
from surefit.rbf.network import RBFNetwork
from surefit.solvers.least_squares.recursive import Recursion


class RBFNetworkRegressor(MultiOutputMixin, RegressorMixin, RBFNetwork):
    """φ(x)·w + b with φⱼ(x) = φ(‖x − cⱼ‖) for K centers c of k-means:  min Σ ωᵢ (yᵢ − φ(xᵢ)·w − b)² + α ‖w‖² .

    {parameters}

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
        Centers of k-means on the rows of `fit`, or of the first `partial_fit`.
    width_ : float
        σ.
    coef_ : ndarray of shape (n_centers,) or (n_targets, n_centers)
    intercept_ : float or ndarray of shape (n_targets,)
    n_samples_seen_ : int
        Rows so far, those of weight zero included.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.rbf import RBFNetworkRegressor
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = RBFNetworkRegressor(12, width=1.0, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.0]])[0] - np.sin(1.0)) < 0.01)
    True
    """

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y (one or several columns), with optional weights; Parquet and Dask block by block.

        With `forgetting` < 1 rows count in their order.
        """
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target=True)
        self._learn(p, self._begin(p, data, data.n_targets), data)
        return self

    @updating
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on with more rows, in their order: the output weights follow, centers and width stay.

        The first call finds the centers. `alpha` and `fit_intercept` are those of the first call.
        """
        p = self._checked()
        if kind_of(X) != "memory":
            raise InvalidData("partial_fit takes rows in memory; fit reads a Parquet path or a Dask collection itself")
        first = not hasattr(self, "_state")
        rows = take_rows(self, X, reset=first)
        data = MemorySource(rows, take_targets(self, y, rows.shape[0]), take_weights(sample_weight, rows.shape[0]))
        state = self._begin(p, data, data.n_targets) if first else Recursion(**self._state)
        if state.n_targets != data.n_targets:
            raise InvalidData(f"y has {data.n_targets} target(s), the rows before had {state.n_targets}")
        self._learn(p, state, data)
        return self

    def _learn(self, p: Any, state: Recursion, data: Source) -> None:
        coef, intercept = self._take(state, data, p.forgetting)
        coef = narrowed(coef, data.dtype)
        single = data.target_ndim == 1
        self.coef_ = coef[0] if single else coef
        if state.with_intercept:
            intercept = narrowed(intercept, data.dtype)
            self.intercept_ = intercept[0] if single else intercept
        else:
            self.intercept_ = 0.0

    def predict(self, X: Any) -> np.ndarray:
        """The predicted target of every row of X: an array, a dataframe, CSR, Parquet or a Dask collection."""
        check_is_fitted(self)
        hidden, coef = self._hidden(), self.coef_
        return apply_rows(self, X, lambda rows: self._outputs(rows, hidden, coef))
