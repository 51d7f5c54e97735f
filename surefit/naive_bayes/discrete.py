"""What the naive Bayes classifiers over counts share: smoothing, and the prior of the classes."""

from __future__ import annotations

import warnings
from numbers import Real
from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit.naive_bayes.base import NaiveBayes, prior_numbers

LEAST_ALPHA = 1e-10


def log_prior(class_count: np.ndarray, fit_prior: bool, class_prior: Any) -> np.ndarray:
    """log P(class): as given, the shares of the rows, or uniform."""
    n_classes = len(class_count)
    with np.errstate(divide="ignore"):
        if class_prior is not None:
            return np.log(prior_numbers(class_prior, n_classes))
        if fit_prior:
            return np.log(class_count) - np.log(class_count.sum())
    return np.full(n_classes, -np.log(n_classes))


def times_logs(rows: Any, logs: np.ndarray) -> np.ndarray:
    """Σⱼ xⱼ logs[j, k], with 0 · ±∞ = 0: what is not there asks nothing of its probability."""
    infinite = np.isinf(logs)
    if not infinite.any():
        return np.asarray(rows @ logs)
    finite = np.asarray(rows @ np.where(infinite, 0.0, logs))
    for endless in (np.inf, -np.inf):
        met = np.asarray((rows != 0).astype(np.float64) @ (logs == endless).astype(np.float64)) > 0
        finite = np.where(met, endless, finite)
    return finite


class DiscreteNaiveBayes(NaiveBayes):
    """Counts, smoothed by `alpha`."""

    alpha: Any
    force_alpha: bool

    def _check_alpha(self) -> Any:
        """`alpha`, or at least 1e-10 where it is not forced."""
        alpha: Any = self.alpha if isinstance(self.alpha, Real) else np.asarray(self.alpha)
        if isinstance(alpha, np.ndarray):
            if alpha.ndim != 1 or alpha.shape[0] != self.n_features_in_:
                raise InvalidParameter(
                    "When alpha is an array, it should contains `n_features`. "
                    f"Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if alpha.dtype.kind not in "fiu" or not np.isfinite(alpha).all():
                raise InvalidParameter(f"All values in alpha must be finite numbers; got {alpha}")
            if alpha.min() < 0:
                raise InvalidParameter("All values in alpha must be greater than 0.")
        if np.min(alpha) < LEAST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=5,
            )
            return np.maximum(alpha, LEAST_ALPHA)
        return alpha

    def _learn(self, p: SimpleNamespace, statistic: Any, dtype: np.dtype) -> None:
        self.class_count_ = statistic.weights.copy()
        self._learn_counts(statistic)
        with np.errstate(divide="ignore", invalid="ignore"):
            self._learn_probabilities(self._check_alpha())
        self.class_log_prior_ = log_prior(self.class_count_, p.fit_prior, p.class_prior)

    def _learn_counts(self, statistic: Any) -> None:
        self.feature_count_ = statistic.sums.copy()

    def _learn_probabilities(self, alpha: Any) -> None:
        raise TypeError(f"{type(self).__name__} must turn its counts into probabilities")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
