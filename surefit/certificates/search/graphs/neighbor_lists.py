"""The lists of neighbors that a model took, where it shows them: how it broke ties. Not trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.distances.all_rows import in_slices


def neighbor_lists(model: Any, n: int, k: int, X: F64 | None = None) -> NDArray | None:
    """(n, k) numbers of rows; None where the model shows none. As stored in `weights_`, or as its search `nbrs_` gives
    them: k others of each row it holds; with X, the k + 1 nearest of each row without the first.
    """
    try:
        if getattr(model, "weights_", None) is not None:
            lists = np.asarray(model.weights_.indices).reshape(n, k)
        elif X is None:
            lists = np.asarray(model.nbrs_.kneighbors(n_neighbors=k, return_distance=False))
        else:
            lists = np.asarray(model.nbrs_.kneighbors(X, n_neighbors=k + 1, return_distance=False))[:, 1:]
        fits = lists.shape == (n, k) and lists.dtype.kind in "iu" and bool(((lists >= 0) & (lists < n)).all())
    except Exception:  # whatever the attributes hold
        return None
    return lists.astype(np.intp) if fits else None


def proposed_lists(
    model: Any, measure: Callable[[NDArray], tuple[F64, F64]], X: F64, k: int
) -> Iterator[NDArray]:  # fmt: skip
    """The lists that the model shows, if it does; then by distance, of rows equally far by number."""
    n = len(X)
    shown = neighbor_lists(model, n, k, X)
    if shown is not None:
        yield shown
    near = np.zeros((n, k), np.intp)
    for rows in in_slices(n, 4 * n):
        D = measure(rows)[0]
        D[np.arange(len(rows)), rows] = np.inf
        near[rows] = np.argsort(D, axis=1, kind="stable")[:, :k]
    yield near
