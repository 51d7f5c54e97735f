"""All rows of the data, in memory."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over

MOST = 1 << 30  # entries


def read_data(blocks: Blocks) -> tuple[F64, F64, F64, bool]:
    """Rows (n, d), targets or codes of classes (n, t), weights (n,), and whether some rows are float32."""
    if blocks.n_rows * blocks.n_features > MOST:
        raise BadData(f"{blocks.n_rows} × {blocks.n_features} entries are too many to hold")
    parts = [(dense(X), y.reshape(len(w), -1), w, [X.dtype == np.float32]) for X, y, w in looked_over(blocks, True)]
    X, y, w, single = (np.concatenate(part) for part in zip(*parts, strict=True))
    return X, y.astype(np.float64), w, bool(single.any())
