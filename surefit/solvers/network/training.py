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
from surefit.engine.sources.source import Source
from surefit.solvers.network.layers import (
    PART_ROWS,
    Network,
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

    def taken(self, at: slice) -> Rows:
        """A copy of the examples `at` (a view, where they are rows that stand in their order)."""
        rows = at if self.places is None else self.places[at]
        w = None if self.w is None else self.w[at]
        return Rows(_rows_of(self.X, rows), self.Y[rows], w)

    def picked(self, at: slice) -> Rows:
        """The examples `at`, without a copy of X and Y."""
        w = None if self.w is None else self.w[at]
        if self.places is None:
            return Rows(self.X[at], self.Y[at], w)
        return Rows(self.X, self.Y, w, self.places[at])

    def shuffled(self, rng: np.random.Generator) -> Rows:
        """The same examples, in a random order."""
        order = rng.permutation(len(self))
        places = order if self.places is None else self.places[order]
        return Rows(self.X, self.Y, None if self.w is None else self.w[order], places)

    def distinct(self) -> Rows:
        """The distinct examples in canonical order, weights added."""
        w = self.w
        if self.places is not None:
            w = np.zeros(self.X.shape[0])
            w[self.places] = 1.0 if self.w is None else self.w
        found = canonical_rows(self.X, w, single_precision_example_hashes(self.X, self.Y), y=self.Y)
        once = found.w is None or bool((found.w == 1).all())
        return Rows(self.X, self.Y, None if once else found.w, found.order)


def batches(rows: Rows, size: int) -> Iterator[Rows]:
    """All rows, as they stand."""
    for start in range(0, len(rows), size):
        yield rows.taken(slice(start, start + size))


def _rows_of(X: Any, rows: Any) -> Any:
    if not isinstance(X, np.ndarray) or isinstance(rows, slice) or not X.flags.c_contiguous:
        return X[rows]
    out = np.empty((len(rows), X.shape[1]), X.dtype)
    _native.gather_rows(X, np.ascontiguousarray(rows, np.int64), out, threads_for(out.size))
    return out


def streamed(data: Source, targets: Callable[[np.ndarray], np.ndarray]) -> Iterator[Rows]:
    """Blocks of rows that are not in memory as a whole, in the order in which they are stored."""
    for block in data.blocks():
        assert block.y is not None
        yield Rows(block.X, targets(block.y), block.w)


@dataclass
class Descent:
    """What one epoch needs besides its rows."""

    network: Network
    optimizer: Optimizer
    alpha: float
    weight_decay: float
    dropout: float
    rng: np.random.Generator

    def epoch(self, some: Iterable[Rows], size: int) -> tuple[float, float]:
        """One step for each batch of `size` rows. Returns the mean loss over the batches, with the penalty, and the
        weight seen."""
        total = weight = 0.0
        for rows in some:
            for loss, seen in self._steps(rows, size):
                total += loss
                weight += seen
        return total / max(weight, 1e-300), weight

    def _steps(self, rows: Rows, size: int) -> Iterator[tuple[float, float]]:
        """Loss and weight of each batch, or of all of them."""
        adam = self.optimizer
        if not isinstance(adam, Adam) or not self._compiled(rows, size):
            yield from (self._step(batch) for batch in batches(rows, size) if batch.weight)
        elif self.dropout == 0:
            yield self._adam_steps(adam, rows, size, [])
        else:
            for start in range(0, len(rows), size):
                batch = rows.picked(slice(start, start + size))
                if batch.weight:
                    yield self._adam_steps(adam, batch, len(batch), self._masks(batch) or [])

    def _masks(self, batch: Rows) -> list[np.ndarray] | None:
        return dropout_masks(self.network, len(batch), self.dropout, self.rng)

    def _compiled(self, rows: Rows, size: int) -> bool:
        X, W = rows.X, self.network.coefs[0]
        return isinstance(X, np.ndarray) and X.dtype == W.dtype and X.flags.c_contiguous and size <= PART_ROWS

    def _adam_steps(self, adam: Adam, rows: Rows, size: int, masks: list[np.ndarray]) -> tuple[float, float]:
        """Steps along the gradients of the batches, whose weights are moved while their slopes are summed."""
        network = self.network
        state = list(zip(network.parameters, *adam.kept(network.parameters), strict=True))
        layers, first = len(network.coefs), network.coefs[0]
        loss, weight, steps = _native.adam_epoch(
            state[:layers],
            state[layers:],
            network.activation,
            network.loss,
            rows.X,
            np.ascontiguousarray(rows.Y, first.dtype),
            None if rows.places is None else np.ascontiguousarray(rows.places, np.int64),
            None if rows.w is None else np.ascontiguousarray(rows.w, np.float64),
            size,
            masks,
            adam.rule(self.alpha, self.weight_decay),
            threads_for(float(min(size, len(rows))) * first.size),
        )
        adam.count(steps)
        return loss, weight

    def _step(self, batch: Rows) -> tuple[float, float]:
        network, decay = self.network, self.optimizer.learning_rate * self.weight_decay
        before = penalty(network, self.alpha)
        found = gradient(network, batch.X, batch.Y, batch.w, self._masks(batch))
        for i, g in enumerate(found.parts):
            if i < len(network.coefs) and self.alpha:
                g += g.dtype.type(self.alpha) * network.coefs[i]
            g /= g.dtype.type(found.weight)
        self.optimizer.step(network.parameters, found.parts)
        if decay:
            for W in network.coefs:
                W *= W.dtype.type(1 - decay)
        return found.loss + before, found.weight


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

    return merge_in_order(map(part, batches(rows, LOSS_ROWS)), float.__add__)


def scores_of(network: Network, rows: Rows) -> np.ndarray:
    """z of every example."""
    return np.concatenate([scores(network, some.X) for some in batches(rows, LOSS_ROWS)])


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
