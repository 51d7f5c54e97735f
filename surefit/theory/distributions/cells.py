"""∫ max_k f_k on the line for mixtures of Gaussians, between two bounds that are proved cell by cell.

On a cell [a, b] the mass of each class is known, m_k = ∫ f_k, and f_k lies between the sums of what each Gaussian is at
least and at most there (it falls away from its mean). So

    max_k m_k  ≤  ∫ max_k f_k  ≤  min_k (m_k + (b − a) max_j (sup f_j − inf f_k)₊) ,

which are equal where one class leads on the whole cell. The others are halved until what is left is small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

WIDTH = 1e-12
"""The two bounds are brought this near, if `MOST_CELLS` allow it."""
MOST_CELLS = 100_000
REACH = 12.0
"""Standard deviations beyond which a tail (of mass 1e-33) is one cell."""
F64 = NDArray[np.float64]


class Enclosure(NamedTuple):
    low: float
    high: float
    cells: int


def integral_of_largest(owner: NDArray, share: F64, mean: F64, deviation: F64) -> Enclosure:
    """Bounds of ∫ max_k f_k, where f_k = Σ share · N(mean, deviation²) over the components that k owns."""
    classes = int(owner.max()) + 1
    belongs = (owner[:, None] == np.arange(classes)).astype(np.float64) * share[:, None]
    steps = np.arange(-REACH, REACH + 1)
    inner = np.unique((mean[:, None] + deviation[:, None] * steps).ravel())
    a, b = np.append(-np.inf, inner), np.append(inner, np.inf)
    low = high = 0.0
    count, total = len(a), 0
    while len(a):
        least, most = _cell_bounds(a, b, belongs, mean, deviation)
        gap = most - least
        total += len(a)
        left = float(gap.sum())
        open_ = (gap > WIDTH / (4 * len(a))) & np.isfinite(a) & np.isfinite(b) & (left > WIDTH)
        middle = a / 2 + b / 2
        open_ &= (middle > a) & (middle < b) & (total < MOST_CELLS)
        low, high = low + float(least[~open_].sum()), high + float(most[~open_].sum())
        a, b = np.concatenate([a[open_], middle[open_]]), np.concatenate([middle[open_], b[open_]])
        count += int(open_.sum())
    rounding = 4e-16 * (total + 16) * len(share)
    return Enclosure(max(0.0, low - rounding), min(1.0, high + rounding), count)


def _cell_bounds(a: F64, b: F64, belongs: F64, mean: F64, deviation: F64) -> tuple[F64, F64]:
    """(least, most) of ∫ max_k f_k on each cell."""
    with np.errstate(over="ignore"):  # points that are infinitely far for a narrow Gaussian
        left, right = (a[:, None] - mean) / deviation, (b[:, None] - mean) / deviation
    # on the side where both are positive the mass is taken from the upper tail, where it loses no digits
    upper = left > 0
    masses = np.where(upper, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left)) @ belongs
    nearest = np.where(left > 0, left, np.where(right < 0, -right, 0.0))
    farthest = np.maximum(np.abs(left), np.abs(right))
    height = 1 / (np.sqrt(2 * np.pi) * deviation)
    with np.errstate(over="ignore", under="ignore"):
        near, far = np.exp(-0.5 * nearest**2), np.exp(-0.5 * farthest**2)
    sup = (height * near) @ belongs * (1 + 1e-14)
    inf = (height * far) @ belongs * (1 - 1e-14)
    largest = masses.max(axis=1)
    rivals = np.where(np.eye(sup.shape[1], dtype=bool), -np.inf, sup[:, None, :]).max(axis=2)  # of each class
    width = np.where(np.isfinite(b - a), b - a, 0.0)[:, None]
    most = (masses + width * np.maximum(rivals - inf, 0.0)).min(axis=1)
    whole = masses.sum(axis=1)
    most = np.where(np.isfinite(b - a), np.minimum(most, whole), whole)
    return largest, np.maximum(most, largest)
