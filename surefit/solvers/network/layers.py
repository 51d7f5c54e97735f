"""A network of layers, its loss on a batch, and the gradient by backpropagation.

    a₀ = x ,   zₗ = aₗ₋₁ Wₗ + bₗ ,   aₗ = σ(zₗ)  (hidden) ,   z = z_L  (scores)

    f(W, b) = Σᵢ ωᵢ ℓ(zᵢ; yᵢ) / Σᵢ ωᵢ + (α/2) Σ ‖Wₗ‖² / Σᵢ ωᵢ

The losses have the simple slopes  ∂ℓ/∂z = answer − y:

    squared     ½ ‖z − y‖²                    answer z
    logistic    Σ log(1 + eᶻ) − y z           answer 1/(1 + e⁻ᶻ), each output for itself
    softmax     log Σ eᶻ − z·y                answer eᶻ/Σ eᶻ
    poisson     Σ eᶻ − y z + log-terms of y   answer eᶻ

With δ_L the slopes times ω/Σω, the gradients are aₗ₋₁ᵀ δₗ + α Wₗ/Σω for Wₗ and Σ δₗ for bₗ, and
δₗ₋₁ = (δₗ Wₗᵀ) σ'(zₗ₋₁).
Dropout multiplies hidden activations by 0, or by 1/(1 − p) with the chance 1 − p: their mean stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, softmax, xlogy

from surefit import _native
from surefit._core.threads import threads_for
from surefit.engine.leaves import merge_in_order

Activation = Literal["identity", "logistic", "tanh", "relu"]
Loss = Literal["squared_error", "logistic", "softmax", "poisson"]
PART_ROWS = 4096
"""Rows whose activations are held at a time; parts are added in a fixed order."""


@dataclass
class Network:
    coefs: list[np.ndarray]
    intercepts: list[np.ndarray]
    activation: Activation
    loss: Loss

    @property
    def parameters(self) -> list[np.ndarray]:
        return [*self.coefs, *self.intercepts]


class Gradient(NamedTuple):
    loss: float
    """Σ ω ℓ over the rows."""
    weight: float
    """Σ ω."""
    parts: list[np.ndarray]
    """Of Σ ω ℓ by each parameter."""


# of z; 'relu' is part of the product (_affine)
_ACTIVATIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "logistic": lambda z: expit(z, out=z),
    "tanh": lambda z: np.tanh(z, out=z),
}
# σ'(z) as a function of a = σ(z), multiplied into δ; 'relu' is part of the product (_back)
_SLOPES: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "logistic": lambda delta, a: np.multiply(delta, a * (1 - a), out=delta),
    "tanh": lambda delta, a: np.multiply(delta, 1 - a * a, out=delta),
}


def random_network(
    widths: list[int], activation: Activation, loss: Loss, stream: np.random.RandomState, dtype: Any
) -> Network:
    """Weights and intercepts uniform within ±√(6/(in + out)) (Glorot and Bengio), √(2/…) for logistic activations.

    Drawn in double precision, so that either precision starts alike; layer by layer from NumPy's first generator, so
    that a seed starts where scikit-learn's network of that seed does.
    """
    factor = 2.0 if activation == "logistic" else 6.0
    coefs, intercepts = [], []
    for fan_in, fan_out in pairwise(widths):
        bound = np.sqrt(factor / (fan_in + fan_out))
        coefs.append(stream.uniform(-bound, bound, (fan_in, fan_out)).astype(dtype))
        intercepts.append(stream.uniform(-bound, bound, fan_out).astype(dtype))
    return Network(coefs, intercepts, activation, loss)


def scores(network: Network, X: Any) -> np.ndarray:
    """z of each row."""
    a = X
    for layer in range(len(network.coefs) - 1):
        a = _activations(network, layer, a)
    return _affine(a, network.coefs[-1], network.intercepts[-1])


def answers(loss: Loss, z: np.ndarray) -> np.ndarray:
    if loss == "squared_error":
        return z
    if loss == "softmax":
        return softmax(z, axis=1)
    return expit(z) if loss == "logistic" else np.exp(z)


def _activations(network: Network, layer: int, a: Any) -> np.ndarray:
    """σ(a W + b) of a hidden layer."""
    W, b = network.coefs[layer], network.intercepts[layer]
    z = _affine(a, W, b, rectified=network.activation == "relu")
    activate = _ACTIVATIONS.get(network.activation)
    return z if activate is None else activate(z)


def _affine(a: Any, W: np.ndarray, b: np.ndarray, *, rectified: bool = False) -> np.ndarray:
    """a W + b, or max(a W + b, 0) where it is `rectified`."""
    if sp.issparse(a):
        z = np.asarray(a @ W)
        z += b
        return np.maximum(z, 0, out=z) if rectified else z
    a, W, b = _alike(a, W, b)
    z = np.empty((a.shape[0], W.shape[1]), W.dtype)
    _native.layer_forward(a, W, b, z, rectified, threads_for(float(a.size) * W.shape[1]))
    return z


def _alike(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Row by row, and of one precision."""
    dtype = np.result_type(*arrays)
    return tuple(np.ascontiguousarray(one, dtype=dtype) for one in arrays)


def product(a: Any, b: np.ndarray, *, turned: bool = False) -> np.ndarray:
    """a b, or aᵀ b where it is `turned`: the same bits for any number of threads."""
    if sp.issparse(a):
        return np.asarray((a.T if turned else a) @ b)
    a, b = _alike(a, b)
    out = np.empty((a.shape[1] if turned else a.shape[0], b.shape[1]), b.dtype)
    _native.multiply(a, b, out, turned, threads_for(float(a.size) * b.shape[1]))
    return out


def _back(network: Network, layer: int, delta: np.ndarray, a: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """(δ Wᵀ) σ'(z), from the activations a of the layer before, which dropout has multiplied by `mask`."""
    W = network.coefs[layer]
    if network.activation == "relu":  # a mask changes no sign, so the gate may stand before it
        delta, turned, a = _alike(delta, W.T, a)
        out = np.empty_like(a)
        _native.layer_backward(delta, turned, a, out, threads_for(float(delta.size) * len(W)))
        return out if mask is None else np.multiply(out, mask, out=out)
    out = product(delta, W.T)
    if mask is not None:
        out *= mask
        a = np.divide(a, mask, out=np.zeros_like(a), where=mask > 0)
    if network.activation in _SLOPES:
        _SLOPES[network.activation](out, a)
    return out


def row_losses(loss: Loss, z: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """ℓ of each row."""
    if loss == "squared_error":
        return ((z - Y) ** 2).sum(axis=1) / 2
    if loss == "softmax":
        top = z.max(axis=1)
        return np.log(np.exp(z - top[:, None]).sum(axis=1)) + top - (z * Y).sum(axis=1)
    if loss == "logistic":
        return (np.logaddexp(0, z) - Y * z).sum(axis=1)
    return (np.exp(z) - Y * z + xlogy(Y, Y) - Y).sum(axis=1)


def gradient(
    network: Network,
    X: Any,
    Y: np.ndarray,
    w: np.ndarray | None,
    masks: list[np.ndarray] | None = None,
) -> Gradient:
    """Σ ω ℓ over the rows and its slopes; `masks` multiply the activations of the hidden layers (dropout)."""
    n = X.shape[0]
    if n <= PART_ROWS:
        return _part(network, X, Y, w, masks)

    def part(i: int) -> Gradient:
        rows = slice(i * PART_ROWS, (i + 1) * PART_ROWS)
        here = None if masks is None else [mask[rows] for mask in masks]
        return _part(network, X[rows], Y[rows], None if w is None else w[rows], here)

    return merge_in_order(map(part, range(-(-n // PART_ROWS))), _added)


def _added(left: Gradient, right: Gradient) -> Gradient:
    for a, b in zip(left.parts, right.parts, strict=True):
        a += b
    return Gradient(left.loss + right.loss, left.weight + right.weight, left.parts)


def _part(network: Network, X: Any, Y: np.ndarray, w: np.ndarray | None, masks: list[np.ndarray] | None) -> Gradient:
    active = [X]
    for layer in range(len(network.coefs) - 1):
        a = _activations(network, layer, active[-1])
        active.append(a if masks is None else a * masks[layer])
    z = _affine(active[-1], network.coefs[-1], network.intercepts[-1])
    total, delta = _loss_and_slopes(network.loss, z, Y, w)
    of_coefs, of_intercepts = [], []
    for layer in range(len(network.coefs) - 1, -1, -1):
        a = active[layer]
        of_coefs.append(product(a, delta, turned=True))
        of_intercepts.append(delta.sum(axis=0))
        if layer:
            delta = _back(network, layer, delta, a, None if masks is None else masks[layer - 1])
    weight = float(len(Y) if w is None else w.sum())
    return Gradient(total, weight, [*of_coefs[::-1], *of_intercepts[::-1]])


def _loss_and_slopes(loss: Loss, z: np.ndarray, Y: np.ndarray, w: np.ndarray | None) -> tuple[float, np.ndarray]:
    """Σ ω ℓ, and ω times the slopes of ℓ by z, whose place they may take."""
    z, Y = _alike(z, Y)
    weights = None if w is None else np.ascontiguousarray(w, np.float64)
    return _native.loss_slopes(loss, z, Y, weights), z


def penalty(network: Network, alpha: float) -> float:
    """(α/2) Σ ‖W‖²."""
    return alpha / 2 * sum(float(np.vdot(W, W)) for W in network.coefs) if alpha else 0.0


def dropout_masks(network: Network, n_rows: int, share: float, rng: np.random.Generator) -> list[np.ndarray] | None:
    """For each hidden layer 0 with the chance `share`, else 1/(1 − share)."""
    if share == 0:
        return None
    dtype = network.coefs[0].dtype
    keep = 1.0 - share
    return [((rng.random((n_rows, len(b))) < keep) / keep).astype(dtype) for b in network.intercepts[:-1]]


def is_finite(network: Network) -> bool:
    return all(np.isfinite(p).all() for p in network.parameters)
