"""Linear discriminant analysis: Gaussian classes with one covariance, and Fisher's projection."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.discriminant_analysis.estimates import (
    Classes,
    automatic,
    between_classes,
    class_moments,
    classes_of,
    estimated,
    labels_of,
    one_of_two,
    priors_of,
)
from surefit.discriminant_analysis.parameters import CAN_FIT, Priors, Shrinkage
from surefit.discriminant_analysis.scores import affine, projected
from surefit.discriminant_analysis.wide import is_wide, wide_classes
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.engine.sources.source import Source
from surefit.solvers.discriminant.discriminant import fisher_from_matrix, fisher_from_means, whitening
from surefit.solvers.discriminant.shrinkage import shrunk


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, Estimator):
    """Gaussian classes that share a covariance: class k has the score  x·C⁻¹m_k − ½ m_kᵀC⁻¹m_k + log π_k .

    `transform` is Fisher's projection: the directions v that maximise vᵀBv / vᵀCv, the variance between classes against
    that within, at most one fewer than there are classes. One pass over the data gives means and products; the three
    `solver` names are three layouts of the same answer.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    covariance_ : ndarray of shape (n_features, n_features)
        Within classes: Σ_k π_k C_k. With solver='svd' only if `store_covariance`.
    means_ : ndarray of shape (n_classes, n_features)
    priors_ : ndarray of shape (n_classes,)
    xbar_ : ndarray of shape (n_features,)
        Σ_k π_k m_k.
    scalings_ : ndarray of shape (n_features, n_directions)
        Directions v with vᵀCv = 1, by falling ratio; the entry of largest size is positive.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Each ratio as a share of their sum.
    fisher_eigenvalues_ : ndarray of shape (n_components,)
        vᵀBv / vᵀCv of each direction, B = Σ_k π_k (m_k − m)(m_k − m)ᵀ.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> LinearDiscriminantAnalysis().fit(X, y).predict([[-0.8, -1]])
    array([1])
    """

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    covariance_: np.ndarray
    means_: np.ndarray
    priors_: np.ndarray
    xbar_: np.ndarray
    scalings_: np.ndarray
    explained_variance_ratio_: np.ndarray
    fisher_eigenvalues_: np.ndarray

    def __init__(
        self,
        solver: Annotated[
            Literal["svd", "lsqr", "eigen"],
            "scikit-learn's names. 'svd': scores about the mean, the directions that separate means. 'eigen', 'lsqr': "
            "scores about zero, all directions; they take shrinkage, and weight the classes of C by given priors.",
        ] = "svd",
        shrinkage: Shrinkage = None,
        priors: Priors = None,
        n_components: Annotated[
            int | None, Range(1), "Directions of `transform`; None takes min(n_classes − 1, n_features)."
        ] = None,
        store_covariance: Annotated[bool, "Whether to keep `covariance_` with solver='svd'."] = False,
        tol: Annotated[
            float,
            Range(0),
            "With solver='svd': directions whose deviation within classes, in columns of unit variance, is not above "
            "it are left out.",
        ] = 1e-4,
        covariance_estimator: Annotated[
            Any,
            CAN_FIT,
            "Learns `covariance_` from the rows of each class in memory; with 'lsqr' and 'eigen'.",
        ] = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and labels y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target="classes", min_rows=2, stream=p.covariance_estimator is None)
        self._refuse(p)
        T, between = None, None
        if p.solver == "svd" and not p.store_covariance and is_wide(data):
            classes, T = wide_classes(data, p.tol)
        else:
            classes = classes_of(data, pooled=p.shrinkage != "auto")
        if classes.counts.sum() == len(classes.labels) and len(classes.labels) >= classes.weights.sum():
            raise InvalidData("The number of samples must be more than the number of classes.")
        priors = self._priors(p, data, classes)
        n_components = self._components(p, data, classes)
        self.__dict__.pop("covariance_", None)
        if T is None:
            within, between = self._covariances(p, data, classes, priors)
            # a column that varies less than its means are rounded is a constant
            T = whitening(within, np.abs(classes.means).max(axis=0), p.tol if p.solver == "svd" else 0.0)
        self._learn(p, data, classes, priors, T, between, n_components)
        return self

    def _refuse(self, p: SimpleNamespace) -> None:
        if p.solver != "svd":
            one_of_two(p.shrinkage, p.covariance_estimator)
        elif p.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        elif p.covariance_estimator is not None:
            raise InvalidParameter("covariance estimator is not supported with svd solver. Try another solver")

    def _priors(self, p: SimpleNamespace, data: Source, classes: Classes) -> np.ndarray:
        priors = priors_of(p.priors, data, classes)
        if abs(priors.sum() - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=5)
            priors = priors / priors.sum()
        return priors

    def _components(self, p: SimpleNamespace, data: Source, classes: Classes) -> int:
        most = min(len(classes.labels) - 1, data.n_features)
        if p.n_components is not None and p.n_components > most:
            raise InvalidParameter(
                "n_components cannot be larger than min(n_features, n_classes - 1). "
                f"Here that is {most}; got {p.n_components}"
            )
        return most if p.n_components is None else p.n_components

    def _covariances(
        self, p: SimpleNamespace, data: Source, classes: Classes, priors: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """(C, B); B is None where it is that of the means alone. Sets `covariance_` where it is kept."""
        if p.covariance_estimator is not None:
            apart = [estimated(p.covariance_estimator, data, classes, k) for k in range(len(classes.labels))]
            within = np.tensordot(priors, np.stack(apart), axes=1)
            total = estimated(p.covariance_estimator, data, classes, None)
        elif p.shrinkage == "auto":
            shrunken, total = automatic(data, classes, True)
            within = np.tensordot(priors, shrunken, axes=1)
        else:
            within = pooled = classes.products / classes.weights.sum()
            if p.priors is not None and (p.solver != "svd" or p.store_covariance):
                factors = np.zeros(len(labels_of(data)))
                factors[classes.codes] = priors / classes.weights
                within = class_moments(data, True, factors).products
            if p.solver == "svd":
                if p.store_covariance:
                    self.covariance_ = within
                return pooled, None
            amount = p.shrinkage or 0.0
            self.covariance_ = shrunk(within, amount) if amount else within
            between = between_classes(classes)
            if p.priors is not None:
                between = between + (pooled - within)
            return self.covariance_, shrunk(between, amount) if amount else between
        self.covariance_ = within
        return within, total - within

    def _learn(
        self,
        p: SimpleNamespace,
        data: Source,
        classes: Classes,
        priors: np.ndarray,
        T: np.ndarray,
        between: np.ndarray | None,
        n_components: int,
    ) -> None:
        means, center = classes.means, priors @ classes.means
        if between is None:
            values, directions = fisher_from_means(T, means, priors, center, p.tol)
        else:
            values, directions = fisher_from_matrix(T, between)
        whole, kept = values.sum(), values[:n_components]
        self.scalings_ = narrowed(directions, data.dtype)
        self.fisher_eigenvalues_ = kept.astype(data.dtype)
        self.explained_variance_ratio_ = (kept / whole if whole > 0 else np.zeros_like(kept)).astype(data.dtype)
        with np.errstate(divide="ignore"):  # a prior of zero: the class is never predicted
            log_priors = np.log(priors)
        about = center if p.solver == "svd" else np.zeros_like(center)
        Z = (means - about) @ directions
        coef = Z @ directions.T
        intercept = log_priors - 0.5 * (Z * Z).sum(axis=1) - coef @ about
        if len(classes.labels) == 2:
            coef, intercept = self._difference(means, T, log_priors)
        self.classes_ = classes.labels
        self.priors_ = priors.astype(data.dtype)
        self.means_ = means.astype(data.dtype)
        self.xbar_ = center.astype(data.dtype)
        # Scores about zero: where rows are far from it they differ by little beside their size, and need all digits.
        kind = data.dtype if p.solver == "svd" or len(classes.labels) == 2 else np.dtype(np.float64)
        self.coef_, self.intercept_ = narrowed(coef, kind), narrowed(intercept, kind)
        self._max_components = n_components
        self._centered = p.solver == "svd"

    @staticmethod
    def _difference(means: np.ndarray, T: np.ndarray, log_priors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Two classes have one score, s₁ − s₀ = (x − ½(m₀ + m₁))·C⁻¹(m₁ − m₀) + log π₁/π₀: no large terms cancel."""
        coef = T @ (T.T @ (means[1] - means[0]))
        intercept = log_priors[1] - log_priors[0] - coef @ (0.5 * (means[0] + means[1]))
        return coef[None], np.atleast_1d(intercept)

    @property
    def _n_features_out(self) -> int:
        return min(self._max_components, self.scalings_.shape[1])

    def transform(self, X: Any) -> np.ndarray:
        """Fisher's projection of every row of X."""
        check_is_fitted(self, "coef_")
        scalings = self.scalings_[:, : self._max_components]
        if self._centered:
            return apply_rows(self, X, lambda rows: projected(rows, self.xbar_, scalings))
        return apply_rows(self, X, lambda rows: affine(rows, scalings, np.zeros((), scalings.dtype)))

    def decision_function(self, X: Any) -> np.ndarray:
        """The log-posterior of every class up to a term common to them: (n_samples, n_classes), or for two classes the
        difference (n_samples,)."""
        return self._scored(X, lambda scores: scores)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row of X: an array, a dataframe, CSR, a Parquet path or Dask data."""
        check_is_fitted(self, "coef_")
        classes = self.classes_
        if len(classes) == 1:
            return self._scored(X, lambda scores: classes[np.zeros(len(scores), dtype=np.intp)])
        return self._scored(X, lambda s: classes[(s > 0).astype(np.intp) if s.ndim == 1 else s.argmax(axis=1)])

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class for every row of X, in the order of `classes_`."""
        return self._scored(X, lambda s: np.stack([expit(-s), expit(s)], 1) if s.ndim == 1 else softmax(s, axis=1))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms, which stay finite where a probability is zero to rounding."""
        return self._scored(
            X, lambda s: np.stack([log_expit(-s), log_expit(s)], 1) if s.ndim == 1 else log_softmax(s, axis=1)
        )

    def _scored(self, X: Any, function: Any) -> np.ndarray:
        check_is_fitted(self, "coef_")
        coef, intercept, single = self.coef_.T, self.intercept_, len(self.classes_) == 2

        def of(rows: Any) -> np.ndarray:
            scores = affine(rows, coef, intercept)
            return function(scores[:, 0] if single else scores)

        return apply_rows(self, X, of)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
