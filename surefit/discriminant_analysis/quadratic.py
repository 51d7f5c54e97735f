"""Quadratic discriminant analysis: Gaussian classes, each with its own covariance."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.discriminant_analysis.estimates import (
    Classes,
    automatic,
    classes_of,
    estimated,
    one_of_two,
    priors_of,
)
from surefit.discriminant_analysis.parameters import CAN_FIT, Priors, Shrinkage
from surefit.discriminant_analysis.scores import squared_distances
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.engine.sources.source import Source
from surefit.solvers.discriminant.discriminant import gaussian_axes
from surefit.solvers.discriminant.shrinkage import shrunk


class QuadraticDiscriminantAnalysis(ClassifierMixin, Estimator):
    """Gaussian classes: class k has the score  log π_k − ½ log det C_k − ½ (x − m_k)ᵀ C_k⁻¹ (x − m_k) .

    One pass over the data gives the means and products of every class; the two `solver` names give the same answer.

    {parameters}

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_features)
    priors_ : ndarray of shape (n_classes,)
    rotations_ : list of ndarrays of shape (n_features, n_features)
        The principal axes of each class, as columns; in each the entry of largest size is positive.
    scalings_ : list of ndarrays of shape (n_features,)
        The variances along them, falling.
    covariance_ : list of ndarrays of shape (n_features, n_features)
        C_k as used. Only if `store_covariance`.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> QuadraticDiscriminantAnalysis().fit(X, y).predict([[-0.8, -1]])
    array([1])
    """

    classes_: np.ndarray
    means_: np.ndarray
    priors_: np.ndarray
    rotations_: list[np.ndarray]
    scalings_: list[np.ndarray]
    covariance_: list[np.ndarray]

    def __init__(
        self,
        *,
        solver: Annotated[
            Literal["svd", "eigen"], "scikit-learn's names: 'svd' takes `reg_param`, 'eigen' shrinkage."
        ] = "svd",
        shrinkage: Shrinkage = None,
        priors: Priors = None,
        reg_param: Annotated[float, Range(0, 1), "With 'svd': C_k becomes (1 − r) C_k + r I."] = 0.0,
        store_covariance: Annotated[bool, "Whether to keep `covariance_`."] = False,
        tol: Annotated[float, Range(0), "A variance not above it counts as none, and the fit is refused."] = 1e-4,
        covariance_estimator: Annotated[
            Any,
            CAN_FIT,
            "Learns C_k from the rows of each class in memory; with 'eigen'.",
        ] = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and labels y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target="classes", stream=p.covariance_estimator is None)
        if p.solver == "eigen":
            one_of_two(p.shrinkage, p.covariance_estimator)
        elif p.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        elif p.covariance_estimator is not None:
            raise InvalidParameter(
                "covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead."
            )
        classes = classes_of(data, pooled=False)
        if len(classes.labels) < 2:
            raise InvalidData(f"The number of classes has to be greater than one. Got {len(classes.labels)} class.")
        for label, count, weight in zip(classes.labels, classes.counts, classes.weights, strict=True):
            if count == 1 and weight <= 1 and not (p.solver == "svd" and p.reg_param > 0):
                raise InvalidData(f"y has only 1 sample in class {label}, covariance is ill defined.")
        covariances = self._covariances(p, data, classes)
        scalings, rotations = [], []
        for k, covariance in enumerate(covariances):
            variances, axes = gaussian_axes(covariance)
            if p.solver == "svd" and p.reg_param > 0:
                variances = (1 - p.reg_param) * variances + p.reg_param
                covariances[k] = (axes * variances) @ axes.T
            self._refuse_flat(p, data, classes, k, variances)
            scalings.append(narrowed(variances, data.dtype, each=True))
            rotations.append(axes.astype(data.dtype))
        self.__dict__.pop("covariance_", None)
        if p.store_covariance:
            self.covariance_ = [narrowed(c, data.dtype) for c in covariances]
        self.classes_ = classes.labels
        self.priors_ = priors_of(p.priors, data, classes)
        self.means_ = classes.means.astype(data.dtype)
        self.scalings_, self.rotations_ = scalings, rotations
        return self

    def _covariances(self, p: SimpleNamespace, data: Source, classes: Classes) -> list[np.ndarray]:
        if p.covariance_estimator is not None:
            return [estimated(p.covariance_estimator, data, classes, k) for k in range(len(classes.labels))]
        if p.shrinkage == "auto":
            return list(automatic(data, classes, False)[0])
        plain = classes.products / classes.weights[:, None, None]
        return [shrunk(c, p.shrinkage) for c in plain] if p.shrinkage else list(plain)

    def _refuse_flat(self, p: SimpleNamespace, data: Source, classes: Classes, k: int, variances: np.ndarray) -> None:
        d, label, count = data.n_features, classes.labels[k], classes.counts[k]
        if (variances > p.tol).all():
            return
        if p.solver == "svd" and max(count, classes.weights[k]) <= d:
            raise np.linalg.LinAlgError(
                f"The covariance matrix of class {label} is not full rank. When using `solver='svd'` the number of "
                f"samples in each class should be more than the number of features, but class {label} has {count} "
                f"samples and {d} features. Try using `solver='eigen'` and setting the parameter `shrinkage` for "
                "regularization."
            )
        parameter = "shrinkage" if p.solver == "eigen" else "reg_param"
        raise np.linalg.LinAlgError(
            f"The covariance matrix of class {label} is not full rank. Increase the value of `{parameter}` to reduce "
            "the collinearity."
        )

    def decision_function(self, X: Any) -> np.ndarray:
        """The log-posterior of every class up to a common constant: (n_samples, n_classes), or for two classes the
        difference (n_samples,)."""
        return self._scored(X, lambda s: s[:, 1] - s[:, 0] if s.shape[1] == 2 else s)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row of X: an array, a dataframe, CSR, a Parquet path or Dask data."""
        return self._scored(X, lambda s: s.argmax(axis=1), labels=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class for every row of X, in the order of `classes_`."""
        return self._scored(X, lambda s: softmax(s, axis=1))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms, which stay finite where a probability is zero to rounding."""
        return self._scored(X, lambda s: log_softmax(s, axis=1))

    def _scored(self, X: Any, function: Any, labels: bool = False) -> np.ndarray:
        check_is_fitted(self, "means_")
        scalings = [np.asarray(s, dtype=np.float64) for s in self.scalings_]
        whitenings = [r / np.sqrt(s) for r, s in zip(self.rotations_, scalings, strict=True)]
        with np.errstate(divide="ignore"):  # a prior of zero: the class is never predicted
            constants = np.log(self.priors_) - 0.5 * np.array([np.log(s).sum() for s in scalings])
        means, classes = self.means_, self.classes_

        def of(rows: Any) -> np.ndarray:
            result = function(constants - 0.5 * squared_distances(rows, means, whitenings))
            return classes[result] if labels else result.astype(rows.dtype, copy=False)

        return apply_rows(self, X, of)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
