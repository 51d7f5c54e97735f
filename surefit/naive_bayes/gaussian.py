"""Gaussian naive Bayes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.naive_bayes.base import TOO_LARGE, NaiveBayes, given_priors
from surefit.summaries.class_spread import ClassSpread, ClassSpreadStep, pooled_variance


def variances(spread: ClassSpread, smoothing: float) -> tuple[np.ndarray, float]:
    """(variance of every class and feature, the part of it that is smoothing)."""
    W = spread.cell_weights
    var = np.divide(
        spread.squares, W, out=np.zeros_like(spread.squares), where=np.broadcast_to(W > 0, spread.squares.shape)
    )
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        epsilon = float(smoothing) * float(pooled_variance(spread).max(initial=0.0))
        var = var + epsilon
    if not np.isfinite(var).all():
        raise InvalidData(TOO_LARGE)
    return var, epsilon


def gaussian_log_likelihood(rows: np.ndarray, theta: np.ndarray, var: np.ndarray, missing: bool = False) -> np.ndarray:
    """Σ over features of log N(x; θ, σ²), (n, C). A NaN is left out with `missing`.

    Deviations are divided by σ before they are squared, so that tiny and huge units cause no overflow.
    """
    var = np.maximum(np.asarray(var, dtype=np.float64), np.finfo(np.float64).tiny)
    scale, logs = 1 / np.sqrt(var), np.log(2 * np.pi) + np.log(var)
    out = np.empty((rows.shape[0], len(var)))
    size = max(1, 2**16 // max(1, rows.shape[1]))
    with np.errstate(over="ignore"):
        for first in range(0, len(rows), size):
            x = np.asarray(rows[first : first + size], dtype=np.float64)
            gone = np.isnan(x) if missing else None
            there = None if gone is None else (~gone).astype(np.float64)
            for k in range(len(var)):
                z = x - theta[k]
                z *= scale[k]
                if gone is not None:
                    z[gone] = 0
                size_of = logs[k].sum() if there is None else there @ logs[k]
                out[first : first + size, k] = -0.5 * (size_of + np.einsum("ij,ij->i", z, z))
    return out


class GaussianNB(NaiveBayes):
    """In each class every feature is normal, with a mean and a variance of its own.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_prior_ : ndarray of shape (n_classes,)
    theta_ : ndarray of shape (n_classes, n_features)
        Mean of each feature in each class.
    var_ : ndarray of shape (n_classes, n_features)
        Variance of each feature in each class, `epsilon_` included.
    epsilon_ : float
        `var_smoothing` times the largest variance of a feature over all rows (with their weights).
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.naive_bayes import GaussianNB
    >>> X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]])
    >>> model = GaussianNB().fit(X, ["low", "low", "low", "high", "high", "high"])
    >>> model.theta_.ravel(), model.predict([[2.5], [6.5]])
    (array([8., 2.]), array(['low', 'high'], dtype='<U4'))
    """

    class_prior_: np.ndarray
    theta_: np.ndarray
    var_: np.ndarray
    epsilon_: float

    _integers = False

    def __init__(
        self,
        *,
        priors: Annotated[
            np.ndarray | None, "Probabilities of the classes; None takes their shares of the rows."
        ] = None,
        var_smoothing: Annotated[
            float, Range(0, open="high"), "Share of the largest variance of a feature that is added to all variances."
        ] = 1e-9,
        missing: Annotated[
            Literal["error", "ignore"], "Whether NaN in X is refused, or left out feature by feature."
        ] = "error",
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.missing = missing

    def _step(self, p: SimpleNamespace, n_classes: int, X: Any) -> ClassSpreadStep:
        return ClassSpreadStep(n_classes, p.missing == "ignore")

    def _sound(self, statistic: ClassSpread) -> tuple[bool, bool]:
        return True, bool(np.isfinite(statistic.squares).all() and np.isfinite(statistic.means).all())

    def _intake(self, p: SimpleNamespace | None = None) -> dict[str, Any]:
        return {"not_finite": "NaN" if self.missing == "ignore" else "later"}

    @property
    def _later(self) -> str:  # type: ignore[override]
        return "NaN" if self.missing == "ignore" else "refuse"

    def _learn(self, p: SimpleNamespace, statistic: ClassSpread, dtype: np.dtype) -> None:
        n_classes = len(self.classes_)
        prior = statistic.weights / statistic.weights.sum() if p.priors is None else given_priors(p.priors, n_classes)
        var, self.epsilon_ = variances(statistic, p.var_smoothing)
        self.theta_ = statistic.means.astype(dtype)
        self.var_ = narrowed(var, dtype, each=True)
        self.class_count_ = statistic.weights.copy()
        self.class_prior_ = prior

    def _joint(self) -> Callable[[Any], np.ndarray]:
        theta, var, missing = self.theta_, self.var_, self.missing == "ignore"
        with np.errstate(divide="ignore"):
            prior = np.log(np.asarray(self.class_prior_, dtype=np.float64))

        def joint(rows: Any) -> np.ndarray:
            dense = rows.toarray() if sp.issparse(rows) else rows
            return gaussian_log_likelihood(dense, theta, var, missing) + prior

        return joint

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "ignore"
        return tags
