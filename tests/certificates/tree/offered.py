"""The best of the splits that a node has on offer."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.theorems.trees.splits import offers


def best_decrease(*of_node: Any) -> float:
    """The largest decrease on offer; −∞ where no split is admissible."""
    return max((float(o.decrease.max(initial=-np.inf)) for o in offers(*of_node)), default=-np.inf)
