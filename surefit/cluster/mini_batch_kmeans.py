"""k-means by small samples of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np

from surefit._core.base import fitting, updating
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows, take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit.cluster.kmeans import KMeans, given_centers
from surefit.engine.leaves import leaf_rows, leaf_threads
from surefit.engine.open import need_memory, open_data
from surefit.engine.sources.source import MemorySource
from surefit.solvers.clustering.lloyd import frame_of_both, measure_extent, nearest_centers
from surefit.solvers.clustering.mini_batch import Convergence, Running, Samples, rounds
from surefit.solvers.clustering.seeding import choose, rows_at
from surefit.summaries.canonical import Canonical


class MiniBatchKMeans(KMeans):
    """k centers near all rows, found by small samples of them: min over c₁ … c_k of  Σ ωᵢ minⱼ ‖xᵢ − cⱼ‖² .

    Each step assigns a sample and moves every center to the mean of all rows it was ever given. Samples do not depend
    on the order of the rows, and a row of weight two is a row given twice. `KMeans` ends at a fixed point, and is often
    as fast; this is for few passes over much data, and for rows that come in batches (`partial_fit`).

    {parameters}

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers, in the type of the data.
    labels_ : ndarray of shape (n_samples,)
        The nearest center of each row of the last call; with compute_labels=True.
    inertia_ : float
        Σ ω ‖x − c‖² to the nearest centers; without labels it is reckoned from the samples.
    n_iter_ : int
        How often the samples drawn amount to all distinct rows, rounded up.
    n_steps_ : int
        Samples drawn.
    history_ : list of float
        The mean inertia of each sample, before the centers moved.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import MiniBatchKMeans
    >>> X = np.repeat([[1.0, 2.0], [1.0, 4.0], [10.0, 2.0], [10.0, 4.0]], 50, axis=0)
    >>> model = MiniBatchKMeans(n_clusters=2, random_state=0, batch_size=20).fit(X)
    >>> np.sort(model.cluster_centers_[:, 0])
    array([ 1., 10.])
    """

    n_steps_: int

    def __init__(
        self,
        n_clusters: Annotated[int, Range(1), "How many clusters."] = 8,
        *,
        init: Annotated[
            Literal["k-means++", "random", "farthest"] | Callable | np.ndarray,
            "Where to start: 'k-means++', 'random' rows, 'farthest' points, an array of centers, or a function of "
            "(X, n_clusters, random_state).",
        ] = "k-means++",
        max_iter: Annotated[int, Range(1), "Samples amount to all distinct rows at most so many times."] = 100,
        batch_size: Annotated[int, Range(1), "Rows of a sample."] = 1024,
        verbose: Annotated[int | bool, Range(0), "Print the mean inertia of every sample."] = 0,
        compute_labels: Annotated[bool, "Assign all rows at the end."] = True,
        random_state: Annotated[RandomStateLike, "Seed or stream of the starts and samples."] = None,
        tol: Annotated[
            float, Range(0), "Stop when the squared movement of the centers is at most tol · mean variance; 0: never."
        ] = 0.0,
        max_no_improvement: Annotated[
            int | None, Range(0), "Stop after so many samples without a lower running mean of inertia; None: never."
        ] = 10,
        init_size: Annotated[int | None, Range(1), "Rows a start is chosen from; None is three samples."] = None,
        n_init: Annotated[
            int | Literal["auto"],
            Range(1),
            "Starts, of which the best on a sample is kept; 'auto' is 3 for 'random' and functions, else 1.",
        ] = "auto",
        reassignment_ratio: Annotated[
            float, Range(0), "A center given less than this share of the largest count is put on another row."
        ] = 0.01,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the centers of X: array, dataframe or CSR. `y` is not used."""
        p = self._checked()
        data = open_data(self, X, y, sample_weight, stream=False, instead="KMeans")
        assert isinstance(data, MemorySource)
        rng = random_stream(p.random_state)
        samples, state = self._begin(p, data, rng)
        size, variance, scale = self._batch_size, measure_extent(data).variance, state.frame.scale
        n_steps = max(1, p.max_iter * samples.n_distinct // size)
        progress = Progress(self, n_steps, X)
        stop = Convergence(min(1.0, 2.0 * size / (samples.n_distinct + 1)), p.tol * variance, p.max_no_improvement)
        for inertia, moved in rounds(state, samples, rng, size, p.reassignment_ratio):
            why = stop.reached(inertia, moved)
            done = len(stop.history)
            if p.verbose:
                running = None if stop.running is None else stop.running / scale / scale
                told = f"mean batch inertia: {inertia / scale / scale}, ewa inertia: {running}"
                print(f"Minibatch step {done}/{n_steps}: {told}")
                if why:
                    print(f"Converged ({why}) at step {done}/{n_steps}")
            if why or progress.step(lambda: {"cluster_centers_": state.centers}) or done == n_steps:
                break
        progress.end()
        self.n_steps_, self.history_ = len(stop.history), [one / scale / scale for one in stop.history]
        self.n_iter_ = int(np.ceil(self.n_steps_ * size / samples.n_distinct))
        self._keep(state, data.dtype, rng)
        self.inertia_ = (stop.history[-1] if stop.running is None else stop.running) * samples.total
        self._assign(data, p.compute_labels)
        return self

    @updating
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on with these rows as one sample; the first call chooses the start from them. `y` is not used."""
        p = self._checked()
        need_memory(self, X)
        first = not hasattr(self, "_counts")
        rows = take_rows(self, X, reset=first)
        data = MemorySource(rows, w=take_weights(sample_weight, rows.shape[0]))
        if first:
            rng = random_stream(p.random_state)
            samples, state = self._begin(p, data, rng)
        else:
            rng, samples = np.random.default_rng(self._next_seed), Samples(data.X, data.w)
            centers = self.cluster_centers_.astype(np.float64)
            if len(centers) != p.n_clusters:
                raise InvalidParameter(
                    f"n_clusters was {len(centers)} in the calls before and is {p.n_clusters} now: it cannot change "
                    "between calls of partial_fit."
                )
            state = Running(centers, self._counts, frame_of_both(data, centers), self._since_reassigned)
        inertia = state.step(data.X[samples.order], samples.weights, rng, p.reassignment_ratio)
        self.n_steps_ = getattr(self, "n_steps_", 0) + 1
        self.history_ = [
            *getattr(self, "history_", []),
            inertia / state.frame.scale / state.frame.scale / samples.total,
        ]
        self._keep(state, data.dtype, rng)
        self._assign(data, p.compute_labels)
        return self

    def _begin(self, p: SimpleNamespace, data: MemorySource, rng: np.random.Generator) -> tuple[Samples, Running]:
        """What samples are drawn from, and the best of the starts."""
        if data.n_rows < p.n_clusters:
            raise InvalidData(f"n_samples={data.n_rows} should be >= n_clusters={p.n_clusters}.")
        samples, frame = Samples(data.X, data.w), measure_extent(data).frame
        self._batch_size = min(p.batch_size, samples.n_distinct)
        self._init_size = min(_start_rows(p, self._batch_size), samples.n_distinct)
        self._n_init = _n_starts(p)
        judged = samples.draw(rng, self._init_size)
        best, least = None, np.inf
        for _ in range(self._n_init):
            centers = _start(p, data, samples, rng, self._init_size)
            state = Running(centers, np.zeros(p.n_clusters), frame)
            inertia = Running(centers, state.counts, frame).step(data.X[judged.order], judged.w, rng, 0.0)
            if best is None or inertia < least:
                best, least = state, inertia
        assert best is not None, "n_init is at least one"
        return samples, best

    def _keep(self, state: Running, dtype: np.dtype, rng: np.random.Generator) -> None:
        self.cluster_centers_ = state.centers.astype(dtype)
        self._counts, self._since_reassigned = state.counts, state.since_reassigned
        self._next_seed = int(rng.integers(2**63 - 1))
        self._shift, self._scale = state.frame
        self._n_features_out = len(state.centers)

    def _assign(self, data: MemorySource, wanted: bool) -> None:
        self.__dict__.pop("labels_", None)
        if wanted:
            L = leaf_rows(data.n_features)
            frame = frame_of_both(data, self.cluster_centers_)
            labels, sq_dist = nearest_centers(
                data.X, self.cluster_centers_, frame, L, leaf_threads(data.n_rows, L), distances=True
            )
            assert sq_dist is not None, "they were asked for"
            self.labels_ = labels
            weighted = sq_dist if data.w is None else data.w * sq_dist
            self.inertia_ = float(weighted.sum()) / frame.scale / frame.scale


def _start_rows(p: SimpleNamespace, batch_size: int) -> int:
    if p.init_size is None:
        return 3 * batch_size if 3 * batch_size >= p.n_clusters else 3 * p.n_clusters
    if p.init_size < p.n_clusters:
        warnings.warn(
            f"init_size={p.init_size} should be larger than n_clusters={p.n_clusters}. Setting it to min(3*n_clusters, "
            "n_samples)",
            RuntimeWarning,
            stacklevel=6,
        )
        return 3 * p.n_clusters
    return int(p.init_size)


def _n_starts(p: SimpleNamespace) -> int:
    if isinstance(p.init, str) or callable(p.init):
        many = 1 if p.init in ("k-means++", "farthest") else 3
        return many if p.n_init == "auto" else int(p.n_init)
    if p.n_init not in ("auto", 1):
        warnings.warn(
            "Explicit initial center position passed: performing only one init in MiniBatchKMeans instead of "
            f"n_init={p.n_init}.",
            RuntimeWarning,
            stacklevel=6,
        )
    return 1


def _start(p: SimpleNamespace, data: MemorySource, samples: Samples, rng: np.random.Generator, size: int) -> np.ndarray:
    """Centers in double precision."""
    if isinstance(p.init, str):
        seeding: Any = p.init
        drawn = samples.draw(rng, size)
        if drawn.n_rows < p.n_clusters:
            drawn = Canonical(data.X, samples.order, samples.weights)
        among = Canonical(samples.single, drawn.order, drawn.w)
        chosen, _ = choose(among, p.n_clusters, seeding, rng)
        return rows_at(among, chosen).astype(np.float64) * samples.unit
    given = p.init
    if callable(p.init):
        given = p.init(data.X, p.n_clusters, random_state=np.random.RandomState(rng.integers(0, 2**31, size=4)))
    return np.ascontiguousarray(given_centers(given, p.n_clusters, data), dtype=np.float64)
