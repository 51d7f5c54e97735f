"""Leaks that can be seen: what makes a score look better on these folds than it will be on new rows.

A copy of the target among the columns, rows of one group or of a later time in the training part, copies of test rows
in the training part, columns that name rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.model_selection.describe.columns import columns_of
from surefit.model_selection.describe.copies import copy_of_target
from surefit.model_selection.describe.hashes import row_hashes, value_codes
from surefit.model_selection.describe.identifiers import is_identifier

Splits = list[tuple[np.ndarray, np.ndarray]]
MANY_COPIES, FEW_ROWS = 0.01, 5
"""More test rows than this share, and than this number, with a copy in the training part are told."""


def find_leaks(
    X: Any,
    y: np.ndarray | None,
    splits: Splits,
    groups: Any = None,
    time: Any = None,
    names: list[str] | None = None,
) -> list[str]:
    """One line for each leak, the worst first; an empty list where none is seen.

    groups   for each row who it belongs to (a patient, a customer): rows of one group should stay on one side of a fold
    time     for each row when it was observed: models should not be trained on rows later than those they are tested on
    names    of the columns, where X has none
    """
    columns = [] if sp.issparse(X) else columns_of(X)
    if names is not None:
        columns = [(name, values) for name, (_, values) in zip(names, columns, strict=True)]
    hashes = _hashes(X, y)
    found = [] if y is None else _copies_of_target(columns, np.asarray(y), _distinct(hashes))
    if groups is not None:
        found += _split_groups(value_codes(np.asarray(groups)), splits)
    if time is not None:
        found += _later_rows(np.asarray(time), splits)
    found += _copied_rows(X, hashes, splits)
    return found + _identifiers(columns)


def _hashes(X: Any, y: np.ndarray | None) -> np.ndarray:
    """A number for each row and its target."""
    hashes = row_hashes(X)
    return hashes if y is None else hashes * np.uint64(3) + value_codes(np.asarray(y))


def _distinct(hashes: np.ndarray) -> np.ndarray:
    """The first of each set of equal rows: copied rows would tie every column to the target."""
    return np.sort(np.unique(hashes, return_index=True)[1])


def _copies_of_target(columns: list[tuple[str, np.ndarray]], y: np.ndarray, rows: np.ndarray) -> list[str]:
    told = [(name, copy_of_target(values[rows], y[rows])) for name, values in columns]
    return [
        f"the column {name!r} {words}: leave it out if it is not known before the target"
        for name, words in told
        if words
    ]


def _split_groups(groups: np.ndarray, splits: Splits) -> list[str]:
    shared = [np.intersect1d(groups[train], groups[test]).size for train, test in splits]
    torn = np.count_nonzero(shared)
    if not torn:
        return []
    return [
        f"groups are torn apart: in {torn} of {len(splits)} folds rows of the same group are in both parts "
        f"({max(shared)} of {np.unique(groups).size} groups in the worst): use cv=GroupKFold()"
    ]


def _later_rows(time: np.ndarray, splits: Splits) -> list[str]:
    when = instants(time)
    ahead = sum(when[train].max() > when[test].min() for train, test in splits)
    if not ahead:
        return []
    return [
        f"time is ignored: {ahead} of {len(splits)} folds train on rows later than rows they test on: "
        "use cv=TimeSeriesSplit() on rows in the order of time"
    ]


def instants(time: np.ndarray) -> np.ndarray:
    """Times as numbers in the same order."""
    if time.dtype.kind in "fiu":
        return time.astype(np.float64)
    if time.dtype.kind not in "mM":
        time = time.astype("datetime64[us]")
    return time.astype("int64").astype(np.float64)


def _copied_rows(X: Any, hashes: np.ndarray, splits: Splits) -> list[str]:
    tested = copied = 0
    for train, test in splits:
        if tested >= hashes.size:
            break
        tested += test.size
        copied += int(np.isin(hashes[test], hashes[train]).sum())
    if copied <= max(MANY_COPIES * tested, FEW_ROWS) or _repeat_by_chance(X, hashes):
        return []
    return [
        f"{copied} of {tested} test rows ({100 * copied / tested:.0f} %) have an exact copy in the training part of "
        "their fold: if copies are one observation, keep one of each"
    ]


def _repeat_by_chance(X: Any, hashes: np.ndarray) -> bool:
    """Would rows repeat as often if every column were drawn by itself?

    Two rows agree in a column with probability q = Σ (share of a value)², in all of them with the product. Where the
    distinct rows, drawn so, would meet another in more than one case out of a hundred, copies say nothing.
    """
    first = np.unique(hashes, return_index=True)[1]
    if first.size < hashes.size / 10:
        return True
    if sp.issparse(X):
        return False
    log_q = 0.0
    for _, values in columns_of(X):
        counts = np.unique(value_codes(values[first]), return_counts=True)[1]
        log_q += float(np.log(np.sum((counts / first.size) ** 2)))
    return bool(np.log(first.size) + log_q > np.log(0.01))


def _identifiers(columns: list[tuple[str, np.ndarray]]) -> list[str]:
    names = [name for name, values in columns if is_identifier(name, values)]
    if not names:
        return []
    noun = f"the column {names[0]!r} looks" if len(names) == 1 else f"the columns {', '.join(map(repr, names))} look"
    return [f"{noun} like identifiers of rows: a model can learn them by heart; leave them out"]
