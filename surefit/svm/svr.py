"""Support vector regression with kernels."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting
from surefit._core.params import Range
from surefit.solvers.margin.support_vectors import regress
from surefit.svm import parameters as of
from surefit.svm.hard_margin import outside_tube
from surefit.svm.machine import SupportVectorMachine


class SVR(RegressorMixin, SupportVectorMachine):
    """min over f, b of  ½ ‖f‖² + C Σ ωᵢ max(0, |yᵢ − f(xᵢ) − b| − ε) : errors up to ε are free, others cost their size.

    The dual program is solved by sequential minimal optimization until the gap between it and the program above is at
    most `tol`/1000 of the objective; with `C=inf` no error may be larger than ε. A fit always ends: at the gap, at
    `max_iter`, at the `time_budget`, with Ctrl-C; the gap reached is told.

    {parameters}

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Rows on the edge of the tube of width ε or outside it.
    support_vectors_ : ndarray or CSR of shape (n_SV, n_features)
        Empty where X was a Gram matrix or a function made one.
    n_support_ : ndarray of shape (1,)
    dual_coef_ : ndarray or CSR of shape (1, n_SV)
        αᵢ − αᵢ* of each support vector.
    intercept_ : ndarray of shape (1,)
    coef_ : ndarray or CSR of shape (1, n_features)
        With kernel='linear' only.
    gamma_ : float
        γ as a number.
    rel_gap_ : float
        The solver's bound for (objective − minimum) / objective.
    dual_gap_ : float
        The same in units of the objective.
    fit_status_ : int
        0 where the gap was reached.
    n_iter_ : int
    farkas_ : ndarray of shape (n_samples,) or None
        Where C=inf and no function stays within ε of every target: φ with Σ φ = 0, Σ φᵢ k(xᵢ, ·) = 0 and
        Σ φᵢ yᵢ > ε Σ |φᵢ|, which proves it.
    shape_fit_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.svm import SVR
    >>> X = np.arange(5.0)[:, None]
    >>> model = SVR(kernel="linear", C=100.0, epsilon=0.0).fit(X, 2 * X[:, 0] + 1)
    >>> model.predict([[10.0]]).round(6)
    array([21.])
    """

    n_iter_: int
    dual_gap_: float
    farkas_: np.ndarray | None

    def __init__(
        self,
        *,
        kernel: of.KernelParameter = "rbf",
        degree: of.Degree = 3,
        gamma: of.Gamma = "scale",
        coef0: of.Coef0 = 0.0,
        tol: of.Tolerance = 1e-3,
        C: of.Cost = 1.0,
        epsilon: Annotated[float, Range(0, open="high"), "ε: errors up to it are free."] = 0.1,
        shrinking: of.Shrinking = True,
        cache_size: of.CacheSize = 200,
        verbose: of.Verbose = False,
        max_iter: of.MaxIter = -1,
        time_budget: of.TimeBudget = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_budget = time_budget

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to inputs X and numbers y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        rows, _ = self._open(X, y, sample_weight, "numbers")
        self._learn_gamma(p.gamma, rows)
        gram, index = self._gram(rows)
        cost = np.full(len(rows), float(p.C))
        limits = self._limits(p)
        proof = None
        if np.isinf(p.C) and self._route == "vectors":
            proof = outside_tube(rows.X[rows.places], rows.y, float(p.epsilon), linear=self.kernel == "linear")
        machine = regress(gram, index, rows.y, float(p.epsilon), cost * rows.w, limits, proof)
        self._told(machine, p)
        self.intercept_ = np.array([self._intercept(rows, np.arange(len(rows)), machine)])
        self.n_iter_, self.dual_gap_ = int(machine.n_iter), float(machine.gap)
        coef = rows.spread_within(machine.coef, cost)[None]
        support = np.flatnonzero(coef[0])
        self._n_support = np.array([len(support)], dtype=np.int32)
        self.farkas_ = None if machine.farkas is None else rows.spread(machine.farkas)
        self._learn_support(rows, coef, support)
        self._conclude([machine], p)
        return self

    def _support_weights(self) -> np.ndarray:
        return (self.dual_coef_.toarray() if sp.issparse(self.dual_coef_) else self.dual_coef_).T

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number for every input."""
        check_is_fitted(self, "support_")
        return self._apply(X, lambda scores, dtype: scores[:, 0].astype(dtype))
