"""A distribution like the data: a mixture of Gaussians for each class, which the data would be a likely sample of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit._core.data.plain_numbers import take_numbers, take_whole
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.mixture import GaussianMixture
from surefit.theory.distributions.gaussian_classes import GaussianClasses


def distribution_like(
    X: Any, y: Any, *, n_components: int | Sequence[int] = (1, 2, 3), random_state: RandomStateLike = 0
) -> GaussianClasses:
    """Classes as often as in y, each a mixture of Gaussians fitted to its rows.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        At least two classes, each with at least two rows.
    n_components : int, or several
        Gaussians for each class; of several the number with the least BIC.
    random_state : int, None, RandomState, Generator or SeedSequence

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from surefit.theory import distribution_like
    >>> X, y = load_iris(return_X_y=True)
    >>> like = distribution_like(X[:, 2:], y)
    >>> like.bayes_risk(n_draws=200_000).high < 0.06
    True
    """
    rows, labels = take_numbers(X, "X"), np.asarray(y)
    if rows.ndim != 2 or labels.shape != (len(rows),) or not np.isfinite(rows).all():
        raise InvalidData(
            f"X must be (n, d) finite numbers and y one label for each row; got {rows.shape} and {labels.shape}"
        )
    numbers = [n_components] if isinstance(n_components, (int, np.integer)) else list(n_components)
    if not numbers:
        raise InvalidParameter("n_components must be a whole number ≥ 1, or several")
    numbers = [take_whole(k, "n_components") for k in numbers]
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2 or counts.min() < 2:
        raise InvalidData(
            f"y must have at least two classes of at least two rows; the smallest of {len(classes)} has {counts.min()}"
        )
    streams = random_stream(random_state).spawn(len(classes))
    fits = [_fitted(rows[labels == c], numbers, rng) for c, rng in zip(classes, streams, strict=True)]
    return GaussianClasses(
        [fit.means_ for fit in fits],
        [fit.covariances_ for fit in fits],
        priors=counts / counts.sum(),
        weights=[fit.weights_ for fit in fits],
        classes=classes,
    )


def _fitted(rows: np.ndarray, numbers: list[int], rng: np.random.Generator) -> GaussianMixture:
    """The mixture of least BIC among those without a collapsed component, which would be a spike on a few rows.

    More components than half of the rows are not tried.
    """
    usable = [k for k in numbers if 2 * k <= len(rows)]
    if not usable:
        raise InvalidData(f"a class of {len(rows)} rows is too small for {min(numbers)} Gaussians")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that are tried; what is wrong with the one taken is said below
        fits = [GaussianMixture(k, random_state=rng).fit(rows) for k in usable]
    sound = [fit for fit in fits if not fit.collapsed_.any()]
    if not sound:
        warnings.warn(
            "columns of a class are constant or depend on each other: the distribution is a thin sheet there",
            stacklevel=3,
        )
    return min(sound or fits, key=lambda fit: fit.bic(rows))
