"""How many dimensions keep all distances of n points within 1 ± ε.

Let A have independent entries N(0, 1/k). For a vector y the sum k‖Ay‖²/‖y‖² has the χ² law with k degrees, so

    P(‖Ay‖² ≥ (1 + ε)‖y‖²),  P(‖Ay‖² ≤ (1 − ε)‖y‖²)  ≤  exp(−k (ε − log(1 + ε)) / 2) .

Over the n(n − 1)/2 differences of n points some distance fails with a probability of at most

    δ = n² exp(−k (ε − log(1 + ε)) / 2) ,   so that   k ≥ (4 log n + 2 log(1/δ)) / (ε − log(1 + ε))   suffices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter


def johnson_lindenstrauss_min_dim(n_samples: Any, *, eps: Any = 0.1, delta: float | None = None) -> Any:
    """The dimension of a Gaussian random projection that keeps squared distances of `n_samples` points within 1 ± eps.

    With `delta` it does so with a probability of at least 1 − delta. Without, it is scikit-learn's
    4 log n / (ε²/2 − ε³/3), which says that such a projection exists.

    Examples
    --------
    >>> from surefit.random_projection import johnson_lindenstrauss_min_dim
    >>> johnson_lindenstrauss_min_dim(10_000, eps=0.5)
    442
    >>> johnson_lindenstrauss_min_dim(10_000, eps=0.5, delta=0.01)
    488
    """
    try:
        n, e = np.broadcast_arrays(np.asarray(n_samples, dtype=np.float64), np.asarray(eps, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InvalidParameter(
            f"n_samples and eps must be numbers, or arrays of numbers of one shape; got {n_samples!r} and {eps!r}."
        ) from error
    if not ((e > 0) & (e < 1)).all():
        raise InvalidParameter(f"The JL bound is defined for eps in ]0, 1[; got {eps!r}.")
    if not (n > 0).all():
        raise InvalidParameter(f"The JL bound is defined for n_samples greater than zero; got {n_samples!r}.")
    if delta is not None and not 0 < delta < 1:
        raise InvalidParameter(f"delta is a probability in ]0, 1[; got {delta!r}.")
    if delta is None:
        least = np.floor(4 * np.log(n) / (e**2 / 2 - e**3 / 3))
    else:
        least = np.ceil((4 * np.log(n) - 2 * np.log(delta)) / (e - np.log1p(e)))
    dimension = least.astype(np.int64)
    return int(dimension) if dimension.ndim == 0 else dimension


def failure_probability(n_samples: int, n_components: int, eps: float) -> float:
    """δ: at least with the probability 1 − δ all squared distances of n points stay within 1 ± eps; at most one."""
    if eps >= 1:
        return 0.0
    return float(min(1.0, np.exp(2 * np.log(n_samples) - n_components * (eps - np.log1p(eps)) / 2)))
