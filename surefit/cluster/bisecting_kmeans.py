"""k-means from the top down: one cluster is cut in two, again and again."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidData
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit.cluster.kmeans import KMeans, nearest
from surefit.engine.apply import apply_rows
from surefit.engine.leaves import leaf_rows, leaf_threads
from surefit.engine.open import open_data
from surefit.solvers.clustering.lloyd import Frame, measure_extent, nearest_centers
from surefit.solvers.clustering.seeding import Seeding, choose, has_repeats, rows_at, sample_size
from surefit.summaries.canonical import canonical_rows, in_units, single_precision_hashes, unit_above


@dataclass
class _Node:
    """A cluster of the tree: its rows (places in the data), Σ ω ‖x − c‖² in units of the frame, Σ ω."""

    rows: np.ndarray
    inertia: float
    weight: float


class BisectingKMeans(KMeans):
    """Nested clusters: all rows are one, and a cluster is cut in two by 2-means until there are n_clusters.

    The next to be cut is the one with the largest inertia, or the heaviest. `predict` goes down the tree of cuts, at
    each to the nearer of its two centers, so that clusters of fewer cuts are unions of clusters of more.

    {parameters}

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The means of the clusters, in the type of the data.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row: clusters are numbered from left to right in the tree.
    inertia_ : float
        Σ ω ‖x − c‖² to the centers of the clusters.
    splits_ : ndarray of shape (n_clusters − 1,)
        Which node each cut parts, in the order of the cuts. Node 0 holds all rows; cut t makes nodes 2t + 1 and 2t + 2.
    node_centers_ : ndarray of shape (2 n_clusters − 1, n_features)
        The mean of each node.
    history_ : list of float
        The inertia before the first cut and after each; it never rises.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import BisectingKMeans
    >>> X = np.array([[1, 1], [10, 1], [3, 1], [10, 0], [2, 1], [10, 2], [10, 8], [10, 9], [10, 10]])
    >>> model = BisectingKMeans(n_clusters=3, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist())
    [[2.0, 1.0], [10.0, 1.0], [10.0, 9.0]]
    """

    splits_: np.ndarray
    node_centers_: np.ndarray

    def __init__(
        self,
        n_clusters: Annotated[int, Range(1), "How many clusters."] = 8,
        *,
        init: Annotated[
            Literal["k-means++", "random", "farthest"] | Callable,
            "Where each cut starts: 'k-means++', 'random' rows, 'farthest' points, or a function of "
            "(X, n_clusters, random_state).",
        ] = "random",
        n_init: Annotated[int, Range(1), "Starts of each cut, of which the best is kept."] = 1,
        random_state: Annotated[RandomStateLike, "Seed or stream of the starts."] = None,
        max_iter: Annotated[int, Range(1), "Iterations at most, for each start."] = 300,
        verbose: Annotated[int | bool, Range(0), "Print the inertia of every iteration."] = 0,
        tol: Annotated[
            float, Range(0), "A cut ends when the squared movement of its centers is at most tol · mean variance."
        ] = 1e-4,
        copy_x: Annotated[bool, "For compatibility; X is never changed."] = True,
        algorithm: Annotated[
            Literal["lloyd", "elkan"], "For compatibility; both give the same, exact iterations."
        ] = "lloyd",
        bisecting_strategy: Annotated[
            Literal["biggest_inertia", "largest_cluster"], "Which cluster is cut next: by inertia, or by weight."
        ] = "biggest_inertia",
    ) -> None:
        super().__init__(
            n_clusters,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            verbose=verbose,
            random_state=random_state,
            copy_x=copy_x,
            algorithm=algorithm,
        )
        self.bisecting_strategy = bisecting_strategy

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cut the rows of X (array, dataframe or CSR) into clusters. `y` is not used."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, stream=False, instead="KMeans")
        if data.n_rows < p.n_clusters:
            raise InvalidData(f"n_samples={data.n_rows} should be >= n_clusters={p.n_clusters}.")
        w = data.w
        progress = Progress(self, p.n_clusters - 1, X)
        rng = random_stream(p.random_state)
        mean, _, frame = measure_extent(data)
        centers, open_, splits = [mean.astype(data.dtype)[None, :]], [0], []
        nodes = [_node(np.arange(data.n_rows), w, _assigned(data.X, centers[0], frame)[1])]
        rows = _Rows(data.X, w, p.init)
        history = [nodes[0].inertia]
        while len(open_) < p.n_clusters:
            at = max(open_, key=lambda node: (_size(p, nodes[node]), -node))
            if not nodes[at].inertia > 0:  # nothing but repetitions of one row
                break
            cut, parts = _cut(p, rows, nodes[at].rows, int(rng.integers(2**31 - 1)), frame)
            history.append(
                sum(nodes[node].inertia for node in open_ if node != at) + sum(part.inertia for part in parts)
            )
            splits.append(at)
            open_.remove(at)
            open_ += [len(nodes), len(nodes) + 1]
            nodes += parts
            centers.append(cut)
            progress.step(lambda: {"inertia_": history[-1] / frame.scale / frame.scale})
        progress.end()
        self.splits_ = np.array(splits, dtype=np.intp)
        self.node_centers_ = np.concatenate(centers)
        self.history_ = [value / frame.scale / frame.scale for value in history]
        self.inertia_ = self.history_[-1]
        self._shift, self._scale = frame.shift, frame.scale
        leaves = self._leaves()
        self.cluster_centers_ = self.node_centers_[leaves]
        self._n_features_out = len(leaves)
        self.labels_ = np.empty(data.n_rows, dtype=np.int32)
        for label, node in enumerate(leaves):
            self.labels_[nodes[node].rows] = label
        if len(leaves) < p.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({len(leaves)}) found smaller than n_clusters ({p.n_clusters}): the rest "
                "of the rows are repetitions.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    def _leaves(self) -> list[int]:
        """The nodes that were not cut, from left to right."""
        cut_of = {int(node): t for t, node in enumerate(self.splits_)}
        found, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            if node in cut_of:
                waiting += [2 * cut_of[node] + 2, 2 * cut_of[node] + 1]
            else:
                found.append(node)
        return found

    def predict(self, X: Any) -> Any:
        """The cluster of each row, found by going down the tree to the nearer center (the left one of two as near)."""
        check_is_fitted(self)
        down = partial(
            _descend,
            splits=self.splits_,
            centers=self.node_centers_,
            leaves=self._leaves(),
            frame=Frame(self._shift, self._scale),
        )
        return apply_rows(self, X, down)


def _size(p: SimpleNamespace, node: _Node) -> float:
    """What decides which cluster is cut next, to 12 digits: clusters as large are cut in the order they were made."""
    size = node.weight if p.bisecting_strategy == "largest_cluster" and node.inertia > 0 else node.inertia
    return float(f"{size:.11e}")


class _Rows:
    """The rows to be cut: those of a node, and where its cut starts.

    Starts are drawn among the rows in single precision, so that rows of either precision are cut alike. Rows are hashed
    once for all cuts.
    """

    def __init__(self, X: Any, w: np.ndarray | None, init: Seeding | Callable) -> None:
        self.X, self.w, self.init = X, w, init
        self._space: np.ndarray | None = None
        if not callable(init):
            self._unit = unit_above(X)
            self._hashes = single_precision_hashes(X, self._unit)
            self._by_hash = init == "random" and not has_repeats(self._hashes)

    def take(self, at: np.ndarray) -> tuple[Any, np.ndarray | None]:
        """Rows and weights of a node; dense rows stay as they are until the next node is taken."""
        if len(at) == self.X.shape[0]:
            return self.X, self.w
        w = None if self.w is None else self.w[at]
        if sp.issparse(self.X) or callable(self.init):  # a user's function may keep what it is given
            return self.X[at], w
        if self._space is None:
            self._space = np.empty_like(self.X)
        return np.take(self.X, at, axis=0, out=self._space[: len(at)], mode="clip"), w  # unbuffered; none is clipped

    def start(self, at: np.ndarray, w: np.ndarray | None) -> Callable:
        """Centers for a cut of the node, as `KMeans` asks for them."""
        if callable(self.init):
            return self.init
        hashes, name = self._hashes[at], self.init

        def start(X: Any, n_clusters: int, random_state: np.random.RandomState) -> np.ndarray:
            size = sample_size(X.shape[1], n_clusters, sp.issparse(X))
            rows = X if self._by_hash else in_units(X, self._unit)  # where hashes tell all, contents are not looked at
            sample = canonical_rows(rows, w, hashes, size)
            chosen = rows_at(sample, choose(sample, n_clusters, name, random_stream(random_state))[0])
            if self._by_hash:
                chosen = in_units(chosen, self._unit)
            return chosen.astype(np.float64) * self._unit

        return start


def _cut(p: SimpleNamespace, data: _Rows, rows: np.ndarray, seed: int, frame: Frame) -> tuple[np.ndarray, list[_Node]]:
    """The centers of two parts of these rows, and the parts."""
    X, w = data.take(rows)
    init = data.start(rows, w)
    model = KMeans(
        2, init=init, n_init=p.n_init, max_iter=p.max_iter, tol=p.tol, verbose=p.verbose, random_state=seed
    ).fit(X, sample_weight=w)
    centers = _left_first(model.cluster_centers_)
    labels, sq_dist = _assigned(X, centers, frame)
    places = [np.flatnonzero(labels == k) for k in (0, 1)]
    return centers, [_node(rows[at], None if w is None else w[at], sq_dist[at]) for at in places]


def _node(rows: np.ndarray, w: np.ndarray | None, sq_dist: np.ndarray) -> _Node:
    if w is None:
        return _Node(rows, float(sq_dist.sum()), float(len(rows)))
    return _Node(rows, float((w * sq_dist).sum()), float(w.sum()))


def _left_first(centers: np.ndarray) -> np.ndarray:
    """The lower of two centers first, in the column where they differ most: starts that end alike are named alike."""
    j = np.abs(centers[1] - centers[0]).argmax()
    return centers if centers[0, j] <= centers[1, j] else centers[::-1].copy()


def _assigned(X: Any, centers: np.ndarray, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centers and squared distances in units of the frame."""
    L = leaf_rows(X.shape[1])
    labels, sq_dist = nearest_centers(X, centers, frame, L, leaf_threads(X.shape[0], L), distances=True)
    assert sq_dist is not None, "they were asked for"
    return labels, sq_dist


def _descend(X: Any, splits: np.ndarray, centers: np.ndarray, leaves: list[int], frame: Frame) -> np.ndarray:
    """The leaf of each row, as its place among the leaves."""
    rows_of = {0: np.arange(X.shape[0])}
    for t, node in enumerate(splits):
        rows = rows_of.pop(int(node))
        left, right = 2 * t + 1, 2 * t + 2
        side = nearest(X[rows], centers[[left, right]], frame) if len(rows) else np.zeros(0)
        rows_of[left], rows_of[right] = rows[side == 0], rows[side == 1]
    labels = np.empty(X.shape[0], dtype=np.int32)
    for label, leaf in enumerate(leaves):
        labels[rows_of[leaf]] = label
    return labels
