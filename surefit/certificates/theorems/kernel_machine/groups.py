"""Equal rows as one: their weight and their mean target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.rounding import gamma

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
MOST = 1 << 30  # entries of the rows in memory


@dataclass
class Groups:
    """Distinct rows of the data. t targets."""

    X: F64  # (m, d)
    weight: F64  # (m,), Ω
    y: F64  # (m, t), ȳ in long double
    y_error: F64  # (m, t)
    places: dict[bytes, int]  # of a row's bytes
    single: bool  # X is float32

    def of(self, Z: F64) -> NDArray[np.intp]:
        """The group of every row of Z; −1 for what is no row of the data."""
        return np.array([self.places.get(row.tobytes(), -1) for row in Z + 0.0], dtype=np.intp)


def group_rows(blocks: Blocks) -> Groups:
    """One pass over the data, which are held in memory."""
    if blocks.n_rows * blocks.n_features > MOST:
        raise BadData(f"{blocks.n_rows} × {blocks.n_features} entries are too many to hold")
    places: dict[bytes, int] = {}
    owner, rows, ys, ws, single = list[int](), list[F64](), list[F64](), list[F64](), False
    for X, y, w in looked_over(blocks, needs_y=True):
        for row in dense(X) + 0.0:
            g = places.setdefault(row.tobytes(), len(rows))
            owner.append(g)
            rows += [row] if g == len(rows) else []
        ys.append(np.asarray(y, dtype=LONG).reshape(X.shape[0], -1))
        ws.append(w.astype(LONG))
        single = single or X.dtype == np.float32
    y, omega, at = np.concatenate(ys), np.concatenate(ws), np.array(owner, dtype=np.intp)
    m, t = len(rows), y.shape[1]
    weight, total, size = np.zeros(m, LONG), np.zeros((m, t), LONG), np.zeros((m, t), LONG)
    np.add.at(weight, at, omega)
    np.add.at(total, at, omega[:, None] * y)
    np.add.at(size, at, omega[:, None] * np.abs(y))
    safe = np.where(weight > 0, weight, 1.0)[:, None]
    error = gamma(np.bincount(at).max() + 4, LONG_UNIT) * size / safe
    return Groups(np.array(rows), weight, total / safe, error, places, single)
