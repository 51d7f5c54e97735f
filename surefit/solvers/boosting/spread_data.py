"""Rows in a Dask collection made ready for histogram boosting: every row stays on its worker.

What comes to the driver: sums and ranges of targets, the keys below which examples are held out, the sketch of the bins
(at most 200,000 rows), which categories there are. Then every block is binned where it is, and training rows and those
held out are cut again into runs of whole leaves, so that sums run in the tree of rows in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from surefit._core.arithmetic import exact_sum, rounded_units, two_product, whole_weights
from surefit._core.errors import InvalidData
from surefit.engine.leaves import MOST_LEAF_ROWS, leaf_sum
from surefit.engine.sources.dask_blocks import DaskBlocks, part_rows
from surefit.objectives.losses import Loss, Pinball, Softmax
from surefit.solvers.boosting.histogram_rounds import constant_of_mean
from surefit.solvers.boosting.part_rows import PartRows
from surefit.solvers.boosting.spread_rounds import quantiles
from surefit.solvers.boosting.spread_targets import HeldOut
from surefit.solvers.growing.tree import seen_categories
from surefit.summaries.bins import MISSING, Bins
from surefit.summaries.selection import Search, digit_weights, ordered_keys


class BinnedBlock(NamedTuple):
    trained: PartRows
    held: PartRows


@dataclass(frozen=True)
class BinBlock:
    """Bins of a block, training rows and those held out apart. `start_from`: raw predictions of rows, where asked."""

    bins: Bins
    held: HeldOut
    start_from: Any = None

    def __call__(self, rows: tuple[Any, Any, Any], start: int) -> BinnedBlock:
        X, y, w = rows
        held = self.held.rows(X, y, w)
        used = ~held if w is None else ~held & (w > 0)
        binned = self.bins.transform(X)
        raw = None if self.start_from is None else self.start_from(X)

        def part(which: np.ndarray) -> PartRows:
            own = None if w is None else w[which]
            return PartRows(binned[which], y[which], own, None if raw is None else raw[which])

        return BinnedBlock(part(used), part(held))


def block_counts(categorical: np.ndarray | None, block: BinnedBlock) -> tuple[int, int, Any]:
    """(training rows, rows held out, which categories the training rows have)."""
    rows = block.trained.bins
    return len(rows), len(block.held.y), None if categorical is None else seen_categories(rows, categorical, MISSING)


def join_parts(name: str, *pieces: Any) -> PartRows:
    """One part from (block, first row, end) of neighbors."""
    cuts = [(getattr(block, name), slice(lo, hi)) for block, lo, hi in zip(*[iter(pieces)] * 3, strict=True)]

    def joined(field: str) -> Any:
        values = [getattr(part, field) for part, _ in cuts]
        if values[0] is None:
            return None
        return np.concatenate([value[at] for value, (_, at) in zip(values, cuts, strict=True)])

    return PartRows(*(joined(field) for field in ("bins", "y", "w", "raw")))


class SpreadData:
    """Parts of training rows, and of rows held out (None: there are none); `seen`: the bins that training rows have."""

    def __init__(self, data: Any, bins: Bins, held: HeldOut, categorical: np.ndarray | None, start_from: Any) -> None:
        blocks = DaskBlocks.of_rows(data, BinBlock(bins, held, start_from))
        trained, kept, seen = zip(*blocks.each(block_counts, categorical), strict=True)
        self.bins, self.n_rows, self.n_held = bins, sum(trained), sum(kept)
        self.seen = None if categorical is None else np.logical_or.reduce(seen)
        self.held: DaskBlocks | None = None
        if held.bounds is not None and (self.n_held == 0 or self.n_rows == 0):
            return
        width = data.n_features
        rows = part_rows(self.n_rows, MOST_LEAF_ROWS, width)
        self.trained = blocks.cut_again(trained, rows, join_parts, "trained")
        if self.n_held:
            rows = part_rows(self.n_held, MOST_LEAF_ROWS, width)
            self.held = blocks.cut_again(kept, rows, join_parts, "held")


def weight_sums(n_classes: int, part: PartRows) -> tuple[float, tuple[int, ...], int, int]:
    """(weight in the fixed tree, exact weights of classes, exact Σ ω y, how many products overflow)."""
    y, w = part.y, part.w
    codes = y.astype(np.intp) if n_classes else np.zeros(len(y), dtype=np.intp)
    ones = np.ones(len(y)) if w is None else w
    exact = tuple(exact_sum(ones[codes == k]) for k in range(max(n_classes, 1)))
    with np.errstate(over="ignore", invalid="ignore"):  # such products are counted
        terms = [y] if w is None else two_product(w, y)
    wild = int(sum(np.count_nonzero(~np.isfinite(term)) for term in terms))
    products = 0 if wild else sum(map(exact_sum, terms))
    return float(len(y)) if w is None else leaf_sum(w), exact, products, wild


def add_weight_sums(left: Any, right: Any) -> Any:
    classes = tuple(a + b for a, b in zip(left[1], right[1], strict=True))
    return left[0] + right[0], classes, left[2] + right[2], left[3] + right[3]


def target_digits(message: tuple[float, Search], part: PartRows) -> np.ndarray:
    total, search = message
    whole = None if part.w is None else whole_weights(part.w, total)
    return digit_weights(search, ordered_keys(part.y), np.zeros(len(part.y), dtype=np.intp), whole)


class Start(NamedTuple):
    """The weight of rows, in the fixed tree and rounded once, and the best constant."""

    total: float
    whole_total: float
    baseline: np.ndarray


def start_of(blocks: DaskBlocks, loss: Loss, weighted: bool) -> Start:
    """Of parts of rows the weight and the best constant, with the bits of `first_prediction`."""
    n_classes = loss.n_outputs if isinstance(loss, Softmax) else 0
    total, exact, products, wild = blocks.fold(weight_sums, n_classes, add_weight_sums)
    whole_total = rounded_units(sum(exact))
    if n_classes:
        baseline = loss.of_counts(np.array([rounded_units(part) for part in exact])).reshape(1, -1)  # type: ignore[attr-defined]
    elif isinstance(loss, Pinball):

        def add_up(search: Search) -> np.ndarray:
            return blocks.fold(target_digits, (whole_total, search), _added)

        baseline = quantiles(add_up, loss.q, 1, weighted).reshape(1, 1)
    elif wild:
        raise InvalidData("weights times targets are larger than floating point can hold; scale the weights down")
    else:
        baseline = constant_of_mean(loss, rounded_units(products), whole_total)
    return Start(total, whole_total, baseline)


def _added(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return left + right
