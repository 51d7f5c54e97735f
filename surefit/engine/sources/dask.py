"""Rows in a Dask array or dataframe: one task for each aligned block, then the fixed tree of combine tasks.

Only the merged statistic comes back. The tree depends on the rows alone, so the number of workers, the chunks the
collection came in, and workers that die on the way change nothing. The state of a pass is part of its graph, not
scattered: a scattered value is lost with the workers that hold it, a graph is run again.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from surefit._core.data.intake import refuse_all_zero, take_targets, take_weights
from surefit._core.errors import InvalidData
from surefit._core.memory import available_bytes
from surefit._core.optional import require
from surefit._core.threads import single_threaded_blas
from surefit.engine.labels import codes_of, memory_codes, streamed_codes
from surefit.engine.leaves import aligned_rows, merge_in_order
from surefit.engine.sources.block import Block
from surefit.engine.sources.dask_tasks import (
    Place,
    Work,
    apply_chunk,
    combine_pair,
    cut_piece,
    holds_sparse,
    join_pieces,
    map_block,
    row_count,
    several,
)
from surefit.engine.sources.source import Source
from surefit.engine.step import Step

dask = require("dask", extra="dask", purpose="Working on Dask collections")

BLOCK_BYTES = 2**26
FEWEST_BLOCKS = 16
"""Blocks are made smaller, down to one leaf, until there is work for this many tasks."""


def open_dask(
    X: Any, y: Any = None, sample_weight: Any = None, *, target: bool = True, missing: bool = False
) -> DaskSource:
    """Open a Dask array or dataframe. `y` and `sample_weight` are Dask collections, arrays in memory, or (with a
    dataframe) names of its columns; named columns are not features, even when `target` is False and y is not used.
    With `missing` NaN in X is let through."""
    targets, weights = _names(X, y, "y"), _names(X, sample_weight, "sample_weight")
    table = _Chunks(X)
    others = [name for name in _columns(X) if name not in (*targets, *weights)] if _is_frame(X) else None
    features = _Part(table, others)
    if features.ndim != 2:
        raise InvalidData(f"Expected 2D array, got {features.ndim}D array instead: X must have rows and columns")
    collections = [table]

    def part(values: Any, named: tuple[str, ...]) -> Any:
        if named:
            return _Part(table, list(named), flat=isinstance(values, str))
        if not hasattr(values, "__dask_graph__"):
            return values
        collections.append(_Chunks(values))
        if values.ndim not in (1, 2):
            raise InvalidData(f"y and sample_weight have one or two dimensions; got {values.ndim}")
        return _Part(collections[-1], _columns(values) if _is_frame(values) else None)

    y, sample_weight = part(y, targets) if target else None, part(sample_weight, weights)
    for collection in collections:
        collection.open()
    return DaskSource(features, y, sample_weight, missing)


def dask_labels(X: Any, y: Any, classes: np.ndarray | None) -> tuple[Any, np.ndarray, Any]:
    """(X without its label column, classes, lazy codes). Labels are read on the workers; only classes come back."""
    if isinstance(y, str):
        (name,) = _names(X, y, "y")
        X, y = X[[column for column in X.columns if column != name]], X[name]
    if not hasattr(y, "__dask_graph__"):
        chunks = _Chunks(X)
        chunks.open()
        return X, *memory_codes(X, y, chunks.ends[-1] if chunks.ends else 0, classes)
    labels = _as_array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InvalidData(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if classes is None:
        found = _run(delayed(several)(*map(delayed(np.unique), labels.to_delayed().ravel())))
        classes, _ = streamed_codes(iter(found), None)
    return X, classes, labels.map_blocks(codes_of, classes, dtype=np.float64, meta=np.empty(0))


def _as_array(y: Any) -> Any:
    """A column as a lazy array; texts and pandas' own kinds of values as objects, which is what Dask would make."""
    if not hasattr(y, "to_dask_array"):
        return y
    own = isinstance(getattr(y, "dtype", None), np.dtype) or getattr(y, "ndim", 1) != 1
    return (y if own else y.astype(object)).to_dask_array()


class DaskSource(Source):
    def __init__(self, X: _Part, y: Any, w: Any, missing: bool = False) -> None:
        self.n_rows, self.n_features = X.shape
        if self.n_rows == 0 or self.n_features == 0:
            raise InvalidData(f"Found {self.n_rows} sample(s) and {self.n_features} feature(s); at least 1 is needed")
        self.dtype = X.float_type("X")
        self.feature_names = X.names
        self.has_weights = w is not None
        self.target_ndim = self.n_targets = 0
        if y is not None:
            y = y if isinstance(y, _Part) else np.ascontiguousarray(take_targets(self, y, self.n_rows))
            self._check_length("y", y)
            self.target_ndim, self.n_targets = y.ndim, 1 if y.ndim == 1 else y.shape[1]
        if w is not None:
            w = w if isinstance(w, _Part) else take_weights(w, self.n_rows)
            self._check_length("sample_weight", w)
        rows = aligned_rows(self.n_features, BLOCK_BYTES, max(1, self.n_rows // FEWEST_BLOCKS))
        self._block_rows = rows
        self._blocks = [
            delayed(join_pieces)(
                X.cut(start, start + rows, self.dtype),
                None if y is None else _cut(y, start, start + rows, "y"),
                None if w is None else _cut(w, start, start + rows, "sample_weight"),
                Place(start, X.names, missing),
            )
            for start in range(0, self.n_rows, rows)
        ]
        if self.n_rows * self.n_features * self.dtype.itemsize <= _room():
            self._blocks = list(dask.persist(*self._blocks))
        self.is_sparse = self.finished(delayed(holds_sparse)(self._blocks[0]))

    def _check_length(self, name: str, values: Any) -> None:
        if values.shape[0] != self.n_rows:
            raise InvalidData(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {self.n_rows} rows, {name} has {values.shape[0]}"
            )
        if name == "sample_weight" and values.ndim != 1:
            raise InvalidData(f"Sample weights must be 1D array or scalar; got {values.ndim} dimensions")

    def fold(self, step: Step, state: Any = None) -> Any:
        work = dask.delayed(Work(step, state, self.leaf_rows), pure=False, traverse=False)
        mapped = [
            delayed(map_block)(work, block, number * self._block_rows) for number, block in enumerate(self._blocks)
        ]
        statistic, weighted = self.finished(merge_in_order(mapped, partial(delayed(combine_pair), work)))
        if not weighted:
            refuse_all_zero()
        return statistic

    def delayed_blocks(self) -> Iterator[tuple[int, Any]]:
        """(first row, task of (X, y, w)) of every block."""
        return ((number * self._block_rows, block) for number, block in enumerate(self._blocks))

    def with_rows(self, function: Callable[[tuple[Any, Any, Any], int], tuple[Any, Any, Any]]) -> DaskSource:
        """The same rows with function((X, y, w), first row) in the place of (X, y, w)."""
        other = copy(self)
        other._blocks = [delayed(function)(block, start) for start, block in self.delayed_blocks()]
        return other

    def blocks(self) -> Iterator[Block]:
        for start in range(0, len(self._blocks), 4):
            rows = self.finished(delayed(several)(*self._blocks[start : start + 4]))
            for number, (X, y, w) in enumerate(rows, start):
                yield Block(X, y, w, number * self._block_rows, self.leaf_rows)

    def finished(self, result: Any) -> Any:
        """The value of a delayed result; Ctrl-C also stops the loading of blocks on the workers."""
        try:
            return _run(result)
        except KeyboardInterrupt:
            client = _client()
            if client is not None:
                client.cancel(sys.modules["distributed"].futures_of(self._blocks))
            raise


def apply_dask(estimator: Any, X: Any, function: Callable[[Any], np.ndarray], missing: bool = False) -> Any:
    """A lazy Dask array of `function` of the rows of X, which is checked against what `estimator` was fitted on."""
    names = getattr(estimator, "feature_names_in_", None)
    if _is_frame(X) and names is not None:
        absent = [name for name in names if name not in _columns(X)]
        if absent:
            raise InvalidData(
                "The feature names should match those that were passed during fit. "
                f"X has no column {absent[0]!r} ({len(absent)} missing)"
            )
        X = X[list(names)]
    part = _Part(_Chunks(X), _columns(X) if _is_frame(X) else None)
    if part.ndim != 2:
        raise InvalidData(f"Expected 2D array, got {part.ndim}D array instead: X must have rows and columns")
    if part.width != estimator.n_features_in_:
        raise InvalidData(
            f"X has {part.width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    dtype = part.float_type("X")
    with single_threaded_blas():
        sample = np.asarray(function(np.zeros((1, part.width), dtype)))
    meta = np.empty((0, *sample.shape[1:]), sample.dtype)
    task = partial(apply_chunk, function=function, dtype=dtype, names=part.columns, missing=missing)
    if _is_frame(X):
        return X.map_partitions(task, meta=meta)
    X = X.rechunk({1: -1})
    shape = {"drop_axis": 1} if sample.ndim == 1 else {"chunks": (X.chunks[0], (sample.shape[1],))}
    return X.map_blocks(task, dtype=sample.dtype, meta=meta, **shape)


class _Chunks:
    """A Dask collection as delayed chunks of whole rows."""

    def __init__(self, data: Any) -> None:
        if not isinstance(getattr(data, "ndim", None), int):
            raise InvalidData(f"a Dask array or dataframe is needed; got a Dask {type(data).__name__}")
        self.data = data
        self.delayed: list[Any] = []
        self.ends: list[int] = []

    def open(self) -> None:
        """Ready to be cut; lengths that Dask does not know are counted."""
        data = self.data
        if hasattr(data, "to_dask_array"):
            self.delayed, lengths = list(data.to_delayed()), [math.nan]
        else:
            data = data.rechunk({1: -1}) if data.ndim == 2 else data
            self.delayed, lengths = list(data.to_delayed().ravel()), data.chunks[0]
        if any(math.isnan(length) for length in lengths):
            lengths = _run(delayed(several)(*map(delayed(row_count), self.delayed)))
        self.ends = [int(end) for end in accumulate(lengths)]

    def cut(self, start: int, stop: int) -> Iterator[tuple[Any, int, int]]:
        """The chunks that hold rows start … stop−1, and which of their rows."""
        for number in range(bisect_right(self.ends, start), len(self.ends)):
            first = self.ends[number - 1] if number else 0
            if first >= stop:
                return
            lo, hi = max(start - first, 0), min(stop, self.ends[number]) - first
            if lo < hi:
                yield self.delayed[number], lo, hi


class _Part:
    """Some columns of a collection: the features, the targets or the weights. `columns` is None for arrays."""

    def __init__(self, chunks: _Chunks, columns: list[Any] | None, *, flat: bool = False) -> None:
        data = chunks.data
        self._chunks, self.columns, self._flat = chunks, columns, flat
        self.ndim = 1 if flat else data.ndim
        self._dtypes = [data.dtype] if columns is None else [data.dtypes[name] for name in columns]
        self.width = 1 if self.ndim == 1 else len(columns) if columns is not None else data.shape[1]
        if math.isnan(self.width):
            raise InvalidData("X has an unknown number of columns; give its chunks a known width")

    @property
    def shape(self) -> tuple[int, ...]:
        n_rows = self._chunks.ends[-1] if self._chunks.ends else 0
        return (n_rows,) if self.ndim == 1 else (n_rows, self.width)

    @property
    def names(self) -> np.ndarray | None:
        """As scikit-learn has it: names only if all of them are text."""
        if self.columns is None or not all(isinstance(name, str) for name in self.columns):
            return None
        return np.asarray(self.columns, dtype=object)

    def float_type(self, role: str) -> np.dtype:
        """float32 if every column is, else float64; a column that holds no numbers raises."""
        for position, dtype in enumerate(self._dtypes):
            if dtype.kind not in "fiub":
                where = f"column {self.columns[position]!r} of {role}" if self.columns is not None else role
                word = "Complex data not supported: " if dtype.kind == "c" else ""
                raise InvalidData(f"{word}{where} is not numeric ({dtype}). Encode it or leave it out.")
        single = all(dtype.kind == "f" and dtype.itemsize == 4 for dtype in self._dtypes)
        return np.dtype(np.float32 if single else np.float64)

    def cut(self, start: int, stop: int, dtype: np.dtype) -> list[Any]:
        """Rows start … stop−1 as delayed pieces, in order."""
        return [
            delayed(cut_piece)(chunk, lo, hi, self.columns, dtype, self._flat)
            for chunk, lo, hi in self._chunks.cut(start, stop)
        ]


def _cut(values: Any, start: int, stop: int, role: str) -> list[Any]:
    if isinstance(values, _Part):
        return values.cut(start, stop, np.dtype(np.float64) if role == "sample_weight" else values.float_type(role))
    return [values[start:stop]]


def delayed(function: Callable) -> Callable:
    """A function whose calls are tasks."""
    return dask.delayed(function, pure=False, traverse=False)


def persisted(values: Sequence[Any]) -> list[Any]:
    """Tasks whose results stay where they are made."""
    return list(dask.persist(*values))


def _run(result: Any) -> Any:
    """The value of a delayed result, from the cluster if there is one. Ctrl-C cancels it there."""
    client = _client()
    if client is None:
        return result.compute()
    future = client.compute(result)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _client() -> Any:
    """The Dask client in force, or None for the local schedulers."""
    distributed = sys.modules.get("distributed")
    scheduler = dask.config.get("scheduler", None)
    if distributed is None or (isinstance(scheduler, str) and scheduler not in ("dask.distributed", "distributed")):
        return None
    if isinstance(scheduler, distributed.Client):
        return scheduler
    try:
        return distributed.get_client()
    except ValueError:
        return None


def _room() -> float:
    """Bytes of blocks that may stay in memory between passes: half of what there is."""
    client = _client()
    if client is not None:
        workers = client.scheduler_info()["workers"].values()
        limits = [worker["memory_limit"] for worker in workers]
        if limits and all(limits):
            return 0.5 * len(client.nthreads()) * sum(limits) / len(limits)
    return 0.5 * available_bytes()


def _is_frame(X: Any) -> bool:
    ndim = getattr(X, "ndim", None)
    return hasattr(X, "to_dask_array") and isinstance(ndim, int) and ndim == 2


def _columns(X: Any) -> list[Any]:
    columns = list(X.columns)
    if len(set(columns)) < len(columns):
        raise InvalidData(f"X has more than one column named {next(n for n in columns if columns.count(n) > 1)!r}")
    return columns


def _names(X: Any, column: Any, role: str) -> tuple[str, ...]:
    """The columns of the dataframe X that y or sample_weight names; none when it holds the values themselves."""
    if isinstance(column, str):
        names: tuple[str, ...] = (column,)
    elif role == "y" and isinstance(column, (list, tuple)) and column and all(isinstance(n, str) for n in column):
        names = tuple(column)
    else:
        return ()
    if not _is_frame(X):
        raise InvalidData(f"{role} names a column ({names[0]!r}), but X is a Dask array, which has no names")
    for name in names:
        if name not in X.columns:
            raise InvalidData(f"X has no column {name!r}; it has {', '.join(map(str, list(X.columns)[:5]))} …")
    return names
