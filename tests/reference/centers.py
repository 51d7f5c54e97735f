"""Centers of clusters in long double: distances, sums and what moving a center to the mean of its rows saves."""

from __future__ import annotations

import numpy as np

L = np.longdouble


def sq_dists(X, C):
    X, C = np.asarray(X, dtype=L), np.asarray(C, dtype=L)
    return ((X[:, None, :] - C[None]) ** 2).sum(axis=2)


def inertia(X, w, C, labels):
    """Σω‖x − c_label‖²."""
    return np.asarray(w, dtype=L) @ sq_dists(X, C)[np.arange(len(X)), labels]


def gap(X, w, c):
    """m − c, m the mean of the rows, from differences."""
    w = np.asarray(w, dtype=L)
    return w @ (np.asarray(X, dtype=L) - np.asarray(c, dtype=L)) / w.sum()


def share_saved(X, w, c):
    """W‖m − c‖² of Σω‖x − c‖²."""
    spread, W = inertia(X, w, np.asarray(c)[None], np.zeros(len(X), dtype=int)), np.asarray(w, dtype=L).sum()
    return W * (gap(X, w, c) ** 2).sum() / spread if spread > 0 else L(0)


def lloyd_saving(X, w, C):
    """What one step of Lloyd's iteration saves, of the inertia."""
    labels = sq_dists(X, C).argmin(axis=1)
    moved = np.array(C, dtype=L)
    for j in range(len(C)):
        member = labels == j
        if np.asarray(w)[member].sum() > 0:
            moved[j] += gap(np.asarray(X)[member], np.asarray(w)[member], C[j])
    before, after = (inertia(X, w, c, sq_dists(X, c).argmin(axis=1)) for c in (C, moved))
    return (before - after) / before if before > 0 else L(0)


def not_nearest(X, C, labels, eps):
    """Rows whose label is not a nearest center, beyond a hundred roundings of the squares of the numbers given."""
    sq = sq_dists(X, C)
    labels = np.asarray(labels)
    known = (labels >= 0) & (labels < len(C))
    own = sq[np.arange(len(X)), np.where(known, labels, 0)]
    size = np.abs(np.asarray(X, dtype=L)).max() + np.abs(np.asarray(C, dtype=L)).max()
    return int(np.count_nonzero(~known | (own - sq.min(axis=1) > 100 * eps * size * (np.sqrt(own) + eps * size))))
