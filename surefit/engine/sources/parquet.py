"""Rows from Parquet files, read block by block: data larger than memory, the same bits as from memory.

Whatever row groups the files have, rows are gathered into aligned blocks of 2^j leaves. A thread reads the next block
while the current one is worked on, so at most three blocks are in memory: one in use, one ready, one being read.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.data.faults import refuse_non_finite
from surefit._core.data.intake import refuse_all_zero, refuse_negative, take_targets, take_weights
from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit._core.threads import single_threaded_blas, thread_count
from surefit.engine.labels import memory_codes, streamed_codes
from surefit.engine.leaves import TreeMerge, aligned_rows
from surefit.engine.sources.block import Block
from surefit.engine.sources.paths import parquet_files
from surefit.engine.sources.scan import Scan
from surefit.engine.sources.source import Source
from surefit.engine.step import Step

BLOCK_BYTES = 2**25
READ_BUFFER = 2**16
"""Bytes read ahead in each column: without it a whole column of a row group would be held."""


def open_parquet(
    X: str | Path | Scan,
    y: Any = None,
    sample_weight: Any = None,
    *,
    columns: Sequence[str] | None = None,
    target: bool = True,
    n_jobs: int | None = None,
    missing: bool = False,
) -> ParquetSource:
    """Open Parquet files; only their metadata is read.

    `y` and `sample_weight` are names of columns (a list of names makes a target of two dimensions) or arrays in
    memory; a `Scan` may name them too. Named columns are not features, even when `target` is False and y is not read.
    With `missing` a null or NaN in a feature is NaN; else it is refused.
    """
    if not isinstance(X, Scan):
        X = Scan(X)
    y = X.target if y is None else y
    sample_weight = X.weight if sample_weight is None else sample_weight
    if columns is not None and X.columns is not None and list(columns) != list(X.columns):
        raise InvalidData(f"the model was fitted on the columns {_some(columns)}; the scan names {_some(X.columns)}")
    table = _Table(parquet_files(X.path))
    taken = [*_names(y), *_names(sample_weight)]
    _refuse_both(X, taken)
    features = list(columns if columns is not None else X.columns or table.features_without(taken))
    if not features:
        raise InvalidData(
            f"Found 0 feature(s): {table.files[0].path} has no columns besides {_some(taken) or 'its index'}"
        )
    threads = thread_count(n_jobs)
    return ParquetSource(table, features, y if target else None, sample_weight, X.batch_rows, threads, missing)


def parquet_columns(path: str | Path) -> tuple[int, list[str]]:
    """(number of rows, names of the columns), from the metadata of the files."""
    table = _Table(parquet_files(path))
    return table.n_rows, table.features_without(())


def parquet_types(path: str | Path | tuple[str, ...]) -> list[tuple[str, str]]:
    """The columns and the types of their values, in pyarrow's words."""
    return [(name, str(kind)) for name, kind in _Table(parquet_files(path)).files[0].types.items()]


def parquet_labels(
    X: str | Path | Scan, y: Any, sample_weight: Any, classes: np.ndarray | None
) -> tuple[Scan, np.ndarray, np.ndarray]:
    """(the scan without its label column, classes, codes): the labels are read once, their codes stay in memory."""
    scan = X if isinstance(X, Scan) else Scan(X)
    y = scan.target if y is None else y
    table = _Table(parquet_files(scan.path))
    if not isinstance(y, str):
        return scan, *memory_codes(scan, y, table.n_rows, classes)
    _refuse_both(scan, [y])
    columns = scan.columns or tuple(
        table.features_without([y, *_names(scan.weight if sample_weight is None else sample_weight)])
    )
    return replace(scan, target=None, columns=columns), *streamed_codes(table.labels(y), classes)


def _refuse_both(scan: Scan, taken: Sequence[str]) -> None:
    """A target or weight among the features would tell the answer."""
    both = [name for name in taken if name in (scan.columns or ())]
    if both:
        raise InvalidData(f"column {both[0]!r} is target or weight and a feature; leave it out of the scan's columns.")


class ParquetSource(Source):
    is_sparse = False

    def __init__(
        self,
        table: _Table,
        features: list[str],
        y: Any,
        weight: Any,
        batch_rows: int | None,
        n_threads: int,
        missing: bool = False,
    ):
        self._table, self._features, self._n_threads, self._missing = table, features, n_threads, missing
        self.n_rows, self.n_features = table.n_rows, len(features)
        self.dtype = table.float_type(features)
        self.feature_names = np.asarray(features, dtype=object)
        self._block_rows = aligned_rows(self.n_features, BLOCK_BYTES, batch_rows)

        self._targets, self._y = _names(y), None
        self.target_ndim = self.n_targets = 0
        if self._targets:
            self._target_type = table.float_type(self._targets)
            self.target_ndim, self.n_targets = (1 if isinstance(y, str) else 2), len(self._targets)
        elif y is not None:
            self._y = np.ascontiguousarray(take_targets(self, y, self.n_rows))
            self.target_ndim, self.n_targets = self._y.ndim, 1 if self._y.ndim == 1 else self._y.shape[1]

        self._weights, self._w = _names(weight), None
        self.has_weights = weight is not None
        if self._weights:
            if len(self._weights) > 1:
                raise InvalidData(f"sample_weight must be one column; got {_some(self._weights)}")
            table.float_type(self._weights)
        elif weight is not None:
            self._w = take_weights(weight, self.n_rows)

    def fold(self, step: Step, state: Any = None) -> Any:
        tree = TreeMerge(step.combine)
        weighted = self._weights == ()
        with single_threaded_blas(), closing(self.blocks()) as blocks:
            for block in blocks:
                weighted = weighted or bool(np.any(block.w))
                tree.add(step.map(state, block, self._n_threads))
        if not weighted:
            refuse_all_zero()
        return tree.result()

    def blocks(self) -> Generator[Block, None, None]:
        stop = threading.Event()
        reader = self._read(stop)
        ahead = ThreadPoolExecutor(1, thread_name_prefix="surefit-parquet")
        try:
            coming = ahead.submit(next, reader, None)
            while (block := coming.result()) is not None:
                coming = ahead.submit(next, reader, None)
                yield block
        finally:
            stop.set()
            ahead.shutdown(wait=True, cancel_futures=True)
            reader.close()

    def _read(self, stop: threading.Event) -> Generator[Block, None, None]:
        """The blocks, one after the other; the batches of the files are cut where a block is full."""
        columns = [*self._features, *self._targets, *self._weights]
        nullable = self.n_features if self._missing else 0
        with closing(self._table.batches(columns, self.leaf_rows, self._n_threads > 1, nullable)) as batches:
            block, filled = self._empty_block(0), 0
            for batch in batches:
                done = 0
                while done < batch.n_rows:
                    if stop.is_set():
                        return
                    rows = min(batch.n_rows - done, block.n_rows - filled)
                    self._fill(block, filled, batch.rows(done, rows))
                    done, filled = done + rows, filled + rows
                    if filled == block.n_rows:
                        yield self._finished(block)
                        block, filled = self._empty_block(block.start + block.n_rows), 0

    def _empty_block(self, start: int) -> Block:
        rows = min(self._block_rows, self.n_rows - start)
        y = np.empty((rows, self.n_targets), self._target_type) if self._targets else None
        w = np.empty(rows) if self._weights else None
        return Block(np.empty((rows, self.n_features), self.dtype), y, w, start, self.leaf_rows)

    def _fill(self, block: Block, filled: int, batch: _Batch) -> None:
        here, d = slice(filled, filled + batch.n_rows), self.n_features
        np.stack(batch.columns[:d], axis=1, out=block.X[here])
        refuse_non_finite(block.X[here], "X", self._features, batch.first_row, batch.source, missing=self._missing)
        if block.y is not None:
            np.stack(batch.columns[d : d + self.n_targets], axis=1, out=block.y[here])
            refuse_non_finite(block.y[here], "y", self._targets, batch.first_row, batch.source)
        if block.w is not None:
            block.w[here] = batch.columns[-1]
            refuse_non_finite(block.w[here], "sample_weight", self._weights, batch.first_row, batch.source)
            refuse_negative(block.w[here], batch.first_row, batch.source)

    def _finished(self, block: Block) -> Block:
        """Targets in the form the user named them; what was given in memory is cut to the block."""
        rows = slice(block.start, block.start + block.n_rows)
        if self._y is not None:
            block.y = self._y[rows]
        elif self.target_ndim == 1 and block.y is not None:
            block.y = block.y[:, 0]
        if self._w is not None:
            block.w = self._w[rows]
        return block


@dataclass
class _Batch:
    """Some rows of one file, column by column."""

    columns: list[np.ndarray]
    n_rows: int
    first_row: int
    source: str
    """` of <file>`, for messages."""

    def rows(self, start: int, n_rows: int) -> _Batch:
        cut = [column[start : start + n_rows] for column in self.columns]
        return _Batch(cut, n_rows, self.first_row + start, self.source)


@dataclass
class _File:
    path: Path
    n_rows: int
    types: dict[str, Any]
    index: tuple[str, ...]
    """Columns that pandas wrote as its index: not features."""


class _Table:
    """The rows of all files, one after the other."""

    def __init__(self, paths: list[Path]) -> None:
        self._pa = require("pyarrow", extra="parquet", purpose="Reading Parquet")
        self._pq = require("pyarrow.parquet", extra="parquet", purpose="Reading Parquet")
        self.files = [self._described(path) for path in paths]
        self.n_rows = sum(file.n_rows for file in self.files)
        if self.n_rows == 0:
            raise InvalidData(f"Found 0 row(s) (0 sample(s)) in {_some(paths)}; at least 1 is needed")

    def _reader(self, path: Path) -> Any:
        return self._pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BUFFER)

    @contextmanager
    def _readable(self, path: Path) -> Iterator[None]:
        try:
            yield
        except (self._pa.ArrowException, OSError) as error:
            first_line = str(error).strip().partition("\n")[0]
            raise InvalidData(f"cannot read {path} as Parquet; is it whole? ({first_line})") from error

    def _described(self, path: Path) -> _File:
        with self._readable(path), self._reader(path) as file:
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
        repeated = [name for name in schema.names if schema.names.count(name) > 1]
        if repeated:
            raise InvalidData(f"{path} has more than one column named {repeated[0]!r}")
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        types = dict(zip(schema.names, schema.types, strict=True))
        return _File(path, n_rows, types, tuple(name for name in index if isinstance(name, str)))

    def features_without(self, taken: Sequence[str]) -> list[str]:
        """All columns but those taken; every file must have the same."""
        first = self.files[0]
        for file in self.files[1:]:
            for name in set(first.types) ^ set(file.types):
                has, lacks = (first, file) if name in first.types else (file, first)
                raise InvalidData(f"the files differ: {has.path} has a column {name!r}, {lacks.path} has none")
        return [name for name in first.types if name not in taken and name not in first.index]

    def float_type(self, names: Sequence[str]) -> np.dtype:
        """float32 if all these columns are in all files, else float64; a column that is missing or no number raises."""
        kinds = {self._kind(file, name) for file in self.files for name in names}
        return np.dtype(np.float32 if kinds == {"float"} else np.float64)

    def _kind(self, file: _File, name: str) -> str:
        if name not in file.types:
            raise InvalidData(f"{file.path} has no column {name!r}; it has {_some(file.types)}")
        kind, types = file.types[name], self._pa.types
        if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind):
            return str(kind)
        word = "categorical" if types.is_dictionary(kind) else "not numeric"
        raise InvalidData(
            f"column {name!r} of {file.path} is {word} ({kind}). Encode it, or name the columns to use with "
            "surefit.scan(path, columns=[…])"
        )

    def batches(
        self, columns: list[str], n_rows: int, use_threads: bool, nullable: int = 0
    ) -> Generator[_Batch, None, None]:
        """The rows of all files in order, at most `n_rows` at a time. In the first `nullable` columns a null is NaN."""
        try:
            for file in self.files:
                row = 0
                with self._readable(file.path), self._reader(file.path) as reader:
                    for batch in reader.iter_batches(n_rows, columns=columns, use_threads=use_threads):
                        values = [
                            self._numbers(file, name, row, batch.column(name), place < nullable)
                            for place, name in enumerate(columns)
                        ]
                        row += batch.num_rows
                        if row > file.n_rows:
                            break
                        yield _Batch(values, batch.num_rows, row - batch.num_rows, f" of {file.path}")
                if row != file.n_rows:
                    raise InvalidData(f"{file.path} changed: it had {file.n_rows} rows when it was opened")
        finally:
            self._pa.default_memory_pool().release_unused()

    def labels(self, name: str) -> Iterator[np.ndarray]:
        """A column of any type, batch by batch; a null is refused."""
        for file in self.files:
            if name not in file.types:
                raise InvalidData(f"{file.path} has no column {name!r}; it has {_some(file.types)}")
            row = 0
            with self._readable(file.path), self._reader(file.path) as reader:
                for batch in reader.iter_batches(BLOCK_BYTES // 512, columns=[name]):
                    values = batch.column(name)
                    self._refuse_null(file, name, row, values)
                    row += batch.num_rows
                    yield values.to_numpy(zero_copy_only=False)

    def _refuse_null(self, file: _File, name: str, row: int, values: Any) -> None:
        if values.null_count:
            row += int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0])
            raise InvalidData(
                f"Input contains NaN: column {name!r} is null in row {row} of {file.path}. "
                "Impute or drop such rows first."
            )

    def _numbers(self, file: _File, name: str, row: int, values: Any, nullable: bool = False) -> np.ndarray:
        if not nullable:
            self._refuse_null(file, name, row, values)
        if self._pa.types.is_decimal(values.type) or (values.null_count and self._pa.types.is_boolean(values.type)):
            values = values.cast(self._pa.float64())
        return values.to_numpy(zero_copy_only=False)


def _names(column: Any) -> tuple[str, ...]:
    """The columns that y or sample_weight names; none when it holds the values themselves."""
    if isinstance(column, str):
        return (column,)
    listed = isinstance(column, (list, tuple)) and all(isinstance(name, str) for name in column)
    return tuple(column) if listed else ()


def _some(things: Any) -> str:
    shown = [str(thing) for thing in things]
    return ", ".join(shown[:5]) + (f" … ({len(shown)} in all)" if len(shown) > 5 else "")
