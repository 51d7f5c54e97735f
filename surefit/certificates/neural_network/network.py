"""A network of layers: scores, answers, losses and their slopes by the chain rule, with bounds for their rounding.

To first order in the roundings; `eps` is that of the precision they happen in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma

ROUNDINGS = 10.0


class Layer(NamedTuple):
    inputs: F64
    inputs_off: F64  # what roundings may change in them
    z: F64  # the scores: sums before the activation
    z_off: F64
    size: F64  # of the terms of these sums


@dataclass
class Net:
    coefs: list[F64]
    intercepts: list[F64]
    activation: str
    out: str
    alpha: float
    eps: float


def _active(kind: str, z: F64) -> F64:
    if kind == "relu":
        return np.maximum(z, 0)
    if kind == "tanh":
        return np.tanh(z)
    return 1 / (1 + np.exp(-z)) if kind == "logistic" else z


def _slope(kind: str, z: F64) -> F64:
    if kind == "relu":
        return (z > 0).astype(float)
    a = _active(kind, z)
    if kind == "tanh":
        return 1 - a * a
    return a * (1 - a) if kind == "logistic" else np.ones_like(z)


def _steepest(kind: str, z: F64, off: F64) -> F64:
    """The largest slope of an activation between z − off and z + off: those of 'tanh' and 'logistic' fall with |z|."""
    return _slope(kind, z + off if kind == "relu" else np.maximum(np.abs(z) - off, 0.0))


def _turn(kind: str, z: F64, off: F64) -> F64:
    """By how much the slope at z ± off may be another: by one where the sign of z is not sure, of 'relu'."""
    if kind in ("relu", "identity"):
        return ((np.abs(z) <= off) & (off > 0) & (kind == "relu")).astype(float)
    return off + 16 * UNIT  # second derivatives are at most one


def layers_of(net: Net, X: F64, eps: float) -> list[Layer]:
    """All layers, with what roundings in precision eps may change in them.

    A sum of terms of size s is off by (width + 8) eps s, and by |W| times what its inputs are off by; a unit hands on
    its input's error times its steepest slope there, so that of a saturated one little is left.
    """
    found, a, off = list[Layer](), X, np.zeros_like(X)
    for W, b in zip(net.coefs, net.intercepts, strict=True):
        z, size = a @ W + b, np.abs(a) @ np.abs(W) + np.abs(b)
        z_off = off @ np.abs(W) + (len(W) + 9) * eps * size
        found.append(Layer(a, off, z, z_off, size))
        a = _active(net.activation, z)
        off = z_off * _steepest(net.activation, z, z_off) + 4 * eps * np.abs(a)
    return found


def answers_of(out: str, last: Layer, eps: float) -> tuple[F64, F64]:
    """What the last layer answers, and what roundings may change in it: a chance moves by less than its scores."""
    z, off = last.z, last.z_off
    if out in ("softmax", "logistic"):
        e = np.exp(z - z.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True) if out == "softmax" else 1 / (1 + np.exp(-z))
        return p, np.broadcast_to(2 * off.max(axis=1, keepdims=True) + ROUNDINGS * eps, p.shape)
    return (np.exp(z), np.exp(z) * (np.expm1(off) + 4 * eps)) if out == "poisson" else (z, off)


def losses_of(out: str, z: F64, Y: F64) -> tuple[F64, F64]:
    """The loss of each row, and the sizes of the terms that it is added up from."""
    if out == "squared":
        half = ((z - Y) ** 2).sum(axis=1) / 2
        return half, half
    if out == "poisson":
        logs = np.where(Y > 0, Y * np.log(np.where(Y > 0, Y, 1.0)), 0.0)
        return (np.exp(z) - Y * z + logs - Y).sum(axis=1), (np.exp(z) + np.abs(Y * z) + np.abs(logs) + Y).sum(axis=1)
    if out == "logistic":
        return (np.logaddexp(0, z) - Y * z).sum(axis=1), (1 + 2 * np.abs(z)).sum(axis=1)
    top = z.max(axis=1)
    logs = np.log(np.exp(z - top[:, None]).sum(axis=1))
    return logs + (top - (z * Y).sum(axis=1)), logs + 2 * np.abs(z).max(axis=1)


def deltas_of(net: Net, layers: list[Layer], Y: F64, omega: F64) -> list[tuple[F64, F64]]:
    """∂(ωℓ)/∂z of each layer by the chain rule, with what roundings here may change in it."""
    said, said_off = answers_of(net.out, layers[-1], 2 * UNIT)
    found = [((said - Y) * omega, (said_off + 2 * UNIT * (np.abs(said) + np.abs(Y))) * omega)]
    for layer, W in zip(layers[-2::-1], net.coefs[:0:-1], strict=True):
        delta, off = found[0]
        back, back_off = delta @ W.T, (off + gamma(W.shape[1] + 8) * np.abs(delta)) @ np.abs(W).T
        slope, turn = _slope(net.activation, layer.z), _turn(net.activation, layer.z, layer.z_off)
        found.insert(0, (back * slope, back_off * (slope + turn) + np.abs(back) * turn))
    return found
