"""Proposes the nearest monotone sequence: pool adjacent violators. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def nearest_monotone(values: F64, weights: F64) -> F64:
    """A rising sequence near the least weighted sum of squares from the values."""
    level, weight, count = [], [], []
    for v, w in zip(values.tolist(), weights.tolist(), strict=True):
        level.append(v)
        weight.append(w)
        count.append(1)
        while len(level) > 1 and level[-2] >= level[-1]:
            v, w, c = level.pop(), weight.pop(), count.pop()
            total = weight[-1] + w
            level[-1] = (level[-1] * weight[-1] + v * w) / total if total > 0 else v
            weight[-1], count[-1] = total, count[-1] + c
    return np.repeat(np.array(level), count)
