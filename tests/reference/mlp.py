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
            a = values[i]
            slope = {"relu": a > 0, "tanh": 1 - a * a, "logistic": a * (1 - a)}.get(model.activation, np.ones_like(a))
            delta = (delta @ W.T) * slope
    return parts
