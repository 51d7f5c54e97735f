"""Recursive least squares: ridge regression that learns row by row."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting, updating
from surefit._core.data.intake import take_rows, take_targets, take_weights
from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit._core.params import Range
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import MemorySource, Source
from surefit.linear_model.predictor import LinearRegressor
from surefit.solvers.least_squares.recursive import Recursion, absorbed, begin, covariance, solution


class RecursiveLeastSquares(LinearRegressor):
    """min over w, b of  Σᵢ λ^(n−i) (yᵢ − xᵢ·w − b)² + α λⁿ ‖w‖²  after n rows, brought up to date with every row.

    With `forgetting` λ = 1 this is Ridge(alpha), whatever the order of the rows; b is not penalized. With λ < 1 rows
    fade, the penalty with them, and the coefficients follow data that changes: about 1/(1 − λ) rows count. A weight of
    two is a row given twice. The update is orthogonal (a square-root form): it stays accurate over any number of rows.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    covariance_ : ndarray of shape (n_features, n_features)
        P = (Σᵢ λ^(n−i) (xᵢ − x̄)(xᵢ − x̄)ᵀ + α λⁿ I)⁻¹ with x̄ the mean under the same weights (zero without an
        intercept): times the variance of the noise it is the covariance of the coefficients. Infinite along directions
        that have been forgotten beyond floating point. Computed when it is first asked for.
    n_samples_seen_ : int
        Rows so far, those of weight zero included.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import RecursiveLeastSquares
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0])
    >>> model = RecursiveLeastSquares(alpha=2.0)
    >>> for row, target in zip(X, y):
    ...     model = model.partial_fit([row], [target])
    >>> model.coef_.round(12), model.covariance_.round(12), model.n_samples_seen_
    (array([0.5]), array([[0.25]]), 3)
    """

    n_samples_seen_: int

    def __init__(
        self,
        alpha: Annotated[
            float, Range(0, open="both"), "Strength of the penalty before the first row: P starts at 1/alpha."
        ] = 1.0,
        *,
        forgetting: Annotated[
            float, Range(0, 1, open="low"), "What each row leaves of the weight of those before it; 1 forgets nothing."
        ] = 1.0,
        fit_intercept: Annotated[bool, "Whether to learn b, which is never penalized."] = True,
    ) -> None:
        self.alpha = alpha
        self.forgetting = forgetting
        self.fit_intercept = fit_intercept

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Start afresh and take the rows X and targets y (one or several columns) in their order, with optional
        weights. Parquet and Dask are read from the first row to the last."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target=True)
        width = data.n_features + data.n_targets
        refuse_beyond_memory(32.0 * width**2, f"The triangle of {width} columns", "Use fewer columns.")
        state = begin(data.n_features, data.n_targets, p.alpha, p.fit_intercept)
        self.n_samples_seen_ = 0
        self._take(state, data, p.forgetting)
        return self

    @updating
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on with more rows, in their order. `alpha` and `fit_intercept` are those of the first call."""
        p = self._checked()
        if kind_of(X) != "memory":
            raise InvalidData("partial_fit takes rows in memory; fit reads a Parquet path or a Dask collection itself")
        first = not hasattr(self, "_state")
        rows = take_rows(self, X, reset=first)
        data = MemorySource(rows, take_targets(self, y, rows.shape[0]), take_weights(sample_weight, rows.shape[0]))
        if first:
            state = begin(data.n_features, data.n_targets, p.alpha, p.fit_intercept)
            self.n_samples_seen_ = 0
        else:
            state = Recursion(**self._state)
            if state.n_targets != data.n_targets:
                raise InvalidData(f"y has {data.n_targets} target(s), the rows before had {state.n_targets}")
        self._take(state, data, p.forgetting)
        return self

    def _take(self, state: Recursion, data: Source, forgetting: float) -> None:
        for block in data.blocks():
            for leaf in block.leaves():
                state = absorbed(state, leaf.X, leaf.targets, leaf.w, forgetting)
        self._learn(data, *solution(state), flat=False, with_intercept=state.with_intercept)
        self._state = state._asdict()
        self.n_samples_seen_ += data.n_rows
        self.__dict__.pop("covariance_", None)

    @cached_property
    def covariance_(self) -> np.ndarray:
        check_is_fitted(self, "coef_")
        return covariance(Recursion(**self._state))
