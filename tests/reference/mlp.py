"""A network in long double, written from the formulas: scores, loss, and the gradient by the chain rule."""

from __future__ import annotations

from typing import Any

import numpy as np

L = np.longdouble


def active(kind: str, z: Any) -> Any:
    if kind == "relu":
        return np.maximum(z, 0)
    if kind == "tanh":
        return np.tanh(z)
    return 1 / (1 + np.exp(-z)) if kind == "logistic" else z


def layers(model: Any, X: Any) -> list[Any]:
    """The inputs of each layer, and the scores."""
    out, last = [np.asarray(X, dtype=L)], len(model.coefs_) - 1
    for i, (W, b) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        z = out[-1] @ np.asarray(W, dtype=L) + np.asarray(b, dtype=L)
        out.append(z if i == last else active(model.activation, z))
    return out


def rounding(model: Any, X: Any) -> Any:
    """What roundings may change in the scores, to first order: Σ over layers of |Jacobian| × width × eps × sizes.

    Each sum of a layer is off by at most (width + 9) eps times the sizes of its terms; the rest of the network hands
    that on by the product of its |W| and of the slopes of its units.
    """
    values, last = layers(model, X), len(model.coefs_) - 1
    single = np.asarray(X).dtype == np.float32 or model.coefs_[0].dtype == np.float32
    eps, off = np.finfo(np.float32 if single else np.float64).eps, 0.0
    for i, (W, b) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        sizes = np.abs(np.asarray(W, dtype=L))
        off = off @ sizes if i else L(0)
        off = off + (len(W) + 9) * eps * (np.abs(values[i]) @ sizes + np.abs(np.asarray(b, dtype=L)))
        if i < last:
            off = off * slope(model.activation, values[i + 1]) + 4 * eps * np.abs(values[i + 1])
    return off


def slope(kind: str, a: Any) -> Any:
    return {"relu": a > 0, "tanh": 1 - a * a, "logistic": a * (1 - a)}.get(kind, np.ones_like(a))


def chances(kind: str, z: Any) -> Any:
    """What the last layer answers."""
    if kind == "softmax":
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    return 1 / (1 + np.exp(-z)) if kind == "logistic" else z


def loss(model: Any, X: Any, Y: Any, w: Any) -> Any:
    """Σωℓ/Σω + (α/2) Σ‖W‖²/Σω."""
    z, Y, w = layers(model, X)[-1], np.asarray(Y, dtype=L), np.asarray(w, dtype=L)
    if model.out_activation_ == "softmax":
        top = z.max(axis=1, keepdims=True)
        one = (np.log(np.exp(z - top).sum(axis=1, keepdims=True)) + top - z)[Y > 0]
    elif model.out_activation_ == "logistic":
        one = (np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - Y * z).sum(axis=1)
    else:
        one = ((z - Y) ** 2).sum(axis=1) / 2
    squares = sum((np.asarray(W, dtype=L) ** 2).sum() for W in model.coefs_)
    return (w @ one + L(model.alpha) / 2 * squares) / w.sum()


def gradient(model: Any, X: Any, Y: Any, w: Any) -> list[Any]:
    values, w = layers(model, X), np.asarray(w, dtype=L)
    delta, parts = (chances(model.out_activation_, values[-1]) - np.asarray(Y, dtype=L)) * w[:, None], []
    for i in range(len(model.coefs_) - 1, -1, -1):
        W = np.asarray(model.coefs_[i], dtype=L)
        parts += [(values[i].T @ delta + L(model.alpha) * W) / w.sum(), delta.sum(axis=0) / w.sum()]
        if i:
            delta = (delta @ W.T) * slope(model.activation, values[i])
    return parts
