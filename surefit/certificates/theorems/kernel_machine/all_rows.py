"""All rows of the data, in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over

MOST = 1 << 30  # entries


class Data(NamedTuple):
    """n rows, t targets (or codes of classes)."""

    X: F64  # (n, d)
    y: F64  # (n, t)
    w: F64  # (n,)
    single: bool  # some rows are float32


def read_data(blocks: Blocks) -> Data:
    if blocks.n_rows * blocks.n_features > MOST:
        raise BadData(f"{blocks.n_rows} × {blocks.n_features} entries are too many to hold")
    parts = [(dense(X), y.reshape(len(w), -1), w, [X.dtype == np.float32]) for X, y, w in looked_over(blocks, True)]
    X, y, w, single = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Data(X, y.astype(np.float64), w, bool(single.any()))
