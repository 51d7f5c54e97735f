"""The random choices of a tree, from its seed: which features a node looks at, and thresholds that are drawn.

mixed is SplitMix64's finalizer and G = 0x9E3779B97F4A7C15, all modulo 2⁶⁴. The root has the key mixed(seed + G), the
children of a node with key k have mixed(k + G) on the left and mixed(k + 2G) on the right. A node looks at its features
in rising order of mixed(k + (j + 3) G), passes over constant ones, and stops after `max_features` others. A threshold
that is drawn is lo + u (hi − lo), or lo where that is hi, with u = ⌊mixed(k xor mixed((j + 3) G)) / 2¹¹⌋ 2⁻⁵³.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.theorems.hashing import G, mixed


def times_g(k: Any) -> Any:
    return np.asarray(k).astype(np.uint64) * np.uint64(G)


def child_key(key: Any, right: bool) -> Any:
    """The key of a child; of the root as the left child of its seed."""
    return mixed(np.uint64(key) + times_g(1 + right))


def candidates(key: Any, varies: NDArray[np.bool_], max_features: int) -> NDArray[np.intp]:
    """The features that a node looks at, in this order; `varies` says which are not constant in it."""
    features = np.flatnonzero(varies)
    drawn = features[np.argsort(mixed(key + times_g(features + 3)))][:max_features]
    return features if max_features >= len(varies) else drawn


def drawn_threshold(key: Any, j: int, lo: float, hi: float) -> float:
    threshold = lo + float(mixed(key ^ mixed(times_g(j + 3))) >> np.uint64(11)) * 2.0**-53 * (hi - lo)
    return lo if threshold == hi else threshold
