"""A picture of the report, and what all makers of pictures share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.model_selection.clusterings.explained_share import dense, seen_by_last, split_last
from surefit.model_selection.comparison import Comparison
from surefit.model_selection.describe.columns import take
from surefit.model_selection.outcome import Outcome

UNSEEN = "Every row is judged by a model that has not seen it."


@dataclass(frozen=True)
class Picture:
    """`caption` is read below the picture, `alt` instead of it."""

    title: str
    caption: str
    alt: str
    svg: str


def drawing(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """`method` as a function of the axes alone."""
    return lambda ax: method(*args, ax=ax, **kwargs)


def ranked(comparison: Comparison) -> list[Outcome]:
    """The best first."""
    return sorted(comparison.outcomes, key=lambda one: one.merit, reverse=True)


def some_rows(n_rows: int, most: int) -> np.ndarray:
    """The numbers of at most so many rows, spread evenly."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).astype(int))


def plain_rows(one: Outcome, X: Any, rows: np.ndarray) -> Any:
    """What the last step of a model sees of some rows, if these are numbers that lie on a plane: no codes, no gaps."""
    if has_codes(one):
        return None
    Z: Any = seen_by_last(one.estimator, take(X, rows))
    Z = Z if hasattr(Z, "iloc") else dense(Z)
    if hasattr(Z, "iloc") and not all(kind.kind in "fiub" for kind in Z.dtypes if hasattr(kind, "kind")):
        return None
    return Z if np.isfinite(np.asarray(Z, dtype=float)).all() else None


def has_codes(one: Outcome) -> bool:
    """Codes of categories have no plane: the numbers between them mean nothing."""
    _, last = split_last(one.estimator)
    kinds = [kind for kind, _ in getattr(last, "parts_", [])]
    if any(kind != "gaussian" for kind in kinds):
        return True
    flags = getattr(last, "is_categorical_", None)
    return flags is not None and bool(np.any(flags))
