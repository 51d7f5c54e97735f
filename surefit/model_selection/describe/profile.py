"""The data's own description: what is missing, constant, repeated, rare, or names rows instead of describing them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.model_selection.describe.columns import columns_of
from surefit.model_selection.describe.hashes import row_hashes, value_codes
from surefit.model_selection.describe.identifiers import is_identifier

RARE = 10
"""A level of text with fewer rows is rare."""


@dataclass(frozen=True)
class DataProfile:
    """Counts over the table as it came, the target left out of the columns."""

    rows: int
    columns: int
    missing_cells: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    """Missing values by column, of the columns that have any, most first."""
    constant: list[str] = field(default_factory=list)
    """Columns with one value only, or none."""
    duplicate_rows: int = 0
    """Rows that equal an earlier row, target included."""
    identifiers: list[str] = field(default_factory=list)
    rare_levels: dict[str, int] = field(default_factory=dict)
    """By column of text: how many of its levels have fewer than 10 rows."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def profile(frame: Any, target: str | None = None, y: np.ndarray | None = None) -> DataProfile:
    """Describe a frame, an array or a sparse matrix; `target` is the name of a column that is no feature."""
    hashes = row_hashes(frame)
    if y is not None:
        hashes = hashes * np.uint64(3) + value_codes(np.asarray(y))
    duplicates = hashes.size - np.unique(hashes).size
    if sp.issparse(frame):
        return DataProfile(frame.shape[0], frame.shape[1], duplicate_rows=duplicates)
    columns = [(name, values) for name, values in columns_of(frame) if name != target]
    missing = {name: int(_missing(values).sum()) for name, values in columns}
    missing = {name: n for name, n in sorted(missing.items(), key=lambda item: -item[1]) if n}
    return DataProfile(
        rows=int(hashes.size),
        columns=len(columns),
        missing_cells=sum(missing.values()),
        missing=missing,
        constant=[name for name, values in columns if _is_constant(values)],
        duplicate_rows=duplicates,
        identifiers=[name for name, values in columns if is_identifier(name, values)],
        rare_levels={name: n for name, values in columns if (n := _rare_levels(values))},
    )


def _missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind in "iub":
        return np.zeros(values.size, dtype=bool)
    return np.array([value is None or value != value for value in values.tolist()], dtype=bool)


def _is_constant(values: np.ndarray) -> bool:
    codes = value_codes(values)[~_missing(values)]
    return codes.size == 0 or bool((codes == codes[0]).all())


def _rare_levels(values: np.ndarray) -> int:
    if values.dtype.kind in "fiubmM":
        return 0
    codes = value_codes(values)[~_missing(values)]
    return int((np.unique(codes, return_counts=True)[1] < RARE).sum())
