"""Tables of text: CSV and its kin, whatever separates the cells and however the letters are encoded."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.io.archives import as_file
from surefit.io.encoding import SAMPLE, WESTERN, encoding_of
from surefit.io.layout import CHARACTERS, WORDS, Layout, layout_of

USUAL = {".csv": ",", ".tsv": "\t", ".txt": ","}
MISSING = ("?",)
"""What stands for a missing value beside what pandas takes for one (nothing, NA, NaN, null, None …)."""


@dataclass(frozen=True)
class TextOptions:
    """What the user says about a table of text; None is found out."""

    sep: str | None = None
    encoding: str | None = None
    decimal: str | None = None


def read_delimited(content: bytes, name: str, usual: str, given: TextOptions, notes: list[str]) -> Any:
    """The table in `content`; `notes` gets what was found out about it that is not usual."""
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    found = given.encoding or encoding_of(content, name)
    try:
        start = content[: 4 * max(CHARACTERS, SAMPLE)].decode(found, errors="ignore")
        layout = layout_of(start.removeprefix("\ufeff"), usual, given.sep, name, given.decimal)
        frame = _parsed(pandas, content, found, layout, name)
    except UnicodeError as error:
        raise InvalidData(f"{name} is not encoded as {found}: try another --encoding (utf-8, latin-1 …)") from error
    if given.encoding is None and found not in ("utf-8", "utf-8-sig"):
        notes.append(f"{name} is read as {'Latin-1' if found in (WESTERN, 'latin-1') else found.upper()}")
    if given.sep is None and layout.sep != usual:
        notes.append(f"cells of {name} are separated by {WORDS[layout.sep]}")
    if given.decimal is None and layout.decimal == ",":
        notes.append(f"decimals of {name} are written with a comma")
    return _named(frame, layout, name, notes)


def _parsed(pandas: Any, content: bytes, encoding: str, layout: Layout, name: str) -> Any:
    columns = _all_named(layout.names)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", pandas.errors.ParserWarning
        )  # of cells after the last separator: they are empty
        try:
            return pandas.read_csv(
                as_file(content),
                encoding=encoding,
                sep=layout.sep,
                header=0,
                names=columns,
                decimal=layout.decimal,
                thousands=layout.thousands,
                na_values=MISSING,
                skipinitialspace=True,
                low_memory=False,
                index_col=False if layout.open_ends else None,
            )
        except pandas.errors.ParserError as error:
            raise InvalidData(f"{name}: {_fault(str(error))}") from error


def _fault(message: str) -> str:
    """The parser's words, in ours."""
    cells = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if cells:
        return f"line {cells[2]} has {cells[3]} cells, the rows before it {cells[1]}: mend the line, or see --sep"
    quote = re.search(r"EOF inside string starting at row (\d+)", message)
    if quote:
        return f"a quotation mark is opened near line {int(quote[1]) + 1} and never closed"
    return f"cannot be read as a table of text: {' '.join(message.split())[:140]}"


def _all_named(names: list[str]) -> list[str]:
    """Columns without a name get one that no other has; those with one keep it."""
    return [
        name or (f"column {place}" if f"column {place}" not in names else f"column {place} (no name)")
        for place, name in enumerate(names, 1)
    ]


def _named(frame: Any, layout: Layout, name: str, notes: list[str]) -> Any:
    """The frame without what only numbers its rows, and a note on columns that have no name."""
    if layout.row_names:
        notes.append(f"rows of {name} have one cell more than the header: the first, a name of the row, is left out")
        frame = frame.reset_index(drop=True)
    gone, unnamed = [], []
    for place, (given, column) in enumerate(zip(layout.names, list(frame.columns), strict=True)):
        if given:
            continue
        if frame[column].isna().all():
            gone.append(column)
        elif place == 0 and _counts(frame[column]):
            gone.append(column)
            notes.append(f"the first column of {name} has no name and numbers the rows: it is left out")
        else:
            unnamed.append(column)
    if unnamed:
        notes.append(f"{name} has no name for {', '.join(map(repr, unnamed[:3]))}{' …' if len(unnamed) > 3 else ''}")
    if layout.headless and len(frame.columns) > 1:
        some = ", ".join(map(repr, layout.names[:3]))
        notes.append(f"the names of the columns of {name} are numbers ({some} …): is the header row missing?")
    return frame.drop(columns=gone)


def _counts(values: Any) -> bool:
    """0, 1, 2, … or 1, 2, 3, …"""
    if values.dtype.kind not in "iu":
        return False
    numbers = values.to_numpy()
    return bool(numbers[0] in (0, 1) and np.array_equal(numbers, np.arange(numbers.size) + numbers[0]))
