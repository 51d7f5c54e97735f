"""A table on disk and what the user says about it: read whole, or streamed block by block from Parquet."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefit._core.errors import InvalidData
from surefit._core.memory import available_bytes, human_bytes
from surefit.engine.sources.paths import ENDINGS, parquet_files
from surefit.io import read_table
from surefit.model_selection.prepare.absent import absent_columns

COPIES = 3.0
"""A table in memory is read, turned into a matrix, and worked on."""
NUMERIC = ("int", "uint", "float", "double", "halffloat", "bool", "decimal")
"""How the names of the numeric types of Parquet begin."""


@dataclass(frozen=True)
class Source:
    """sep, encoding and decimal are those of text; None finds them out."""

    path: str
    sep: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    stream: bool = False

    @property
    def name(self) -> str:
        return Path(self.path).name or self.path

    @property
    def several(self) -> bool:
        return Path(self.path).is_dir() or glob.has_magic(self.path)

    @property
    def parquet(self) -> bool:
        return self.several or Path(self.path).suffix.lower() in ENDINGS

    def read(self, notes: list[str]) -> Any:
        """The whole table, its columns named by text; `notes` gets what was found out about the file."""
        options = {"sep": self.sep, "encoding": self.encoding, "decimal": self.decimal}
        if self.several:
            import pandas

            frame = pandas.concat([read_table(one) for one in parquet_files(self.path)], ignore_index=True)
        else:
            frame = read_table(self.path, **options, notes=notes)
        frame.columns = [str(name) for name in frame.columns]
        return frame

    def streaming_reason(self) -> str | None:
        """Why the table is streamed; None where it is read into memory."""
        if not self.parquet:
            if self.stream:
                raise InvalidData(f"only Parquet can be streamed; {self.path} is read whole: leave out --stream")
            return None
        if self.stream:
            return "as asked"
        if self.several:
            return "several files"
        if not Path(self.path).is_file() or Path(self.path).stat().st_size == 0:
            return None
        from surefit.engine.sources.parquet import parquet_columns

        n_rows, names = parquet_columns(self.path)
        need, free = COPIES * 8.0 * n_rows * len(names), available_bytes()
        if need > free:
            return f"in memory it would take {human_bytes(need)}, and {human_bytes(free)} are free"
        return None

    def not_numeric(self, columns: list[str]) -> str | None:
        """The first of the columns of a Parquet table that holds no numbers, in words."""
        from surefit.engine.sources.parquet import parquet_types

        types = dict(parquet_types(self.path))
        for name in columns:
            if not types[name].startswith(NUMERIC):
                return f"column {name!r} of {self.path} holds {types[name]}"
        return None

    def refuse_absent(self, wanted: list[str], there: Any) -> None:
        words = absent_columns(wanted, [str(name) for name in there], self.path)
        if words:
            raise InvalidData(words)
