"""The rows that a boosted model was fitted to, in memory, and those of them that it kept for validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense, one_column
from surefit.certificates.search.boosting.held_out import held_out


def read_rows(blocks: Blocks, classes: bool) -> tuple[NDArray, F64, F64]:
    """X in the type of the data, where values may be missing or infinite, y and the weights."""
    parts = [(X, one_column(np.asarray(y)), np.ones(X.shape[0]) if w is None else w) for X, y, w in blocks]
    X = np.concatenate([dense(X).astype(np.result_type(X.dtype, np.float32)) for X, _, _ in parts])
    y, w = (np.concatenate([np.asarray(p[i], dtype=np.float64) for p in parts]) for i in (1, 2))
    fine = np.isfinite(y).all() and np.isfinite(w).all() and (w >= 0).all() and (w > 0).any()
    if not fine or (classes and (y < 0).any()):
        raise BadData("targets or weights are not finite, a label is no class, weights are negative or all zero")
    return X, y, w


def kept_rows(attrs: Attributes, X: NDArray, y: F64, w: F64, classes: bool) -> NDArray[np.bool_]:
    """Proposed: what is claimed of the training rows and of these is checked, and they are no more than asked for."""
    asked = attrs.parameter("validation_fraction", 0.1)
    share = asked / float(w.sum()) if isinstance(asked, (int, np.integer)) else real(asked)
    kept = held_out(X, y, w, y if classes else np.zeros(len(y)), share, int(attrs.parameter("seed_", 0)))
    if w[kept].sum() > share * w.sum() * (1 + 1e-9):
        raise BadData("more rows are kept for validation than asked for")
    return kept
