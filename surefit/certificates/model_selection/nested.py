"""Checker of nested cross-validation: the rows that a model is tested on were not among those it was tuned with.

Each tuning wrote down a digest of the rows it was handed: SHA-256 of their cells and targets, in their order. Here
the digest of each fold's training rows is made again from the data. Where they agree, tuning was handed these rows
and no others (else two sets of rows with the same SHA-256 were found), and the folds say that no test row is among
them. Equal contents are told: a row that stands in the table twice may be tested on in one copy and tuned with in the
other.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.model_selection.folds import fold_claims, folds_of
from surefit.certificates.theorems.folds import Fold


@checker("folds", "fingerprint", "digests", any_input=True)
def check_nested(scores: Any, blocks: Blocks, tol: float) -> Findings:
    """The training rows of all folds, digested again."""
    n = blocks.n_rows
    folds, X, y = folds_of(scores, n), getattr(blocks, "all", None), getattr(blocks, "y", None)
    claims = fold_claims(scores, folds, n)
    claims.append(_unseen(scores, folds, X, y))
    claims.append(_twins(folds, X, y, n))
    claims += _chosen(scores, len(folds))
    return claims, f"the training rows of {len(folds)} folds, digested"


def _unseen(scores: Any, folds: list[Fold], X: Any, y: Any) -> Claim:
    digests = getattr(scores, "digests", ())
    if len(digests) != len(folds):
        return failed("unseen", f"{len(digests)} tunings were written down for {len(folds)} folds.")
    square = bool(getattr(scores, "pairwise", False))
    wrong = 0
    for written, (train, test) in zip(digests, folds, strict=True):
        rows = _square(X, train) if square else _rows(X, train)
        same = written == digest(rows, None if y is None else _rows(y, train))
        wrong += int(not same or np.intersect1d(train, test).size > 0)
    return at_most(
        "unseen",
        f"In each of {len(folds)} folds tuning was handed the training rows and nothing else (digest of their "
        "contents, made again): no test row was seen; folds of which this is not shown.",
        Grade.EXACT,
        wrong,
        0,
        failure=f"In {wrong} of {len(folds)} folds tuning was handed other rows than those of the training part, or "
        "these are not the data: the scores are not shown to be of unseen rows.",
    )


def _twins(folds: list[Fold], X: Any, y: Any, n: int) -> Claim:
    """Test rows whose contents also stand in the training part, counted over all folds."""
    marks = row_marks(X, y, n)
    twins = sum(int(np.isin(marks[test], marks[train]).sum()) for train, test in folds)
    tested = sum(len(test) for _, test in folds)
    sentence = f"Of {tested} rows tested on, {twins} have an equal row (with the same target) in the training part" + (
        ": what they score was partly seen. Cut by groups of equal rows to prevent it." if twins else "."
    )
    return Claim("equal_rows", sentence, Grade.EXACT, float(twins), None, True)


def _chosen(scores: Any, count: int) -> list[Claim]:
    """What each tuning chose has the best of the scores it wrote down."""
    tables = getattr(scores, "inner_scores", None)
    if not tables or len(tables) != count or any(one is None for one in tables):
        return []
    wrong = 0
    for place, values in tables:
        values = np.asarray(values, dtype=np.float64).ravel()
        known = 0 <= int(place) < len(values)
        wrong += int(not known or np.isnan(values[int(place)]) or bool((values > values[int(place)]).any()))
    return [
        at_most(
            "chosen",
            f"In each of {count} folds the parameters chosen have the best score inside the training part; folds of "
            "which this is not true.",
            Grade.EXACT,
            wrong,
            0,
            failure=f"In {wrong} of {count} folds other parameters scored better inside the training part.",
        )
    ]


def digest(X: Any, y: Any) -> str:
    """SHA-256 of the columns of X and then of y: numbers as little-endian doubles, all else as text.

    A sparse matrix has three columns: where its rows end, the columns and the values stored, each cell once, in order.
    """
    found = hashlib.sha256()
    for table in (X,) if y is None else (X, y):
        columns = _columns(table)
        found.update(f"table {len(columns)};".encode())
        for column in columns:
            found.update(f"column {len(column)};".encode() + _cells(column))
    return found.hexdigest()


def row_marks(X: Any, y: Any, n: int) -> NDArray[np.intp]:
    """A number for each row; equal for rows whose cells and targets are equal."""
    texts = [b""] * n
    for table in (X,) if y is None else (X, y):
        if hasattr(table, "tocsr"):
            ends, columns, values = _stored(table)
            parts = [columns[i:j].tobytes() + values[i:j].tobytes() for i, j in pairwise(ends.tolist())]
        else:
            M = np.column_stack([_codes(column) for column in _columns(table)]) + 0.0
            parts = [row.tobytes() for row in np.ascontiguousarray(M)]
        texts = [text + b"\x1f" + part for text, part in zip(texts, parts, strict=True)]
    seen = dict[bytes, int]()
    return np.array([seen.setdefault(text, len(seen)) for text in texts], dtype=np.intp)


def _codes(column: NDArray) -> F64:
    """Numbers as they are, all else by the place of its text among those met."""
    if column.dtype.kind == "f":
        return column
    seen = dict[str, int]()
    return np.array([seen.setdefault(repr(value), len(seen)) for value in column.tolist()], dtype=np.float64)


def _stored(table: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Ends of rows, columns and values of a sparse matrix, each cell once, in order."""
    rows = table.tocsr().copy()
    rows.sum_duplicates()
    return rows.indptr.astype(np.intp), rows.indices.astype(np.intp), rows.data.astype(np.float64)


def _columns(table: Any) -> list[NDArray]:
    """Numbers in columns of doubles, all else in columns of objects; a sparse matrix by what it stores."""
    if hasattr(table, "iloc"):
        parts = [table] if len(table.shape) == 1 else [table.iloc[:, j] for j in range(table.shape[1])]
        return [_column(part) for part in parts]
    if hasattr(table, "tocsr"):
        return [part.astype(np.float64) for part in _stored(table)]
    whole = np.asarray(table)
    return [_column(whole)] if whole.ndim < 2 else [_column(c) for c in whole.reshape(len(whole), -1).T]


def _column(values: Any) -> NDArray:
    values = np.asarray(values)
    return values.astype(np.float64) if values.dtype.kind in "biuf" else values.astype(object)


def _cells(column: NDArray) -> bytes:
    if column.dtype.kind == "f":
        return np.where(np.isnan(column), np.nan, column).astype("<f8").tobytes()
    return "\x1f".join(repr(value) for value in column.tolist()).encode("utf-8", "surrogatepass")


def _rows(table: Any, rows: NDArray) -> Any:
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if hasattr(table, "tocsr"):
        return table.tocsr()[rows]
    return np.asarray(table)[rows]


def _square(table: Any, rows: NDArray) -> Any:
    if hasattr(table, "tocsr"):
        return table.tocsr()[rows][:, rows]
    return np.asarray(table)[np.ix_(rows, rows)]
