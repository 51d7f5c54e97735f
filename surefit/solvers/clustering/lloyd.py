"""Lloyd's algorithm: assign every row to its nearest center, move every center to the mean of its rows, repeat.

    min over c₁ … c_k of  Σᵢ ωᵢ minⱼ ‖xᵢ − cⱼ‖²

One pass over the rows is one step of the protocol; the new centers are the driver's. Each half of an iteration can only
lower the sum, and there are finitely many assignments, so the iteration ends where one more step changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.arithmetic import power_of_two
from surefit._core.errors import InvalidData
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.summaries.canonical import row_hashes
from surefit.summaries.column_spread import column_spread

FINGERPRINTS = 2**64
NEXT_STEP = 16.0
"""The step after the last may be longer than the last, by four times; squared."""


class Frame(NamedTuple):
    """How rows are measured: x' = (x − shift)·scale. No distance notices the shift, and rounding does."""

    shift: np.ndarray | None
    """About the mean, in the type of the rows; None for CSR, which a shift would fill."""
    scale: float
    """A power of two; 1 unless squares of the data could overflow or vanish."""


class LloydState(NamedTuple):
    centers: np.ndarray
    frame: Frame
    assignment: Any = None
    """Labels and bounds of rows that stay in memory, from pass to pass: quicker, and never other numbers."""


class LloydStatistic(NamedTuple):
    """Sums are of ω (x − c)·scale about the row's own center c; for CSR of ω x·scale."""

    weight: np.ndarray
    sums: np.ndarray
    inertia: float
    fingerprint: int
    """Of all labels with their row numbers: two passes that agree in it gave the same labels."""


class LloydStep(Step):
    """One assignment, and the sums the update needs."""

    def map(self, state: LloydState, block: Block, n_threads: int) -> LloydStatistic:
        X, w, (shift, scale), assignment = block.X, block.w, state.frame, state.assignment
        if sp.issparse(X):
            out = _native.kmeans_pass_csr(
                *_parts(X), w, state.centers, scale, block.start, block.leaf_rows, n_threads, assignment
            )
        else:
            out = _native.kmeans_pass(
                X, w, state.centers, shift, scale, block.start, block.leaf_rows, n_threads, assignment
            )
        return LloydStatistic(*out)

    def combine(self, left: LloydStatistic, right: LloydStatistic) -> LloydStatistic:
        return LloydStatistic(
            left.weight + right.weight,
            left.sums + right.sums,
            left.inertia + right.inertia,
            (left.fingerprint + right.fingerprint) % FINGERPRINTS,
        )


def _parts(X: Any) -> tuple[Any, Any, Any, int]:
    return X.data, X.indices, X.indptr, X.shape[1]


class Extent(NamedTuple):
    """Where the data lies and how far it spreads, in the frame's scale."""

    mean: np.ndarray
    variance: float
    """Mean over the columns of the weighted variance, times scale²."""
    frame: Frame


def measure_extent(data: Source) -> Extent:
    scale = 1.0
    mean, total = _measured(data, scale)
    if not np.isfinite(total) or (data.dtype == np.float64 and total < 1e-280):
        scale = _fitting_scale(float(data.fold(FarthestStep(), _first_row(data))), data.dtype)
        mean, total = _measured(data, scale)
    else:
        root = float(np.sqrt(total))
        band = 2.0**20 if data.dtype == np.float32 else 2.0**100
        if root > 0 and not 1 / band < root < band:
            scale = _fitting_scale(root, data.dtype)
            mean, total = _measured(data, scale)
    if not (np.isfinite(mean).all() and np.isfinite(total)):
        raise InvalidData("Differences of these rows leave the range of floating point: divide the columns by 1024.")
    shift = None if data.is_sparse else mean.astype(data.dtype)
    return Extent(mean, total / data.n_features, Frame(shift, scale))


def frame_of_both(data: Source, centers: np.ndarray) -> Frame:
    """For rows and centers that may lie far outside of them: no square of a difference overflows."""
    shift, scale = measure_extent(data).frame
    far = float(np.abs(centers if shift is None else centers - shift).max())
    if far * scale > 2.0 ** (20 if data.dtype == np.float32 else 100):
        scale = _fitting_scale(far, data.dtype)
    return Frame(shift, scale)


def _measured(data: Source, scale: float) -> tuple[np.ndarray, float]:
    """The mean, and the variance summed over the columns (times scale²)."""
    columns = column_spread(data, scale=scale)
    return columns.mean / scale, float(columns.squares.sum()) / columns.weight


def _first_row(data: Source) -> np.ndarray:
    """A point within the data; the origin for CSR."""
    if data.is_sparse:
        return np.zeros(data.n_features)
    return np.asarray(next(iter(data.blocks())).X[0], dtype=np.float64)


class FarthestStep(Step):
    """The largest |x − origin|: only for data whose squares leave the range of double precision."""

    def map_leaf(self, state: np.ndarray, leaf: Block) -> float:
        values = leaf.X.data / 2 if sp.issparse(leaf.X) else leaf.X / 2 - state / 2
        return 2 * float(np.abs(values).max(initial=0.0))

    def combine(self, left: float, right: float) -> float:
        return max(left, right)


def _fitting_scale(size: float, dtype: np.dtype) -> float:
    """1/size as a power of two that the type of the rows can hold."""
    return 1.0 / power_of_two(size, 120 if dtype == np.float32 else 1000)


class Far(NamedTuple):
    """Rows that lie far from their centers, the farthest first; all distinct."""

    sq_dist: np.ndarray
    hash: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    """Of all rows equal to it."""


class FarStep(Step):
    """The `count` distinct rows of positive weight farthest from their center, ties by hash: a mergeable sketch."""

    def __init__(self, count: int) -> None:
        self.count = count

    def map_leaf(self, state: LloydState, leaf: Block) -> Far:
        X, w = leaf.X, leaf.w
        labels, sq_dist = nearest_centers(X, state.centers, state.frame, leaf.leaf_rows, 1, distances=True)
        assert sq_dist is not None
        hashes = row_hashes(X)
        kept = np.flatnonzero(sq_dist > 0 if w is None else (sq_dist > 0) & (w > 0))
        leading, weight = self._leading(sq_dist[kept], hashes[kept], np.ones(len(kept)) if w is None else w[kept])
        kept = kept[leading]
        rows = X[kept].toarray() if sp.issparse(X) else X[kept]
        return Far(sq_dist[kept], hashes[kept], rows, labels[kept], weight)

    def combine(self, left: Far, right: Far) -> Far:
        sq_dist, hashes, rows, labels, weight = (np.concatenate(pair) for pair in zip(left, right, strict=True))
        kept, weight = self._leading(sq_dist, hashes, weight)
        return Far(sq_dist[kept], hashes[kept], rows[kept], labels[kept], weight)

    def _leading(self, sq_dist: np.ndarray, hashes: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the farthest distinct rows, and the weight of each with its equals."""
        order = np.lexsort((hashes, -sq_dist))
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = hashes[order[1:]] != hashes[order[:-1]]
        total = np.bincount(np.cumsum(fresh) - 1, weight[order]) if len(order) else weight
        return order[fresh][: self.count], total[: self.count]


class LloydResult(NamedTuple):
    centers: np.ndarray
    """In float64; every entry is a number of the rows' type."""
    inertia: float
    n_iter: int
    history: list[float]
    labels: np.ndarray | None
    """None for data that is not in memory."""
    n_used: int
    """Clusters that hold a row of positive weight."""
    unfinished: float | None
    """Squared movement of the centers at the last iteration over what tol allows; None if the run converged."""
    unchanged: bool
    """Whether it ended because no label changed."""
    moved: float
    """Squared movement of the centers at the last iteration."""
    saving: float
    """The share of the inertia that moving every center to the mean of its rows would still save."""
    expected_saving: float
    """What that share may be where the centers moved by what tol allows, four times as far for the next step."""


def lloyd(
    data: Source,
    centers: np.ndarray,
    extent: Extent,
    max_iter: int,
    tol: float,
    progress: Callable[[np.ndarray, float], bool] | None = None,
) -> LloydResult:
    """From `centers` until no label changes, or the centers move by no more than tol · mean variance (squared).

    A cluster that lost all its rows is started again at the row farthest from its center, which leaves its own.
    """
    step, frame = LloydStep(), extent.frame
    assignment = _native.KMeansScratch() if data.resident else None
    centers = np.ascontiguousarray(centers.astype(data.dtype), dtype=np.float64)
    allowed, moved = tol * extent.variance, np.inf
    history: list[float] = []
    labels_seen, unchanged = None, False
    while True:
        passed = data.fold(step, LloydState(centers, frame, assignment))
        history.append(passed.inertia / frame.scale / frame.scale)
        empty = passed.weight == 0
        relocated = _relocate(data, LloydState(centers, frame), empty) if empty.any() else None
        if passed.fingerprint == labels_seen and relocated is None:
            unchanged = True
            break
        labels_seen = passed.fingerprint
        if relocated is not None:
            passed = _without(passed, relocated, centers, frame.scale, data.is_sparse)
        fresh = _means(centers, passed, empty, frame.scale, data)
        if relocated is not None:
            fresh[np.flatnonzero(empty)[: len(relocated.rows)]] = relocated.rows
        change = (fresh - centers) * frame.scale
        moved, centers = float(np.vdot(change, change)), fresh
        if progress is not None and progress(centers, history[-1]):
            break
        if moved <= allowed or len(history) == max_iter:
            break
    n_iter = len(history)
    if not unchanged:  # labels and inertia of the centers that are returned
        passed = data.fold(step, LloydState(centers, frame, assignment))
        history.append(passed.inertia / frame.scale / frame.scale)
    labels = None if assignment is None else assignment.labels()
    unfinished = None if unchanged or moved <= allowed else moved / allowed if allowed > 0 else np.inf
    n_used = int(np.count_nonzero(passed.weight))
    moved = moved / frame.scale / frame.scale
    saving = _saving(centers, passed, frame.scale, data.is_sparse)
    expected = NEXT_STEP * allowed * float(passed.weight.max()) / passed.inertia if passed.inertia > 0 else np.inf
    return LloydResult(
        centers, history[-1], n_iter, history, labels, n_used, unfinished, unchanged, moved, saving, expected
    )


def _saving(centers: np.ndarray, passed: LloydStatistic, scale: float, sparse: bool) -> float:
    """Σ W‖mean − center‖² over the inertia: Σω‖x − c‖² = Σω‖x − mean‖² + W‖mean − c‖² in every cluster."""
    shift = passed.sums / np.where(passed.weight > 0, passed.weight, 1.0)[:, None] - (
        centers * scale if sparse else 0.0
    )
    saves = float(passed.weight @ np.einsum("ij,ij->i", shift, shift))
    return saves / passed.inertia if passed.inertia > 0 else 0.0


def _means(centers: np.ndarray, passed: LloydStatistic, empty: np.ndarray, scale: float, data: Source) -> np.ndarray:
    """Weighted means of the clusters, rounded to the rows' type; an empty cluster stays where it was."""
    weight = np.where(empty, 1.0, passed.weight)[:, None]
    mean = passed.sums / weight / scale
    mean = np.where(empty[:, None], centers, mean) if data.is_sparse else centers + mean
    return np.ascontiguousarray(mean.astype(data.dtype), dtype=np.float64)


def _relocate(data: Source, state: LloydState, empty: np.ndarray) -> Far | None:
    """New places for the empty clusters, or None if every row already lies on its center."""
    far = data.fold(FarStep(int(np.count_nonzero(empty))), state)
    return far if len(far.rows) else None


def _without(passed: LloydStatistic, far: Far, centers: np.ndarray, scale: float, sparse: bool) -> LloydStatistic:
    """The sums without rows that start a cluster of their own; a cluster that would lose all it has keeps them."""
    leaving = np.bincount(far.labels, far.weight, len(centers))
    leaves = leaving[far.labels] <= (1 - 1e-9) * passed.weight[far.labels]
    labels, moved = far.labels[leaves], far.weight[leaves]
    rows = far.rows[leaves].astype(np.float64)
    weight, sums = passed.weight.copy(), passed.sums.copy()
    np.subtract.at(weight, labels, moved)
    np.subtract.at(sums, labels, moved[:, None] * (rows if sparse else rows - centers[labels]) * scale)
    return passed._replace(weight=weight, sums=sums)


def nearest_centers(
    X: Any, centers: np.ndarray, frame: Frame, leaf_rows: int, n_threads: int, *, distances: bool = False
) -> tuple[np.ndarray, np.ndarray | None]:
    """Labels of rows in memory, and their squared distances (times scale²) if wanted."""
    centers = np.ascontiguousarray(centers, dtype=np.float64)
    if sp.issparse(X):
        return _native.kmeans_assign_csr(*_parts(X), centers, frame.scale, leaf_rows, n_threads, distances)
    shift = None if frame.shift is None else np.ascontiguousarray(frame.shift, dtype=X.dtype)
    return _native.kmeans_assign(np.ascontiguousarray(X), centers, shift, frame.scale, leaf_rows, n_threads, distances)
