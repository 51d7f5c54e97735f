"""Training by mini-batches, and by L-BFGS on all rows at once.

An epoch visits the distinct examples once, in an order drawn from the canonical one: shuffling the rows changes
nothing, and a row of weight two is a row given twice. Without shuffling, the rows are visited as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from surefit.engine.source import Source
from surefit.solvers.network.layers import Network, dropout_masks, gradient, penalty, row_losses, scores
from surefit.solvers.network.optimizers import Optimizer
from surefit.summaries.canonical import canonical_rows, example_hashes, in_single_precision

SMALL_GAIN = 2e-9
"""L-BFGS also stops when a step gains this share of the loss: at the default tol, and less for a smaller one."""


@dataclass
class Rows:
    """Examples for training: X (dense or CSR), Y (n, outputs), weights or None."""

    X: Any
    Y: np.ndarray
    w: np.ndarray | None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def weight(self) -> float:
        return float(len(self)) if self.w is None else float(self.w.sum())

    def distinct(self) -> Rows:
        """The distinct examples in canonical order, weights added."""
        single, _ = in_single_precision(self.X)
        found = canonical_rows(single, self.w, example_hashes(single, self.Y), y=self.Y)
        return Rows(self.X[found.order], self.Y[found.order], found.w)


def batches(rows: Rows, size: int, rng: np.random.Generator | None) -> Iterator[Rows]:
    """All rows, in a random order or as they stand."""
    order = np.arange(len(rows)) if rng is None else rng.permutation(len(rows))
    for start in range(0, len(rows), size):
        at: Any = slice(start, start + size) if rng is None else order[start : start + size]
        yield Rows(rows.X[at], rows.Y[at], None if rows.w is None else rows.w[at])


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
        for batch in some:
            masks = dropout_masks(self.network, len(batch), self.dropout, self.rng)
            found = gradient(self.network, batch.X, batch.Y, batch.w, masks)
            if found.weight == 0:
                continue
            total += found.loss + penalty(self.network, self.alpha)
            weight += found.weight
            self._step(found.parts, found.weight)
        return total / max(weight, 1e-300), weight

    def _step(self, parts: list[np.ndarray], weight: float) -> None:
        network = self.network
        for i, g in enumerate(parts):
            if i < len(network.coefs) and self.alpha:
                g += g.dtype.type(self.alpha) * network.coefs[i]
            g /= g.dtype.type(weight)
        decay = self.optimizer.learning_rate * self.weight_decay
        self.optimizer.step(network.parameters, parts)
        if decay:
            for W in network.coefs:
                W *= W.dtype.type(1 - decay)


def objective(network: Network, rows: Rows, alpha: float) -> tuple[float, list[np.ndarray]]:
    """f and its gradient over all rows."""
    found = gradient(network, rows.X, rows.Y, rows.w)
    for i, W in enumerate(network.coefs):
        found.parts[i] += W.dtype.type(alpha) * W
    return (found.loss + penalty(network, alpha)) / found.weight, [g / g.dtype.type(found.weight) for g in found.parts]


def mean_loss(network: Network, some: Iterator[Rows], alpha: float) -> float:
    """f over all batches, in double precision."""
    total = weight = 0.0
    coefs, intercepts = ([p.astype(np.float64) for p in layer] for layer in (network.coefs, network.intercepts))
    network = Network(coefs, intercepts, network.activation, network.loss)
    for rows in some:
        losses = row_losses(network.loss, scores(network, rows.X), rows.Y)
        total += float(losses.sum() if rows.w is None else losses @ rows.w)
        weight += rows.weight
    return (total + penalty(network, alpha)) / weight


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
