"""How a table of text is laid out: what separates its cells, how decimals are written, what its columns are called.

The first rows decide. A separator is right when it cuts the header into two cells or more and the rows into as many.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from surefit._core.errors import InvalidData, InvalidParameter

SEPARATORS = (",", ";", "\t", "|")
BLANKS = r"\s+"
WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", BLANKS: "blanks"}
NAMED = {"comma": ",", "semicolon": ";", "tab": "\t", r"\t": "\t", "bar": "|", "pipe": "|", "blank": BLANKS}
NAMED |= {"space": BLANKS, " ": BLANKS, BLANKS: BLANKS}
ROWS = 200
CHARACTERS = 2**18
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
GROUPED_NUMBER = re.compile(r"\s*[+-]?\d{1,3}(\.\d{3})+(,\d+)?\s*")


@dataclass(frozen=True)
class Layout:
    """`row_names`: rows have one cell more than the header, in front. `open_ends`: they end in a separator."""

    sep: str
    names: list[str]
    rows: list[list[str]] = field(repr=False)
    row_names: bool = False
    open_ends: bool = False
    decimal: str = "."
    thousands: str | None = None

    @property
    def headless(self) -> bool:
        """Are the names numbers, as if the header were missing?"""
        return all(NUMBER.fullmatch(name) for name in self.names)


def checked_separator(sep: str | None) -> str | None:
    """A separator that the user has named: one character, or a word for one."""
    if sep is None:
        return None
    found = NAMED.get(sep, sep)
    if found != BLANKS and (len(found) != 1 or found in '"\n\r'):
        raise InvalidParameter(f"--sep takes one character, or tab, blank, comma, semicolon, bar; got {sep!r}")
    return found


def checked_decimal(decimal: str | None) -> str | None:
    """A decimal mark that the user has named."""
    found = {"comma": ",", "point": "."}.get(str(decimal), decimal)
    if found not in (None, ",", "."):
        raise InvalidParameter(f"--decimal takes a comma or a point; got {decimal!r}")
    return found


def layout_of(text: str, usual: str, sep: str | None, name: str, decimal: str | None = None) -> Layout:
    """The layout of a table from its beginning; `usual` is the separator where nothing tells otherwise."""
    sample = text if len(text) <= CHARACTERS else text[: text.rfind("\n", 0, CHARACTERS) + 1] or text[:CHARACTERS]
    sep = sep or _separator(sample, usual)
    table = list(_rows(sample, sep))
    if not table:
        raise InvalidData(f"{name} holds nothing but blank lines")
    (_, head), body = table[0], table[1:]
    names = [cell.strip() for cell in head]
    longer = [(line, row) for line, row in body if len(row) > len(names)]
    one_more = bool(body) and len(names) > 1 and all(len(row) == len(names) + 1 for _, row in body)
    open_ends = bool(longer) and all(not any(cell.strip() for cell in row[len(names) :]) for _, row in longer)
    if longer and not one_more and not open_ends:
        line, row = longer[0]
        raise InvalidData(
            f"{name}: line {line} has {len(row)} cells, the header {len(names)} (cells end at {WORDS.get(sep, sep)}; "
            "mend the line, or name another separator with --sep)"
        )
    _refuse_repeated(names, name)
    found, thousands = _decimals([row for _, row in body]) if sep == ";" or decimal == "," else (".", None)
    if decimal is not None and decimal != found:
        found, thousands = decimal, None
    if found == sep:
        raise InvalidParameter(f"{name}: {WORDS.get(sep, sep)} cannot be both --sep and --decimal")
    return Layout(sep, names, [row for _, row in body], one_more and not open_ends, open_ends, found, thousands)


def _separator(text: str, usual: str) -> str:
    best, score = usual, (0.0, False, 0)
    for sep in SEPARATORS:
        fit = _agreement(text, sep)
        if fit is not None and (found := (fit[0], sep == usual, fit[1])) > score:
            best, score = sep, found
    if score[0] == 0.0:
        fit = _agreement(text, BLANKS)
        cells = [cell for _, row in list(_rows(text, BLANKS))[1:] for cell in row]
        if fit is not None and fit[0] == 1.0 and 2 * sum(bool(NUMBER.fullmatch(cell)) for cell in cells) >= len(cells):
            return BLANKS
    return best


def _agreement(text: str, sep: str) -> tuple[float, int] | None:
    """(share of rows with as many cells as the header, or one more in all of them; cells of the header)."""
    widths = [len(row) for _, row in _rows(text, sep)]
    if not widths or widths[0] < 2:
        return None
    body = widths[1:] or widths
    share = max(body.count(widths[0]), body.count(widths[0] + 1)) / len(body)
    return round(share, 1), widths[0]


def _rows(text: str, sep: str) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of the first rows; blank lines are none."""
    if sep == BLANKS:
        found = ((line, row.split()) for line, row in enumerate(text.splitlines(), 1))
        yield from [(line, cells) for line, cells in found if cells][: ROWS + 1]
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True)
    count = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
                count += 1
            if count > ROWS:
                return
    except csv.Error:
        return


def _decimals(rows: list[list[str]]) -> tuple[str, str | None]:
    """Decimal commas where some cells have them and no cell has a decimal point."""
    cells = [cell for row in rows for cell in row]
    if not any(COMMA_NUMBER.fullmatch(cell) or (GROUPED_NUMBER.fullmatch(cell) and "," in cell) for cell in cells):
        return ".", None
    points = [cell for cell in cells if "." in cell and NUMBER.fullmatch(cell)]
    grouped = any(GROUPED_NUMBER.fullmatch(cell) for cell in cells)
    if any(not GROUPED_NUMBER.fullmatch(cell) for cell in points):
        return ".", None
    return ",", "." if grouped else None


def _refuse_repeated(names: list[str], where: str) -> None:
    repeated = [name for place, name in enumerate(names) if name and name in names[:place]]
    if repeated:
        raise InvalidData(f"{where} has more than one column {repeated[0]!r}: rename one")
