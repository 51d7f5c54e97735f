"""Columns of categories within classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, refuted
from surefit.certificates.theorems.class_statistics.class_claims import logs_claim
from surefit.certificates.theorems.class_statistics.class_counts import read_alpha


def tables(attrs: Attributes, name: str, k: int, d: int) -> list[F64] | None:
    """A list of d tables with k rows each, or None with the fault noted."""
    given = [np.asarray(table) for table in getattr(attrs.model, name, ())]
    if len(given) != d or any(t.dtype.kind not in "biuf" or t.ndim != 2 or len(t) != k for t in given):
        attrs.faults.append(f"{name} is not a list of {d} tables of numbers with {k} rows")
        return None
    return [table.astype(np.float64) for table in given]


def categorical_claims(
    attrs: Attributes, name: str, counts: list[F64], largest: F64, logs: list[F64], n: int, tol: float
) -> list[Claim]:
    """log (count + α)/Σ(count + α) of every column and class, and n_categories_, the widths of the tables.

    That is the largest category of a column plus one, or min_categories if that is more.
    """
    alpha, stated = read_alpha(attrs), attrs.array("n_categories_", (len(logs),))
    least = attrs.array("min_categories", (), (len(logs),)) if attrs.has("min_categories") else np.zeros(())
    if alpha is None or stated is None or least is None:
        return []
    widths, truth = np.array([t.shape[1] for t in logs]), np.maximum(largest + 1, least)
    wrong = np.flatnonzero((stated != truth) | (widths != truth))
    if wrong.size:
        return [refuted("n_categories_", f"Column {wrong[0]} has {truth[wrong[0]]:g} categories: not what is stated.")]
    what = f"{name} is log (count + α)/Σ(count + α) over all categories of every column"
    return [logs_claim(attrs, name, what, flat(logs), flat(smoothed_logs(counts, alpha)), tol, n + int(widths.max()))]


def smoothed_logs(counts: list[F64], alpha: F64) -> list[F64]:
    return [np.log(t + alpha) - np.log((t + alpha).sum(axis=1, keepdims=True)) for t in counts]


def flat(many: list[F64]) -> F64:
    return np.concatenate([t.ravel() for t in many])


def categorical_scores(X: NDArray, logs: list[F64]) -> tuple[F64, F64]:
    """Σ log P(category | class) for every row and class, and the sum of the sizes of its terms."""
    place = np.asarray(X).astype(np.intp)
    terms = [np.asarray(t, dtype=np.float64).T[place[:, j]] for j, t in enumerate(logs)]
    return sum(terms, np.zeros(())), sum(map(np.abs, terms), np.zeros(()))
