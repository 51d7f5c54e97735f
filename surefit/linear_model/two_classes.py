"""What classifiers that separate two classes share: the intake of two labels, and what a hyperplane achieves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit._core.arithmetic import power_of_two
from surefit._core.errors import InvalidData
from surefit.engine.linear_classifier import LinearClassifier
from surefit.engine.open import open_data
from surefit.solvers.linear_program.linear_program import Solution, solve_piecewise_linear
from surefit.solvers.margin.signed_rows import SignedRows

ROUNDED = 1e-5
"""Share by which the sum of violations may grow when coefficients are rounded to the precision of the data."""


class TwoClasses(NamedTuple):
    """Rows of positive weight, σ = ±1 of each, their weights, and which of all rows they are."""

    X: Any
    sign: np.ndarray
    w: np.ndarray
    places: np.ndarray
    n_rows: int
    dtype: np.dtype

    def to_all_rows(self, values: np.ndarray) -> np.ndarray:
        """One number for each row that was given, zero for those of weight zero."""
        everything = np.zeros(self.n_rows)
        everything[self.places] = values
        return everything


class TwoClassClassifier(LinearClassifier):
    """A hyperplane between two classes: `coef_` (1, d), `intercept_` (1,)."""

    separable_: bool | None
    margin_: float | None

    def _two_classes(self, X: Any, y: Any, sample_weight: Any) -> TwoClasses:
        name = type(self).__name__
        data = open_data(
            self, X, y, sample_weight, target="classes", stream=False, instead="Perceptron or LogisticRegression"
        )
        if len(data.classes) > 2:
            raise InvalidData(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"{name} needs two classes; y has {len(data.classes)}."
            )
        if len(data.classes) < 2:
            raise InvalidData(
                f"{name} needs samples of at least 2 classes in the data, but the data contains only "
                f"one class: {data.classes[0]!r}"
            )
        self.classes_ = data.classes
        sign = np.where(np.asarray(data.y) > 0, 1.0, -1.0)
        if data.w is None or (data.w > 0).all():
            w = np.ones(data.n_rows) if data.w is None else data.w
            return TwoClasses(data.X, sign, w, np.arange(data.n_rows), data.n_rows, data.dtype)
        places = np.flatnonzero(data.w > 0)
        if not -1 < sign[places].sum() / len(places) < 1:
            raise InvalidData(
                f"{name} needs samples of at least 2 classes in the data, but only rows of one class have a weight: "
                f"{data.classes[int(sign[places[0]] > 0)]!r}"
            )
        return TwoClasses(data.X[places], sign[places], data.w[places], places, data.n_rows, data.dtype)

    def _learn(self, rows: SignedRows, coef: np.ndarray, intercept: float, data: TwoClasses) -> bool:
        """Coefficients in the data's precision, unless that would lose what they achieve; whether they separate.

        They separate where every margin is positive beyond rounding. Else the sum of violations is what must not grow.
        """
        if not (np.isfinite(coef).all() and np.isfinite(intercept)):
            raise InvalidData(
                f"the coefficients of {type(self).__name__} left the range of floating-point numbers: "
                "bring the columns of X to a common scale"
            )
        separates = rows.certain(rows.in_own_units(coef, intercept))
        kind = np.dtype(np.float64)
        if data.dtype != kind:
            with np.errstate(over="ignore"):
                rounded = coef.astype(data.dtype).astype(np.float64), float(np.asarray(intercept, dtype=data.dtype))
            if np.isfinite(rounded[0]).all() and np.isfinite(rounded[1]):
                if separates:
                    kept = rows.certain(rows.in_own_units(*rounded))
                else:
                    kept = rows.violations(*rounded, data.w) <= (1 + ROUNDED) * rows.violations(coef, intercept, data.w)
                kind = data.dtype if kept else kind
        self.coef_ = coef.astype(kind)[None]
        self.intercept_ = np.array([intercept], dtype=kind)
        self.margin_ = None
        if separates:
            theta = rows.in_own_units(self.coef_[0].astype(np.float64), float(self.intercept_[0]))
            largest = float(np.abs(theta[: rows.d]).max(initial=0.0))  # squares may be beyond floating point
            length = largest * float(np.linalg.norm(theta[: rows.d] / largest)) if largest > 0 else 0.0
            self.margin_ = float(rows.margins(theta).min()) / rows.scale / length if length > 0 else np.inf
        return separates

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def least_violations(
    X: Any, sign: np.ndarray, w: np.ndarray, fit_intercept: bool, any_separator: bool = False
) -> Solution:
    """min over w, b of  Σ ωᵢ max(0, 1 − σᵢ (xᵢ·w + b)) ; the dual is in [0, ω], in units of a power of two.

    Where there are no violations the margin is the widest, unless `any_separator` will do.
    """
    w = w / power_of_two(float(w.mean()))
    ones, zeros = np.ones(len(w)), np.zeros(len(w))
    return solve_piecewise_linear(X, ones, zeros, w, fit_intercept=fit_intercept, sign=sign, any_zero=any_separator)
