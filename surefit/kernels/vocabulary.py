"""Inputs made of symbols: how often each occurs, and sequences as numbers.

The vocabulary is that of the rows a kernel was given first (`Rows.root`). What other rows have besides has no partner
there, and counts only in k(x, x).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.kernels.rows import Rows

Features = Callable[[Any], Iterable[Hashable]]


def features_of(rows: Rows, features: Features, what: str) -> list[Counter]:
    """The features of every input with their numbers; a fault names the input."""
    found = []
    for i, x in enumerate(rows.X):
        try:
            found.append(Counter(features(x)))
        except TypeError as error:
            raise InvalidData(f"input {i} must be {what}; got {type(x).__name__} ({error})") from error
    return found


def count_matrix(rows: Rows, key: Any, features: Features, what: str) -> Any:
    """CSR: how often each feature of the vocabulary occurs in every input."""

    def make(rows: Rows) -> Any:
        counters = features_of(rows, features, what)
        places = rows.root.shared((key, "vocabulary"), lambda: _vocabulary(counters))
        known = [[(places[f], c) for f, c in counter.items() if f in places] for counter in counters]
        ends = np.cumsum([0, *(len(entries) for entries in known)])
        pairs = np.array([pair for entries in known for pair in sorted(entries)], dtype=np.float64).reshape(-1, 2)
        shape = (rows.n, max(1, len(places)))
        return sp.csr_array((pairs[:, 1].astype(rows.dtype), pairs[:, 0].astype(np.int64), ends), shape=shape)

    rows.root.kept((key, "counts"), make)  # the vocabulary is made of the rows that came first
    return rows.kept((key, "counts"), make)


def _vocabulary(counters: list[Counter]) -> dict[Hashable, int]:
    """In order of appearance."""
    places: dict[Hashable, int] = {}
    for counter in counters:
        for feature in counter:
            places.setdefault(feature, len(places))
    return places


def codes_of(sequences: Iterable[Any], what: str) -> list[np.ndarray]:
    """Symbols as numbers, the same number for the same symbol in all sequences."""
    places: dict[Hashable, int] = {}
    found = []
    for i, sequence in enumerate(sequences):
        try:
            found.append(np.array([places.setdefault(symbol, len(places)) for symbol in sequence], dtype=np.int64))
        except TypeError as error:
            raise InvalidData(f"input {i} must be {what}; got {type(sequence).__name__} ({error})") from error
    return found
