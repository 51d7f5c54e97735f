"""Every step of the engine, with a state to run it on. A new step is added here and obeys the laws from then on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from surefit.engine.block import Block
from surefit.engine.moments import MomentsStep
from surefit.engine.step import Step


class Totals(NamedTuple):
    weight: float
    sums: np.ndarray
    n_rows: int


class TotalsStep(Step):
    """Weighted column sums of (X − state), in plain NumPy: the simplest step there is."""

    def map_leaf(self, state: np.ndarray, leaf: Block) -> Totals:
        w = np.ones(leaf.n_rows) if leaf.w is None else leaf.w
        X = leaf.X.toarray() if not isinstance(leaf.X, np.ndarray) else leaf.X
        sums = np.array([w @ column for column in (X.astype(np.float64) - state).T])
        return Totals(float(w.sum()), sums if leaf.y is None else np.append(sums, w @ leaf.y), leaf.n_rows)

    def combine(self, left: Totals, right: Totals) -> Totals:
        return Totals(left.weight + right.weight, left.sums + right.sums, left.n_rows + right.n_rows)


@dataclass
class Case:
    """A step, and the state it is run with on data of `d` features."""

    name: str
    step: Step
    state: Callable[[int], Any]
    needs_target: bool = False
    sparse: bool = True


CASES = [
    Case("totals", TotalsStep(), lambda d: np.linspace(-1.0, 1.0, d)),
    Case("moments", MomentsStep(with_target=False), lambda d: None),
    Case("moments with a target", MomentsStep(with_target=True), lambda d: None, needs_target=True),
]


def arrays_of(statistic: Any) -> list[np.ndarray]:
    """All numbers of a statistic, however it is put together, as a flat list of arrays."""
    if statistic is None:
        return []
    if isinstance(statistic, dict):
        return [array for key in sorted(statistic) for array in arrays_of(statistic[key])]
    if isinstance(statistic, (tuple, list)):
        return [array for part in statistic for array in arrays_of(part)]
    if hasattr(statistic, "__dict__") and not isinstance(statistic, np.ndarray):
        return arrays_of(vars(statistic))
    return [np.asarray(statistic)]


def same_bits(left: Any, right: Any) -> bool:
    one, two = arrays_of(left), arrays_of(right)
    return len(one) == len(two) and all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(one, two, strict=True)
    )
