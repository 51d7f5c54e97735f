"""`surefit.scan(path, …)`: names the columns of Parquet files without reading them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Scan:
    """A lazy description of a table on disk: which files, which columns, how many rows to hold at a time."""

    path: str | Path | tuple[str, ...]
    columns: tuple[str, ...] | None = None
    target: str | tuple[str, ...] | None = None
    weight: str | None = None
    batch_rows: int | None = None


def scan(
    path: str | Path | Sequence[str | Path],
    *,
    columns: Sequence[str] | None = None,
    target: str | Sequence[str] | None = None,
    weight: str | None = None,
    batch_rows: int | None = None,
) -> Scan:
    """Describe Parquet data larger than memory, to be passed to `fit`, `predict` or `certify` in the place of X.

    `path` is a file, a folder, a pattern (``data/*.parquet``) or a list of files, read in sorted order. `columns` are
    the features (all but target and weight when None); `batch_rows` limits the rows held at a time.
    """
    where = path if isinstance(path, (str, Path)) else tuple(str(one) for one in path)
    return Scan(
        where,
        None if columns is None else tuple(columns),
        target if target is None or isinstance(target, str) else tuple(target),
        weight,
        batch_rows,
    )
