"""Rows with labels, and what naive Bayes counts in them: weights and sums per class, category counts, moments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Block, Blocks, Rows, all_finite, dense, tmatmul
from surefit.certificates.claim import CertificateError
from surefit.certificates.theorems.classes import codes
from surefit.certificates.theorems.scatter import slices, weights

MAX_CATEGORIES = 1 << 24  # counts held at once, over all columns and classes


@dataclass
class Labelled:
    """One block: rows, the code of the class of each, and its weight."""

    X: Block
    code: NDArray[np.intp]
    omega: F64

    def one_hot(self, n_classes: int) -> F64:
        """(n, K): the weight of the row in the column of its class."""
        return np.where(self.code[:, None] == np.arange(n_classes), self.omega[:, None], 0.0)

    def parts(self) -> Iterator[tuple[F64, NDArray[np.intp], F64]]:
        """Dense slices."""
        for rows in slices(self.X):
            yield dense(self.X[rows]), self.code[rows], self.omega[rows]


def labelled(blocks: Blocks, n_classes: int, missing: bool = False) -> Iterator[Labelled]:
    """The blocks, checked: BadData for infinities, NaN (unless `missing`), bad weights and labels not in classes_."""
    d, seen, total = int(blocks.n_features), 0, 0.0
    for X, y, w in blocks:
        if X.shape[1] != d:
            raise BadData(f"a block has {X.shape[1]} columns, expected {d}")
        if y is None:
            raise CertificateError("This check needs y: the labels the model was fitted to.")
        good = _finite_or_missing(X) if missing else all_finite(X)
        if not good or not all_finite(y) or (w is not None and not all_finite(w)):
            raise BadData("the data have entries that are NaN, infinite or not numbers")
        code, omega = codes(y), weights(X, w)
        if (omega < 0).any():
            raise BadData("some weights are negative")
        if code.shape != omega.shape or not ((code >= 0) & (code < n_classes)).all():
            raise BadData("some labels are not in classes_")
        seen += X.shape[0]
        total += float(omega.sum())
        yield Labelled(X, code, omega)
    if seen != blocks.n_rows:
        raise BadData(f"the blocks have {seen} rows, expected {blocks.n_rows}")
    if not total > 0:
        raise BadData("the total weight is zero")


def _finite_or_missing(X: Block) -> bool:
    values = X.data if isinstance(X, Rows) else np.asarray(X)
    return bool(values.dtype.kind in "biuf" and not np.isinf(values).any())


# --- sums per class -----------------------------------------------------------------------------------------------


@dataclass
class Counts:
    classes: F64  # Σω of every class
    features: F64  # Σω x of every class and column
    lowest: float  # the least entry of X
    single: bool


def feature_counts(blocks: Blocks, n_classes: int, threshold: float | None = None) -> Counts:
    """Σω and Σω x per class; with a threshold x becomes one above it and zero elsewhere."""
    classes, features = np.zeros(n_classes), np.zeros((n_classes, blocks.n_features))
    lowest, single = np.inf, False
    for block in labelled(blocks, n_classes):
        classes += np.bincount(block.code, weights=block.omega, minlength=n_classes)
        single = single or block.X.dtype == np.float32
        if isinstance(block.X, Rows) and (threshold is None or (threshold >= 0 and not _repeats(block.X))):
            X = block.X
            lowest = min(lowest, float(X.data.min(initial=0.0)), 0.0)
            if threshold is not None:
                X = Rows((X.data > threshold).astype(np.float64), X.indices, X.indptr, X.shape)
            features += tmatmul(X, block.one_hot(n_classes)).T
            continue
        for A, code, omega in block.parts():
            lowest = min(lowest, float(A.min(initial=np.inf)))
            if threshold is not None:
                A = (A > threshold).astype(np.float64)
            features += Labelled(A, code, omega).one_hot(n_classes).T @ A
    if not np.isfinite(features).all():
        raise BadData("sums over the data overflow")
    return Counts(classes, features, lowest, single)


def _repeats(X: Rows) -> bool:
    """Whether a column occurs twice in a row: then stored entries are not entries."""
    key = np.sort(X.owner().astype(np.int64) * X.shape[1] + X.indices)
    return bool((key[1:] == key[:-1]).any())


# --- categories ---------------------------------------------------------------------------------------------------


@dataclass
class Categories:
    classes: F64
    counts: list[F64]  # (K, number of categories) for every column, as long as the data need
    weighted: NDArray[np.intp]  # number of categories in rows with a weight
    single: bool


def category_counts(blocks: Blocks, n_classes: int, columns: NDArray[np.intp] | None = None) -> Categories:
    """Two passes: the number of categories (largest code plus one), and Σω of every class, column and category."""
    columns = np.arange(blocks.n_features) if columns is None else columns
    most, heavy = np.zeros(len(columns)), np.zeros(len(columns))
    classes, single = np.zeros(n_classes), False
    for block in labelled(blocks, n_classes):
        classes += np.bincount(block.code, weights=block.omega, minlength=n_classes)
        single = single or block.X.dtype == np.float32
        for A, _, omega in block.parts():
            A = np.trunc(A[:, columns])
            if A.size and A.min() < 0:
                raise BadData("categories are negative")
            most = np.maximum(most, A.max(axis=0, initial=-1) + 1)
            heavy = np.maximum(heavy, A[omega > 0].max(axis=0, initial=-1) + 1)
    if most.sum() * n_classes > MAX_CATEGORIES:
        raise BadData("there are too many categories to count")
    counts = [np.zeros((n_classes, int(m))) for m in most]
    for block in labelled(blocks, n_classes):
        for A, code, omega in block.parts():
            place = A[:, columns].astype(np.intp)
            for j, table in enumerate(counts):
                flat = code * table.shape[1] + place[:, j]
                table += np.bincount(flat, weights=omega, minlength=table.size).reshape(table.shape)
    return Categories(classes, counts, heavy.astype(np.intp), single)


# --- moments ------------------------------------------------------------------------------------------------------


@dataclass
class Moments:
    classes: F64  # Σω of every class
    weight: F64  # Σω of the entries that are there, (K, d)
    mean: F64
    variance: F64
    size: F64  # root mean square of every column
    widest: tuple[float, float]  # the largest variance of a column over all rows, with and without weights
    single: bool


def gaussian_moments(
    blocks: Blocks, n_classes: int, missing: bool = False, columns: NDArray[np.intp] | None = None
) -> Moments:
    """Two passes: sums, then sums about the means of the first, which corrects them."""
    columns = np.arange(blocks.n_features) if columns is None else columns
    d = len(columns)
    classes, weight, sums, squares = (
        np.zeros(n_classes),
        np.zeros((n_classes, d)),
        np.zeros((n_classes, d)),
        np.zeros(d),
    )
    rows, single = np.zeros(d), False
    for block in labelled(blocks, n_classes, missing):
        classes += np.bincount(block.code, weights=block.omega, minlength=n_classes)
        single = single or block.X.dtype == np.float32
        for A, there, H, omega in _entries(block, columns, n_classes):
            weight += H.T @ there
            sums += H.T @ A
            squares += omega @ (A * A)
            rows += there.sum(axis=0)
    rough = sums / np.where(weight > 0, weight, 1.0)
    total = weight.sum(axis=0)
    centre = sums.sum(axis=0) / np.where(total > 0, total, 1.0)
    first, second = np.zeros((n_classes, d)), np.zeros((n_classes, d))
    plain, weighted = np.zeros((2, d)), np.zeros((2, d))
    for block in labelled(blocks, n_classes, missing):
        start = 0
        for A, there, H, omega in _entries(block, columns, n_classes):
            code = block.code[start : start + len(A)]
            start += len(A)
            D = (A - rough[code]) * there
            first += H.T @ D
            second += H.T @ (D * D)
            D = (A - centre) * there
            plain += np.stack([D.sum(axis=0), (D * D).sum(axis=0)])
            weighted += np.stack([omega @ D, omega @ (D * D)])
    safe = np.where(weight > 0, weight, 1.0)
    mean, variance = rough + first / safe, np.maximum(second / safe - (first / safe) ** 2, 0.0)
    whole = np.where(total > 0, total, 1.0)
    overall = np.maximum(weighted[1] / whole - (weighted[0] / whole) ** 2, 0.0)
    count = np.where(rows > 0, rows, 1.0)
    unweighted = plain[1] / count - (plain[0] / count) ** 2
    if not (np.isfinite(second).all() and np.isfinite(squares).all()):
        raise BadData("sums over the data overflow")
    widest = (float(overall.max(initial=0.0)), float(unweighted.max(initial=0.0)))
    size = np.sqrt(squares / np.where(total > 0, total, 1.0))
    return Moments(classes, weight, mean, variance, size, widest, single)


def _entries(block: Labelled, columns: NDArray[np.intp], n_classes: int) -> Iterator[tuple[F64, F64, F64, F64]]:
    """Entries with zero where one is missing, one where it is there, the weights by class, the weights."""
    for A, code, omega in block.parts():
        A = A[:, columns]
        gone = np.isnan(A)
        A = np.where(gone, 0.0, A) if gone.any() else A
        yield A, (~gone).astype(np.float64), Labelled(A, code, omega).one_hot(n_classes), omega
