"""Kernel ridge regression."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidParameter
from surefit._core.params import Penalty, Range
from surefit.kernel_ridge.kernel_data import kernel_of, open_kernel_data
from surefit.kernel_ridge.parameters import Coef0, Degree, Gamma, KernelName, KernelParams
from surefit.kernel_ridge.predictor import KernelRegressor
from surefit.solvers.kernel_system.solve import Solution, Solver, solve_kernel_system


class KernelRidge(KernelRegressor):
    """min over f of  Σ ωᵢ (yᵢ − f(xᵢ))² + alpha ‖f‖² ,   f = Σᵢ aᵢ k(xᵢ, ·) ,   (K + alpha W⁻¹) a = y .

    Up to 20,000 rows the system is factorized in half the memory of K; beyond, conjugate gradients with Nyström's
    preconditioner solve it without storing K, until its residual is at most `tol`. The linear kernel on more rows than
    columns needs neither. There is no intercept: center y, or add a constant to the kernel (`Gaussian(0.1) + 1`).

    {parameters}

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        a, in double precision; of rows that are equal in x and y each has its share by weight.
    X_fit_ : {ndarray, CSR} of shape (n_samples, n_features)
        The rows fitted on, which predictions need; the matrix itself for a precomputed kernel.
    kernel_ : Kernel
        The kernel as an expression; `print(model.kernel_)` shows its formula.
    gamma_ : float
        The gamma used, where the kernel has one.
    solver_ : str
        'cholesky', 'eigen' or 'nystrom_cg': what solved the system.
    n_iter_ : int
        Iterations of 'nystrom_cg'; 1 for the others.
    residual_ : float
        After 'nystrom_cg': ‖y − (K + alpha W⁻¹) a‖ / ‖y‖ in the norm weighted by ω, the largest over targets.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.kernel_ridge import KernelRidge
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0])
    >>> KernelRidge(alpha=5.0).fit(X, y).predict([[4.0]])
    array([2.])
    """

    solver_: str
    n_iter_: int

    def __init__(
        self,
        alpha: Penalty = 1,
        *,
        kernel: KernelName = "linear",
        gamma: Gamma = None,
        degree: Degree = 3,
        coef0: Coef0 = 1,
        kernel_params: KernelParams = None,
        solver: Annotated[
            Solver,
            "'cholesky' factorizes half of K in place; 'eigen' decomposes it once for many penalties; 'nystrom_cg' "
            "iterates without storing it; 'auto' chooses by the size.",
        ] = "auto",
        n_landmarks: Annotated[
            int | None, Range(1), "Rows that Nyström's preconditioner is made of; None is about 8 √n."
        ] = None,
        tol: Annotated[float, Range(0), "Relative residual at which 'nystrom_cg' stops."] = 1e-8,
        max_iter: Annotated[int, Range(1), "Limit for the iterations of 'nystrom_cg'."] = 1000,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.max_iter = max_iter

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y (one or several columns), with optional weights; weight two is a row repeated."""
        p = self._checked()
        data = open_kernel_data(self, kernel_of(p, None), X, y, sample_weight)
        kernel = kernel_of(p, data.X)
        alphas = self._penalties(p, data.Y.shape[1])
        system = data.system(kernel)
        progress = Progress(self, p.max_iter, X, y)
        solution = solve_kernel_system(
            system,
            alphas,
            system.scaled(data.targets),
            p.solver,
            n_landmarks=p.n_landmarks,
            tol=p.tol,
            max_iter=p.max_iter,
            step=lambda C: progress.step(lambda: {"dual_coef_": data.spread(system.scaled(C))}),
        )
        progress.end()
        self._learn(data, kernel, system.scaled(solution.C))
        self._conclude(p, solution)
        return self

    def _penalties(self, p: Any, n_targets: int) -> np.ndarray:
        alphas = np.asarray(p.alpha, dtype=np.float64).ravel()
        if len(alphas) not in (1, n_targets):
            raise InvalidParameter(
                f"Number of targets and number of penalties do not correspond: {len(alphas)} != {n_targets}. "
                "Give KernelRidge(alpha=…) one penalty, or one for each target"
            )
        if p.solver == "nystrom_cg" and not (alphas > 0).all():
            raise InvalidParameter("KernelRidge(solver='nystrom_cg') needs alpha > 0; for alpha=0 use solver='eigen'")
        return np.broadcast_to(alphas, (n_targets,))

    def _conclude(self, p: Any, solution: Solution) -> None:
        self.solver_, self.n_iter_ = solution.solver, solution.n_iter
        self.__dict__.pop("residual_", None)
        if solution.residual is None:
            return
        self.residual_ = float(solution.residual.max())
        if self.residual_ > p.tol:
            warnings.warn(
                f"stopped after {self.n_iter_} iterations at a relative residual of {self.residual_:.1e} (tol "
                f"{p.tol:g}): raise max_iter, n_landmarks or alpha",
                ConvergenceWarning,
                stacklevel=5,
            )
