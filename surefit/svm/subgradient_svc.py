"""The linear support vector machine by averaged subgradient descent."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidData
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.engine.linear_classifier import LinearClassifier
from surefit.engine.open import open_data
from surefit.solvers.hinge.averaged_subgradient import averaged_subgradient
from surefit.solvers.hinge.clipped_pass import Labels


class SubgradientSVC(LinearClassifier):
    """min over w, b of  f(w, b) = λ/2 (‖w‖² + b²) + Σ ωᵢ max(0, 1 − yᵢ (xᵢ·w + b)) / Σ ωᵢ ,  yᵢ = ±1 : step by step.

    From zero, `max_iter` = T steps against a subgradient, of the sizes 1/(λ (t + 1)); the answer is the mean of the
    points passed, θ₀ … θ_{T−1}. It comes with a theorem: f(mean) − min f ≤ L² (1 + ln T) / (2 λ T), where L = 2 max
    ‖x̃‖, x̃ = (x, 1), bounds every subgradient met. A hyperplane that may miss the origin is one through it for x̃: so b
    is penalized like a slope. Every step is one pass over all rows, and nothing is random.

    `LinearSVC(loss="hinge", C=1/(λ Σ ωᵢ))` has the same minimum and finds it to many digits; this class is for
    learning, and for what the theorem says.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
        T, unless a callback stopped the fit.
    bound_ : float
        The theorem's bound of f − min f.
    rel_gap_ : float
        A bound of (f − min f) / f from a dual point that the steps made on the way; right in exact arithmetic.
    objective_ : float
        f at the answer.
    history_ : ndarray of shape (n_iter_,)
        f at θ₀ … θ_{T−1}; it need not fall.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from surefit.svm import SubgradientSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SubgradientSVC(lambda_=0.1, max_iter=200).fit(scale(X), y)
    >>> bool(model.rel_gap_ * model.objective_ < model.bound_), round(model.score(scale(X), y), 2)
    (True, 0.98)
    """

    n_iter_: int
    bound_: float
    rel_gap_: float
    objective_: float
    history_: np.ndarray

    def __init__(
        self,
        *,
        lambda_: Annotated[float, Range(0, open="both"), "λ, the strength of the penalty."] = 0.01,
        max_iter: Annotated[int, Range(1), "T, the number of steps."] = 1000,
        fit_intercept: Annotated[bool, "Whether to learn b."] = True,
    ) -> None:
        self.lambda_ = lambda_
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and two labels y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target="classes")
        classes: np.ndarray = np.asarray(data.classes)
        if len(classes) != 2:
            kind = "The type of the target is multiclass" if len(classes) > 2 else f"There is one class: {classes[0]!r}"
            raise InvalidData(
                f"Only binary classification is supported. {kind}. Wrap SubgradientSVC in scikit-learn's "
                "OneVsRestClassifier for more than two classes."
            )
        progress = Progress(self, p.max_iter, X, y)

        def after_step(theta: np.ndarray, value: float) -> bool:
            def attributes() -> dict[str, Any]:
                coef, intercept = theta[None, :-1].astype(data.dtype), theta[-1:].astype(data.dtype)
                return {"coef_": coef, "intercept_": intercept, "classes_": classes}

            return progress.step(attributes)

        labels = Labels(1, np.ones(2))
        found = averaged_subgradient(data, labels, float(p.lambda_), p.max_iter, p.fit_intercept, after_step)
        self.classes_ = classes
        self.coef_ = narrowed(found.theta[None, :-1], data.dtype)
        self.intercept_ = narrowed(found.theta[-1:], data.dtype)
        self.n_iter_, self.bound_ = found.n_iter, found.bound
        self.objective_, self.rel_gap_ = found.value, found.gap / found.value if found.value > 0 else 0.0
        self.history_ = np.asarray(found.history)
        progress.end()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
