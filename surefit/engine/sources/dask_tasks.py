"""What runs on Dask's workers, one function for each kind of task. Nothing here needs Dask itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.data.faults import refuse_non_finite
from surefit._core.data.intake import refuse_negative
from surefit._core.threads import single_threaded_blas
from surefit.engine.sources.block import Block
from surefit.engine.step import Step


@dataclass(frozen=True)
class Work:
    step: Step
    state: Any
    leaf_rows: int


@dataclass(frozen=True)
class Place:
    start: int
    names: Any
    missing: bool = False
    """Whether NaN in X is let through."""


def map_block(work: Work, rows: tuple[Any, Any, Any], start: int) -> tuple[Any, bool]:
    X, y, w = rows
    with single_threaded_blas():
        statistic = work.step.map(work.state, Block(X, y, w, start, work.leaf_rows), 1)
    return statistic, w is None or bool(w.any())


def combine_pair(work: Work, left: tuple[Any, bool], right: tuple[Any, bool]) -> tuple[Any, bool]:
    with single_threaded_blas():
        return work.step.combine(left[0], right[0]), left[1] or right[1]


def join_pieces(X: list[Any], y: list[Any] | None, w: list[Any] | None, place: Place) -> tuple[Any, Any, Any]:
    """One block: its pieces put together, and checked."""
    rows = _stacked(X)
    refuse_non_finite(rows, "X", place.names, place.start, missing=place.missing)
    targets = weights = None
    if y is not None:
        targets = _stacked(y)
        refuse_non_finite(targets, "y", None, place.start)
    if w is not None:
        weights = _stacked(w)
        refuse_non_finite(weights, "sample_weight", None, place.start)
        refuse_negative(weights, place.start)
    return rows, targets, weights


def _stacked(pieces: list[Any]) -> Any:
    if len(pieces) == 1:
        return pieces[0]
    return sp.vstack(pieces, format="csr") if sp.issparse(pieces[0]) else np.concatenate(pieces)


def cut_piece(chunk: Any, lo: int, hi: int, columns: Sequence[Any] | None, dtype: np.dtype, flat: bool = False) -> Any:
    """Rows lo … hi−1 of a chunk as a C-contiguous array or CSR, which does not keep the whole chunk alive."""
    if sp.issparse(chunk):
        rows = sp.csr_array(chunk.tocsr()[lo:hi], dtype=dtype, copy=True)
        rows.sum_duplicates()
        return rows
    if hasattr(chunk, "iloc"):
        chunk = chunk if columns is None else chunk[list(columns)]
        rows = chunk.iloc[lo:hi].to_numpy(dtype=dtype, na_value=np.nan)
        rows = rows[:, 0] if flat else rows
    else:
        rows = np.asarray(chunk)[lo:hi]
    whole = hi - lo == chunk.shape[0]
    return np.array(rows, dtype=dtype, order="C", copy=None if whole else True)


def apply_chunk(chunk: Any, function: Callable, dtype: np.dtype, names: Any, missing: bool = False) -> np.ndarray:
    rows = cut_piece(chunk, 0, chunk.shape[0], None, dtype)
    refuse_non_finite(rows, "X", names, source=" of a chunk", missing=missing)
    with single_threaded_blas():
        return function(rows)


def row_count(chunk: Any) -> int:
    return int(chunk.shape[0])


def several(*values: Any) -> tuple[Any, ...]:
    return values


def holds_sparse(rows: tuple[Any, Any, Any]) -> bool:
    return sp.issparse(rows[0])
