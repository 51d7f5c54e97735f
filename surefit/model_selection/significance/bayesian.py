"""The Bayesian correlated t-test: how probable it is that one model is better, worse, or practically the same.

Corani and Benavoli (A Bayesian approach for comparing cross-validated algorithms on multiple data sets, Machine
Learning 100, 2015) model the J differences of paired scores as normal with mean μ, unknown variance, and correlation
ρ = n_test / (n_test + n_train) between every two of them. Under the flat prior 1/σ² the posterior of μ is Student's t,

    μ | d  ~  t_{J−1}( mean(d),  (1/J + ρ/(1 − ρ)) s² ) ,        ρ/(1 − ρ) = n_test / n_train ,

which has the center and scale of Nadeau and Bengio's interval. Unlike a test it can also say that two models are the
same for practical purposes: that |μ| is at most a margin `rope`, the region of practical equivalence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.model_selection.significance.intervals import corrected_error, paired_differences, require_ratio


@dataclass(frozen=True)
class Posterior:
    """Student's t with `df` degrees of freedom, center `mean` and `scale`.

    With scale 0 all of the mass is at the mean; with one difference alone nothing is known and probabilities are NaN.
    """

    mean: float
    scale: float
    df: int

    def below(self, x: float) -> float:
        """P(μ < x); a mass at x itself does not count."""
        if self.df < 1 or np.isnan(self.mean):
            return float("nan")
        if self.scale == 0.0:
            return float(self.mean < x)
        return float(stdtr(self.df, (x - self.mean) / self.scale))

    def above(self, x: float) -> float:
        """P(μ > x), without the cancellation of 1 − P(μ ≤ x)."""
        return Posterior(-self.mean, self.scale, self.df).below(-x)


@dataclass(frozen=True)
class Equivalence:
    """The probabilities that a model is worse than another by more than `rope`, within it, better by more than it."""

    p_worse: float
    p_equivalent: float
    p_better: float
    rope: float

    def to_dict(self) -> dict[str, float | None]:
        return {name: None if np.isnan(value) else value for name, value in vars(self).items()}


def correlated_t_posterior(differences: ArrayLike, test_train_ratio: float) -> Posterior:
    """The posterior of the mean of paired differences, from repeated cross-validation.

    >>> correlated_t_posterior([0.5, 0.75, 1.0], 1 / 6)
    Posterior(mean=0.75, scale=0.1767766952966369, df=2)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or d.size == 0:
        raise InvalidData(f"differences must be one-dimensional and not empty; got shape {d.shape}")
    require_ratio(test_train_ratio)
    return Posterior(float(d.mean()), corrected_error(d, test_train_ratio), d.size - 1)


def equivalence(a: ArrayLike, b: ArrayLike, test_train_ratio: float, rope: float) -> Equivalence:
    """How probable it is that the model with scores `a` is worse than, equivalent to, better than that with `b`.

    `a` and `b` are scores on the same folds in the same order; `rope` ≥ 0 is the largest difference of mean scores that
    does not matter in practice.

    >>> found = equivalence([0.81, 0.82, 0.80, 0.81], [0.80, 0.82, 0.81, 0.81], 1 / 3, rope=0.02)
    >>> round(found.p_equivalent, 2)
    0.95
    """
    if not (np.isfinite(rope) and rope >= 0):
        raise InvalidParameter(f"rope must be a number ≥ 0; got {rope!r}")
    posterior = correlated_t_posterior(paired_differences(a, b), test_train_ratio)
    worse, better = posterior.below(-rope), posterior.above(rope)
    return Equivalence(worse, max(0.0, 1.0 - worse - better) if worse == worse else worse, better, float(rope))
