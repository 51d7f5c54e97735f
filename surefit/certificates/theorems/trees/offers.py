"""The splits that a node has on offer.

A split is a cut of the values of a feature in rising order, between two that differ, the missing ones behind all others
or before them. Categories are cut in the order of their means: for one target and for two classes a best subset of
them is a first part in this order (Fisher; Breiman et al., section 4.2.2). Else each subset would have an order of its
own, and none is on offer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.criteria import Node
from surefit.certificates.theorems.trees.growth import Growth

AT_ONCE = 1 << 22  # numbers


def best_on_offer(here: Node, X: F64, g: Growth, own: int | None) -> float:
    """The most that a split lowers the loss by, −∞ where none is on offer; of drawn candidates what is sure: by the
    node's own feature, at a leaf by the least feature."""
    low, high = np.fmin.reduce(X), np.fmax.reduce(X)
    varies = np.flatnonzero((low < high) | ((low == high) & np.isnan(X).any(axis=0)))
    features = np.array([own]) if g.drawn and own is not None else varies
    parts = np.array_split(features, 1 + len(features) * here.terms.size // AT_ONCE) if len(features) else []
    best = [v for part in parts for v in best_of_features(here, X[:, part], g.categorical[part], g).tolist()]
    return (min if g.drawn else max)(best, default=-np.inf)


def best_of_features(here: Node, X: F64, by_sets: NDArray[np.bool_], g: Growth) -> F64:
    """The same for each column of X."""
    m, gaps, best = len(X), np.isnan(X), np.full(X.shape[1], -np.inf)
    V = np.column_stack([means_of(here, x) if sets else x for x, sets in zip(X.T, by_sets, strict=True)])
    enough = np.minimum(np.arange(1, m), np.arange(m - 1, 0, -1)) >= g.min_rows
    for end in (np.inf, -np.inf) if gaps.any() else (np.inf,):
        keys = np.where(gaps, end, V)
        order = np.argsort(keys, axis=0, kind="stable")
        keys, terms = np.take_along_axis(keys, order, axis=0), here.terms[order]
        same = keys[:-1].astype(np.float32) + np.float32(1e-7) if g.theirs else keys[:-1]
        lowers = here.lowers(np.cumsum(terms, axis=0)[:-1], np.cumsum(terms[::-1], axis=0)[-2::-1])
        best = np.maximum(best, lowers.max(axis=0, where=(keys[1:] > same) & enough[:, None], initial=-np.inf))
    return best


def means_of(here: Node, codes: F64) -> F64:
    """Each category as the mean of its rows; all alike where these have no order."""
    known, Z = ~np.isnan(codes), here.terms[:, 1:]
    Z = Z[:, Z.any(axis=0)][:, int(here.classes) :]  # of the classes that are there, the first follows from the others
    if Z.shape[1] != 1:
        return np.where(known, 0.0, np.nan)
    at, out = codes[known].astype(np.intp), np.full(len(codes), np.nan)
    means = np.bincount(at, Z[known, 0]) / np.maximum(np.bincount(at, here.terms[known, 0]), 1e-300)
    out[known] = np.round(means / np.maximum(np.abs(means).max(initial=0.0), 1e-300), 12)[at]  # equal means are equal
    return out
