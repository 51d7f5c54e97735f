"""How many rows and which columns a member of an ensemble draws; scikit-learn draws them from RandomState(seed)."""

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


def features_of(seed: int, d: int, count: int, replace: bool) -> NDArray[np.intp]:
    """The columns of a member of ours, ascending."""
    if count == d and not replace:
        return np.arange(d)
    return np.sort(np.random.default_rng([seed, 1]).choice(d, count, replace=replace))


def scikit_learn_bag(
    seed: int, d: int, count: int, n: int, draws: int, replace: tuple[bool, bool], w: F64 | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The columns and the rows of a member of scikit-learn's bagging; replace: of columns, of rows."""
    rng = np.random.RandomState(seed)
    columns = _drawn(rng, d, count, replace[0])
    if w is None:
        return columns, _drawn(rng, n, draws, replace[1])
    return columns, rng.choice(n, draws, replace=replace[1], p=w / np.sum(w))


def _drawn(rng: np.random.RandomState, n: int, k: int, replace: bool) -> NDArray[np.intp]:
    """With replacement, or as `sample_without_replacement`: a permutation, and at the ends one number at a time."""
    if replace:
        return rng.randint(0, n, k)
    if 0.01 < k / n < 0.99:
        return rng.permutation(n)[:k]
    if k / n >= 0.99:
        out = np.arange(k)
        for i in range(k, n):
            j = rng.randint(0, i + 1)
            out[j if j < k else 0] = i if j < k else out[0]
        return out
    chosen: dict[int, None] = {}
    while len(chosen) < k:
        chosen[int(rng.randint(n))] = None
    return np.array(list(chosen), dtype=np.intp)
