"""What linear regressors share: predictions on every source, and the shapes scikit-learn gives to what was learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator
from surefit._core.errors import InvalidData
from surefit._core.precision import narrowed
from surefit.engine.apply import apply_rows
from surefit.engine.sources.source import Source


class LinearRegressor(MultiOutputMixin, RegressorMixin, Estimator):
    """x ↦ x·coef + intercept."""

    coef_: np.ndarray
    intercept_: float | np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """The predicted target of every row of X: an array, a dataframe, CSR, a Parquet path or a Dask collection.

        Dask gives a lazy Dask array, everything else an ndarray.
        """
        check_is_fitted(self, "coef_")
        coef, intercept = self.coef_.T, self.intercept_
        return apply_rows(self, X, lambda rows: np.asarray(rows @ coef) + intercept)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _learn(
        self, data: Source, coef: np.ndarray, intercept: np.ndarray, *, flat: bool, with_intercept: bool
    ) -> None:
        """Set `coef_` and `intercept_` from (targets, features) and (targets,).

        `flat`: a single target column gives a flat `coef_`, as scikit-learn's ridge does.
        """
        single = data.target_ndim == 1
        refuse_infinite_coefficients(self, coef, intercept)
        coef = narrowed(coef, data.dtype)
        self.coef_ = coef[0] if single or (flat and len(coef) == 1) else coef
        if not with_intercept:
            self.intercept_: Any = 0.0
        else:
            intercept = narrowed(intercept, data.dtype)
            self.intercept_ = intercept[0] if single else intercept


def refuse_infinite_coefficients(estimator: Any, *learnt: Any) -> None:
    """An error where coefficients are NaN or infinite: the columns and the target are too far apart in size."""
    if not all(np.isfinite(values).all() for values in learnt):
        raise InvalidData(
            f"the coefficients of {type(estimator).__name__} left the range of floating-point numbers: bring the "
            "columns of X, and y, to a common scale"
        )
