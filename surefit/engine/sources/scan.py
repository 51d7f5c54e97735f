"""`surefit.scan(path, …)`: names the columns of Parquet files without reading them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from surefit._core.errors import InvalidParameter


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
    faults: list[str] = []
    where = _paths(path, faults)
    features = None if columns is None else _names("columns", columns, faults)
    targets = target if target is None or isinstance(target, str) else _names("target", target, faults)
    if weight is not None and not isinstance(weight, str):
        faults.append(f"scan(weight=…) must be the name of a column; got {weight!r}.")
    if batch_rows is not None and not _is_count(batch_rows):
        faults.append(f"scan(batch_rows=…) must be a whole number ≥ 1 or None; got {batch_rows!r}.")
    if not faults:
        taken = (targets,) if isinstance(targets, str) else targets or ()
        for role, names in (("target", taken), ("weight", (weight,) if weight else ())):
            for name in set(names) & set(features or ()):
                faults.append(f"scan: column {name!r} is the {role} and a feature; leave it out of columns.")
        if weight in taken:
            faults.append(f"scan: column {weight!r} is both target and weight.")
    if faults:
        raise InvalidParameter("\n".join(faults))
    return Scan(where, features, targets, weight, None if batch_rows is None else int(batch_rows))


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _paths(path: Any, faults: list[str]) -> Any:
    if isinstance(path, (str, Path)):
        if str(path):
            return path
    elif isinstance(path, Iterable) and not isinstance(path, bytes):
        paths = tuple(path)
        if paths and all(isinstance(one, (str, Path)) and str(one) for one in paths):
            return tuple(str(one) for one in paths)
        path = paths
    faults.append(f"scan(path=…) must be a file, a folder, a pattern or a list of files; got {path!r}.")
    return None


def _names(role: str, names: Any, faults: list[str]) -> tuple[str, ...] | None:
    listed = (names,) if isinstance(names, (str, bytes)) or not isinstance(names, Iterable) else tuple(names)
    if isinstance(names, (str, bytes)) or not listed or not all(isinstance(name, str) for name in listed):
        faults.append(f"scan({role}=…) must be a list of column names; got {names!r}.")
        return None
    repeated = [name for name in dict.fromkeys(listed) if listed.count(name) > 1]
    if repeated:
        faults.append(f"scan({role}=…) names {repeated[0]!r} more than once.")
    return tuple(str(name) for name in listed)
