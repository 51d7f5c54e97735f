"""Quantile regression, and its middle: least absolute deviations."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import column_or_1d

from surefit._core.arithmetic import power_of_two
from surefit._core.base import fitting
from surefit._core.errors import InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.engine.open import open_data
from surefit.linear_model.predictor import LinearRegressor, refuse_infinite_coefficients
from surefit.objectives import pinball
from surefit.solvers.linear_program.linear_program import solve_piecewise_linear

Solver = Literal["highs-ds", "highs-ipm", "highs", "interior-point", "revised simplex"]


class _PinballRegressor(LinearRegressor):
    """The fit that both share."""

    n_iter_: int
    dual_: np.ndarray

    def _fit_pinball(
        self, X: Any, y: Any, sample_weight: Any, quantile: float, alpha: float, fit_intercept: bool
    ) -> None:
        data = open_data(self, X, y, sample_weight, target=True, stream=False, instead="LinearRegression")
        y = column_or_1d(data.y, warn=True).astype(np.float64)
        weights = np.ones(data.n_rows) if data.w is None else data.w
        counted = weights > 0
        rows, targets, w = data.X, y, weights
        if not counted.all():
            rows, targets, w = data.X[counted], y[counted], weights[counted]
        # Only ratios of weights matter: a power of two keeps their sum near the number of rows.
        unit = power_of_two(float(w.mean()))
        low, high = pinball.slopes(quantile)
        fit = solve_piecewise_linear(
            rows,
            targets,
            low * (w / unit),
            high * (w / unit),
            fit_intercept=fit_intercept,
            penalty=alpha * float((w / unit).sum()),
        )
        if not fit.optimal:
            warnings.warn(
                f"Linear programming for {type(self).__name__} did not succeed.\nStatus is 4: Numerical difficulties "
                "encountered. The certificate says how far from the optimum the answer can be.",
                ConvergenceWarning,
                stacklevel=6,
            )
        refuse_infinite_coefficients(self, fit.coef, fit.intercept)
        self.coef_ = narrowed(fit.coef, data.dtype)
        self.intercept_ = narrowed(np.array([fit.intercept]), data.dtype)[0] if fit_intercept else 0.0
        self.n_iter_ = fit.n_iter
        self.dual_ = np.zeros(data.n_rows)
        self.dual_[counted] = fit.dual * unit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        tags.target_tags.single_output = True
        return tags


class QuantileRegressor(_PinballRegressor):
    """min over w, b of  (1/Σω) Σ ωᵢ ρ(yᵢ − xᵢ·w − b) + alpha ‖w‖₁ ,   ρ(r) = max(q r, (q − 1) r) .

    The prediction estimates the quantile q of y given x. The linear program is solved exactly to rounding, by an
    interior point and a walk along edges, in memory linear in the data. Of several optimal answers the one of least
    ‖w‖ is taken, and the middle of the interval for b.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
        Steps of the interior point and along edges.
    dual_ : ndarray of shape (n_samples,)
        The dual vector a, which proves the answer: (q − 1) ωᵢ ≤ aᵢ ≤ q ωᵢ, |Xᵀa| ≤ alpha Σω, Σa = 0 with an intercept,
        and y·a / Σω is the minimum.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import QuantileRegressor
    >>> X, y = np.arange(11.0)[:, None], np.arange(11.0) + 10 * (np.arange(11) == 4)
    >>> model = QuantileRegressor(quantile=0.8, alpha=0).fit(X, y)
    >>> model.coef_, round(model.intercept_, 12)
    (array([1.]), np.float64(0.0))
    """

    def __init__(
        self,
        *,
        quantile: Annotated[float, Range(0, 1, open="both"), "The quantile to predict; 0.5 is the median."] = 0.5,
        alpha: Annotated[float, Range(0, open="high"), "Strength of the L1 penalty; 0 for none."] = 1.0,
        fit_intercept: Annotated[bool, "Whether to learn b, which is never penalised."] = True,
        solver: Annotated[
            Solver, "Accepted for scikit-learn's sake: the method is chosen from the data, the answer is exact."
        ] = "highs",
        solver_options: Annotated[dict | None, "Accepted for scikit-learn's sake, without effect."] = None,
    ) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        if p.solver == "interior-point":
            raise InvalidParameter(f"Solver {p.solver} is not anymore available in SciPy >= 1.11.0.")
        self._fit_pinball(X, y, sample_weight, float(p.quantile), float(p.alpha), p.fit_intercept)
        return self


class LADRegressor(_PinballRegressor):
    """min over w, b of  (1/Σω) Σ ωᵢ ½ |yᵢ − xᵢ·w − b| + alpha ‖w‖₁ : least absolute deviations.

    The median of y given x; a few wild targets do not move it. The same as `QuantileRegressor(quantile=0.5)`, without a
    penalty unless asked for.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    dual_ : ndarray of shape (n_samples,)
        The dual vector a: |aᵢ| ≤ ½ ωᵢ, |Xᵀa| ≤ alpha Σω, Σa = 0 with an intercept; y·a / Σω is the minimum.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import LADRegressor
    >>> X, y = np.arange(5.0)[:, None], np.array([1.0, 3.0, 5.0, 7.0, 1000.0])
    >>> model = LADRegressor().fit(X, y)
    >>> model.predict([[4.0]])
    array([9.])
    """

    def __init__(
        self,
        *,
        alpha: Annotated[float, Range(0, open="high"), "Strength of the L1 penalty; 0 for none."] = 0.0,
        fit_intercept: Annotated[bool, "Whether to learn b, which is never penalised."] = True,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        self._fit_pinball(X, y, sample_weight, 0.5, float(p.alpha), p.fit_intercept)
        return self
