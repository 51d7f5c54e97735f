"""Ridge regression."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np

from surefit._core.base import fitting
from surefit._core.errors import InvalidParameter
from surefit._core.params import Penalty, Range
from surefit._core.random import RandomStateLike
from surefit.engine.open import open_data
from surefit.linear_model.predictor import LinearRegressor
from surefit.solvers.least_squares.least_squares import least_squares
from surefit.solvers.least_squares.nonnegative import nonnegative_least_squares

_COUNTING = ("lsqr", "sag", "saga")
Solver = Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]


class Ridge(LinearRegressor):
    """min over w, b of  Σ ωᵢ (yᵢ − xᵢ·w − b)² + alpha ‖w‖² .

    The answer is exact to rounding whichever `solver` is named: the names are scikit-learn's, the method is chosen from
    the data. `alpha=0` is least squares.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or ndarray of shape (n_targets,)
        1: each target is solved once. One for each target where scikit-learn counts iterations ('lsqr', 'sag', 'saga').
    solver_ : str
        The name scikit-learn would report for this solver and data.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import Ridge
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0])
    >>> Ridge(alpha=2.0).fit(X, y).coef_
    array([0.5])
    """

    n_iter_: int | np.ndarray
    solver_: str

    def __init__(
        self,
        alpha: Penalty = 1.0,
        *,
        fit_intercept: Annotated[bool, "Whether to learn b, which is never penalised."] = True,
        copy_X: Annotated[bool, "Accepted for scikit-learn's sake: X is never written to."] = True,
        max_iter: Annotated[
            int | None, Range(1), "Limit for the iterations on sparse data wider than 4096 columns."
        ] = None,
        tol: Annotated[float, Range(0), "Accepted for scikit-learn's sake: the answer is exact to rounding."] = 1e-4,
        solver: Annotated[Solver, "Accepted for scikit-learn's sake: the method is chosen from the data."] = "auto",
        positive: Annotated[bool, "Whether coefficients must be ≥ 0."] = False,
        random_state: Annotated[RandomStateLike, "Accepted for scikit-learn's sake: nothing is random."] = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y (one or several columns), with optional weights."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target=True)
        alpha = np.asarray(p.alpha, dtype=np.float64).ravel()
        if len(alpha) not in (1, data.n_targets):
            raise InvalidParameter(
                f"Number of targets and number of penalties do not correspond: {len(alpha)} != {data.n_targets}. "
                "Give Ridge(alpha=…) one penalty, or one for each target"
            )
        alpha = np.broadcast_to(alpha, (data.n_targets,))
        if p.positive:
            fit = nonnegative_least_squares(data, alpha=alpha, fit_intercept=p.fit_intercept)
        else:
            fit = least_squares(data, alpha=alpha, fit_intercept=p.fit_intercept, max_iter=p.max_iter)
        self._learn(data, fit.coef, fit.intercept, flat=True, with_intercept=p.fit_intercept)
        automatic = "lbfgs" if p.positive else "sparse_cg" if data.is_sparse else "cholesky"
        self.solver_ = automatic if p.solver == "auto" else p.solver
        self.n_iter_ = np.ones(data.n_targets, dtype=np.int32) if self.solver_ in _COUNTING else 1
        return self
