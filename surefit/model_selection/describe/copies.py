"""Columns that are the target in other words: a copy, a renaming of it, or a monotone image of it.

Could it be chance? A column whose L levels hold one class each, of n rows and K classes with n₁, …, n_K rows, does so
for at most K^L of the n! / (n₁! … n_K!) ways to spread the labels over the rows; with e rows that differ, for at most
(n K)^e times as many. Nothing is told unless that share is below 10⁻⁹.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln
from scipy.stats import rankdata

from surefit.model_selection.describe.hashes import value_codes

ROWS = 20
CHANCE = np.log(1e-9)
FEW_VALUES = 20
NEARLY = 0.999
LOOKED_AT = 200_000
"""Of more rows so many, spread evenly, are looked at."""


def copy_of_target(values: np.ndarray, y: np.ndarray) -> str | None:
    """What gives the target away in a column, in words; None where nothing does."""
    step = -(-values.size // LOOKED_AT)
    values, y = np.asarray(values)[::step], np.asarray(y)[::step]
    if y.size < ROWS:
        return None
    targets, codes = np.unique(y, return_inverse=True)
    levels = np.unique(value_codes(values), return_inverse=True)[1]
    numeric = values.dtype.kind in "fiu"
    if y.dtype.kind in "fiu" and targets.size > FEW_VALUES:
        return _copy_of_numbers(values if numeric else None, levels, y.astype(np.float64), codes)
    if numeric and _sorts_classes(values.astype(np.float64), codes):
        return "tells the classes of the target apart without an error, by itself"
    return _copy_of_classes(levels, codes)


def _copy_of_numbers(values: np.ndarray | None, levels: np.ndarray, y: np.ndarray, codes: np.ndarray) -> str | None:
    if values is not None:
        known = np.isfinite(values)
        if known.sum() >= max(ROWS, y.size / 2):
            rho = _rank_correlation(values[known], y[known])
            if abs(rho) >= NEARLY:
                exact = "a copy" if abs(rho) > 1 - 1e-12 else "nearly a copy"
                return f"is {exact} of the target (rank correlation {rho:.4g})".replace("-", "−")
    pairs = np.unique(levels.astype(np.int64) * (codes.max() + 1) + codes).size
    repeated = pairs <= y.size / 2
    return (
        "is the target in other words: their values go one to one"
        if repeated and _one_to_one(levels, codes, pairs)
        else None
    )


def _copy_of_classes(levels: np.ndarray, codes: np.ndarray) -> str | None:
    n_levels, n_classes, n = int(levels.max()) + 1, int(codes.max()) + 1, codes.size
    if n_levels > n / 2 or n_classes < 2:
        return None
    pairs, counts = np.unique(levels.astype(np.int64) * n_classes + codes, return_counts=True)
    largest = np.zeros(n_levels, dtype=np.int64)
    np.maximum.at(largest, pairs // n_classes, counts)
    wrong = n - int(largest.sum())
    if wrong > (1 - NEARLY) * n:
        return None
    sizes = np.bincount(codes)
    ways = gammaln(n + 1) - gammaln(sizes + 1).sum()
    if n_levels * np.log(n_classes) + wrong * np.log(n * n_classes) - ways > CHANCE:
        return None
    if wrong:
        return f"is nearly a copy of the target: each of its values belongs to one class, but for {wrong} of {n} rows"
    if _one_to_one(levels, codes, pairs.size):
        return "is the target in other words: their values go one to one"
    return "gives the target away: each of its values belongs to one class"


def _sorts_classes(values: np.ndarray, codes: np.ndarray) -> bool:
    """Sorted by the column, the rows of every class stand side by side, and no value has two classes."""
    known = np.isfinite(values)
    if known.sum() < max(ROWS, codes.size / 2):
        return False
    values, codes = values[known], codes[known]
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    change = codes[1:] != codes[:-1]
    sizes = np.bincount(codes)
    if (
        np.count_nonzero(sizes) < 2
        or change.sum() + 1 != np.count_nonzero(sizes)
        or (change & (values[1:] == values[:-1])).any()
    ):
        return False
    ways = gammaln(codes.size + 1) - gammaln(sizes + 1).sum()
    return bool(gammaln(np.count_nonzero(sizes) + 1) - ways < CHANCE)


def _one_to_one(levels: np.ndarray, codes: np.ndarray, n_pairs: int) -> bool:
    return n_pairs == levels.max() + 1 == codes.max() + 1


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = (ranks - ranks.mean() for ranks in (rankdata(a), rankdata(b)))
    scale = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / scale) if scale > 0 else 0.0
