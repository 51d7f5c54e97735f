"""A tree from binned rows, leaf by leaf, in plain NumPy: the definition of surefit/solvers/growing/histogram.py.

Gradients and second derivatives must be exact in the compiled grower's integers (small multiples of a power of two).
"""

from __future__ import annotations

import numpy as np

MISSING = 255
TIE = 1 + 1e-12


class Leaf:
    def __init__(self, rows, low, high, depth, groups):
        self.rows, self.low, self.high, self.depth, self.groups = rows, low, high, depth, groups


def grow(B, n_bins, g, h, c, *, l2=0.0, min_weight=1.0, max_leaves=31, max_depth=None, monotonic=None, groups=None):
    """(splits, leaves): (feature, bin, missing left) in the order they were made; (rows, step) of every leaf."""

    def step(rows, low, high):
        return float(np.clip(-g[rows].sum() / (h[rows].sum() + l2), low, high))

    def best_split(leaf):
        G = g[leaf.rows].sum()
        best, found = -G * step(leaf.rows, leaf.low, leaf.high), None
        if max_depth is not None and leaf.depth >= max_depth:
            return best, best, None
        parent = best
        for j in range(B.shape[1]):
            if groups is not None and not any(j in groups[k] for k in leaf.groups):
                continue
            column = B[leaf.rows, j]
            of_feature, choice = parent, None
            any_missing = (column == MISSING).any()
            for missing_left in (False, True) if any_missing else (False,):
                last = n_bins[j] - (0 if any_missing and not missing_left else 1)
                for b in range(last):
                    left = (column <= b) & (column != MISSING) | (missing_left & (column == MISSING))
                    l, r = leaf.rows[left], leaf.rows[~left]
                    if min(c[l].sum(), c[r].sum()) < min_weight or min(h[l].sum(), h[r].sum()) < 1e-3:
                        continue
                    vl, vr = step(l, leaf.low, leaf.high), step(r, leaf.low, leaf.high)
                    sign = 0 if monotonic is None else monotonic[j]
                    if (vl - vr) * sign > 0:
                        continue
                    score = -(g[l].sum() * vl + g[r].sum() * vr)
                    if score > of_feature * TIE:
                        of_feature, choice = score, (j, b, missing_left, l, r, vl, vr)
            if choice is not None and of_feature > best * TIE:
                best, found = of_feature, choice
        return parent, best, found

    every = None if groups is None else list(range(len(groups)))
    root = Leaf(np.arange(len(g)), -np.inf, np.inf, 0, every)
    leaves, splits = [(root, best_split(root))], []
    while len(leaves) < max_leaves:
        gains = [score - parent if found else -1.0 for _, (parent, score, found) in leaves]
        place = int(np.argmax(gains))
        if gains[place] <= 0:
            break
        leaf, (_, _, (j, b, missing_left, l, r, vl, vr)) = leaves.pop(place)
        splits.append((j, b, missing_left))
        sign = 0 if monotonic is None else monotonic[j]
        middle = vl / 2 + vr / 2
        left_bounds = (leaf.low, middle) if sign > 0 else (middle, leaf.high) if sign < 0 else (leaf.low, leaf.high)
        right_bounds = (middle, leaf.high) if sign > 0 else (leaf.low, middle) if sign < 0 else (leaf.low, leaf.high)
        below = None if groups is None else [k for k in leaf.groups if j in groups[k]]
        for rows, (low, high) in ((l, left_bounds), (r, right_bounds)):
            child = Leaf(rows, low, high, leaf.depth + 1, below)
            leaves.append((child, best_split(child)))
            child.step = vl if rows is l else vr
    return splits, [(leaf.rows, getattr(leaf, "step", 0.0)) for leaf, _ in leaves]
