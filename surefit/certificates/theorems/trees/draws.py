"""The random choices of a tree, from its seed: which features a node looks at, and thresholds that are drawn.

mixed is SplitMix64's finalizer and G = 0x9E3779B97F4A7C15, all modulo 2⁶⁴. The root has the key mixed(seed + G), the
children of a node with key k have mixed(k + G) on the left and mixed(k + 2G) on the right. A node looks at its features
in rising order of mixed(k + (j + 3) G), passes over constant ones, and stops after `max_features` others. A threshold
that is drawn is lo + u (hi − lo), or lo where that is hi, with u = ⌊mixed(k xor mixed((j + 3) G)) / 2¹¹⌋ 2⁻⁵³.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

G, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1


def mixed(z: int) -> int:
    z &= MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def root_key(seed: int) -> int:
    return mixed(seed + G)


def child_key(key: int, right: bool) -> int:
    return mixed(key + (2 if right else 1) * G)


def candidates(key: int, varies: NDArray[np.bool_], max_features: int) -> NDArray[np.intp]:
    """The features that a node looks at, ascending; `varies` says which are not constant in it."""
    features = np.flatnonzero(varies)
    if max_features >= len(varies):
        return features
    return np.sort(np.array(sorted(features.tolist(), key=lambda j: turn(key, j))[:max_features], dtype=np.intp))


def turn(key: int, j: int) -> int:
    """When a node that draws its features looks at feature j."""
    return mixed(key + (j + 3) * G)


def drawn_threshold(key: int, j: int, lo: float, hi: float) -> float:
    threshold = lo + (mixed(key ^ mixed((j + 3) * G)) >> 11) * 2.0**-53 * (hi - lo)
    return lo if threshold == hi else threshold
