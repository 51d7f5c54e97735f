"""What linear classifiers share: scores and labels on every source, and coefficients as CSR on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator
from surefit._core.errors import InvalidParameter
from surefit._core.precision import linear_scores
from surefit.engine.apply import apply_rows


class LinearClassifier(ClassifierMixin, Estimator):
    """x ↦ x·coefᵀ + intercept; one score for two classes (of `classes_[1]`), else one for each class."""

    classes_: np.ndarray
    coef_: Any
    intercept_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of every row of X: (n_samples,) for two classes, else (n_samples, n_classes)."""
        check_is_fitted(self, "coef_")
        return apply_rows(self, X, self._scorer())

    def predict(self, X: Any) -> np.ndarray:
        """The predicted label of every row of X: an array, a dataframe, CSR, a Parquet path or a Dask collection."""
        check_is_fitted(self, "coef_")
        score, classes = self._scorer(), self.classes_

        def label(rows: Any) -> np.ndarray:
            scores = score(rows)
            return classes[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

        return apply_rows(self, X, label)

    def _scorer(self) -> Callable[[Any], np.ndarray]:
        coef, intercept = self.coef_, self.intercept_

        def score(rows: Any) -> np.ndarray:
            scores = linear_scores(rows, coef, intercept)
            return scores[:, 0] if scores.shape[1] == 1 else scores

        return score

    def sparsify(self) -> Self:
        """Hold `coef_` as CSR, which is small where most coefficients are zero."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before sparsifying.")
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Hold `coef_` as an array again."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before densifying.")
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def given_class_weight(class_weight: dict, classes: np.ndarray) -> np.ndarray:
    """One factor for each class, from a dictionary {label: factor}."""
    weights = np.asarray(compute_class_weight(class_weight, classes=classes, y=classes), dtype=np.float64)
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise InvalidParameter(f"class_weight must hold finite numbers ≥ 0, not all of them zero; got {class_weight}")
    return weights
