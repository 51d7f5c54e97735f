"""The key at which the weight of all keys up to it reaches a limit, from passes over parts of the rows.

Keys are 64-bit numbers, weights are whole. A pass adds up weights by the next digit of the keys that begin as the one
looked for does; after six passes all digits are known. No key ever leaves its part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

DIGITS = ((53, 11), (42, 11), (31, 11), (20, 11), (9, 11), (0, 9))
"""(shift, bits) of every digit, the leading one first."""


class Search(NamedTuple):
    """in: for every key looked for its group, the digits known, and how many they are."""

    group: np.ndarray
    prefix: np.ndarray
    known: int


def ordered_keys(values: np.ndarray) -> np.ndarray:
    """Keys in the order of finite numbers; −0 is 0."""
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(1 << 63))


def values_of_keys(keys: np.ndarray) -> np.ndarray:
    bits = np.where(keys >> np.uint64(63), keys ^ np.uint64(1 << 63), ~keys)
    return bits.astype(np.uint64).view(np.float64)


def digit_weights(search: Search, keys: np.ndarray, group: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(keys looked for, digits): the weight of the rows of its group that begin as it does, by their next digit."""
    shift, bits = DIGITS[search.known]
    out = np.zeros((len(search.group), 1 << bits), dtype=np.int64)
    for i, (own, prefix) in enumerate(zip(search.group, search.prefix, strict=True)):
        rows = group == own
        if search.known:
            rows &= keys >> np.uint64(shift + bits) == prefix
        digit = (keys[rows] >> np.uint64(shift)).astype(np.int64) & ((1 << bits) - 1)
        if w is None:
            out[i] = np.bincount(digit, minlength=1 << bits)
        else:
            np.add.at(out[i], digit, w[rows])
    return out


def find_keys(
    add_up: Callable[[Search], np.ndarray],
    group: np.ndarray,
    limits: Callable[[np.ndarray], np.ndarray],
    beyond: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(keys, total weights): for every group asked for the first key up to which the weight reaches its limit.

    `add_up`: `digit_weights` over all parts; `limits`: of the total weights; `beyond`: where the limit has to be
    exceeded. Where it is not, the last key.
    """
    prefix, before = np.zeros(len(group), dtype=np.uint64), np.zeros(len(group), dtype=np.int64)
    total = limit = np.empty(0)
    for known, (_, bits) in enumerate(DIGITS):
        weights = add_up(Search(group, prefix, known))
        if known == 0:
            total = weights.sum(axis=1)
            limit = limits(total)
        reached = (before[:, None] + np.cumsum(weights, axis=1)).astype(np.float64)
        enough = np.where(beyond[:, None], reached > limit[:, None], reached >= limit[:, None]) & (weights > 0)
        last = (1 << bits) - 1 - np.argmax(weights[:, ::-1] > 0, axis=1)
        digit = np.where(enough.any(axis=1), np.argmax(enough, axis=1), last)
        below = np.arange(1 << bits) < digit[:, None]
        before = before + np.where(below, weights, 0).sum(axis=1)
        prefix = (prefix << np.uint64(bits)) | digit.astype(np.uint64)
    return prefix, total
