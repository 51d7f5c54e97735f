"""How many rows a member of an ensemble draws; scikit-learn draws them from RandomState(seed)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64


def draws_of(max_samples: Any, total: float, n_examples: int) -> int:
    """How many draws: a whole number, or a share of the weight; None: all of it, at least one for each example."""
    if max_samples is None:
        return max(n_examples, round(total), 1)
    return int(max_samples) if isinstance(max_samples, (int, np.integer)) else max(1, round(max_samples * total))


def scikit_learn_rows(seed: int, n: int, max_samples: Any, w: F64 | None) -> NDArray[np.intp]:
    """The rows that a tree of scikit-learn's forests draws; w: the weights, with those of the classes, if any."""
    share = n if w is None else float(w.sum())
    draws = n if max_samples is None else max_samples
    draws = int(draws) if isinstance(draws, (int, np.integer)) else max(int(draws * share), 1)
    rng = np.random.RandomState(seed)
    return rng.randint(0, n, draws) if w is None else rng.choice(n, draws, replace=True, p=w / np.sum(w))
