"""Tables on disk, read into a dataframe: CSV, TSV, Parquet, Feather and JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, MissingPackage
from surefit._core.optional import require

READABLE = (".csv", ".tsv", ".parquet", ".feather", ".jsonl", ".ndjson")


def read_table(path: str | Path) -> Any:
    """The whole table as a pandas dataframe; anything wrong with the file is one clear line."""
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    path = Path(path)
    suffix = _suffix(path)
    if path.is_dir() or not path.exists():
        raise InvalidData(f"{path} is a folder, not a table" if path.is_dir() else f"no file {str(path)!r}")
    if path.stat().st_size == 0:
        raise InvalidData(f"{path} is empty")
    readers = {
        ".csv": lambda: pandas.read_csv(path),
        ".tsv": lambda: pandas.read_csv(path, sep="\t"),
        ".parquet": lambda: pandas.read_parquet(path),
        ".feather": lambda: pandas.read_feather(path),
        ".jsonl": lambda: pandas.read_json(path, lines=True),
        ".ndjson": lambda: pandas.read_json(path, lines=True),
    }
    try:
        frame = readers[suffix]()
    except ImportError as error:
        raise MissingPackage(f'Reading {suffix} files needs pyarrow: pip install "surefit[parquet]"') from error
    except PermissionError as error:
        raise InvalidData(f"{path} may not be read") from error
    except (ValueError, OSError, TypeError) as error:  # parsers of pandas and pyarrow raise kinds of these
        words = " ".join(str(error).split())[:140]
        raise InvalidData(f"{path} cannot be read as {suffix[1:]}: {words}") from error
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise InvalidData(f"{path} has {'no rows' if frame.shape[1] else 'no columns'}")
    return frame


def write_table(columns: dict[str, np.ndarray], path: str | Path | None) -> str | None:
    """Write columns as a table in the format of the file's name; without a path return them as CSV text."""
    pandas = require("pandas", extra="cli", purpose="Writing a table")
    frame = pandas.DataFrame(columns)
    if path is None:
        return frame.to_csv(index=False)
    path = Path(path)
    suffix = _suffix(path)
    if not path.parent.is_dir():
        raise InvalidData(f"no folder {str(path.parent)!r} to write {path.name} to")
    if suffix in (".csv", ".tsv"):
        frame.to_csv(path, index=False, sep="," if suffix == ".csv" else "\t")
    elif suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif suffix == ".feather":
        frame.to_feather(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    return None


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in READABLE:
        raise InvalidData(f"{path.name!r}: a table ends in {', '.join(READABLE)}")
    return suffix
