"""What kernel regressors share: predictions from dual coefficients, in blocks of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator
from surefit._core.errors import InvalidData
from surefit._core.precision import narrowed
from surefit._core.threads import single_threaded_blas
from surefit.engine.apply import apply_rows
from surefit.kernel_ridge.kernel_data import KernelData
from surefit.kernels.gram import GramRows
from surefit.kernels.kernel import Kernel
from surefit.kernels.products import Linear
from surefit.kernels.resolve import take_inputs


class KernelRegressor(MultiOutputMixin, RegressorMixin, Estimator):
    """x ↦ Σᵢ k(x, xᵢ) dual_coefᵢ."""

    dual_coef_: np.ndarray
    X_fit_: Any
    kernel_: Kernel

    def predict(self, X: Any) -> np.ndarray:
        """The predicted target of every row of X (for a precomputed kernel: of its kernel values with the rows fitted).

        An array, a dataframe, CSR, a Parquet path or a Dask collection; where the kernel takes sets or strings, those.
        """
        check_is_fitted(self, "dual_coef_")
        if _is_numeric(self.X_fit_):
            return apply_rows(self, X, self._values)
        rows = take_inputs(self, self.kernel_, X, reset=False)
        with single_threaded_blas():
            return self._values(rows)

    def _values(self, rows: Any) -> np.ndarray:
        dual = np.asarray(self.dual_coef_, dtype=np.float64)
        if self.kernel_.reads_pairs:
            values = np.asarray(rows @ dual)
        elif isinstance(self.kernel_, Linear):
            values = np.asarray(rows @ np.asarray(self.X_fit_.T @ dual))
        else:
            used = np.flatnonzero(dual.reshape(len(dual), -1).any(axis=1))
            gram = GramRows(self.kernel_, self.X_fit_, dtype=np.float64)
            gram = gram if len(used) in (0, len(dual)) else gram.subset(used)
            dual = dual if len(used) in (0, len(dual)) else dual[used]
            values = np.concatenate([block @ dual for _, block in gram.cross(rows)])
        single = rows.dtype == self.X_fit_.dtype == np.float32
        return narrowed(values, np.dtype(np.float32 if single else np.float64))

    def _learn(self, data: KernelData, kernel: Kernel, coefficients: np.ndarray) -> None:
        """Set what was learnt from the coefficients of the distinct rows, (n distinct, t)."""
        if not np.isfinite(coefficients).all():
            raise InvalidData(
                f"the coefficients of {type(self).__name__} left the range of floating-point numbers: bring the "
                "columns of X, and y, to a common scale, or raise alpha"
            )
        dual = data.spread(coefficients)  # in double: kernel values of one sign add up their roundings
        self.dual_coef_ = dual[:, 0] if data.flat else dual
        self.X_fit_, self.kernel_ = data.X, kernel
        self.__dict__.pop("gamma_", None)
        gamma = getattr(kernel, "gamma", None)
        if gamma is not None and not callable(gamma):
            self.gamma_ = float(gamma)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


def _is_numeric(X: Any) -> bool:
    return X.dtype.kind == "f"
