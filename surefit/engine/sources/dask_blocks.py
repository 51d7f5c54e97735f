"""Values that stay on Dask's workers, one for each run of rows, and passes over them.

A value is made by a task that Dask can run again, so a worker that dies takes nothing with it. A pass sends the same
small message to every value and merges what comes back in the fixed tree; only the merged result reaches the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from surefit.engine.leaves import merge_in_order
from surefit.engine.sources.dask import DaskSource, delayed, persisted
from surefit.engine.sources.dask_tasks import several

FEWEST_PARTS = 16
PART_BYTES = 2**26


class DaskBlocks:
    def __init__(self, source: DaskSource, values: Sequence[Any]) -> None:
        self.source = source
        self.values = persisted(values)

    @classmethod
    def of_rows(cls, source: DaskSource, function: Callable[[tuple[Any, Any, Any], int], Any]) -> DaskBlocks:
        """function((X, y, w), first row) of every block of a source."""
        blocks = source.delayed_blocks()
        return cls(source, [delayed(function)(block, start) for start, block in blocks])

    def fold(self, function: Callable[[Any, Any], Any], message: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """function(message, value) of all values, merged in the fixed tree."""
        return self.folds(function, [message], combine)[0]

    def folds(
        self,
        function: Callable[[Any, Any], Any],
        messages: Sequence[Any],
        combine: Callable[[Any, Any], Any],
        last: Sequence[Callable[[Any], Any]] | None = None,
    ) -> list[Any]:
        """`fold` for several messages at once; `last` is done to what was merged of each before it comes back."""
        merged = []
        for number, message in enumerate(messages):
            sent = delayed(message)
            one = merge_in_order([delayed(function)(sent, value) for value in self.values], delayed(combine))
            merged.append(one if last is None else delayed(last[number])(one))
        return list(self.source.finished(delayed(several)(*merged)))

    def chain(self, function: Callable[[Any, Any, Any], Any], message: Any, first: Any) -> tuple[Any, ...]:
        """function(message, value, what came before) of one value after the other; all that came, something small."""
        sent = delayed(message)
        came: list[Any] = []
        for value in self.values:
            came.append(delayed(function)(sent, value, came[-1] if came else first))
        return self.source.finished(delayed(several)(*came))

    def each(self, function: Callable[[Any, Any], Any], message: Any) -> tuple[Any, ...]:
        """function(message, value) of every value: something small."""
        sent = delayed(message)
        return self.source.finished(delayed(several)(*(delayed(function)(sent, value) for value in self.values)))

    def cut_again(self, lengths: Sequence[int], rows: int, join: Callable[..., Any], name: str) -> DaskBlocks:
        """Of the rows called `name`, so many in each value, runs of `rows`: join(name, value, lo, hi, value, …)."""
        ends = list(accumulate(lengths))
        values = [
            delayed(join)(name, *(item for piece in self._pieces(ends, start, start + rows) for item in piece))
            for start in range(0, ends[-1], rows)
        ]
        return DaskBlocks(self.source, values)

    def _pieces(self, ends: list[int], start: int, stop: int) -> Iterator[tuple[Any, int, int]]:
        for number, end in enumerate(ends):
            first = ends[number - 1] if number else 0
            lo, hi = max(start, first), min(stop, end)
            if lo < hi:
                yield self.values[number], lo - first, hi - first


def part_rows(n_rows: int, leaf_rows: int, row_bytes: int) -> int:
    """Rows of a run: 2^j leaves, within `PART_BYTES` and an even share of the work."""
    rows = leaf_rows
    while 2 * rows * row_bytes <= PART_BYTES and 2 * rows <= n_rows // FEWEST_PARTS:
        rows *= 2
    return rows
