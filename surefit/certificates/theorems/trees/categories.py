"""Subsets of categories as orders: a column of categories is replaced by columns of ranks, cut like numbers.

For one squared error or Poisson target, and for two classes, a best subset is a first part of the categories in the
order of their means (Fisher; Breiman et al., section 4.2.2): one column of ranks. Else, with at most EXHAUSTIVE of them
in the node, one column of 0 and 1 for each subset. With more: the orders by the share of each class, the mean of each
target or the median, a *heuristic*: no better first part of these orders is all that is said.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.criteria import node_of

EXHAUSTIVE = 10


def ordered(
    X: F64, Y: F64, w: F64, is_categorical: NDArray[np.bool_], criterion: str, n_classes: int
) -> tuple[F64, NDArray[np.intp], bool]:
    """The columns to cut, the feature of each, and whether an order was a heuristic."""
    columns, feature, heuristic = list[F64](), list[int](), False
    for j in range(X.shape[1]):
        found, guess = _orders(X[:, j], Y, w, criterion, n_classes) if is_categorical[j] else ([X[:, j]], False)
        columns, feature, heuristic = columns + found, feature + [j] * len(found), heuristic or guess
    return np.column_stack(columns), np.array(feature, dtype=np.intp), heuristic


def _orders(x: F64, Y: F64, w: F64, criterion: str, n_classes: int) -> tuple[list[F64], bool]:
    known, absolute = ~np.isnan(x), criterion == "absolute_error"
    present, place = np.unique(x[known], return_inverse=True)
    r = len(present)
    if r < 2:
        return [x], False
    Z = (Y == np.unique(Y)).astype(np.float64) if n_classes else Y
    Z = Z[:, -1:] if n_classes and Z.shape[1] <= 2 else Z
    one = Z.shape[1] == 1 and not absolute
    if not one and not absolute and r <= EXHAUSTIVE:
        ranks = [(s >> np.arange(r)) & 1 for s in range(1, 2 ** (r - 1))]
    else:
        centers = [_center(Z[x == c], w[x == c], absolute) for c in present]
        ranks = [np.unique(key, return_inverse=True)[1] * r + np.arange(r) for key in np.array(centers).T]
    columns = np.full((len(ranks), len(x)), np.nan)
    columns[:, known] = np.array(ranks)[:, place]
    return list(columns), not one and (absolute or r > EXHAUSTIVE)


def _center(Z: F64, w: F64, absolute: bool) -> F64:
    """By column of the targets their median or their mean."""
    return node_of("absolute_error", Z, w).value[:, 0] if absolute else w @ Z / w.sum()
