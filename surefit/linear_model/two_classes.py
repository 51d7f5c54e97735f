"""What classifiers that separate two classes share: the intake of two labels, and what a hyperplane achieves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit._core.errors import InvalidData
from surefit.engine.open import open_data
from surefit.engine.resident import in_memory
from surefit.linear_model.classifier import LinearClassifier
from surefit.solvers.linear_programme import Solution, solve_piecewise_linear
from surefit.solvers.signed_rows import SignedRows


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
        data = in_memory(open_data(self, X, y, sample_weight, target="classes"), name)
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
        return TwoClasses(data.X[places], sign[places], data.w[places], places, data.n_rows, data.dtype)

    def _learn(self, rows: SignedRows, coef: np.ndarray, intercept: float, dtype: np.dtype) -> bool:
        """Coefficients in the data's precision, unless that would lose the separation; and what they achieve.

        Whether they separate: every margin is positive beyond rounding.
        """
        if not (np.isfinite(coef).all() and np.isfinite(intercept)):
            raise InvalidData(
                f"the coefficients of {type(self).__name__} left the range of floating-point numbers: "
                "bring the columns of X to a common scale"
            )
        separates = False
        theta = np.zeros(rows.width)
        for kind in dict.fromkeys((dtype, np.dtype(np.float64))):
            with np.errstate(over="ignore"):
                self.coef_ = coef.astype(kind)[None]
                self.intercept_ = np.array([intercept], dtype=kind)
            theta = rows.in_own_units(self.coef_[0].astype(np.float64), float(self.intercept_[0]))
            separates = bool(np.isfinite(theta).all()) and rows.certain(theta)
            if separates:
                break
        if not separates and np.isfinite(coef.astype(dtype)).all():
            self.coef_, self.intercept_ = self.coef_.astype(dtype), self.intercept_.astype(dtype)
        self.margin_ = None
        if separates:
            length = float(np.linalg.norm(theta[: rows.d]))
            # margins are of s θ·(x, 1), and the length is that of s w
            self.margin_ = float(rows.margins(theta).min()) / rows.scale / length if length > 0 else np.inf
        return separates

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def least_violations(X: Any, sign: np.ndarray, w: np.ndarray, fit_intercept: bool) -> Solution:
    """min over w, b of  Σ ωᵢ max(0, 1 − σᵢ (xᵢ·w + b)) ; the dual is in [0, ω], in units of a power of two."""
    w = w / float(np.ldexp(1.0, int(np.frexp(w.mean())[1])))
    return solve_piecewise_linear(X, np.ones(len(w)), np.zeros(len(w)), w, fit_intercept=fit_intercept, sign=sign)


def farkas_vector(dual: np.ndarray) -> np.ndarray | None:
    """φ = a / Σ a; None where the programme found no violation, so that there is nothing to prove."""
    total = float(dual.sum())
    return dual / total if total > 0 else None
