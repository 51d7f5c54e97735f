"""Columns that name rows instead of describing them: text that is different in every row, running numbers.

A model can learn them by heart, and what it learns says nothing about a new row.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

ROWS = 20
"""With fewer rows distinct text is no sign of anything."""
DISTINCT = 0.95
NAMED = re.compile(
    r"^(id|ids|uid|uuid|guid|key|index|idx|nr|no|num|number|row|record|unnamed.*)$"
    r"|(^|[ _.-])(id|uid|uuid|guid|idx|key|index|nr|no|number|rownum)$|^(id|row)[ _.-]|[a-z](Id|ID|Uuid|UUID|Key|Nr)$",
)


def named_like_an_identifier(name: str) -> bool:
    """
    >>> [named_like_an_identifier(name) for name in ("customer_id", "PassengerId", "ID", "Unnamed: 0", "humid", "age")]
    [True, True, True, True, False, False]
    """
    return bool(NAMED.search(name)) or bool(NAMED.search(name.lower()))


def is_identifier(name: str, values: np.ndarray) -> bool:
    """Text that is different in (nearly) every row; whole numbers that are all different and named like one."""
    values = np.asarray(values)
    if values.size < ROWS:
        return False
    if values.dtype.kind in "fiu":
        return named_like_an_identifier(name) and _are_distinct_whole(values)
    if values.dtype.kind in "bmM":
        return False
    known = [value for value in values.tolist() if not _missing(value)]
    if len(known) < ROWS or not all(isinstance(value, str) for value in known):
        return False
    return len(set(known)) >= DISTINCT * len(known)


def _are_distinct_whole(values: np.ndarray) -> bool:
    if not np.isfinite(values).all() or (values % 1 != 0).any():
        return False
    return np.unique(values).size == values.size


def _missing(value: Any) -> bool:
    return value is None or value != value
