"""Subsets of categories as orders: a column of categories is replaced by columns of ranks, cut like numbers.

For one squared error or Poisson target, and for two classes, a best subset is a first part of the categories in the
order of their means (Fisher; Breiman et al., section 4.2.2): one column of ranks. Else, with at most EXHAUSTIVE of them
in the node, one column of 0 and 1 for each subset. With more: the orders by the share of each class, the mean of each
target or the median, a *heuristic*: no better first part of these orders is all that is said.

The code of a category is its place in `categories_` of its column; numbers below 0 and NaN are missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.trees.nodes import Nodes

EXHAUSTIVE = 10


def coded(attrs: Attributes, X: F64) -> F64:
    """X with codes in the columns of categories; without `categories_` these hold codes already."""
    if not attrs.has("is_categorical_") or not attrs.has("categories_"):
        return X
    X, lists = X.copy(), attrs.model.categories_
    for j in np.flatnonzero(np.asarray(attrs.model.is_categorical_)):
        known, places = X[:, j] >= 0, np.asarray(lists[j], dtype=np.float64)
        codes = np.searchsorted(places, X[known, j])
        if not (places[:-1] < places[1:]).all() or not np.array_equal(np.append(places, np.nan)[codes], X[known, j]):
            attrs.faults.append(f"categories_ of column {j} are not its values in rising order")
            return X
        X[:, j] = _at(X[:, j], known, codes.astype(np.float64))
    return X


def unseen_claim(trees: list[Nodes], X: F64, w: F64, is_categorical: NDArray[np.bool_]) -> Claim:
    """Categories that no row of positive weight has go where missing values go."""
    seen = np.zeros((X.shape[1], 256), dtype=bool)
    for j in np.flatnonzero(is_categorical):
        column = X[w > 0, j]
        seen[j, column[(column >= 0) & (column < 255)].astype(np.intp)] = True
    wrong = 0
    for tree in trees:
        nodes = np.flatnonzero(tree.inner & (tree.category_row >= 0))
        sets, features = tree.categories[tree.category_row[nodes]], tree.feature[nodes]
        astray = ~seen[features] & (sets != tree.missing_left[nodes, None])
        wrong += int((astray.any(axis=1) | ~is_categorical[features]).sum())
        wrong += int(np.count_nonzero(tree.inner & (tree.category_row < 0) & is_categorical[tree.feature]))
    return at_most(
        "categories",
        "Columns of categories are split by sets, others are not, and categories that no row has go where missing "
        "values go; nodes where not.",
        Grade.EXACT,
        wrong,
        0,
        failure=f"{wrong} nodes split a column of categories by a threshold, another by a set, or send categories that "
        "no row has to another side than missing values.",
    )


def ordered(
    X: F64, Y: F64, w: F64, is_categorical: NDArray[np.bool_], criterion: str, n_classes: int
) -> tuple[F64, NDArray[np.intp], bool]:
    """The columns to cut, the feature of each, and whether an order was a heuristic."""
    columns, feature, heuristic = list[F64](), list[int](), False
    for j in range(X.shape[1]):
        found, guess = _orders(X[:, j], Y, w, criterion, n_classes) if is_categorical[j] else ([X[:, j]], False)
        columns, feature, heuristic = columns + found, feature + [j] * len(found), heuristic or guess
    return np.column_stack(columns), np.array(feature, dtype=np.intp), heuristic


def known_only(X: F64, is_categorical: NDArray[np.bool_]) -> F64:
    """What is no category 0 … 255 is missing."""
    return np.where(is_categorical & ~((X >= 0) & (X < 256)), np.nan, X)


def _orders(x: F64, Y: F64, w: F64, criterion: str, n_classes: int) -> tuple[list[F64], bool]:
    known = ~np.isnan(x)
    present, place = np.unique(x[known].astype(np.intp), return_inverse=True)
    r = len(present)
    if r < 2:
        return [x], False
    Z = (Y == np.arange(n_classes)).astype(np.float64) if n_classes else Y
    classes = np.flatnonzero(Z.any(axis=0)) if n_classes else np.arange(Z.shape[1])
    if n_classes and len(classes) <= 2:
        Z, classes = Z[:, classes[-1:]], classes[:1]
    one = (len(classes) == 1) and (n_classes or criterion != "absolute_error")
    if not one and r <= EXHAUSTIVE and criterion != "absolute_error":
        sets = [((s >> np.arange(r)) & 1).astype(np.float64) for s in range(1, 2 ** (r - 1))]
        return [_at(x, known, ranks[place]) for ranks in sets], False
    keys = [_center(Z[known, k], w[known], place, r, criterion) for k in range(Z.shape[1])]
    ranks = [np.unique(key, return_inverse=True)[1] * r + np.arange(r) for key in keys]
    return [_at(x, known, rank[place].astype(np.float64)) for rank in ranks], not one


def _center(z: F64, w: F64, place: NDArray[np.intp], r: int, criterion: str) -> F64:
    """The mean of z in each category; its median for the absolute error."""
    if criterion != "absolute_error":
        return np.bincount(place, weights=w * z, minlength=r) / np.bincount(place, weights=w, minlength=r)
    return np.array([_median(z[place == k], w[place == k]) for k in range(r)])


def _median(z: F64, w: F64) -> float:
    order = np.argsort(z)
    below = np.cumsum(w[order])
    low, high = (z[order[np.searchsorted(below, below[-1] / 2, side)]] for side in ("left", "right"))
    return float(low / 2 + high / 2)


def _at(x: F64, known: NDArray[np.bool_], ranks: F64) -> F64:
    out = np.full(len(x), np.nan)
    out[known] = ranks
    return out
