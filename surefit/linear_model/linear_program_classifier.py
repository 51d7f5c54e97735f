"""A separating hyperplane by linear programming, or a proof that there is none."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import fitting
from surefit.linear_model.two_classes import TwoClassClassifier, least_violations
from surefit.solvers.margin.farkas import farkas_vector
from surefit.solvers.margin.signed_rows import SignedRows


class LinearProgramClassifier(TwoClassClassifier):
    """min over w, b of  Σ ωᵢ max(0, 1 − σᵢ (xᵢ·w + b)) ,  σᵢ = ±1 : separate two classes, or prove that none can.

    The minimum is zero exactly where a hyperplane separates the two classes; then of all that do the one of the largest
    margin is kept. Else the dual of the linear program is a Farkas vector, which proves that none exists, and the
    answer has the smallest sum of violations (of least ‖w‖ among several).

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    separable_ : bool or None
        None where rounding hides the answer.
    margin_ : float or None
        min σᵢ (xᵢ·w + b) / ‖w‖ where the classes are separable.
    farkas_ : ndarray of shape (n_samples,) or None
        Where they are not: φ ≥ 0 with Σ φ = 1, Σ φᵢ σᵢ xᵢ = 0 and (with an intercept) Σ φᵢ σᵢ = 0. No hyperplane can
        have all φᵢ-weighted rows on their side.
    n_iter_ : int
        Steps of the interior point and along edges.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import LinearProgramClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array(["no", "no", "yes", "yes"])
    >>> model = LinearProgramClassifier().fit(X, y)
    >>> model.separable_, round(model.margin_, 12), model.predict([[1.9], [2.1]])
    (True, 1.0, array(['no', 'yes'], dtype='<U3'))
    """

    n_iter_: int
    farkas_: np.ndarray | None

    def __init__(self, *, fit_intercept: Annotated[bool, "Whether the hyperplane may miss the origin."] = True) -> None:
        self.fit_intercept = fit_intercept

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and two labels y; weights count violations, and a row of weight zero does not count at all."""
        p = self._checked()
        data = self._two_classes(X, y, sample_weight)
        fit = least_violations(data.X, data.sign, data.w, p.fit_intercept)
        self.n_iter_ = fit.n_iter
        rows = SignedRows(data.X, data.sign, p.fit_intercept)
        self.separable_ = self._learn(rows, fit.coef, fit.intercept, data)
        self.farkas_ = None
        if not self.separable_:
            farkas = farkas_vector(fit.dual, rows, data.w)
            if farkas is None:
                self.separable_ = None
                warnings.warn(
                    "the classes are so close to touching that rounding hides whether a hyperplane separates them",
                    ConvergenceWarning,
                    stacklevel=4,
                )
                return self
            self.farkas_ = data.to_all_rows(farkas)
            warnings.warn(
                "the classes are not linearly separable: farkas_ proves it, and predictions come from the smallest sum "
                "of violations",
                stacklevel=4,
            )
        return self
