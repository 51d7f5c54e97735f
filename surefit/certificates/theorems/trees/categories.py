"""Subsets of categories as orders: a column of categories is replaced by columns of ranks, cut like numbers.

For one squared error or Poisson target, and for two classes, a best subset is a first part of the categories in the
order of their means (Fisher; Breiman et al., section 4.2.2): one column of ranks. Else, with at most EXHAUSTIVE of them
in the node, one column of 0 and 1 for each subset. With more: the orders by the share of each class, the mean of each
target or the median, a *heuristic*: no better first part of these orders is all that is said.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.criteria import node_of

EXHAUSTIVE = 10


def ordered(x: F64, Y: F64, w: F64, criterion: str, n_classes: int) -> F64:
    """The columns (m, orders) to cut for a column of categories."""
    known, absolute = ~np.isnan(x), criterion == "absolute_error"
    present, place = np.unique(x[known], return_inverse=True)
    r, Z = len(present), (Y == np.unique(Y)[1:]).astype(np.float64) if n_classes else Y
    if r < 2:
        return x[:, None]
    exact = not absolute and (Z.shape[1] == 1 or r <= EXHAUSTIVE)
    if exact and Z.shape[1] > 1:
        ranks = np.array([(s >> np.arange(r)) & 1 for s in range(1, 2 ** (r - 1))])
    else:
        Z = (Y == np.unique(Y)).astype(np.float64) if n_classes and Z.shape[1] > 1 else Z
        name = "absolute_error" if absolute else "squared_error"
        centers = np.array([node_of(name, Z[x == c], w[x == c]).value[:, 0] for c in present]).T
        ranks = np.array([np.unique(key, return_inverse=True)[1] * r + np.arange(r) for key in centers])
    columns = np.full((len(x), len(ranks)), np.nan)
    columns[known] = ranks.T[place]
    return columns
