"""The Bayes classifier of a known distribution: the best that any classifier can be."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from surefit._core.base import Estimator
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.theory.distributions.distribution import Distribution


class BayesClassifier(ClassifierMixin, Estimator):
    """Says the most likely class at each point; of equally likely ones the first.

    It knows the distribution, so `fit` learns nothing: it checks the shapes, so that pipelines and cross-validation can
    call it.

    {parameters}

    Examples
    --------
    >>> from surefit.theory import BayesClassifier, GaussianClasses
    >>> model = BayesClassifier(GaussianClasses([[0.0], [2.0]], [1.0, 1.0], classes=["low", "high"]))
    >>> model.predict([[0.9], [1.1]])
    array(['low', 'high'], dtype='<U4')
    """

    def __init__(self, distribution: Annotated[Distribution, "The distribution of points and classes."]) -> None:
        self.distribution = distribution

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Nothing is learnt; labels that the distribution does not know are refused."""
        known = self._known()
        if X is not None:
            known.rows(X)
        if y is not None and not np.isin(np.unique(np.asarray(y)), known.classes).all():
            raise InvalidData(f"y has labels that are none of the distribution's classes {known.classes.tolist()}")
        return self

    def _known(self) -> Distribution:
        if not isinstance(self.distribution, Distribution):
            raise InvalidParameter(
                f"BayesClassifier(distribution=…) must be a distribution of surefit.theory; got {self.distribution!r}"
            )
        return self.distribution

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, as `predict_proba` has its columns."""
        return self._known().classes

    @property
    def n_features_in_(self) -> int:  # type: ignore[override]
        return self._known().n_features

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """η_k(x), exactly."""
        return self._known().posterior(X)

    def predict(self, X: Any) -> NDArray[Any]:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
