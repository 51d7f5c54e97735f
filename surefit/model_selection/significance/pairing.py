"""Pairing: scores may be subtracted fold by fold only if both models met the same folds of the same rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.model_selection.validation.fingerprint import folds_fingerprint


def fold_fingerprint(splits: Iterable[tuple[Any, Any]], y: np.ndarray | None = None, metric: str = "") -> str:
    """A short text that is the same for the same training and test rows in the same order of folds.

    The target and the name of the score belong to it: folds of other data, or scores of another kind, do not pair.
    """
    ordered = ((np.sort(train), np.sort(test)) for train, test in splits)
    digest = hashlib.sha256(f"{metric}|{folds_fingerprint(ordered)}".encode())
    if y is not None:
        y = np.asarray(y)
        digest.update(y.astype("<f8").tobytes() if y.dtype.kind in "fiub" else "\0".join(map(str, y)).encode())
    return digest.hexdigest()[:16]


def require_pairing(a: Any, b: Any) -> None:
    """Refuse two outcomes whose fingerprints of the folds differ; what has no fingerprint is taken on trust."""
    one, other = getattr(a, "folds", None), getattr(b, "folds", None)
    if one and other and one != other:
        names = " and ".join(str(getattr(x, "name", "a model")) for x in (a, b))
        raise InvalidData(
            f"{names} were scored on different folds, rows or metrics: their differences fold by fold mean nothing; "
            "give both to one call of compare"
        )
