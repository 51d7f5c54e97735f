"""All rows of the data, in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over

MOST = 1 << 30  # entries


class Data(NamedTuple):
    X: F64  # (n, d)
    y: F64  # (n, t): targets, or codes of classes; without them t = 0
    w: F64  # (n,)
    single: bool  # some rows are float32


def read_data(blocks: Blocks, needs_y: bool = True) -> Data:
    """One pass. BadData where there is nothing to compute with."""
    n, d = blocks.n_rows, blocks.n_features
    if n * d > MOST:
        raise BadData(f"{n} × {d} entries are too many to hold")
    parts = [
        (dense(X), np.zeros((len(w), 0)) if y is None else y.reshape(len(w), -1), w, [X.dtype == np.float32])
        for X, y, w in looked_over(blocks, needs_y)
    ]
    X, y, w, single = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Data(X, y.astype(np.float64), w, bool(single.any()))
