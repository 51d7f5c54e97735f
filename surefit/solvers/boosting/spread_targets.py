"""Targets and weights of rows that stay where they are: what the driver learns of them, and who is held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from surefit._core.arithmetic import exact_sum, rounded_units, whole_weights
from surefit.engine.sources.block import Block
from surefit.engine.step import Step
from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import hold_out_keys, most_held
from surefit.summaries.selection import Search, digit_weights, find_keys


class TargetFacts(NamedTuple):
    """The exact weight of every class (one for numbers), and the range of y, of rows that count and of all."""

    weights: tuple[int, ...]
    least: float
    most: float
    lowest: float
    highest: float

    @property
    def of_classes(self) -> np.ndarray:
        return np.array([rounded_units(part) for part in self.weights])

    @property
    def total(self) -> float:
        return rounded_units(sum(self.weights))


class TargetFactsStep(Step):
    """in: the number of classes, 0 for numbers.  out: `TargetFacts`."""

    def map(self, state: int, block: Block, n_threads: int) -> TargetFacts:
        y = flat(block.y)
        w = np.ones(len(y)) if block.w is None else block.w
        codes = y.astype(np.intp) if state else np.zeros(len(y), dtype=np.intp)
        counted = y[w > 0]
        return TargetFacts(
            tuple(exact_sum(w[codes == k]) for k in range(max(state, 1))),
            float(counted.min(initial=np.inf)),
            float(counted.max(initial=-np.inf)),
            float(y.min()),
            float(y.max()),
        )

    def combine(self, left: TargetFacts, right: TargetFacts) -> TargetFacts:
        weights = tuple(a + b for a, b in zip(left.weights, right.weights, strict=True))
        least, lowest = min(left.least, right.least), min(left.lowest, right.lowest)
        return TargetFacts(weights, least, max(left.most, right.most), lowest, max(left.highest, right.highest))


def flat(y: np.ndarray | None) -> np.ndarray:
    """One target for each row."""
    assert y is not None, "rows have targets"
    return np.ascontiguousarray(y, dtype=np.float64).reshape(len(y))


@dataclass(frozen=True)
class Weighing:
    """Weights times those of classes (None: as they are)."""

    factor: np.ndarray | None = None

    def __call__(self, rows: tuple[Any, Any, Any], start: int) -> tuple[Any, Any, Any]:
        X, y, w = rows
        y = flat(y)
        if self.factor is not None:
            w = self.factor[y.astype(np.intp)] * (1.0 if w is None else w)
        return X, y, w


class HoldOutStep(Step):
    """in: (seed, total weight, whether by class, search).  out: weights of rows by the next digit of their keys."""

    def map(self, state: Any, block: Block, n_threads: int) -> np.ndarray:
        seed, total, by_class, search = state
        y = flat(block.y)
        there = np.ones(len(y), dtype=bool) if block.w is None else block.w > 0
        whole = None if block.w is None else whole_weights(block.w, total)[there]
        keys = hold_out_keys(example_hashes(block.X, y, n_threads), seed)
        group = y.astype(np.intp) if by_class else np.zeros(len(y), dtype=np.intp)
        return digit_weights(search, keys[there], group[there], whole)

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right


def hold_out_bounds(data: Any, facts: TargetFacts, n_classes: int, share: float, seed: int) -> np.ndarray:
    """For every class the key below which its examples are held out."""
    n = max(n_classes, 1)

    def add_up(search: Search) -> np.ndarray:
        return data.fold(HoldOutStep(), (seed, facts.total, n_classes > 0, search))

    def limits(total: np.ndarray) -> np.ndarray:
        return np.array([most_held(share, one) for one in total])

    keys, _ = find_keys(add_up, np.arange(n), limits, np.ones(n, dtype=bool))
    return keys


@dataclass(frozen=True)
class HeldOut:
    """Which rows are held out: those whose keys are below the bound of their class."""

    bounds: np.ndarray | None
    seed: int
    by_class: bool

    def rows(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        if self.bounds is None:
            return np.zeros(len(y), dtype=bool)
        keys = hold_out_keys(example_hashes(X, y), self.seed)
        held = keys < self.bounds[y.astype(np.intp) if self.by_class else np.zeros(len(y), dtype=np.intp)]
        return held if w is None else held & (w > 0)

    def without(self, rows: tuple[Any, Any, Any], start: int) -> tuple[Any, Any, Any]:
        """Rows held out get no weight."""
        X, y, w = rows
        held = self.rows(X, y, w)
        return (X, y, w) if self.bounds is None else (X, y, np.where(held, 0.0, 1.0 if w is None else w))
