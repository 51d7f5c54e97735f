"""Tables on disk, read into a dataframe: text, JSON, Excel, Parquet and Feather, plain or packed."""

from __future__ import annotations

import glob
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, MissingPackage, SurefitError
from surefit._core.optional import require
from surefit.io.archives import PACKED, as_file, table_suffix, unpacked
from surefit.io.delimited import MISSING, USUAL, TextOptions, read_delimited
from surefit.io.encoding import checked_encoding
from surefit.io.layout import checked_decimal, checked_separator
from surefit.io.outputs import refuse_unwritable
from surefit.io.records import read_json

PARQUET = (".parquet", ".parq", ".pq")
READABLE = (*USUAL, ".json", ".jsonl", ".ndjson", ".xlsx", *PARQUET, ".feather")
"""Endings of tables; each may be packed (`.csv.gz`, or the only file of a `.zip`)."""


def read_table(
    path: str | Path,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    notes: list[str] | None = None,
) -> Any:
    """The whole table as a pandas dataframe; anything wrong with the file is one clear line.

    sep, encoding, decimal   of text; None finds them out
    notes                    a list that gets what was found out, in words
    """
    require("pandas", extra="cli", purpose="Reading a table")
    text = TextOptions(checked_separator(sep), checked_encoding(encoding), checked_decimal(decimal))
    path = _found(path)
    try:
        content, suffix = unpacked(path)
    except PermissionError as error:
        raise InvalidData(f"{path} may not be read: its permissions forbid it") from error
    except OSError as error:
        raise InvalidData(f"{path} cannot be read: {error.strerror or error}") from error
    if suffix not in READABLE:
        raise InvalidData(f"{path} holds a file of kind {suffix or '(no ending)'}; a table is {', '.join(READABLE)}")
    if not content.strip():
        raise InvalidData(f"{path} is empty")
    frame = _read(content, suffix, str(path), text, [] if notes is None else notes)
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise InvalidData(f"{path} has {'no rows: nothing but a header' if frame.shape[1] else 'no columns'}")
    return frame


def _read(content: bytes, suffix: str, name: str, text: TextOptions, notes: list[str]) -> Any:
    if suffix in USUAL:
        return read_delimited(content, name, USUAL[suffix], text, notes)
    if suffix in (".json", ".jsonl", ".ndjson"):
        return read_json(content, name, suffix != ".json", text.encoding)
    import pandas

    readers = {".xlsx": lambda: _first_sheet(pandas, content, name, notes),
               ".feather": lambda: pandas.read_feather(as_file(content))}  # fmt: skip
    try:
        return readers.get(suffix, lambda: pandas.read_parquet(as_file(content)))()
    except SurefitError:
        raise
    except ImportError as error:
        raise MissingPackage(f'Reading {suffix} files needs pyarrow: pip install "surefit[parquet]"') from error
    except (ValueError, OSError, TypeError, KeyError, zipfile.BadZipFile, EOFError) as error:
        words = " ".join(str(error).split())[:140].rstrip(".")
        raise InvalidData(f"{name} cannot be read as {suffix[1:]}, or it is cut short: {words}") from error


def _first_sheet(pandas: Any, content: bytes, name: str, notes: list[str]) -> Any:
    require("openpyxl", extra="excel", purpose="Reading an .xlsx file")
    with pandas.ExcelFile(as_file(content), engine="openpyxl") as book:
        sheets = [str(one) for one in book.sheet_names]
        frame = pandas.read_excel(book, na_values=MISSING)
    if len(sheets) > 1:
        more = f" …, {len(sheets)} in all" if len(sheets) > 4 else ""
        notes.append(f"{name} has sheets {', '.join(map(repr, sheets[:4]))}{more}: the first is read")
    return frame.loc[:, [not (str(c).startswith("Unnamed: ") and frame[c].isna().all()) for c in frame.columns]]


def _found(path: str | Path) -> Path:
    """The path of a file that is there and has an ending that is known."""
    text, path = str(path), Path(path).expanduser()
    if "://" in text:
        raise InvalidData(f"{text} is not a local file: download it first")
    if path.is_dir():
        raise InvalidData(f"{path} is a folder, not a table: name a file in it")
    if not path.exists():
        if glob.has_magic(text):
            matches = len(glob.glob(text, recursive=True))
            raise InvalidData(
                f"{text} matches {matches} files: name one table" if matches else f"no file matches {text}"
            )
        raise InvalidData(f"no file {text!r}{_near(path)}")
    suffix = table_suffix(path)
    if suffix not in (*READABLE, ".zip"):
        old = ": save it as .xlsx or .csv" if suffix == ".xls" else ""
        raise InvalidData(f"{path.name!r} is no table that can be read{old}; a table ends in {', '.join(READABLE)} "
                          f"(also packed: {', '.join(PACKED)})")  # fmt: skip
    return path


def _near(path: Path) -> str:
    """A file of the folder that may be meant."""
    import difflib

    if not path.parent.is_dir():
        return f": there is no folder {str(path.parent)!r}"
    there = [one.name for one in path.parent.iterdir() if one.is_file()]
    close = difflib.get_close_matches(path.name, there, n=1, cutoff=0.75)
    return f"; did you mean {str(path.with_name(close[0]))!r}?" if close else ""


def write_table(columns: dict[str, np.ndarray], path: str | Path | None) -> str | None:
    """Write columns as a table in the format of the file's name; without a path return them as CSV text."""
    pandas = require("pandas", extra="cli", purpose="Writing a table")
    frame = pandas.DataFrame(columns)
    if path is None:
        return frame.to_csv(index=False)
    path = writable_table(path)
    suffix = table_suffix(path)
    if suffix in USUAL:
        frame.to_csv(path, index=False, sep=USUAL[suffix])
    elif suffix in PARQUET:
        frame.to_parquet(path, index=False)
    elif suffix == ".feather":
        frame.to_feather(path)
    elif suffix == ".xlsx":
        require("openpyxl", extra="excel", purpose="Writing an .xlsx file")
        frame.to_excel(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=suffix != ".json")
    return None


def writable_table(path: str | Path) -> Path:
    """The path, where a table can be written to it."""
    path = Path(path).expanduser()
    suffix = table_suffix(path)
    packed = path.suffix.lower() == ".gz"
    if suffix not in READABLE or (packed and suffix not in (*USUAL, ".json", ".jsonl", ".ndjson")):
        raise InvalidData(f"{path.name!r}: a table that is written ends in {', '.join(READABLE)}")
    refuse_unwritable(path, "the table")
    return path
