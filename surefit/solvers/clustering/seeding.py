"""Where k-means starts: rows chosen at random, in a way that does not depend on the order of the rows.

Rows of positive weight are put in canonical order (by a hash of their contents, ties by contents), equal rows are
merged and their weights added. What is then drawn by cumulative weight in that order depends on the set of weighted
rows alone: shuffling changes nothing, and a row of weight two is a row given twice.

Data beyond SAMPLE_BYTES is seeded from a canonical sample: the distinct rows with the smallest hashes, each with its
total weight. Hashes are as good as random, and the sample of two blocks is found from the samples of each.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.engine.leaves import leaf_rows, leaf_threads
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.summaries.canonical import Canonical, canonical_rows, row_hashes

SAMPLE_BYTES = 2**25
SAMPLE_ROWS_PER_CENTER = 64
SPARSE_WIDTH = 256
"""Columns a CSR row is reckoned as, at most, when the size of the sample is chosen."""

Seeding = Literal["k-means++", "random", "farthest"]


class Sketch(NamedTuple):
    hash: np.ndarray
    rows: Any
    weight: np.ndarray


class SketchStep(Step):
    """The `count` distinct rows with the smallest hashes, and the whole weight of each. Mergeable.

    The state is None, or a hash beyond which rows are not looked at.
    """

    def __init__(self, count: int) -> None:
        self.count = count

    def map(self, state: np.uint64 | None, block: Block, n_threads: int) -> Sketch:
        hashes = row_hashes(block.X, n_threads)
        kept = _below(hashes, state)
        w = None if block.w is None else block.w[kept]
        if block.n_leaves > 1 and _weights_round(w) and has_repeats(hashes[kept]):
            return super().map(state, block, n_threads)  # rounded sums are added in the fixed tree
        return self._cut(block.X[kept], w, hashes[kept])

    def map_leaf(self, state: np.uint64 | None, leaf: Block) -> Sketch:
        hashes = row_hashes(leaf.X)
        kept = _below(hashes, state)
        return self._cut(leaf.X[kept], None if leaf.w is None else leaf.w[kept], hashes[kept])

    def combine(self, left: Sketch, right: Sketch) -> Sketch:
        if sp.issparse(left.rows):
            rows = sp.vstack([left.rows, right.rows], format="csr")
        else:
            rows = np.concatenate([left.rows, right.rows])
        return self._cut(rows, np.concatenate([left.weight, right.weight]), np.concatenate([left.hash, right.hash]))

    def _cut(self, rows: Any, w: np.ndarray | None, hashes: np.ndarray) -> Sketch:
        distinct = canonical_rows(rows, w, hashes, self.count)
        weight = np.ones(distinct.n_rows) if distinct.w is None else distinct.w
        return Sketch(hashes[distinct.order], rows[distinct.order], weight)


def _below(hashes: np.ndarray, bound: np.uint64 | None) -> Any:
    return slice(None) if bound is None else np.flatnonzero(hashes <= bound)


def _likely_bound(count: int, n_rows: int) -> np.uint64 | None:
    """A hash below which n_rows distinct rows almost surely have `count`, and hardly more: hashes are uniform."""
    share = (count + 8.0 * np.sqrt(count) + 64.0) / n_rows
    return None if share >= 1 else np.uint64(share * 2.0**64)


def _weights_round(w: np.ndarray | None) -> bool:
    """Whether the order of additions can show in sums of weights; whole numbers add up exactly."""
    return w is not None and bool((w != np.floor(w)).any())


def has_repeats(hashes: np.ndarray) -> bool:
    """Whether two rows hash alike."""
    in_order = hashes[_native.order_by_hash(hashes)]
    return bool((in_order[1:] == in_order[:-1]).any())


def sample_size(n_features: int, n_clusters: int, sparse: bool) -> int:
    """Rows of the canonical sample."""
    width = min(n_features, SPARSE_WIDTH) if sparse else n_features
    return max(SAMPLE_BYTES // (8 * width), SAMPLE_ROWS_PER_CENTER * n_clusters)


def canonical_sample(data: Source, n_clusters: int) -> Canonical:
    """All distinct rows of small data in memory; the canonical sample otherwise."""
    size = sample_size(data.n_features, n_clusters, data.is_sparse)
    exact = data.n_rows <= data.leaf_rows or not _weights_round(data.w)
    if data.resident and data.n_rows <= size and exact:
        n_threads = leaf_threads(data.n_rows, data.leaf_rows)
        return canonical_rows(data.X, data.w, row_hashes(data.X, n_threads))
    bound = _likely_bound(size, data.n_rows)
    sketch = data.fold(SketchStep(size), bound)
    if bound is not None and len(sketch.weight) < size:  # many rows repeat others or weigh nothing
        sketch = data.fold(SketchStep(size))
    rows = sketch.rows if sp.issparse(sketch.rows) else np.ascontiguousarray(sketch.rows)
    return Canonical(rows, np.arange(len(sketch.weight)), sketch.weight)


def choose(
    sample: Canonical,
    n_clusters: int,
    seeding: Seeding,
    rng: np.random.Generator,
    scale: float = 1.0,
    n_trials: int | None = None,
) -> tuple[np.ndarray, float]:
    """Positions in the sample of the chosen rows, and the potential Σ ω min‖x − c‖²·scale² ('random': NaN)."""
    n_trials = 2 + int(np.log(n_clusters)) if n_trials is None else n_trials
    if seeding == "random":
        return _weighted_rows(sample, n_clusters, rng), np.nan
    uniform = rng.random(1 + (n_clusters - 1) * n_trials)
    L = leaf_rows(sample.X.shape[1])
    n_threads = leaf_threads(sample.n_rows, L)
    rest = (sample.order, sample.w, n_clusters, n_trials, uniform, scale, seeding == "farthest", L, n_threads)
    X = sample.X
    if sp.issparse(X):
        return _native.kmeans_seed_csr(X.data, X.indices, X.indptr, X.shape[1], *rest)
    return _native.kmeans_seed(X, *rest)


def _weighted_rows(sample: Canonical, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct rows, one after the other with chances as their weights: those with the smallest Eᵢ/ωᵢ, E exponential.

    Fewer distinct rows than clusters are all taken, and the first of them again.
    """
    keys = rng.standard_exponential(sample.n_rows)
    keys = keys if sample.w is None else keys / sample.w
    if sample.n_rows <= n_clusters:
        return np.resize(np.argsort(keys, kind="stable"), n_clusters)
    few = np.flatnonzero(keys <= np.partition(keys, n_clusters - 1)[n_clusters - 1])
    return few[np.argsort(keys[few], kind="stable")[:n_clusters]]


def rows_at(sample: Canonical, positions: np.ndarray) -> np.ndarray:
    """The chosen rows, dense."""
    rows = sample.X[sample.order[positions]]
    return rows.toarray() if sp.issparse(rows) else rows
