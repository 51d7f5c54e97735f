"""A separating hyperplane by linear programming, or a proof that there is none."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import numpy as np

from surefit._core.base import fitting
from surefit._core.errors import InvalidData
from surefit.engine.open import open_data
from surefit.engine.resident import in_memory
from surefit.linear_model.classifier import LinearClassifier
from surefit.solvers.linear_programme import solve_piecewise_linear


class LinearProgramClassifier(LinearClassifier):
    """min over w, b of  Σ ωᵢ max(0, 1 − σᵢ (xᵢ·w + b)) ,  σᵢ = ±1 : separate two classes, or prove that none can.

    The minimum is zero exactly where a hyperplane separates the two classes; then of all that do the one of the largest
    margin is kept. Else the dual of the linear programme is a Farkas vector, which proves that none exists, and the
    answer has the smallest sum of violations (of least ‖w‖ among several).

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    separable_ : bool
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

    def __init__(self, *, fit_intercept: Annotated[bool, "Whether the hyperplane may miss the origin."] = True) -> None:
        self.fit_intercept = fit_intercept

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LinearProgramClassifier:
        """Fit to rows X and two labels y; weights count violations, and a row of weight zero does not count at all."""
        p = self._checked()
        data = in_memory(open_data(self, X, y, sample_weight, target="classes"), type(self).__name__)
        if len(data.classes) > 2:
            raise InvalidData(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"LinearProgramClassifier needs two classes; y has {len(data.classes)}."
            )
        if len(data.classes) < 2:
            raise InvalidData(
                "LinearProgramClassifier needs samples of at least 2 classes in the data, but the data contains only "
                f"one class: {data.classes[0]!r}"
            )
        sign = np.where(np.asarray(data.y) > 0, 1.0, -1.0)
        weights = np.ones(data.n_rows) if data.w is None else data.w
        counted = weights > 0
        rows, signs, w = (
            (data.X, sign, weights) if counted.all() else (data.X[counted], sign[counted], weights[counted])
        )
        w = w / float(np.ldexp(1.0, int(np.frexp(w.mean())[1])))
        fit = solve_piecewise_linear(
            rows, np.ones(len(w)), np.zeros(len(w)), w, fit_intercept=p.fit_intercept, sign=signs
        )
        self.classes_ = data.classes
        self.n_iter_ = fit.n_iter
        self._learn(rows, signs, fit.coef, fit.intercept, data.dtype)
        self.farkas_ = None
        if not self.separable_:
            self.farkas_ = np.zeros(data.n_rows)
            self.farkas_[counted] = fit.dual / fit.dual.sum()
            warnings.warn(
                "the classes are not linearly separable: farkas_ proves it, and predictions come from the smallest sum "
                "of violations",
                stacklevel=4,
            )
        return self

    def _learn(self, rows: Any, signs: np.ndarray, coef: np.ndarray, intercept: float, dtype: np.dtype) -> None:
        """Coefficients in the data's precision, unless that would lose the separation; and what they achieve."""
        w, smallest = coef, -np.inf
        for kind in dict.fromkeys((dtype, np.dtype(np.float64))):
            self.coef_ = coef.astype(kind)[None]
            self.intercept_ = np.array([intercept], dtype=kind)
            w, b = self.coef_[0].astype(np.float64), float(self.intercept_[0])
            smallest = float((signs * (rows.astype(np.float64) @ w + b)).min())
            if smallest > 0:
                break
        self.separable_ = smallest > 0
        if not self.separable_:
            self.coef_, self.intercept_ = self.coef_.astype(dtype), self.intercept_.astype(dtype)
        length = float(np.linalg.norm(w))
        self.margin_ = (smallest / length if length > 0 else np.inf) if self.separable_ else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
