"""The tree that a grower would have grown from a place on. Not trusted: it is replayed like any other tree."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit.certificates.theorems.trees.place import EQUAL, Place

WORK = 1 << 25  # rows × features of all nodes


def regrown(root: Place, enough: float) -> Any:
    """The arrays of a tree below the rows of `root`; None where it splits categories, or is too much work.

    A node is left as a leaf where its loss is at most `enough`.
    """
    waiting, work = [root], 0.0
    left, right, feature, threshold, missing = (list[Any]() for _ in range(5))
    places = list[Place]()
    while waiting:
        here = waiting.pop(0)
        work += here.X.size * (len(here.w) if here.node.convex is None else 1)
        if work > WORK or here.growth.categorical is not None:
            return None
        split = None if here.ends() or here.node.loss <= enough else _best(here)
        places.append(here)
        known = len(places) + len(waiting)
        left.append(-1 if split is None else known)
        right.append(-1 if split is None else known + 1)
        feature.append(-2 if split is None else split[0])
        threshold.append(-2.0 if split is None else split[1])
        missing.append(False if split is None else split[2])
        if split is not None:
            waiting += [here.child(split[3], split[0], side) for side in (False, True)]
    return SimpleNamespace(
        children_left=np.array(left), children_right=np.array(right), feature=np.array(feature),
        threshold=np.array(threshold), missing_go_to_left=np.array(missing),
        value=np.stack([p.node.value if not np.isfinite(p.bounds).any() else _clipped(p) for p in places]),
        impurity=np.array([p.node.loss / p.node.weight for p in places]),
        n_node_samples=np.array([len(p.w) for p in places]),
        weighted_n_node_samples=np.array([p.node.weight for p in places]),
    )  # fmt: skip


def _clipped(here: Place) -> Any:
    share = np.clip(here.node.value[0, -1], *here.bounds)
    return np.array([[1 - share, share]]) if here.growth.n_classes else np.array([[share]])


def _best(here: Place) -> tuple[int, float, bool, Any] | None:
    """Feature, threshold, side of missing values and rows on the left of the first of the best splits."""
    features = here.candidates()
    if not features.size:
        return None
    cuts, node = here.cuts(features), here.node
    top = float(cuts.lowers.max())
    if not np.isfinite(top) or top < here.growth.min_decrease * node.weight:
        return None
    equal = np.argwhere(cuts.lowers >= top - EQUAL * node.loss)
    splits = [(here.turn(int(cuts.feature[c])), float(cuts.below[k, c]), bool(cuts.missing_left[c])) for k, c in equal]
    (_, j), low, side = min(splits)
    column = here.X[:, j]
    left = np.where(np.isnan(column), side, column <= low).astype(bool)
    known = ~np.isnan(column)
    high = float(column[~left & known].min(initial=np.inf))
    middle = low / 2 + high / 2
    missing = side if not known.all() else 2 * np.count_nonzero(left) > len(left)
    return j, low if middle == high else middle, bool(missing), left
