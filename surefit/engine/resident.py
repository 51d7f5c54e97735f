"""Rows brought into memory, for fits that need all of them at hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.memory import refuse_beyond_memory
from surefit.engine.source import MemorySource, Source


def in_memory(data: Source, name: str) -> Source:
    """The source itself if its rows are in memory, else one that holds them; refused where they do not fit."""
    if data.resident:
        return data
    columns = data.n_features + data.n_targets + data.has_weights
    if not data.is_sparse:
        refuse_beyond_memory(
            float(data.n_rows) * columns * 8, f"{name} needs its rows in memory and", "Fit a sample of the rows."
        )
    parts: dict[str, list[Any]] = {"X": [], "y": [], "w": []}
    for block in data.blocks():
        parts["X"].append(block.X.copy())
        parts["y"].append(None if block.y is None else block.y.copy())
        parts["w"].append(None if block.w is None else block.w.copy())
    X = sp.vstack(parts["X"], format="csr") if data.is_sparse else np.concatenate(parts["X"])
    y = np.concatenate(parts["y"]) if data.n_targets else None
    w = np.concatenate(parts["w"]) if data.has_weights else None
    source = MemorySource(X, y, w, data.feature_names)
    source.classes = data.classes
    return source
