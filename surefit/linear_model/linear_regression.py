"""Ordinary least squares."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np

from surefit._core.base import fitting
from surefit._core.params import Range
from surefit.engine.open import open_data
from surefit.linear_model.predictor import LinearRegressor
from surefit.linear_model.summary import Summary, summarise
from surefit.solvers.least_squares.least_squares import least_squares
from surefit.solvers.least_squares.nonnegative import nonnegative_least_squares


class LinearRegression(LinearRegressor):
    """min over w, b of  Σ ωᵢ (yᵢ − xᵢ·w − b)² .

    Coefficients are as accurate as a QR factorisation of the data makes them: well-conditioned data is solved from one
    pass over products of deviations, ill-conditioned data (polynomials, near-copies of columns) by a triangular factor
    and correction passes, chosen from the data. Columns that depend on each other to rounding give the shortest
    answer. Weights count rows: a weight of two is a row repeated.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    rank_ : int
        Rank of the centered data, its columns scaled to one length. Not set for sparse data wider than 4096 columns,
        nor with `positive`.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of the centered, √weight-scaled data; set together with `rank_`.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import LinearRegression
    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]])
    >>> y = X @ [1.0, 2.0] + 3.0
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(12), round(float(model.intercept_), 12)
    (array([1., 2.]), 3.0)
    """

    rank_: int
    singular_: np.ndarray

    def __init__(
        self,
        *,
        fit_intercept: Annotated[bool, "Whether to learn b; without it the plane goes through the origin."] = True,
        copy_X: Annotated[bool, "Accepted for scikit-learn's sake: X is never written to."] = True,
        tol: Annotated[
            float,
            Range(0),
            "Accepted for scikit-learn's sake: the answer is exact to rounding (wide sparse data: to a relative "
            "gradient of 1e-10), and only directions at the level of rounding are cut.",
        ] = 1e-6,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
        positive: Annotated[bool, "Whether coefficients must be ≥ 0."] = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y (one or several columns), with optional weights."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target=True, n_jobs=p.n_jobs)
        for name in ("rank_", "singular_", "_inference"):
            self.__dict__.pop(name, None)
        if p.positive:
            fit = nonnegative_least_squares(data, fit_intercept=p.fit_intercept)
        else:
            fit = least_squares(data, fit_intercept=p.fit_intercept, inference=True)
            if fit.rank is not None and fit.singular is not None:
                self.rank_, self.singular_ = fit.rank, fit.singular.astype(data.dtype, copy=False)
            if fit.factor is not None:
                self._inference = {
                    "factor": fit.factor,
                    "mean": fit.mean,
                    "weight": fit.weight,
                    "residual_ss": fit.residual_ss,
                    "total_ss": fit.total_ss,
                }
        self._learn(data, fit.coef, fit.intercept, flat=False, with_intercept=p.fit_intercept)
        return self

    def summary(self, level: float = 0.95) -> Summary:
        """Standard errors, t and p values, intervals at `level`, R², F: the table of a regression.

        Assumes independent errors of one variance. Weights count rows, so Σω is the number of observations. Refused
        where the formulas do not hold: dependent columns, `positive=True`, no degrees of freedom left.
        """
        return summarise(self, level)
