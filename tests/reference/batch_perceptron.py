"""The batch perceptron in plain NumPy."""

from __future__ import annotations

import numpy as np


def batch_perceptron_reference(A: np.ndarray, most_updates: int) -> tuple[np.ndarray, list[int]]:
    """θ and the rows of the updates, in plain NumPy and without a margin for rounding; A may hold fractions."""
    theta = 0 * A[0]
    updated: list[int] = []
    quiet, i = 0, 0
    while quiet < len(A) and len(updated) < most_updates:
        if (A[i] * theta).sum() <= 0:
            theta, quiet = theta + A[i], 0
            updated.append(i)
        else:
            quiet += 1
        i = (i + 1) % len(A)
    return theta, updated
