"""Training by mini-batches, and by L-BFGS on all rows at once.

An epoch visits the distinct examples once, in an order drawn from the canonical one: shuffling the rows changes
nothing, and a row of weight two is a row given twice. Without shuffling, the rows are visited as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from surefit import _native
from surefit._core.threads import threads_for
from surefit.engine.leaves import merge_in_order
from surefit.engine.source import Source
from surefit.solvers.network.layers import (
    PART_ROWS,
    Network,
    Workspace,
    backpropagate,
    dropout_masks,
    gradient,
    penalty,
    row_losses,
    scores,
)
from surefit.solvers.network.optimizers import Adam, Optimizer
from surefit.summaries.canonical import canonical_rows, single_precision_example_hashes

SMALL_GAIN = 2e-9
"""L-BFGS also stops when a step gains this share of the loss: at the default tol, and less for a smaller one."""

LOSS_ROWS = 1024
"""Rows whose scores are held at a time where only losses are wanted."""


@dataclass
class Rows:
    """Examples for training: X (dense or CSR), Y (n, outputs), weights or None.

    `places`: example i is row places[i] of X and Y, which are never copied as a whole; None: row i. `w` has an entry
    for each example.
    """

    X: Any
    Y: np.ndarray
    w: np.ndarray | None
    places: np.ndarray | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0]) if self.places is None else len(self.places)

    @property
    def weight(self) -> float:
        return float(len(self)) if self.w is None else float(self.w.sum())

    @property
    def targets(self) -> np.ndarray:
        return self.Y if self.places is None else self.Y[self.places]

    def taken(self, at: Any, work: Workspace | None = None) -> Rows:
        """A copy of the examples `at` (a view, where they are a slice of rows that stand in their order).

        With `work` the copy is good until the next one.
        """
        rows = at if self.places is None else self.places[at]
        w = None if self.w is None else self.w[at]
        return Rows(_rows_of(self.X, rows, work), self.Y[rows], w)

    def distinct(self) -> Rows:
        """The distinct examples in canonical order, weights added."""
        w = self.w
        if self.places is not None:
            w = np.zeros(self.X.shape[0])
            w[self.places] = 1.0 if self.w is None else self.w
        found = canonical_rows(self.X, w, single_precision_example_hashes(self.X, self.Y), y=self.Y)
        once = found.w is None or bool((found.w == 1).all())
        return Rows(self.X, self.Y, None if once else found.w, found.order)


def batches(rows: Rows, size: int, rng: np.random.Generator | None) -> Iterator[Rows]:
    """All rows, in a random order or as they stand; each batch is good until the next one."""
    order, work = None if rng is None else rng.permutation(len(rows)), Workspace()
    for start in range(0, len(rows), size):
        at = slice(start, start + size)
        yield rows.taken(at if order is None else order[at], work)


def _rows_of(X: Any, rows: Any, work: Workspace | None) -> Any:
    if not isinstance(X, np.ndarray) or isinstance(rows, slice) or not X.flags.c_contiguous:
        return X[rows]
    shape = (len(rows), X.shape[1])
    out = np.empty(shape, X.dtype) if work is None else work.array("rows", shape, X.dtype)
    _native.gather_rows(X, np.ascontiguousarray(rows, np.int64), out, threads_for(out.size))
    return out


def streamed(data: Source, size: int, targets: Callable[[np.ndarray], np.ndarray]) -> Iterator[Rows]:
    """Batches of rows that are not in memory, in the order in which they are stored."""
    for block in data.blocks():
        assert block.y is not None
        for start in range(0, block.n_rows, size):
            at = slice(start, start + size)
            yield Rows(block.X[at], targets(block.y[at]), None if block.w is None else block.w[at])


@dataclass
class Descent:
    """What one epoch needs besides its rows."""

    network: Network
    optimizer: Optimizer
    alpha: float
    weight_decay: float
    dropout: float
    rng: np.random.Generator

    def epoch(self, some: Iterator[Rows]) -> tuple[float, float]:
        """One step for each batch. Returns the mean loss over the batches, penalty included, and the weight seen."""
        total = weight = 0.0
        work = Workspace()
        for batch in some:
            if batch.weight == 0:
                continue
            masks = dropout_masks(self.network, len(batch), self.dropout, self.rng)
            decay = self.optimizer.learning_rate * self.weight_decay
            total += penalty(self.network, self.alpha)
            if isinstance(self.optimizer, Adam) and self._at_once(batch):
                total += self._adam_step(self.optimizer, batch, masks, work)
            else:
                total += self._step(batch, masks)
            weight += batch.weight
            if decay:
                for W in self.network.coefs:
                    W *= W.dtype.type(1 - decay)
        return total / max(weight, 1e-300), weight

    def _at_once(self, batch: Rows) -> bool:
        X, W = batch.X, self.network.coefs[0]
        return isinstance(X, np.ndarray) and X.dtype == W.dtype and X.flags.c_contiguous and len(batch) <= PART_ROWS

    def _adam_step(self, adam: Adam, batch: Rows, masks: list[np.ndarray] | None, work: Workspace) -> float:
        """The step along the gradient of the batch, whose weights are moved while their slopes are summed."""
        network, share = self.network, 1 / batch.weight
        adam.begin(network.parameters)

        def take(layer: int, a: np.ndarray, delta: np.ndarray) -> None:
            adam.descend_product(layer, network.coefs[layer], a, delta, self.alpha, share)

        loss, slopes = backpropagate(network, batch.X, batch.Y, batch.w, masks, take, work)
        for i, (b, g) in enumerate(zip(network.intercepts, slopes, strict=True), start=len(network.coefs)):
            adam.descend(i, b, g, share=share)
        return loss

    def _step(self, batch: Rows, masks: list[np.ndarray] | None) -> float:
        network = self.network
        found = gradient(network, batch.X, batch.Y, batch.w, masks)
        for i, g in enumerate(found.parts):
            if i < len(network.coefs) and self.alpha:
                g += g.dtype.type(self.alpha) * network.coefs[i]
            g /= g.dtype.type(found.weight)
        self.optimizer.step(network.parameters, found.parts)
        return found.loss


def objective(network: Network, rows: Rows, alpha: float) -> tuple[float, list[np.ndarray]]:
    """f and its gradient over all rows."""
    found = gradient(network, rows.X, rows.Y, rows.w)
    for i, W in enumerate(network.coefs):
        found.parts[i] += W.dtype.type(alpha) * W
    return (found.loss + penalty(network, alpha)) / found.weight, [g / g.dtype.type(found.weight) for g in found.parts]


def mean_loss(network: Network, some: Iterable[Rows], alpha: float) -> float:
    """f over all rows: scores in the precision of the network, losses and their sum in double."""
    total = weight = 0.0
    for rows in some:
        total += loss_sum(network, rows)
        weight += rows.weight
    return (total + penalty(network, alpha)) / weight


def loss_sum(network: Network, rows: Rows) -> float:
    """Σ ω ℓ, part by part."""

    def part(some: Rows) -> float:
        losses = row_losses(network.loss, scores(network, some.X).astype(np.float64), some.Y)
        return float(losses.sum() if some.w is None else losses @ some.w)

    return merge_in_order(map(part, batches(rows, LOSS_ROWS, None)), float.__add__)


def scores_of(network: Network, rows: Rows) -> np.ndarray:
    """z of every example."""
    return np.concatenate([scores(network, some.X) for some in batches(rows, LOSS_ROWS, None)])


@dataclass
class Minimum:
    loss: float
    n_iter: int
    converged: bool
    history: list[float]


def minimize(
    network: Network,
    rows: Rows,
    alpha: float,
    *,
    tol: float,
    max_iter: int,
    max_fun: int,
    report: Callable[[float], bool],
) -> Minimum:
    """L-BFGS from where the network stands, which is changed in place. `report` may ask to stop."""
    shapes = [p.shape for p in network.parameters]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    history: list[float] = []

    def put(flat: np.ndarray) -> None:
        for p, part in zip(network.parameters, np.split(flat, ends[:-1]), strict=True):
            p[...] = part.reshape(p.shape)

    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        put(flat)
        loss, slopes = objective(network, rows, alpha)
        return loss, np.concatenate([g.ravel() for g in slopes]).astype(np.float64)

    def after(intermediate_result: scipy.optimize.OptimizeResult) -> None:
        history.append(float(intermediate_result.fun))
        if report(history[-1]):
            raise StopIteration

    start = np.concatenate([p.ravel() for p in network.parameters]).astype(np.float64)
    found = scipy.optimize.minimize(
        value, start, method="L-BFGS-B", jac=True, callback=after,
        options={"maxfun": max_fun, "maxiter": max_iter, "gtol": tol, "ftol": min(SMALL_GAIN, tol * SMALL_GAIN / 1e-4)},
    )  # fmt: skip
    put(found.x)
    return Minimum(float(found.fun), int(found.nit), bool(found.success), history)
