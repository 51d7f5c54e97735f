"""A tree of a forest from its definition: every split of every candidate feature, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

GOLD, MASK, MISSING = 0x9E3779B97F4A7C15, 2**64 - 1, 255


def mixed(z: int) -> int:
    z &= MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def weighted_impurity(y: np.ndarray, w: np.ndarray, criterion: str, n_classes: int) -> float:
    if criterion == "squared_error":
        return float(np.sum(w * (y - np.average(y, weights=w)) ** 2))
    if criterion == "poisson":
        mean = np.average(y, weights=w)
        positive = y > 0
        return float(np.sum(w[positive] * y[positive] * np.log(y[positive] / mean)))
    p = np.bincount(y, w, n_classes) / w.sum()
    if criterion == "gini":
        return float(w.sum() * (1 - np.sum(p**2)))
    p = p[p > 0]
    return float(-w.sum() * np.sum(p * np.log2(p)))


def middle_one(thresholds: np.ndarray) -> float:
    """The nearest to the middle of the first and the last; the upper of two as near."""
    far = np.abs(thresholds - (thresholds[0] / 2 + thresholds[-1] / 2))
    return float(thresholds[far <= far.min() + 1e-9 * (thresholds[-1] - thresholds[0])].max())


def grow(
    bins: np.ndarray,
    thresholds: list[np.ndarray],
    y: np.ndarray,
    w: np.ndarray,
    *,
    criterion: str,
    n_classes: int,
    seed: int,
    max_features: int,
    max_depth: int = 10**9,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    min_decrease: float = 0.0,
) -> list[dict[str, Any]]:
    """Nodes in preorder: rows, and where it is split feature, threshold, missing_left."""
    nodes: list[dict[str, Any]] = []
    total = w.sum()

    def best(rows: np.ndarray, key: int) -> dict[str, Any] | None:
        d = bins.shape[1]
        order = sorted(range(d), key=lambda j: (mixed(key + (j + 3) * GOLD), j)) if max_features < d else range(d)
        whole = weighted_impurity(y[rows], w[rows], criterion, n_classes)
        offers, looked_at = [], 0
        for j in order:
            column = bins[rows, j]
            present = np.unique(column)
            if len(present) < 2:
                continue
            looked_at += 1
            values, missing = present[present != MISSING], column == MISSING
            for place, b in enumerate(values):
                last = place + 1 == len(values)
                if last and not missing.any():
                    continue
                for missing_left in (False,) if last or not missing.any() else (False, True):
                    left = ((column <= b) & ~missing) | (missing if missing_left else False)
                    sides = rows[left], rows[~left]
                    if min(map(len, sides)) < min_samples_leaf or min(w[s].sum() for s in sides) < min_weight_leaf:
                        continue
                    if criterion == "poisson" and min(np.sum(w[s] * y[s]) for s in sides) <= 0:
                        continue
                    after = sum(weighted_impurity(y[s], w[s], criterion, n_classes) for s in sides)
                    threshold = np.inf if last else middle_one(thresholds[j][int(b) : int(values[place + 1])])
                    if not missing.any():
                        missing_left = len(sides[0]) > len(sides[1])
                    offers.append((whole - after, j, threshold, missing_left, left))
            if looked_at == max_features:
                break
        if not offers:
            return None
        most = max(offer[0] for offer in offers)
        first = next(offer for offer in offers if offer[0] >= most - 1e-12 * whole)  # in the order they are looked at
        return (
            None
            if most / total + 2.3e-16 < min_decrease
            else dict(zip(("_", "j", "t", "m", "left"), first, strict=True))
        )

    def add(rows: np.ndarray, depth: int, key: int) -> None:
        node: dict[str, Any] = {"rows": rows, "feature": -2}
        nodes.append(node)
        enough = len(rows) >= max(min_samples_split, 2 * min_samples_leaf) and w[rows].sum() >= 2 * min_weight_leaf
        if depth >= max_depth or not enough or len(np.unique(y[rows])) == 1:
            return
        split = best(rows, key)
        if split is None:
            return
        node |= {"feature": split["j"], "threshold": split["t"], "missing_left": split["m"]}
        add(rows[split["left"]], depth + 1, mixed(key + GOLD))
        add(rows[~split["left"]], depth + 1, mixed(key + 2 * GOLD))

    add(np.flatnonzero(w > 0), 0, mixed(seed + GOLD))
    return nodes
