"""Text categories of a dataframe as numbers, for checkers, which read numbers alone.

A model that was fitted on texts keeps them in `categories_`: the code of a text is its place there. Data and model are
rewritten together, every text by its place, so that the rewritten model says about the numbers what the model says
about the texts.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from surefit._core.data.frames import frame_column, frame_names, missing
from surefit._core.errors import InvalidData


def in_codes(model: Any, X: Any) -> tuple[Any, Any]:
    """(model, X) with places for texts; both as they are where no column of X holds texts that the model knows."""
    known = getattr(model, "categories_", None)
    names = frame_names(X)
    if not known or names is None:
        return model, X
    texts = {}
    for j, name in enumerate(names):
        values = frame_column(X, j)
        found = known.get(name) if isinstance(known, dict) else known[j] if j < len(known) else None
        if found is not None and values.dtype.kind in "OUS":
            texts[j] = _places(values, np.asarray(found).astype(str), name)
    if not texts:
        return model, X
    rows = np.empty(X.shape)
    for j in range(len(names)):
        rows[:, j] = texts[j] if j in texts else _numbers(frame_column(X, j))
    coded = copy.copy(model)
    if isinstance(known, dict):
        coded.categories_ = {name: values for j, name in enumerate(names) if j not in texts
                             for values in [known.get(name)] if values is not None}  # fmt: skip
    else:
        coded.categories_ = [np.arange(float(len(v))) if j in texts else v for j, v in enumerate(known)]
    return coded, rows


def _numbers(values: np.ndarray) -> np.ndarray:
    return check_array(values[:, None], dtype=np.float64, ensure_all_finite=False)[:, 0]


def _places(values: np.ndarray, known: np.ndarray, name: Any) -> np.ndarray:
    """The place of each text among the known ones, NaN for a missing value."""
    gone = missing(values)
    found, codes = np.unique(values[~gone].astype(str), return_inverse=True)
    place = {text: number for number, text in enumerate(known.tolist())}
    if set(found.tolist()) != place.keys():
        other = sorted(set(found.tolist()) ^ place.keys())[:5]
        raise InvalidData(
            f"column {name!r}: {other} are categories of X or of the model, not of both; pass the rows it was fitted on"
        )
    out = np.full(len(values), np.nan)
    out[~gone] = np.array([place[text] for text in found.tolist()], dtype=np.float64)[codes]
    return out
